/*
 * The page around the data: src/export/html with the browser library in it, made
 * at build time by embed.py.
 */
#ifndef SRC_EXPORT_HTML_PAGE_H
#define SRC_EXPORT_HTML_PAGE_H

#include "export/export.h"

struct rwk_html_page {
	const char *before; /* up to the data, which are one JSON value; NULL: built without */
	const char *after;
};
extern const struct rwk_html_page rwk_html_page;

/* Members "nodes", "pairs", "all_pairs" and "all_wakings" of an object. */
int rwk_html_graph(FILE *out, struct rwk_store *store, const struct rwk_export_options *opt,
	struct rwk_diag *diag);

#endif
