/*
 * The event format files of a trace.dat or a perf.data as they stand in it: which ids have
 * one, and the texts of the events that are read.
 */
#ifndef SRC_DECODE_TRACEDAT_TEXTS_H
#define SRC_DECODE_TRACEDAT_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"

/* The events that are read, by kind; NULL: no event of a file. */
struct rwk_event_name {
	const char *system, *name;
};

extern const struct rwk_event_name rwk_event_names[RWK_EV_COUNT];

/* RWK_EV_SEL_STATE is not among them: its events are "sel_stateI", I a number. */
#define RWK_STATE_SYSTEM     "rewake"
#define RWK_STATE_NAME       "sel_state"
#define RWK_PROBE_MAX_STATES 240 /* of them that are read, in one file */

struct rwk_tracedat_text {
	char *text; /* terminated; its print fmt is an empty one; NULL: the file has none */
	char *print_fmt; /* what it really was, "print fmt: …"; NULL: none */
	uint16_t id;
	char system[16];
};

struct rwk_tracedat_texts {
	uint64_t other[65536 / 64]; /* a bit for each id of an event of no interest */
	/* Of each kind the first; of RWK_EV_OTHER the first of all events of no interest. */
	struct rwk_tracedat_text of[RWK_EV_COUNT];
	struct rwk_tracedat_text state[RWK_PROBE_MAX_STATES]; /* of sel_state0, sel_state1 … */
	int nr_states;
};

/*
 * Takes one format file of a tracing system ("sched").  One without an id is
 * left out, so that its records count as of unknown events.  0 or -ENOMEM.
 */
int rwk_tracedat_texts_add(
	struct rwk_tracedat_texts *t, const char *system, const char *text, size_t size);

/* Whether records of that event id have a format among them. */
bool rwk_tracedat_texts_has(const struct rwk_tracedat_texts *t, uint64_t id);

/* Safe on zeroed ones. */
void rwk_tracedat_texts_finish(struct rwk_tracedat_texts *t);

#endif
