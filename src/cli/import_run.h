/* Importing one trace: decoder, timeline, graph and store wired together. */
#ifndef SRC_CLI_IMPORT_RUN_H
#define SRC_CLI_IMPORT_RUN_H

#include "base/diag.h"
#include "cli/skew_option.h"
#include "decode/decoder.h"
#include "timeline/timeline.h"

struct rwk_import_options {
	const char *trace;
	const char *output;
	const char *machine; /* NULL: the sidecar beside the trace, if any, or the trace's own
				account */
	struct rwk_decode_options decode;
	bool clock_asked; /* by --ts-offset: no host's clock is chosen */
	enum rwk_probe_mode probe;
	struct rwk_skew_option skew;
	bool replace;
};

struct rwk_import_result {
	int64_t nr_events, nr_wakeups;
	double seconds;
};

/*
 * Imports and says on stderr what is missing or was lost.  *ret_exit is what the
 * verb should exit with: fine, degraded, or events absent; the database is then
 * complete.  A negative errno: there is no database, diag says why.
 */
int rwk_import_run(const struct rwk_import_options *opt, struct rwk_diag *diag,
	struct rwk_import_result *ret, int *ret_exit);

/* "all", "flags", "none". */
int rwk_probe_mode_parse(const char *text, enum rwk_probe_mode *ret);

/* RUN.db for a trace (stdin.db for "-"): its file name with the last suffix replaced, in the
 * current folder. */
void rwk_import_default_output(const char *trace, char *buf, size_t size);

#endif
