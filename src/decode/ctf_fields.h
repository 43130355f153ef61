/*
 * The scheduler's events as a CTF trace describes them, to normalised ones:
 * which field is which is found out once for each class of events.
 */
#ifndef SRC_DECODE_CTF_FIELDS_H
#define SRC_DECODE_CTF_FIELDS_H

#include <babeltrace2/babeltrace.h>

#include "event/event.h"

enum {
	RWK_CTF_COMM,
	RWK_CTF_TID,
	RWK_CTF_PRIO,
	RWK_CTF_SUCCESS,
	RWK_CTF_TARGET,
	RWK_CTF_ORIG,
	RWK_CTF_DEST,
	RWK_CTF_PREV_COMM,
	RWK_CTF_PREV_TID,
	RWK_CTF_PREV_PRIO,
	RWK_CTF_PREV_STATE,
	RWK_CTF_NEXT_COMM,
	RWK_CTF_NEXT_TID,
	RWK_CTF_NEXT_PRIO,
	RWK_CTF_FIELDS
};

struct rwk_ctf_class {
	enum rwk_event_kind kind;
	int field[RWK_CTF_FIELDS]; /* place in the payload; -1: it has none */
	/* Places in the common and the event's own context; -1. */
	int common_tid, own_tid, common_cpu;
};

/* A member's place by its name, with or without an underscore in front; -1. */
int rwk_ctf_member_find(const bt_field_class *structure, const char *name);

/* The integer at that place of a structure; false: there is none. */
bool rwk_ctf_member_value(const bt_field *structure, int place, int64_t *ret);

void rwk_ctf_class_init(struct rwk_ctf_class *c, const bt_event_class *event_class);

/* The field class of prev_state if it names its values; NULL. */
const bt_field_class *rwk_ctf_class_states(
	const struct rwk_ctf_class *c, const bt_event_class *event_class);

/*
 * Fills kind, tid and what belongs to the kind; false: a field is missing or
 * impossible.  Priorities and prev_state are as the trace has them.
 */
bool rwk_ctf_class_read(
	const struct rwk_ctf_class *c, const bt_event *event, struct rwk_event *ret);

#endif
