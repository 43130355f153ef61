/*
 * What of tracefs a reader of the pages needs: the formats of what was recorded
 * and the names of tasks.  A few files of some thousand, as the rest would be
 * the larger part of most recordings.
 */
#ifndef SRC_RECORD_VIEW_H
#define SRC_RECORD_VIEW_H

#include <stddef.h>

#include "base/diag.h"
#include "record/assemble.h"
#include "record/extra.h"

#define RWK_VIEW_MAX_FILE (1 << 20)

/* Where they go: path as below tracefs, "events/sched/sched_switch/format". */
struct rwk_view_sink {
	int (*put)(
		void *ctx, const char *path, const void *data, size_t len, struct rwk_diag *diag);
	void *ctx;
};

/* Everything that is known beforehand, with those of extra and the formats format[] added. */
int rwk_view_write(const struct rwk_view_sink *sink, const char *tracing_dir, const char *clock,
	const struct rwk_extra *extra, const struct rwk_format_text *format, int nr_formats,
	struct rwk_diag *diag);

/* The names of tasks, which the kernel collects while it records. */
int rwk_view_write_names(
	const struct rwk_view_sink *sink, const char *tracing_dir, struct rwk_diag *diag);

#endif
