/* The encodings of prev_state (S1, S2, S3, S4), from print fmts as kernels have them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/parse.h"
#include "decode/prev_state.h"

#define HEAD                                                                                       \
	"\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d "    \
	"next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, "
#define TAIL ", REC->next_comm, REC->next_pid, REC->next_prio"

#define OLD_LIST                                                                                   \
	"{ 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, "   \
	"{ 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }"
#define OLD(max, more)                                                                             \
	HEAD "REC->prev_state & (" max "-1) ? __print_flags(REC->prev_state & (" max               \
	     "-1), \"|\", " OLD_LIST more ") : \"R\", REC->prev_state & " max                      \
	     " ? \"+\" : \"\"" TAIL

#define NEW_LIST                                                                                   \
	"{ 0x0001, \"S\" }, { 0x0002, \"D\" }, { 0x0004, \"T\" }, { 0x0008, \"t\" }, "             \
	"{ 0x0010, \"X\" }, { 0x0020, \"Z\" }, { 0x0040, \"P\" }, { 0x0080, \"I\" }"
#define REPORT                                                                                     \
	"(((0x0000 | 0x0001 | 0x0002 | 0x0004 | 0x0008 | 0x0010 | 0x0020 | 0x0040) + 1) << 1)"
#define NEW                                                                                        \
	HEAD "(REC->prev_state & (" REPORT " - 1)) ? __print_flags(REC->prev_state & (" REPORT     \
	     " - 1), \"|\", " NEW_LIST ") : \"R\", REC->prev_state & " REPORT                      \
	     " ? \"+\" : \"\"" TAIL

/* 4.14: today's list, the mark of the kernels before. */
#define BETWEEN                                                                                    \
	HEAD "REC->prev_state & (4096-1) ? __print_flags(REC->prev_state & (4096-1), "             \
	     "\"|\", " NEW_LIST ") : \"R\", REC->prev_state & 4096 ? \"+\" : \"\"" TAIL

static struct rwk_prev_state make(const char *fmt, const char *release)
{
	struct rwk_version kernel = {0};
	struct rwk_prev_state s;

	if (*release)
		assert_int_equal(rwk_parse_version(release, &kernel), 0);
	rwk_prev_state_init(&s, fmt, kernel);
	return s;
}

static void assert_raw(struct rwk_prev_state *s, int64_t raw, enum rwk_end_state want)
{
	if (rwk_prev_state_decode(s, 42, raw) != want)
		fail_msg("raw %lld gives %d, not %d", (long long)raw,
			rwk_prev_state_decode(s, 42, raw), want);
}

static void assert_text(
	struct rwk_prev_state *s, const char *text, bool plugin, enum rwk_end_state want)
{
	enum rwk_end_state got = rwk_prev_state_letters(s, 42, text, strlen(text), plugin);

	if (got != want)
		fail_msg("%s gives %d, not %d", text, got, want);
}

/* The three ages of the mask, which differ in the mark of the preempted. */
static void kernels_3_and_4(void **state)
{
	static const struct {
		const char *fmt, *release;
		int64_t preempted;
	} ages[] = {
		{OLD("1024", ""), "3.10.31", 0x400},
		{OLD("2048", ", { 1024, \"N\" }"), "4.4.0", 0x800},
		{OLD("4096", ", { 1024, \"N\" }, { 2048, \"n\" }"), "4.9.0", 0x1000},
		/* Says 4.19, but prints as 4.13 did: the print fmt counts, not the name. */
		{OLD("4096", ", { 1024, \"N\" }"), "4.19.0-07801-g1", 0x1000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ages) / sizeof(ages[0]); i++) {
		struct rwk_prev_state s = make(ages[i].fmt, ages[i].release);

		assert_raw(&s, 0, RWK_END_RUNNABLE);
		assert_raw(&s, 1, RWK_END_SLEEPING);
		assert_raw(&s, 2, RWK_END_DISK);
		assert_raw(&s, 4, RWK_END_STOPPED);
		assert_raw(&s, 8, RWK_END_TRACED);
		assert_raw(&s, 16, RWK_END_ZOMBIE);
		assert_raw(&s, 32, RWK_END_DEAD);
		assert_raw(&s, 64, RWK_END_DEAD);
		assert_raw(&s, 512, RWK_END_PARKED);
		assert_raw(&s, 130, RWK_END_DISK); /* D|K */
		assert_raw(&s, 129, RWK_END_SLEEPING);
		assert_raw(&s, 132, RWK_END_STOPPED);
		assert_raw(&s, 128, RWK_END_UNKNOWN); /* K alone */
		assert_raw(&s, ages[i].preempted, RWK_END_PREEMPTED);
		/* An idle worker before it had its own letter: D|N. */
		if (i)
			assert_raw(&s, 1026, RWK_END_IDLE);
	}
}

