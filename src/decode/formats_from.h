/*
 * Event formats out of another place than the recording that they are for: a
 * trace.dat, a perf.data, or the folder of tracefs of the kernel that recorded.
 */
#ifndef SRC_DECODE_FORMATS_FROM_H
#define SRC_DECODE_FORMATS_FROM_H

#include <stdbool.h>

#include "base/diag.h"
#include "decode/tracedat_texts.h"

struct rwk_formats_from {
	struct rwk_tracedat_texts texts;
	bool order_known, big_endian; /* of the kernel's numbers; a folder does not tell */
	int long_size; /* of that kernel; 0 unknown */
	char release[128]; /* of that kernel; "": not said */
};

/*
 * Reads the formats at path: a trace.dat or a perf.data, also packed ones, or a folder
 * with events/ in it, or with sched/ in it.  -EBADMSG when there are none, or the
 * file is damaged beyond that; -EINVAL for what is neither; what open(2) says.
 */
int rwk_formats_from_open(const char *path, struct rwk_diag *diag, struct rwk_formats_from *ret);

/* Safe on a zeroed one. */
void rwk_formats_from_finish(struct rwk_formats_from *f);

#endif
