/* Values and rows as JSON inside a page. */
#include "export/html_json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/text.h"

/* text is UTF-8, or it would not be one for terminals. */
static void put_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (const char *p = text; *p; p++) {
		if (*p == '"' || *p == '\\')
			fprintf(out, "\\%c", *p);
		else if ((unsigned char)*p < 0x20 || *p == '<' || *p == '>' || *p == '&')
			fprintf(out, "\\u%04x", (unsigned int)*p);
		else
			fputc(*p, out);
	}
	fputc('"', out);
}

void rwk_html_json_plain(FILE *out, const char *text)
{
	put_quoted(out, text);
}

int rwk_html_json_text(FILE *out, const char *text, size_t size)
{
	char *shown;
	int width;

	if (!text) {
		fputs("null", out);
		return 0;
	}
	shown = rwk_text_for_table(text, size, &width);
	if (!shown)
		return -ENOMEM;
	put_quoted(out, shown);
	free(shown);
	return 0;
}

int rwk_html_json_value(FILE *out, const struct rwk_value *v)
{
	char number[64];

	switch (v->type) {
	case RWK_VALUE_INT:
		fprintf(out, "%lld", (long long)v->i);
		return 0;
	case RWK_VALUE_REAL:
		if (!isfinite(v->r)) {
			fputs("null", out);
			return 0;
		}
		rwk_text_of_real(v->r, number, sizeof(number));
		fputs(number, out);
		return 0;
	case RWK_VALUE_TEXT:
	case RWK_VALUE_BLOB:
		return rwk_html_json_text(out, v->text, (size_t)v->size);
	case RWK_VALUE_NULL:
		break;
	}
	fputs("null", out);
	return 0;
}

static int put_row(FILE *out, const struct rwk_query *q, int nr)
{
	for (int i = 0; i < nr; i++) {
		struct rwk_value v = rwk_query_value(q, i);
		int err;

		fputc(i ? ',' : '[', out);
		err = rwk_html_json_value(out, &v);
		if (err)
			return err;
	}
	fputc(']', out);
	return 0;
}

int rwk_html_json_rows(FILE *out, struct rwk_query *q, struct rwk_diag *diag)
{
	int nr = rwk_query_nr_columns(q), err = 0;
	const char *between = "\n";

	fputs("{\"columns\":", out);
	for (int i = 0; i < nr; i++) {
		fputc(i ? ',' : '[', out);
		put_quoted(out, rwk_query_column_name(q, i));
	}
	fputs("],\"rows\":[", out);
	while ((err = rwk_query_step(q, diag)) == 1) {
		fputs(between, out);
		between = ",\n";
		err = put_row(out, q, nr);
		if (err)
			return rwk_diag_push(
				diag, err, "cannot write the page: why=%s", strerror(-err));
	}
	fputs("]}", out);
	return err;
}
