/* Rows to one of the formats.  To add one: a struct rwk_renderer_ops, named in rwk_renderer_of().
 */
#ifndef SRC_REPORT_RENDER_H
#define SRC_REPORT_RENDER_H

#include "report/report.h"

struct rwk_render {
	FILE *out;
	bool sections; /* results have titles; without, there is one of them */
	int nr_sections; /* begun so far */
	int64_t nr_rows; /* of the section */
	int nr_columns;
	char **column; /* names, unique; of the section */
	const char *title; /* of the section */
	bool optional; /* a table of it is left out when it is empty; it is no loss to say nothing
			*/
	void *state; /* the renderer's own */
};

/*
 * All but begin and end are called per section: section, row…, section_end.
 * Output is checked by the caller once, by ferror(); 0 or -ENOMEM.
 */
struct rwk_renderer_ops {
	int (*begin)(struct rwk_render *r);
	int (*section)(struct rwk_render *r);
	int (*row)(struct rwk_render *r, const struct rwk_query *q);
	int (*section_end)(struct rwk_render *r);
	int (*end)(struct rwk_render *r);
	/* After a failure as well. */
	void (*finish)(struct rwk_render *r);
};

extern const struct rwk_renderer_ops rwk_render_table, rwk_render_csv, rwk_render_json;

#endif
