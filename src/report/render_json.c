/*
 * JSON: a report is an object of title → array of rows, a query an array of
 * rows, a row an object.  Blobs are texts x'…'.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/render.h"
#include "report/text.h"

static int put_value(FILE *out, const struct rwk_value *v)
{
	char *text;
	size_t size;

	if (v->type == RWK_VALUE_NULL) {
		fputs("null", out);
		return 0;
	}
	if (v->type == RWK_VALUE_REAL && isinf(v->r)) {
		/* JSON has no word for it, but numbers of any size. */
		fputs(v->r < 0 ? "-1e999" : "1e999", out);
		return 0;
	}
	text = rwk_text_of_value(v, &size);
	if (!text)
		return -ENOMEM;
	if (v->type == RWK_VALUE_INT || v->type == RWK_VALUE_REAL)
		fputs(text, out);
	else
		rwk_text_put_json(out, text, size);
	free(text);
	return 0;
}

static int json_begin(struct rwk_render *r)
{
	if (r->sections)
		fputs("{\n", r->out);
	return 0;
}

static int json_section(struct rwk_render *r)
{
	if (r->nr_sections > 1)
		fputs(",\n", r->out);
	if (r->title) {
		rwk_text_put_json(r->out, r->title, strlen(r->title));
		fputs(": ", r->out);
	}
	fputc('[', r->out);
	return 0;
}

static int json_row(struct rwk_render *r, const struct rwk_query *q)
{
	fputs(r->nr_rows ? ",\n {" : "\n {", r->out);
	for (int i = 0; i < r->nr_columns; i++) {
		struct rwk_value v = rwk_query_value(q, i);
		int err;

		if (i)
			fputs(", ", r->out);
		rwk_text_put_json(r->out, r->column[i], strlen(r->column[i]));
		fputs(": ", r->out);
		err = put_value(r->out, &v);
		if (err)
			return err;
	}
	fputc('}', r->out);
	return 0;
}

static int json_section_end(struct rwk_render *r)
{
	fputs(r->nr_rows ? "\n]" : "]", r->out);
	if (!r->sections)
		fputc('\n', r->out);
	return 0;
}

static int json_end(struct rwk_render *r)
{
	if (r->sections)
		fputs("\n}\n", r->out);
	return 0;
}

static void json_finish(struct rwk_render *r)
{
	(void)r;
}

const struct rwk_renderer_ops rwk_render_json = {
	.begin = json_begin,
	.section = json_section,
	.row = json_row,
	.section_end = json_section_end,
	.end = json_end,
	.finish = json_finish,
};
