/* The comments of the views' SQL as a part of rewake-schema(5). */
#include "cli/schema_scdoc.h"

#include <string.h>

#include "cli/usage_scdoc.h"
#include "report/schema_text.h"
#include "store/store.h"

#define VIEWS "views/"

static void put_view(FILE *out, const char *name, const char *sql)
{
	struct rwk_schema_column c;
	int len;
	const char *about = rwk_schema_about(sql, &len);

	fputs("## ", out);
	rwk_scdoc_text(name, strlen(name), out);
	fputs("\n\n", out);
	rwk_scdoc_text(about, (size_t)len, out);
	fputs("\n\n", out);
	while (rwk_schema_next_column(&sql, &c)) {
		fputc('*', out);
		rwk_scdoc_text(c.name, (size_t)c.name_len, out);
		fputs("*\n\t", out);
		rwk_scdoc_text(c.about, (size_t)c.about_len, out);
		fputs("\n\n", out);
	}
}

void rwk_schema_scdoc(FILE *out)
{
	fputs("@VIEWS@\n", out);
	for (const struct rwk_sql_file *f = rwk_sql_files; f->name; f++) {
		if (!strncmp(f->name, VIEWS, strlen(VIEWS)))
			put_view(out, f->name + strlen(VIEWS), f->text);
	}
}
