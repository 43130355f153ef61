/*
 * CSV as RFC 4180 has it: CRLF, quotes where they are needed, doubled inside.
 * A report is one table after the other, an empty line between them, each with
 * its own header; the first column, "section", holds the title.  Control
 * characters stay as they are; what is no UTF-8, and NUL, becomes U+FFFD,
 * because readers refuse whole files for one such byte (the database keeps it).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/render.h"
#include "report/text.h"

static void put_field(FILE *out, const char *text, size_t size)
{
	bool quote = memchr(text, ',', size) || memchr(text, '"', size) ||
		     memchr(text, '\n', size) || memchr(text, '\r', size);

	if (quote)
		fputc('"', out);
	for (size_t i = 0; i < size;) {
		uint32_t c;
		int len = rwk_text_decode(text + i, size - i, &c);

		if (!len || !c) {
			fputs("\xef\xbf\xbd", out);
			i++;
			continue;
		}
		if (c == '"')
			fputc('"', out);
		fwrite(text + i, 1, (size_t)len, out);
		i += (size_t)len;
	}
	if (quote)
		fputc('"', out);
}

static int csv_nothing(struct rwk_render *r)
{
	(void)r;
	return 0;
}

static int csv_section(struct rwk_render *r)
{
	if (r->nr_sections > 1)
		fputs("\r\n", r->out);
	if (r->title)
		fputs("section", r->out);
	for (int i = 0; i < r->nr_columns; i++) {
		if (i || r->title)
			fputc(',', r->out);
		put_field(r->out, r->column[i], strlen(r->column[i]));
	}
	fputs("\r\n", r->out);
	return 0;
}

static int csv_row(struct rwk_render *r, const struct rwk_query *q)
{
	if (r->title)
		put_field(r->out, r->title, strlen(r->title));
	for (int i = 0; i < r->nr_columns; i++) {
		struct rwk_value v = rwk_query_value(q, i);
		size_t size;
		char *text = rwk_text_of_value(&v, &size);

		if (!text)
			return -ENOMEM;
		if (i || r->title)
			fputc(',', r->out);
		/* An empty text is not NULL, which is an empty field. */
		if (v.type == RWK_VALUE_TEXT && !size)
			fputs("\"\"", r->out);
		else
			put_field(r->out, text, size);
		free(text);
	}
	fputs("\r\n", r->out);
	return 0;
}

static void csv_finish(struct rwk_render *r)
{
	(void)r;
}

const struct rwk_renderer_ops rwk_render_csv = {
	.begin = csv_nothing,
	.section = csv_section,
	.row = csv_row,
	.section_end = csv_nothing,
	.end = csv_nothing,
	.finish = csv_finish,
};
