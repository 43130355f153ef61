/*
 * A run in the formats of other programs.  To add one: write <format>.c, declare
 * its function here, and give it a row in the table of cli/cmd_export.c.
 */
#ifndef SRC_EXPORT_EXPORT_H
#define SRC_EXPORT_EXPORT_H

#include <stdio.h>

#include "base/diag.h"
#include "store/store.h"

struct rwk_export_options {
	int64_t run_id; /* 0: the file's first run */
	/* Of the graph: */
	bool by_task; /* a node per task; else one per name, and one per kind of interrupt */
	int64_t min_count; /* pairs of fewer wakings are left out, and counted */
	int64_t top; /* the heaviest pairs that are kept; 0: all */
};

/* The run that run_id (0: the first) means.  -ENOENT: there is none. */
int rwk_export_run(struct rwk_store *store, int64_t run_id, struct rwk_diag *diag, int64_t *ret);

/*
 * Each writes all of one run to out, which the caller flushes and checks once
 * more.  0, -ENOENT: no such run, or another negative errno; with a cause.
 */
typedef int rwk_export_fn(struct rwk_store *store, const struct rwk_export_options *opt, FILE *out,
	struct rwk_diag *diag);

/* Slices, wakeups and the answers of policies for the Perfetto UI. */
rwk_export_fn rwk_export_perfetto;
/* The waker graph for Graphviz. */
rwk_export_fn rwk_export_dot;
/* A page for a browser, of all runs if run_id is 0.  -ENOTSUP: built without it. */
rwk_export_fn rwk_export_html;
/* The waker graph for other programs that draw and measure graphs. */
rwk_export_fn rwk_export_graphml;

/*
 * Every view as a CSV file in a new folder; all runs if run_id is 0.  An earlier
 * such folder is replaced when the new one is whole; -EEXIST: dir holds something
 * else.
 */
int rwk_export_csv(struct rwk_store *store, const struct rwk_export_options *opt, const char *dir,
	struct rwk_diag *diag);

#endif
