/*
 * A pass over all samples before the first event is given, for what the headers
 * of a perf.data do not tell.
 */
#ifndef SRC_DECODE_PERF_SCAN_H
#define SRC_DECODE_PERF_SCAN_H

#include "decode/perf_borrow.h"
#include "decode/perf_layout.h"
#include "decode/tracedat_formats.h"

/*
 * Sets the layout's nr_cpus to the highest CPU id of any sample, + 1, unless it is
 * more already.  With formats that were borrowed, -EBADMSG when records are not
 * as they say; or what reading fails with.
 */
int rwk_perf_scan(struct rwk_perf_layout *l, const struct rwk_file *file,
	const struct rwk_tracedat_formats *formats, const struct rwk_perf_borrowed *borrowed,
	const char *formats_from, struct rwk_diag *diag);

/*
 * The next of the files that records go on in, in place of the one in part.  1, 0 there
 * is none, or a negative errno.
 */
int rwk_perf_next_part(const struct rwk_perf_layout *l, const struct rwk_file *file, int *nr_begun,
	struct rwk_file *part, struct rwk_perf_stream *s, struct rwk_diag *diag);

#endif
