/*
 * Writes small Perfetto traces from nothing, in memory.  A message is bytes that
 * become a field of the message around it.
 */
#ifndef TESTS_UNIT_PERFETTO_BUILD_H
#define TESTS_UNIT_PERFETTO_BUILD_H

#include "event/event.h"
#include "tracedat_build.h"

void pb_varint(struct tb_bytes *m, uint64_t value);
void pb_number(struct tb_bytes *m, uint32_t field, uint64_t value);
void pb_data(struct tb_bytes *m, uint32_t field, const void *data, size_t size);
void pb_text(struct tb_bytes *m, uint32_t field, const char *text);
/* Moves what is in inner into a field, and empties inner. */
void pb_message(struct tb_bytes *m, uint32_t field, struct tb_bytes *inner);

/* A whole event into a bundle: a waking, wakeup, wakeup_new, migration or switch. */
void pb_event(struct tb_bytes *bundle, const struct rwk_event *ev);

/* Columns of packed events of one bundle. */
struct pb_compact {
	struct tb_bytes comms, column[13]; /* by field */
	uint64_t switch_ts, waking_ts;
	int nr_comms;
};

void pb_compact_event(struct pb_compact *c, const struct rwk_event *ev);
/* Moves all into the bundle. */
void pb_compact_end(struct tb_bytes *bundle, struct pb_compact *c);

/* The bundle becomes a packet of the trace; empties it. */
void pb_bundle(struct tb_bytes *trace, int sequence, struct tb_bytes *bundle);

#endif
