/*
 * The codings of prev_state.  The list in a file's own print fmt is taken for
 * the truth, with two exceptions: 4.14 lists bits and stores their numbers, and
 * 4.15 … 4.19 store each bit one place too high.  Recorders other than ftrace
 * store the kernel's own task state, whose numbers depend on its version.
 */
#include "decode/prev_state.h"

#include <stdlib.h>
#include <string.h>

#include "decode/prev_state_raw.h"

#define MAX_DEPTH 32 /* nesting of an expression in the print fmt */

/* Bits from 0 on, as kernels print them since 4.14 and as trace-cmd's sched plugin does. */
static const char modern_letters[] = "SDTtXZPI", plugin_letters[] = "SDTtZXxW";

/*
 * A constant expression of the print fmt, such as
 * "(((0x0000 | 0x0001 | 0x0040) + 1) << 1)" or "(4096-1)": by precedence
 * | below << below + -.
 */
struct expr {
	const char *p;
	int depth;
	bool bad;
};

static void skip_blanks(struct expr *e)
{
	while (*e->p == ' ' || *e->p == '\t')
		e->p++;
}

static bool eat(struct expr *e, const char *token)
{
	size_t n = strlen(token);

	skip_blanks(e);
	if (strncmp(e->p, token, n))
		return false;
	e->p += n;
	return true;
}

static uint64_t parse_or(struct expr *e);

static uint64_t parse_atom(struct expr *e)
{
	uint64_t v;
	char *end;

	skip_blanks(e);
	if (*e->p == '(' && e->depth < MAX_DEPTH) {
		e->p++;
		e->depth++;
		v = parse_or(e);
		e->depth--;
		if (!eat(e, ")"))
			e->bad = true;
		return v;
	}
	if (*e->p < '0' || *e->p > '9') {
		e->bad = true;
		return 0;
	}
	v = strtoull(e->p, &end, 0);
	e->p = end;
	while (*e->p == 'U' || *e->p == 'L' || *e->p == 'u' || *e->p == 'l')
		e->p++;
	return v;
}

static uint64_t parse_sum(struct expr *e)
{
	uint64_t v = parse_atom(e);

	while (!e->bad) {
		if (eat(e, "+"))
			v += parse_atom(e);
		else if (eat(e, "-"))
			v -= parse_atom(e);
		else
			break;
	}
	return v;
}

static uint64_t parse_shift(struct expr *e)
{
	uint64_t v = parse_sum(e);

	while (!e->bad && eat(e, "<<")) {
		uint64_t n = parse_sum(e);
		v = n < 64 ? v << n : 0;
	}
	return v;
}

static uint64_t parse_or(struct expr *e)
{
	uint64_t v = parse_shift(e);

	while (!e->bad && eat(e, "|"))
		v |= parse_shift(e);
	return v;
}

/* { 0x0001, "S" }, { 0x0002, "D" } … behind the delimiter of __print_flags. */
static void parse_list(struct rwk_prev_state *s, const char *p)
{
	for (;;) {
		struct expr e;
		const char *open;
		uint64_t mask;

		open = p + strspn(p, " \t,");
		if (*open != '{')
			return;
		e = (struct expr){.p = open + 1};
		mask = parse_or(&e);
		if (e.bad || !eat(&e, ",") || !eat(&e, "\"") || !*e.p)
			return;
		if (mask && !(mask & (mask - 1)))
			s->letter[__builtin_ctzll(mask)] = *e.p;
		p = strchr(e.p, '}');
		if (!p)
			return;
		p++;
	}
}

/* … prev_state & EXPRESSION ? "+" : "" */
static uint64_t parse_preempted(const char *fmt)
{
	const char *plus = strstr(fmt, "\"+\""), *last = NULL;
	struct expr e;
	uint64_t v;

	if (!plus)
		return 0;
	for (const char *p = strstr(fmt, "prev_state"); p && p < plus;
		p = strstr(p + 1, "prev_state"))
		last = p;
	if (!last)
		return 0;
	e = (struct expr){.p = last + strlen("prev_state")};
	if (!eat(&e, "&"))
		return 0;
	v = parse_or(&e);
	return !e.bad && eat(&e, "?") && !(v & (v - 1)) ? v : 0;
}

static bool parse_fmt(struct rwk_prev_state *s, const char *fmt)
{
	const char *flags = strstr(fmt, "__print_flags");
	const char *list = flags ? strchr(flags, '{') : NULL;

	if (!list)
		return false;
	parse_list(s, list);
	s->preempted = parse_preempted(fmt);
	return s->letter[0] != '\0';
}

void rwk_prev_state_set_modern(struct rwk_prev_state *s)
{
	memset(s->letter, 0, sizeof(s->letter));
	memcpy(s->letter, modern_letters, sizeof(modern_letters) - 1);
	s->preempted = 0x100;
}

