/*
 * Task states as the kernel itself numbers them, which lttng-modules and eBPF
 * recorders store.  The numbers were dealt anew in 4.14, and others were added
 * since; what lttng-modules marks the preempted with is the bit behind them all.
 */
#include "decode/prev_state_raw.h"

#include <string.h>

static bool since(struct rwk_version v, int major, int minor)
{
	return rwk_version_cmp(v, (struct rwk_version){major, minor, 0}) >= 0;
}

/*
 * Bits of the kernel's own task state: N: no load, n: new, W: waking, K: to be
 * killed.  The exit states are kept apart, so that they are never among them.
 */
static void set_raw(struct rwk_prev_state *s, struct rwk_version v)
{
	memset(s->letter, 0, sizeof(s->letter));
	memcpy(s->letter, "SDTt", 4);
	if (since(v, 4, 14)) {
		memcpy(s->letter + 6, "PxKWNn", 6);
		/* What a spinlock of a real-time kernel waits in, and the frozen. */
		if (since(v, 5, 15))
			s->letter[12] = 'D';
		if (since(v, 6, 1))
			s->letter[15] = 'D';
	} else {
		memcpy(s->letter + 6, "xKW", 3);
		if (since(v, 3, 9))
			s->letter[9] = 'P';
		if (since(v, 4, 2))
			s->letter[10] = 'N';
		if (since(v, 4, 8))
			s->letter[11] = 'n';
	}
	/* The first bit behind all others. */
	s->preempted = since(v, 6, 1)    ? 0x10000
		       : since(v, 5, 15) ? 0x2000
		       : since(v, 4, 8)  ? 0x1000
		       : since(v, 4, 2)  ? 0x800
		       : since(v, 3, 9)  ? 0x400
		       : since(v, 3, 2)  ? 0x200
					 : 0;
}

void rwk_prev_state_init_lttng(struct rwk_prev_state *s, struct rwk_version kernel)
{
	*s = (struct rwk_prev_state){.kernel = kernel, .settled = true};
	if (!kernel.major)
		return;
	set_raw(s, kernel);
	s->coding = RWK_PREV_STATE_RAW;
	if (since(kernel, 4, 14)) {
		s->coding = RWK_PREV_STATE_RAW_OR_MASK;
		s->settled = false;
	}
}

void rwk_prev_state_label(struct rwk_prev_state *s, uint64_t value, const char *name)
{
	static const struct {
		const char *name;
		char letter;
	} names[] = {{"INTERRUPTIBLE", 'S'}, {"UNINTERRUPTIBLE", 'D'}, {"STOPPED", 'T'},
		{"TRACED", 't'}, {"PARKED", 'P'}, {"DEAD", 'x'}, {"WAKEKILL", 'K'}, {"WAKING", 'W'},
		{"NOLOAD", 'N'}, {"NEW", 'n'}, {"RTLOCK_WAIT", 'D'}, {"FROZEN", 'D'}};

	if (!value || value & (value - 1) || strncmp(name, "TASK_", 5))
		return;
	name += 5;
	if (s->coding == RWK_PREV_STATE_NONE) {
		s->coding = RWK_PREV_STATE_RAW;
		s->settled = true;
	}
	if (!strcmp(name, "STATE_MAX"))
		s->preempted = value;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(name, names[i].name))
			s->letter[__builtin_ctzll(value)] = names[i].letter;
	}
	/* The numbers that came with the mask of 4.14. */
	if (value == 0x40 && !strcmp(name, "PARKED")) {
		s->coding = RWK_PREV_STATE_RAW_OR_MASK;
		s->settled = false;
	}
}

/* The mask marks the preempted with a bit that is never alone in a task state; it never combines
 * bits. */
void rwk_prev_state_settle_raw(struct rwk_prev_state *s, uint64_t raw)
{
	if (raw == 0x100 || raw == 0x10 || raw == 0x20) {
		rwk_prev_state_set_modern(s);
		s->coding = RWK_PREV_STATE_MASK;
		s->settled = true;
	} else if (raw > 0x100 || raw & (raw - 1)) {
		s->coding = RWK_PREV_STATE_RAW;
		s->settled = true;
	}
}

/*
 * Asleep and freezable: only kernels since 6.1 have such a bit, and only a
 * recorder that stores their own task state shows it.
 */
void rwk_prev_state_settle_assumed(struct rwk_prev_state *s, uint64_t raw)
{
	if (!(raw & 0x2000) || !(raw & 3))
		return;
	set_raw(s, (struct rwk_version){6, 1, 0});
	s->preempted = 0; /* there is no mark in it */
	s->coding = RWK_PREV_STATE_RAW;
	s->settled = true;
	s->assumed = false;
}