static void every_coding_has_a_name(void **state)
{
	(void)state;
	for (int c = RWK_PREV_STATE_NONE; c <= RWK_PREV_STATE_RAW_OR_MASK; c++)
		for (int other = RWK_PREV_STATE_NONE; other < c; other++)
			assert_string_not_equal(
				rwk_prev_state_coding_name((enum rwk_prev_state_coding)c),
				rwk_prev_state_coding_name((enum rwk_prev_state_coding)other));
}

static void kernel_4_14_stores_numbers(void **state)
{
	struct rwk_prev_state s = make(BETWEEN, "4.14.78");

	(void)state;
	assert_int_equal(s.coding, RWK_PREV_STATE_INDEX);
	assert_raw(&s, 0, RWK_END_RUNNABLE);
	assert_raw(&s, 1, RWK_END_SLEEPING);
	assert_raw(&s, 2, RWK_END_DISK);
	assert_raw(&s, 3, RWK_END_STOPPED);
	assert_raw(&s, 4, RWK_END_TRACED);
	assert_raw(&s, 5, RWK_END_DEAD);
	assert_raw(&s, 6, RWK_END_ZOMBIE);
	assert_raw(&s, 7, RWK_END_PARKED);
	assert_raw(&s, 8, RWK_END_IDLE);
	assert_raw(&s, 0x1000, RWK_END_PREEMPTED);
	assert_raw(&s, 9, RWK_END_UNKNOWN);
	assert_raw(&s, -1, RWK_END_UNKNOWN);
}

static void kernels_5_and_later(void **state)
{
	static const char *const releases[] = {"5.4.0", "6.1.0-13-amd64", "7.3.4", ""};

	(void)state;
	for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++) {
		struct rwk_prev_state s = make(NEW, releases[i]);

		assert_raw(&s, 0, RWK_END_RUNNABLE);
		assert_raw(&s, 1, RWK_END_SLEEPING);
		assert_raw(&s, 2, RWK_END_DISK);
		assert_raw(&s, 4, RWK_END_STOPPED);
		assert_raw(&s, 8, RWK_END_TRACED);
		assert_raw(&s, 0x10, RWK_END_DEAD);
		assert_raw(&s, 0x20, RWK_END_ZOMBIE);
		assert_raw(&s, 0x40, RWK_END_PARKED);
		assert_raw(&s, 0x80, RWK_END_IDLE);
		assert_raw(&s, 0x100, RWK_END_PREEMPTED);
		assert_raw(&s, 0x101, RWK_END_PREEMPTED);
		assert_raw(&s, 0x2000, RWK_END_UNKNOWN);
		assert_raw(&s, 0x2001, RWK_END_SLEEPING); /* more bits than the print fmt knows */
		assert_raw(&s, INT64_MIN, RWK_END_UNKNOWN);
	}
}

/* A release without print fmt is enough where all kernels since agree. */
static void no_print_fmt(void **state)
{
	struct rwk_prev_state s = make(NULL, "6.12.1");

	(void)state;
	assert_raw(&s, 0x80, RWK_END_IDLE);
	assert_raw(&s, 0x100, RWK_END_PREEMPTED);
	s = make(NULL, "4.9.1");
	assert_raw(&s, 1, RWK_END_SLEEPING);
	assert_raw(&s, 2, RWK_END_DISK);
	assert_raw(&s, 0x100, RWK_END_UNKNOWN);
	assert_raw(&s, 0x82, RWK_END_DISK);
	assert_raw(&s, 0x1000, RWK_END_PREEMPTED);
	s = make("\"no list in here\", REC->prev_state", "");
	assert_raw(&s, 1, RWK_END_SLEEPING);
	assert_raw(&s, 16, RWK_END_UNKNOWN);
}

