/* One raw record of the ring buffer to one normalised event. */
#ifndef SRC_DECODE_TRACEDAT_RECORD_H
#define SRC_DECODE_TRACEDAT_RECORD_H

#include "decode/prev_state.h"
#include "decode/tracedat_formats.h"

enum rwk_record_result {
	RWK_RECORD_EVENT,
	RWK_RECORD_OTHER, /* of no interest: only cpu, time and tid are filled */
	RWK_RECORD_UNKNOWN_ID, /* no format of that id */
	RWK_RECORD_BAD, /* too short, or values that cannot be */
	RWK_RECORD_CPU_OUT_OF_RANGE,
	RWK_RECORD_COUNT
};

/* What a file's records have in common. */
struct rwk_record_reader {
	const struct rwk_tracedat_formats *formats;
	struct rwk_prev_state prev_state;
	bool swap;
};

/*
 * Fills all of ret but ts, cpu and offset.  probe is where a sel event keeps
 * its values; ret->probe then points there.  *ret_id is the event id, also of
 * what is not RWK_RECORD_EVENT (-1: too short to have one).
 */
enum rwk_record_result rwk_record_decode(struct rwk_record_reader *r, const unsigned char *data,
	uint32_t size, struct rwk_event *ret, struct rwk_ev_probe *probe, int *ret_id);

#endif
