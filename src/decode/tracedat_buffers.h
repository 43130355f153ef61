/*
 * Which of the buffers in a trace.dat are read, and for what.  Each instance of
 * the tracer has a buffer of its own, with whatever events were switched on in it.
 */
#ifndef SRC_DECODE_TRACEDAT_BUFFERS_H
#define SRC_DECODE_TRACEDAT_BUFFERS_H

#include "decode/tracedat_pages.h"
#include "decode/tracedat_record.h"

/* What the buffer of no instance is called. */
#define RWK_TRACEDAT_TOP "top"

/*
 * Sets the kinds that are taken from each buffer.  name: from that buffer alone.
 * NULL: from all; two that recorded the same kind would tell of everything
 * twice, so each kind is taken from the buffer that has the most of it, the
 * first of equals, and only from buffers of one clock.  Reads all of the data
 * when more than one buffer has any.
 *
 * 0, -ENOENT when there is no buffer of that name, other negative errno.
 */
int rwk_tracedat_buffers_choose(struct rwk_pages_env *env, struct rwk_tracedat_layout *l,
	const struct rwk_record_reader *reader, const char *name, struct rwk_diag *diag);

#endif
