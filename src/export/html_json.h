/*
 * JSON that lies inside a page: "<", ">" and "&" are escaped, so that nothing in
 * it ends the element around it.  Texts are those for terminals (report/text.h):
 * bytes that are no UTF-8 and characters that hide or reorder are spelled out.
 */
#ifndef SRC_EXPORT_HTML_JSON_H
#define SRC_EXPORT_HTML_JSON_H

#include <stdio.h>

#include "store/store.h"

/* NULL: null.  0 or -ENOMEM. */
int rwk_html_json_text(FILE *out, const char *text, size_t size);
/* A text that is made for people already. */
void rwk_html_json_plain(FILE *out, const char *text);
int rwk_html_json_value(FILE *out, const struct rwk_value *v);

/* All rows: {"columns":["a","b"],"rows":[[1,2],…]}.  0 or a negative errno with a cause. */
int rwk_html_json_rows(FILE *out, struct rwk_query *q, struct rwk_diag *diag);

#endif