/* 4.15 … 4.19: unknown until the idle task shows which. */
static void shifted_mask(void **state)
{
	struct rwk_prev_state s = make(NEW, "4.15.0");

	(void)state;
	assert_raw(&s, 2, RWK_END_UNKNOWN);
	assert_int_equal(rwk_prev_state_decode(&s, 0, 1), RWK_END_RUNNABLE);
	assert_int_equal(s.coding, RWK_PREV_STATE_SHIFTED);
	assert_raw(&s, 1, RWK_END_RUNNABLE);
	assert_raw(&s, 2, RWK_END_SLEEPING);
	assert_raw(&s, 4, RWK_END_DISK);
	assert_raw(&s, 0x40, RWK_END_ZOMBIE);
	assert_raw(&s, 0x80, RWK_END_PARKED);
	assert_raw(&s, 0x100, RWK_END_UNKNOWN); /* idle worker or preempted */

	s = make(NEW, "4.19.200");
	assert_raw(&s, 1, RWK_END_UNKNOWN);
	assert_int_equal(rwk_prev_state_decode(&s, 0, 0), RWK_END_RUNNABLE);
	assert_raw(&s, 1, RWK_END_SLEEPING);
	assert_raw(&s, 0x100, RWK_END_PREEMPTED);

	/* Without a release the mask is believed, until the idle task says otherwise. */
	s = make(NEW, "");
	assert_raw(&s, 2, RWK_END_DISK);
	assert_int_equal(rwk_prev_state_decode(&s, 0, 1), RWK_END_RUNNABLE);
	assert_raw(&s, 2, RWK_END_SLEEPING);
}

/* S3 */
static void idle_task_is_always_runnable(void **state)
{
	static const int64_t raws[] = {0, 1, 2, 0x100, 0x80, -1};

	(void)state;
	for (size_t i = 0; i < sizeof(raws) / sizeof(raws[0]); i++) {
		struct rwk_prev_state s = make(NEW, "6.1");

		assert_int_equal(rwk_prev_state_decode(&s, 0, raws[i]), RWK_END_RUNNABLE);
		assert_int_equal(rwk_prev_state_letters(&s, 0, "R+", 2, false), RWK_END_RUNNABLE);
	}
}

/* S4 */
static void letters(void **state)
{
	struct rwk_prev_state s = make(NULL, "");

	(void)state;
	assert_text(&s, "R", false, RWK_END_RUNNABLE);
	assert_text(&s, "R+", false, RWK_END_PREEMPTED);
	assert_text(&s, "S", false, RWK_END_SLEEPING);
	assert_text(&s, "D", false, RWK_END_DISK);
	assert_text(&s, "D|K", false, RWK_END_DISK);
	assert_text(&s, "D|W", false, RWK_END_DISK);
	assert_text(&s, "T", false, RWK_END_STOPPED);
	assert_text(&s, "t", false, RWK_END_TRACED);
	assert_text(&s, "X", false, RWK_END_DEAD);
	assert_text(&s, "x", false, RWK_END_DEAD);
	assert_text(&s, "Z", false, RWK_END_ZOMBIE);
	assert_text(&s, "P", false, RWK_END_PARKED);
	assert_text(&s, "I", false, RWK_END_IDLE);
	assert_text(&s, "", false, RWK_END_UNKNOWN);
	assert_text(&s, "?", false, RWK_END_UNKNOWN);
	assert_text(&s, "W", false, RWK_END_UNKNOWN);
	assert_text(&s, "S|D|T|t|X|Z|P|I|S|D|T|t|X|Z|P|I", false, RWK_END_UNKNOWN);
	/* The plugin names 0x80 W and 0x40 x, on every kernel. */
	assert_text(&s, "W", true, RWK_END_IDLE);
	assert_text(&s, "x", true, RWK_END_DEAD);
	s = make(NULL, "6.1.0");
	assert_text(&s, "x", true, RWK_END_PARKED);
}

