/*
 * A perf.data that ends before its event formats, read by those of another
 * recording of the same kernel.  Which event a record is of, its attribute says
 * by the event's id; that the formats fit is seen from the records.
 */
#ifndef SRC_DECODE_PERF_BORROW_H
#define SRC_DECODE_PERF_BORROW_H

#include "decode/perf_layout.h"
#include "decode/perf_sample.h"
#include "decode/tracedat_formats.h"

/* Bytes of raw data that a record of a format can have; max 0: no such format is borrowed. */
struct rwk_perf_fit {
	uint32_t min, max;
};

struct rwk_perf_borrowed {
	bool used; /* any format */
	struct rwk_perf_fit fit[RWK_EV_COUNT + RWK_PROBE_MAX_STATES]; /* by place in the formats */
};

/*
 * Adds what own lacks of the formats at path.  What the recording itself tells of
 * its kernel has to be the same there: byte order, release, formats.  0; -EBADMSG
 * when it is not, or none of the recording's events is among them; what
 * rwk_formats_from_open() gives.
 */
int rwk_perf_borrow(struct rwk_perf_layout *l, const struct rwk_file *file, const char *path,
	struct rwk_tracedat_texts *own, struct rwk_trace_info *info, struct rwk_perf_borrowed *ret,
	struct rwk_diag *diag);

/* Once the texts are looked up: how long their records have to be. */
void rwk_perf_borrow_sizes(struct rwk_perf_borrowed *b, const struct rwk_tracedat_texts *texts,
	const struct rwk_tracedat_formats *formats);

/* Whether a sample that was decoded into ev by fmt can be of that format. */
bool rwk_perf_borrow_fits(const struct rwk_perf_borrowed *b,
	const struct rwk_tracedat_formats *formats, const struct rwk_format *fmt,
	const struct rwk_perf_sample *s, const struct rwk_event *ev);

#endif
