/*
 * The child process that has libbabeltrace2, as its parent sees it: records as
 * they come, and why there are no more (ctf_wire.h has what they mean).
 */
#ifndef SRC_DECODE_CTF_CHILD_H
#define SRC_DECODE_CTF_CHILD_H

#include "decode/ctf_wire.h"
#include "decode/isolate.h"

struct rwk_ctf_child {
	struct rwk_isolate_stream *stream; /* NULL: it has ended */
	char why[RWK_ISOLATE_WHY]; /* it ended */
	char cause[256]; /* what the library says */
	struct rwk_ctf_record *buffer;
	size_t nr_bytes, at; /* in it */
};

/*
 * Starts it over the trace in folder, with limits that follow from the size of
 * that; child is zeroed, or was stopped.  0, or what failed, then with why.
 */
int rwk_ctf_child_start(struct rwk_ctf_child *child, const char *folder);

/* The next record: 1, 0 the child has ended. */
int rwk_ctf_child_next(struct rwk_ctf_child *child, struct rwk_ctf_record *ret);

/* Adds a piece of what the library says. */
void rwk_ctf_child_add_cause(struct rwk_ctf_child *child, const char *text);

/* Why it told no end, when it has ended: what it said, or how it died. */
const char *rwk_ctf_child_why(struct rwk_ctf_child *child);

/* Ends it, whatever it does, and forgets what it told. */
void rwk_ctf_child_stop(struct rwk_ctf_child *child);

/* The same, with its memory. */
void rwk_ctf_child_finish(struct rwk_ctf_child *child);

/* Text of a trace may be anything, and goes into messages and a database. */
void rwk_ctf_set_text(char *dst, size_t size, const char *text);

#endif