static void letters_of_a_shifted_mask(void **state)
{
	struct rwk_prev_state s = make(NULL, "");

	(void)state;
	assert_int_equal(rwk_prev_state_letters(&s, 0, "S", 1, false), RWK_END_RUNNABLE);
	assert_text(&s, "S", false, RWK_END_RUNNABLE);
	assert_text(&s, "D", false, RWK_END_SLEEPING);
	assert_text(&s, "T", false, RWK_END_DISK);
	assert_text(&s, "P", false, RWK_END_ZOMBIE);
	assert_text(&s, "R+", false, RWK_END_UNKNOWN);
}

/* Damaged print fmts give less, never a crash. */
static void damaged_print_fmt(void **state)
{
	static const char *const fmts[] = {"", "__print_flags", "__print_flags({",
		"__print_flags({ 1", "__print_flags({ 1, \"", "__print_flags({ 1, \"S\"",
		"__print_flags({ 1, \"S\" }, {",
		"__print_flags({ 1, \"S\" }) prev_state & "
		"(((((((((((((((((((((((((((((((((((((((((1"
		" ? \"+\"",
		"__print_flags({ 1, \"S\" }) prev_state & 1 << 99 ? \"+\"",
		"__print_flags({ 99999999999999999999999, \"S\" }) \"+\"",
		"__print_flags({ 1, \"S\" }) prev_state & TASK_STATE_MAX ? \"+\" : \"\""};
	const char *full = NEW;
	char cut[sizeof(NEW)];

	(void)state;
	for (size_t i = 0; i < sizeof(fmts) / sizeof(fmts[0]); i++) {
		struct rwk_prev_state s = make(fmts[i], "");

		assert_raw(&s, 0, RWK_END_RUNNABLE);
		rwk_prev_state_decode(&s, 1, 0x100);
	}
	for (size_t n = 0; n < sizeof(NEW); n++) {
		struct rwk_prev_state s;

		memcpy(cut, full, n);
		cut[n] = '\0';
		s = make(cut, "6.1");
		assert_raw(&s, 1, RWK_END_SLEEPING);
	}
}

static struct rwk_prev_state make_lttng(const char *release)
{
	struct rwk_version kernel = {0};
	struct rwk_prev_state s;

	if (*release)
		assert_int_equal(rwk_parse_version(release, &kernel), 0);
	rwk_prev_state_init_lttng(&s, kernel);
	return s;
}

/* The kernel's own numbers, with the bit behind them all as a mark. */
static void lttng_before_4_14(void **state)
{
	static const struct {
		const char *release;
		int64_t preempted, parked, noload;
	} ages[] = {{"3.2.0-23-generic", 0x200, 0, 0}, {"3.10.31-ltsi", 0x400, 0x200, 0},
		{"4.4.0", 0x800, 0x200, 0x400}, {"4.9.0", 0x1000, 0x200, 0x400}};

	(void)state;
	for (size_t i = 0; i < sizeof(ages) / sizeof(ages[0]); i++) {
		struct rwk_prev_state s = make_lttng(ages[i].release);

		assert_raw(&s, 0, RWK_END_RUNNABLE);
		assert_raw(&s, 1, RWK_END_SLEEPING);
		assert_raw(&s, 2, RWK_END_DISK);
		assert_raw(&s, 8, RWK_END_TRACED);
		assert_raw(&s, 64, RWK_END_DEAD);
		assert_raw(&s, 130, RWK_END_DISK); /* D|K */
		assert_raw(&s, 0x20000, RWK_END_UNKNOWN);
		assert_raw(&s, ages[i].preempted, RWK_END_PREEMPTED);
		if (ages[i].parked)
			assert_raw(&s, ages[i].parked, RWK_END_PARKED);
		if (ages[i].noload)
			assert_raw(&s, 2 | ages[i].noload, RWK_END_IDLE);
	}
}

