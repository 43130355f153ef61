/*
 * The promised surface of a RUN.db as text: its views and what their columns
 * mean, read from the comments of the same SQL that makes them.
 */
#ifndef SRC_REPORT_SCHEMA_TEXT_H
#define SRC_REPORT_SCHEMA_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/* A column as a view's text has it; pointers into that text. */
struct rwk_schema_column {
	const char *name, *about;
	int name_len, about_len;
};

/* The view's own comment; "" if it has none.  *ret_len: its length. */
const char *rwk_schema_about(const char *view_sql, int *ret_len);
/* The next column from *p on, which is moved past it; *p is the view's text at first.  false: no
 * more. */
bool rwk_schema_next_column(const char **p, struct rwk_schema_column *ret);

/* All views in order of their names, as text or as Markdown. */
void rwk_schema_print(FILE *out, bool markdown);

#endif
