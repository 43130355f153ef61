/*
 * The event formats of a trace.dat or a perf.data: which records are of interest and where
 * each of their fields lies, resolved by name once per file.
 */
#ifndef SRC_DECODE_TRACEDAT_FORMATS_H
#define SRC_DECODE_TRACEDAT_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "decode/tracedat_texts.h"
#include "event/event.h"

/* Where a field lies in a record; size 0: this kernel has no such field. */
struct rwk_field {
	uint16_t offset;
	uint8_t size; /* of a number: 1, 2, 4 or 8 */
	bool is_signed;
};

enum rwk_string_kind {
	RWK_STRING_ABSENT,
	RWK_STRING_FIXED, /* char name[size] in the record */
	RWK_STRING_DATA_LOC, /* a number: place from the record's start, and length */
	RWK_STRING_REL_LOC, /* the same, place from the number's end */
};

struct rwk_string_field {
	uint16_t offset, size;
	uint8_t kind; /* enum rwk_string_kind */
};

/* Numbers of interest, whatever an event calls them. */
enum rwk_field_role {
	RWK_FIELD_TID, /* prev_pid of a switch */
	RWK_FIELD_PRIO, /* prev_prio of a switch */
	RWK_FIELD_CPU, /* target_cpu, orig_cpu; prev of sel; cpu of sel_ret and nr */
	RWK_FIELD_DEST_CPU,
	RWK_FIELD_SUCCESS, /* kernels up to 5.14 */
	RWK_FIELD_STATE,
	RWK_FIELD_NEXT_TID,
	RWK_FIELD_NEXT_PRIO,
	RWK_FIELD_WAKE_FLAGS,
	RWK_FIELD_FLIPS,
	RWK_FIELD_RECENT,
	RWK_FIELD_ALLOWED,
	RWK_FIELD_LAST_WAKEE,
	RWK_FIELD_NR,
	RWK_FIELD_CHANGE,
	RWK_FIELD_COUNT
};

/* A pair scanN and coreN of sel. */
struct rwk_probe_pair {
	int32_t first_cpu; /* N */
	struct rwk_field scan, core;
};

struct rwk_probe_pairs {
	int nr;
	struct rwk_probe_pair pair[RWK_PROBE_MAX_LLC]; /* N ascending */
};

/* nrN, pendN, currN and loadN of sel_state…; the first and the third are there. */
struct rwk_probe_state_field {
	int32_t cpu; /* N */
	struct rwk_field nr, pend, curr, load;
};

struct rwk_probe_state_fields {
	int nr;
	struct rwk_probe_state_field of[RWK_PROBE_MAX_CPUS]; /* N ascending */
};

/* One layout of records. */
struct rwk_format {
	uint8_t kind; /* enum rwk_event_kind */
	bool present; /* the file has such events */
	bool broken; /* a field that the event is nothing without is missing */
	uint32_t need; /* bytes that a record must have for its numbers and fixed strings */
	struct rwk_field common_tid, common_flags;
	struct rwk_field field[RWK_FIELD_COUNT];
	struct rwk_string_field comm, next_comm;
	const struct rwk_probe_pairs *pairs; /* NULL: none */
	const struct rwk_probe_state_fields *state; /* of sel_state…, else NULL */
};

struct rwk_tracedat_formats {
	struct rwk_field type; /* of the number that says which event a record is */
	uint8_t *index; /* [65536] event id to place in format, + 1; 0: no format */
	/*
	 * By kind, RWK_EV_OTHER: of all events of no interest.  Behind them those of the
	 * sel_state events; under their kind only whether there is any.
	 */
	struct rwk_format format[RWK_EV_COUNT + RWK_PROBE_MAX_STATES];
	struct rwk_probe_pairs *pairs; /* of sel */
	struct rwk_probe_state_fields
		*states; /* by place in format behind the kinds, NULL: no such event */
	char *state_fmt; /* print fmt of sched_switch, NULL: none */
};

struct rwk_lookup;
struct rwk_lookup_source;

/*
 * Has the events looked up by name, each time in a child process: by
 * libtracecmd, which opens the file itself, and if that dies or refuses, by
 * libtraceevent alone out of the texts that our reader of the layout found.  An
 * event whose text makes even that die costs its own records only.
 *
 * 0; -EBADMSG when neither gave anything, with what became of both; -ENOMEM or
 * what fork(2) says.  f is to be finished after an error too.
 */
int rwk_tracedat_formats_read(struct rwk_tracedat_formats *f,
	const struct rwk_lookup_source *source, struct rwk_diag *diag);

/*
 * The part of it behind the child: takes what a look-up gave, in which any
 * number may be wrong.  0 or -ENOMEM.
 */
int rwk_tracedat_formats_take(struct rwk_tracedat_formats *f, const struct rwk_lookup *found,
	const struct rwk_tracedat_texts *texts);

/* Safe on zeroed ones. */
void rwk_tracedat_formats_finish(struct rwk_tracedat_formats *f);

/* The format of an event id, or NULL. */
static inline const struct rwk_format *rwk_tracedat_format_find(
	const struct rwk_tracedat_formats *f, uint64_t id)
{
	unsigned int at = id < 65536 ? f->index[id] : 0;

	return at ? &f->format[at - 1] : NULL;
}

#endif
