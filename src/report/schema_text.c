/* Views and columns out of the shipped SQL. */
#include "report/schema_text.h"

#include <ctype.h>
#include <string.h>

#include "store/store.h"

#define VIEWS "views/"

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

const char *rwk_schema_about(const char *view_sql, int *ret_len)
{
	const char *p = strchr(view_sql, '\n');

	*ret_len = 0;
	if (!p || strncmp(p + 1, "-- ", 3))
		return "";
	p += 4;
	*ret_len = (int)strcspn(p, "\n");
	return p;
}

/* Past blanks at the beginning of a line, and the name of a table before a point. */
static const char *plain_start(const char *line)
{
	const char *p;

	while (isspace((unsigned char)*line))
		line++;
	for (p = line; is_word(*p); p++)
		;
	return *p == '.' ? p + 1 : line;
}

/* In one line: "… AS name, -- comment", or nothing but "name, -- comment". */
static bool column_of(const char *line, const char *end, struct rwk_schema_column *ret)
{
	const char *comment = line, *name, *last;

	while (comment + 4 < end && strncmp(comment, " -- ", 4))
		comment++;
	if (comment + 4 >= end)
		return false;
	last = comment > line && comment[-1] == ',' ? comment - 1 : comment;
	for (name = last; name > line && is_word(name[-1]); name--)
		;
	if (name == last ||
		!((name - line >= 4 && !strncmp(name - 4, " AS ", 4)) || name == plain_start(line)))
		return false;
	*ret = (struct rwk_schema_column){.name = name,
		.name_len = (int)(last - name),
		.about = comment + 4,
		.about_len = (int)(end - comment - 4)};
	return true;
}

bool rwk_schema_next_column(const char **p, struct rwk_schema_column *ret)
{
	while (**p) {
		const char *line = *p, *end = line + strcspn(line, "\n");

		*p = *end ? end + 1 : end;
		/* The view's own comment holds no column, whatever it says. */
		if (strncmp(line, "--", 2) && column_of(line, end, ret))
			return true;
	}
	return false;
}

static void print_view(FILE *out, const char *name, const char *sql, bool markdown)
{
	struct rwk_schema_column c;
	int len;
	const char *about = rwk_schema_about(sql, &len);

	fprintf(out, markdown ? "## %s\n\n%.*s\n\n| column | meaning |\n|---|---|\n" : "%s: %.*s\n",
		name, len, about);
	while (rwk_schema_next_column(&sql, &c)) {
		if (!markdown) {
			fprintf(out, "  %-20.*s %.*s\n", c.name_len, c.name, c.about_len, c.about);
			continue;
		}
		fprintf(out, "| `%.*s` | ", c.name_len, c.name);
		for (int i = 0; i < c.about_len; i++)
			fprintf(out, c.about[i] == '|' ? "\\%c" : "%c", c.about[i]);
		fputs(" |\n", out);
	}
}

void rwk_schema_print(FILE *out, bool markdown)
{
	bool first = true;

	if (markdown)
		fputs("# The views of a RUN.db\n\n"
		      "Written by `rewake schema --markdown` from `sql/views`. Tables are not "
		      "promised, "
		      "views are.\n\n",
			out);
	for (const struct rwk_sql_file *f = rwk_sql_files; f->name; f++) {
		if (strncmp(f->name, VIEWS, strlen(VIEWS)))
			continue;
		if (!first)
			fputc('\n', out);
		first = false;
		print_view(out, f->name + strlen(VIEWS), f->text, markdown);
	}
}
