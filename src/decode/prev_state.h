/*
 * How a task left its CPU: the numbers and letters that kernels print in
 * sched_switch's prev_state, of which seven encodings are known.
 */
#ifndef SRC_DECODE_PREV_STATE_H
#define SRC_DECODE_PREV_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rewake/machine.h>

#include "event/event.h"

enum rwk_prev_state_coding {
	RWK_PREV_STATE_NONE, /* nothing known: only values that all encodings share */
	RWK_PREV_STATE_MASK, /* bits, named by the file's own print fmt */
	RWK_PREV_STATE_INDEX, /* 4.14: the number of the bit, whatever the print fmt says */
	RWK_PREV_STATE_SHIFTED, /* 4.15 … 4.19: the mask, one bit too high */
	RWK_PREV_STATE_EITHER, /* mask or shifted mask: the first 0, or idle task to leave, tells */
	RWK_PREV_STATE_RAW, /* the kernel's own task state, in bits that its version numbers */
	RWK_PREV_STATE_RAW_OR_MASK, /* that, or the mask since 4.14: what only one can have tells */
};

struct rwk_prev_state {
	enum rwk_prev_state_coding coding;
	bool settled; /* the coding is not to be changed by what the trace shows */
	bool assumed; /* the coding follows from nothing but the kernel's version */
	struct rwk_version kernel;
	uint64_t preempted; /* bit of "R+"; 0: the kernel has none */
	char letter[64]; /* of each bit, '\0': no such bit */
};

/*
 * From the print fmt of sched_switch (NULL: unknown) and the kernel's version
 * (0.0.0: unknown), which decides where the print fmt is known not to tell.
 */
void rwk_prev_state_init(
	struct rwk_prev_state *s, const char *print_fmt, struct rwk_version kernel);

/*
 * For what lttng-modules stores: the kernel's own task state with a mark of its
 * own for the preempted, or, newer ones on kernels since 4.14, the mask that the
 * kernel itself prints.
 */
void rwk_prev_state_init_lttng(struct rwk_prev_state *s, struct rwk_version kernel);

/*
 * Behind it, for each value that the trace calls by its kernel's name
 * ("TASK_PARKED"): how that kernel numbers its task states.  Other names and
 * values that are no single bit are passed over.
 */
void rwk_prev_state_label(struct rwk_prev_state *s, uint64_t value, const char *name);

/* What a raw value says; tid 0 is always runnable, and may settle the coding. */
enum rwk_end_state rwk_prev_state_decode(struct rwk_prev_state *s, int32_t tid, int64_t raw);

/*
 * The same for the letters "S", "R+", "D|K" of a text, which need not be
 * terminated; RWK_END_UNKNOWN for anything else.  plugin: printed by trace-cmd's
 * sched plugin, which up to 1.7 names the bits of any kernel as 2.6.32 did.
 */
enum rwk_end_state rwk_prev_state_letters(
	struct rwk_prev_state *s, int32_t tid, const char *text, size_t size, bool plugin);

const char *rwk_prev_state_coding_name(enum rwk_prev_state_coding coding);

#endif
