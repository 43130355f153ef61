/*
 * What libtracecmd and libtraceevent know of a file's events.  Both crash on
 * some damaged headers (1.3 and 1.7), so these run in a child process; what
 * comes back is plain numbers that nobody has checked yet.
 */
#ifndef SRC_DECODE_TRACEDAT_LOOKUP_H
#define SRC_DECODE_TRACEDAT_LOOKUP_H

#include <stdint.h>

#include "decode/tracedat_formats.h"
#include "decode/tracedat_texts.h"

/* Roles of strings, behind those of numbers. */
enum { RWK_LOOKUP_COMM = RWK_FIELD_COUNT, RWK_LOOKUP_NEXT_COMM, RWK_LOOKUP_COUNT };

/* Which field of which event plays which role; an event is nothing without the required ones. */
struct rwk_lookup_role {
	const char *field;
	uint8_t kind, role;
	bool required;
};

extern const struct rwk_lookup_role rwk_lookup_roles[]; /* ends with a NULL field */

/* As a library has it; size 0: there is none.  Nothing here for which some bytes are no value. */
struct rwk_lookup_field {
	int32_t offset, size;
	uint16_t form; /* enum rwk_string_kind; RWK_STRING_ABSENT: a number */
	uint16_t is_signed;
};

struct rwk_lookup_event {
	int32_t found; /* 0 or 1 */
	int32_t id;
	struct rwk_lookup_field common_type, common_flags, common_pid;
	struct rwk_lookup_field of[RWK_LOOKUP_COUNT];
};

#define RWK_LOOKUP_MAX_HALVES (2 * RWK_PROBE_MAX_LLC)

/* A scanN or a coreN of sel. */
struct rwk_lookup_half {
	int32_t cpu; /* N */
	int32_t is_core;
	struct rwk_lookup_field field;
};

#define RWK_LOOKUP_MAX_STATE_FIELDS (4 * RWK_MAX_CPUS)

enum rwk_lookup_state_what { RWK_LOOKUP_NR, RWK_LOOKUP_PEND, RWK_LOOKUP_CURR, RWK_LOOKUP_LOAD };

/* An event sel_stateI. */
struct rwk_lookup_state {
	int32_t id;
	struct rwk_lookup_field common_flags, common_pid;
};

/* A nrN, pendN, currN or loadN of one of them. */
struct rwk_lookup_state_field {
	int32_t event; /* its place in the array of these */
	int32_t cpu; /* N */
	int32_t what; /* enum rwk_lookup_state_what */
	struct rwk_lookup_field field;
};

struct rwk_lookup {
	struct rwk_lookup_event event[RWK_EV_COUNT]; /* RWK_EV_OTHER: any, for its common fields */
	int32_t nr_halves;
	struct rwk_lookup_half half[RWK_LOOKUP_MAX_HALVES];
	int32_t nr_states, nr_state_fields;
	struct rwk_lookup_state state[RWK_PROBE_MAX_STATES];
	struct rwk_lookup_state_field state_field[RWK_LOOKUP_MAX_STATE_FIELDS];
};

/* Where to look. */
struct rwk_lookup_source {
	const char *path; /* of the trace.dat, to be opened; NULL: there are only the texts */
	const char *name; /* the same for messages */
	const struct rwk_tracedat_texts *texts; /* found in it */
	uint32_t kinds; /* a bit for each kind whose text is to be looked at */
	bool big_endian;
	int long_size; /* of the recorded kernel */
	void *handle; /* set in the child: what its end closes */
};

/*
 * For rwk_isolate_run(): ctx is a struct rwk_lookup_source, result a zeroed
 * struct rwk_lookup.  0; -EBADMSG when the library refuses; -ENODATA when it
 * finds no event at all.
 */

/* libtracecmd reads the file's headers. */
int rwk_lookup_in_file(void *ctx, void *result);

/* libtraceevent reads the texts, of which those that make no sense to it are left out. */
int rwk_lookup_in_texts(void *ctx, void *result);

#endif
