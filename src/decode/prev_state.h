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
};

struct rwk_prev_state {
	enum rwk_prev_state_coding coding;
	bool settled; /* the coding is not to be changed by what the trace shows */
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
