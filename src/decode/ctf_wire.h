/*
 * What the child process that has libbabeltrace2 tells its parent: records of
 * one size, in the order facts, CPUs, READY, events, counts, END.  An error
 * leaves its text in CAUSE records, and END out.
 */
#ifndef SRC_DECODE_CTF_WIRE_H
#define SRC_DECODE_CTF_WIRE_H

#include "event/event.h"

enum rwk_ctf_type {
	RWK_CTF_TICK, /* nothing but a sign of life */
	RWK_CTF_RELEASE, /* text */
	RWK_CTF_CLOCK, /* text: the clock's name */
	RWK_CTF_TRACER, /* text: its name; value: its version, major * 1000 + minor */
	RWK_CTF_KIND, /* value: a kind of event that the metadata describe */
	RWK_CTF_STATE, /* text: what the metadata call the prev_state value */
	RWK_CTF_CPU, /* there is a stream of that CPU */
	RWK_CTF_READY,
	RWK_CTF_EVENT, /* event, its prev_state raw only; tid RWK_NONE where no context tells it */
	RWK_CTF_BAD, /* an event that cannot be one, at event.ts */
	RWK_CTF_COUNT, /* value: events met on the CPU; event.ts and lost.from_ts: first, last */
	RWK_CTF_CAUSE, /* text: the next piece of what the library says */
	RWK_CTF_END,
	RWK_CTF_PACKET, /* of the events that come next, one more has begun */
};

struct rwk_ctf_record {
	int32_t type; /* enum rwk_ctf_type */
	int32_t cpu;
	int64_t value;
	union {
		struct rwk_event event;
		char text[sizeof(struct rwk_event)]; /* terminated */
	};
};

/* Whether this program has libbabeltrace2. */
extern const bool rwk_ctf_built;

/* The child's work: all of the trace in that folder to the pipe.  0 or not. */
int rwk_ctf_read(const char *folder, int fd);

#endif