/* 128 is dead in the kernel's numbers and idle in the mask: what else is there tells. */
static void lttng_since_4_14(void **state)
{
	static const struct {
		const char *release;
		int64_t evidence;
		enum rwk_end_state means, of_128;
	} cases[] = {
		{"4.15.0-65-generic", 0x1000, RWK_END_PREEMPTED, RWK_END_DEAD},
		{"4.15.0-65-generic", 1026, RWK_END_IDLE, RWK_END_DEAD},
		{"4.18.14-arch1-1-ARCH", 258, RWK_END_DISK, RWK_END_DEAD},
		{"6.1.0", 0x10000, RWK_END_PREEMPTED, RWK_END_DEAD},
		{"6.1.0", 0x2001, RWK_END_SLEEPING, RWK_END_DEAD},
		{"6.1.0", 0x8000, RWK_END_DISK, RWK_END_DEAD},
		{"6.1.0", 0x100, RWK_END_PREEMPTED, RWK_END_IDLE},
		{"4.15.0", 0x10, RWK_END_DEAD, RWK_END_IDLE},
		{"5.15.0", 0x20, RWK_END_ZOMBIE, RWK_END_IDLE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rwk_prev_state s = make_lttng(cases[i].release);

		assert_raw(&s, 0, RWK_END_RUNNABLE);
		assert_raw(&s, 1, RWK_END_SLEEPING);
		assert_raw(&s, 64, RWK_END_PARKED);
		assert_raw(&s, 128, RWK_END_UNKNOWN);
		assert_raw(&s, cases[i].evidence, cases[i].means);
		assert_raw(&s, 128, cases[i].of_128);
		assert_int_equal(rwk_prev_state_decode(&s, 0, 128), RWK_END_RUNNABLE);
	}
}

/* An unknown kernel whose numbers the trace names; names that do not fit are passed over. */
static void lttng_names(void **state)
{
	struct rwk_prev_state s = make_lttng("");

	(void)state;
	assert_raw(&s, 1026, RWK_END_UNKNOWN);
	rwk_prev_state_label(&s, 0, "TASK_RUNNING");
	rwk_prev_state_label(&s, 3, "TASK_PARKED");
	rwk_prev_state_label(&s, 1, "INTERRUPTIBLE");
	assert_int_equal(s.coding, RWK_PREV_STATE_NONE);
	rwk_prev_state_label(&s, 1, "TASK_INTERRUPTIBLE");
	rwk_prev_state_label(&s, 2, "TASK_UNINTERRUPTIBLE");
	rwk_prev_state_label(&s, 64, "TASK_DEAD");
	rwk_prev_state_label(&s, 1024, "TASK_NOLOAD");
	rwk_prev_state_label(&s, 2048, "TASK_STATE_MAX");
	assert_raw(&s, 1026, RWK_END_IDLE);
	assert_raw(&s, 64, RWK_END_DEAD);
	assert_raw(&s, 2048, RWK_END_PREEMPTED);
	assert_raw(&s, 4096, RWK_END_UNKNOWN);
}

/* Recorders of task->__state, which have no mark, among those of the mask. */
static void freezable_tells_of_raw_states(void **state)
{
	static const char *const releases[] = {"", "6.8.0"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct rwk_prev_state s = make(NULL, releases[i]);

		assert_raw(&s, 1, RWK_END_SLEEPING);
		assert_raw(&s, 8193, RWK_END_SLEEPING);
		assert_raw(&s, 128, RWK_END_DEAD);
		assert_raw(&s, 1026, RWK_END_IDLE);
		assert_raw(&s, 258, RWK_END_DISK);
		assert_raw(&s, 512, RWK_END_UNKNOWN); /* woken, or being woken */
		assert_raw(&s, 0, RWK_END_RUNNABLE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_3_and_4),
		cmocka_unit_test(every_coding_has_a_name),
		cmocka_unit_test(kernel_4_14_stores_numbers),
		cmocka_unit_test(kernels_5_and_later),
		cmocka_unit_test(no_print_fmt),
		cmocka_unit_test(shifted_mask),
		cmocka_unit_test(idle_task_is_always_runnable),
		cmocka_unit_test(letters),
		cmocka_unit_test(letters_of_a_shifted_mask),
		cmocka_unit_test(damaged_print_fmt),
		cmocka_unit_test(lttng_before_4_14),
		cmocka_unit_test(lttng_since_4_14),
		cmocka_unit_test(lttng_names),
		cmocka_unit_test(freezable_tells_of_raw_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