static bool within(struct rwk_version v, struct rwk_version from, struct rwk_version before)
{
	return rwk_version_cmp(v, from) >= 0 && rwk_version_cmp(v, before) < 0;
}

void rwk_prev_state_init(struct rwk_prev_state *s, const char *print_fmt, struct rwk_version kernel)
{
	bool maybe_shifted =
		within(kernel, (struct rwk_version){4, 14, 0}, (struct rwk_version){5, 0, 0});

	*s = (struct rwk_prev_state){0};
	if (!print_fmt || !parse_fmt(s, print_fmt)) {
		*s = (struct rwk_prev_state){.kernel = kernel, .assumed = true};
		/* Older kernels differ too much from each other to be told from their version. */
		if (rwk_version_cmp(kernel, (struct rwk_version){4, 15, 0}) < 0)
			return;
		rwk_prev_state_set_modern(s);
	}
	s->kernel = kernel;
	if (s->letter[7] != 'I') {
		/* No kernel that may be shifted lists its bits like this. */
		s->coding = RWK_PREV_STATE_MASK;
		s->settled = true;
	} else if (s->preempted > 0x100) {
		/* Today's list with the mark of the days before: bits that 4.14 never stores. */
		s->coding = RWK_PREV_STATE_INDEX;
		s->settled = true;
	} else {
		s->coding = maybe_shifted ? RWK_PREV_STATE_EITHER : RWK_PREV_STATE_MASK;
		s->settled = kernel.major >= 5;
	}
}

/*
 * Shifted masks never hold 0, and the idle task never sleeps: its S is an R in
 * the wrong place.
 */
static void settle(struct rwk_prev_state *s, int32_t tid, uint64_t raw)
{
	if (s->settled || (raw && (tid || raw != 1)))
		return;
	if (raw) {
		rwk_prev_state_set_modern(s);
		s->coding = RWK_PREV_STATE_SHIFTED;
	} else if (s->coding == RWK_PREV_STATE_EITHER) {
		s->coding = RWK_PREV_STATE_MASK;
	}
	s->settled = true;
}

static enum rwk_end_state from_letter(char c)
{
	switch (c) {
	case 'R':
		return RWK_END_RUNNABLE;
	case 'S':
		return RWK_END_SLEEPING;
	case 'D':
		return RWK_END_DISK;
	case 'T':
		return RWK_END_STOPPED;
	case 't':
		return RWK_END_TRACED;
	case 'X':
	case 'x':
		return RWK_END_DEAD;
	case 'Z':
		return RWK_END_ZOMBIE;
	case 'P':
		return RWK_END_PARKED;
	case 'I':
		return RWK_END_IDLE;
	default: /* K, W, N and what may come: modifiers, which say nothing alone */
		return RWK_END_UNKNOWN;
	}
}

/*
 * Letters of several bits that are set together.  D stands for all that it is
 * combined with, but for N: an idle kernel thread before it had its own letter.
 */
static enum rwk_end_state from_letters(const char *letters)
{
	enum rwk_end_state found = RWK_END_UNKNOWN;

	if (strchr(letters, 'D'))
		return strchr(letters, 'N') ? RWK_END_IDLE : RWK_END_DISK;
	for (const char *p = letters; *p; p++) {
		enum rwk_end_state state = from_letter(*p);

		if (state == RWK_END_UNKNOWN)
			continue;
		/* Sleeping says less than what else is there. */
		if (found == RWK_END_UNKNOWN || found == RWK_END_SLEEPING)
			found = state;
	}
	return found;
}

static enum rwk_end_state from_mask(const struct rwk_prev_state *s, uint64_t raw)
{
	char letters[65];
	size_t n = 0;

	if (!raw)
		return RWK_END_RUNNABLE;
	if (raw & s->preempted)
		return RWK_END_PREEMPTED;
	for (uint64_t rest = raw; rest; rest &= rest - 1) {
		char c = s->letter[__builtin_ctzll(rest)];
		if (c)
			letters[n++] = c;
	}
	letters[n] = '\0';
	return from_letters(letters);
}

static enum rwk_end_state from_index(const struct rwk_prev_state *s, uint64_t raw)
{
	if (!raw)
		return RWK_END_RUNNABLE;
	if (raw == s->preempted)
		return RWK_END_PREEMPTED;
	return raw <= 64 ? from_letter(s->letter[raw - 1]) : RWK_END_UNKNOWN;
}

static enum rwk_end_state from_shifted(const struct rwk_prev_state *s, uint64_t raw)
{
	/* Idle kernel threads, one place too high, meet the mark of the preempted. */
	if (raw == s->preempted || !raw)
		return RWK_END_UNKNOWN;
	return from_mask(s, raw >> 1);
}

