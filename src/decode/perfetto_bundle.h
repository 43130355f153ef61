/*
 * The events of one bundle of a Perfetto trace in the order of their time:
 * whole ones, and the switches and wakings that are packed by columns.
 */
#ifndef SRC_DECODE_PERFETTO_BUNDLE_H
#define SRC_DECODE_PERFETTO_BUNDLE_H

#include "decode/prev_state.h"
#include "decode/protobuf.h"
#include "event/event.h"

enum rwk_perfetto_result {
	RWK_PERFETTO_END,
	RWK_PERFETTO_EVENT,
	RWK_PERFETTO_OTHER, /* of a kind that is of no interest; time and tid are set */
	RWK_PERFETTO_BAD, /* a field is missing or impossible */
	RWK_PERFETTO_CPU_OUT_OF_RANGE,
};

/* Who runs on the CPU as the packed switches have it, which do not say whom they end. */
struct rwk_perfetto_occupant {
	bool known;
	int32_t tid, prio;
	char comm[RWK_COMM_LEN];
};

enum {
	RWK_SWITCH_TIME,
	RWK_SWITCH_STATE,
	RWK_SWITCH_TID,
	RWK_SWITCH_PRIO,
	RWK_SWITCH_COMM,
	RWK_SWITCH_COLUMNS
};

enum {
	RWK_WAKING_TIME,
	RWK_WAKING_TID,
	RWK_WAKING_CPU,
	RWK_WAKING_PRIO,
	RWK_WAKING_COMM,
	RWK_WAKING_FLAGS, /* older traces have none */
	RWK_WAKING_COLUMNS
};

/* An event that is next of its part of the bundle. */
struct rwk_perfetto_head {
	enum rwk_perfetto_result result;
	struct rwk_event event;
};

struct rwk_perfetto_bundle {
	/* Of the bundle. */
	int64_t lost; /* 0 none, RWK_NONE some, else how many, in front of its first event */
	uint32_t clock; /* 0: boot */
	bool bad; /* it ends early */
	/* The rest is its own. */
	struct rwk_prev_state *states;
	struct rwk_perfetto_occupant *occupant;
	struct rwk_pb whole, switches[RWK_SWITCH_COLUMNS], wakings[RWK_WAKING_COLUMNS];
	uint64_t switch_ts, waking_ts;
	struct rwk_pb_field *comm; /* table that the columns refer to; grows, and stays */
	size_t nr_comms, cap_comms;
	struct rwk_perfetto_head head[3];
	bool has_head[3];
};

/*
 * Begins with a bundle, which must stay where it is.  states and occupant are
 * the CPU's and live longer; the caller forgets the occupant when events are
 * lost.  0 or -ENOMEM.
 */
int rwk_perfetto_bundle_begin(struct rwk_perfetto_bundle *b, const void *data, size_t size,
	struct rwk_prev_state *states, struct rwk_perfetto_occupant *occupant);

/* The next event; its cpu and offset are the caller's to set. */
enum rwk_perfetto_result rwk_perfetto_bundle_next(
	struct rwk_perfetto_bundle *b, struct rwk_event *ret);

void rwk_perfetto_bundle_finish(struct rwk_perfetto_bundle *b);

#endif