/* What no two codings read differently. */
static enum rwk_end_state from_unknown(uint64_t raw)
{
	switch (raw) {
	case 0:
		return RWK_END_RUNNABLE;
	case 1:
		return RWK_END_SLEEPING;
	case 2:
	case 0x82: /* D|K: only the old masks combine bits */
		return RWK_END_DISK;
	case 0x400: /* above all bits that other codings store */
	case 0x800:
	case 0x1000:
		return RWK_END_PREEMPTED;
	default:
		return RWK_END_UNKNOWN;
	}
}

static enum rwk_end_state from_raw(const struct rwk_prev_state *s, uint64_t raw)
{
	switch (s->coding) {
	case RWK_PREV_STATE_MASK:
	case RWK_PREV_STATE_RAW:
		return from_mask(s, raw);
	case RWK_PREV_STATE_RAW_OR_MASK:
		/* Dead in one, an idle kernel thread in the other. */
		return raw == 0x80 ? RWK_END_UNKNOWN : from_mask(s, raw);
	case RWK_PREV_STATE_INDEX:
		return from_index(s, raw);
	case RWK_PREV_STATE_SHIFTED:
		return from_shifted(s, raw);
	case RWK_PREV_STATE_EITHER:
		return RWK_END_UNKNOWN; /* 0 would have settled it */
	case RWK_PREV_STATE_NONE:
	default:
		return from_unknown(raw);
	}
}

enum rwk_end_state rwk_prev_state_decode(struct rwk_prev_state *s, int32_t tid, int64_t raw)
{
	if (s->assumed)
		rwk_prev_state_settle_assumed(s, (uint64_t)raw);
	if (s->coding == RWK_PREV_STATE_RAW_OR_MASK)
		rwk_prev_state_settle_raw(s, (uint64_t)raw);
	else if (!s->settled)
		settle(s, tid, (uint64_t)raw);
	return tid ? from_raw(s, (uint64_t)raw) : RWK_END_RUNNABLE;
}

/* One letter of a kernel that shifts its mask, back to the number it was made from. */
static enum rwk_end_state from_shifted_letter(
	const struct rwk_prev_state *s, const char *text, size_t size, bool plugin)
{
	const char *table = plugin ? plugin_letters : modern_letters;
	const char *at = size == 1 && text[0] ? strchr(table, text[0]) : NULL;

	return at ? from_shifted(s, UINT64_C(1) << (at - table)) : RWK_END_UNKNOWN;
}

enum rwk_end_state rwk_prev_state_letters(
	struct rwk_prev_state *s, int32_t tid, const char *text, size_t size, bool plugin)
{
	bool modern = rwk_version_cmp(s->kernel, (struct rwk_version){4, 14, 0}) >= 0;
	char letters[16];
	size_t n = 0;

	if (!s->settled && size == 1 && (*text == 'R' || *text == 'S'))
		settle(s, tid, *text == 'S');
	if (!tid)
		return RWK_END_RUNNABLE;
	if (s->coding == RWK_PREV_STATE_SHIFTED)
		return from_shifted_letter(s, text, size, plugin);
	if (size == 2 && !memcmp(text, "R+", 2))
		return RWK_END_PREEMPTED;
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '|' || text[i] == '+')
			continue;
		if (n == sizeof(letters) - 1)
			return RWK_END_UNKNOWN;
		letters[n++] = text[i];
	}
	letters[n] = '\0';
	/*
	 * The plugin's W is 0x80 and its x 0x40.  No kernel lets a task leave in
	 * W (waking), so that 0x80 is the idle kernel thread of 4.14 and newer.
	 */
	if (plugin && !strcmp(letters, "W"))
		return RWK_END_IDLE;
	if (plugin && modern && !strcmp(letters, "x"))
		return RWK_END_PARKED;
	return from_letters(letters);
}

const char *rwk_prev_state_coding_name(enum rwk_prev_state_coding coding)
{
	static const char *const names[] = {
		[RWK_PREV_STATE_NONE] = "letters, or values that all kernels share",
		[RWK_PREV_STATE_MASK] = "bits, as the file's print fmt names them",
		[RWK_PREV_STATE_INDEX] = "numbers of bits (4.14)",
		[RWK_PREV_STATE_SHIFTED] = "bits, one too high (4.15 to 4.19)",
		[RWK_PREV_STATE_EITHER] = "bits, perhaps one too high (4.15 to 4.19)",
		[RWK_PREV_STATE_RAW] = "the kernel's own task states",
		[RWK_PREV_STATE_RAW_OR_MASK] = "bits, or the kernel's own task states",
	};

	return names[coding];
}
