/* What hot-plug steps of the kernel come to: CPUs up and down, failures, ends that nobody saw. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "record/hotplug_rows.h"

enum { BRINGUP = 91, TEARDOWN = 153, ACTIVE = 235 };

static const struct rwk_hotplug_states states = {
	.active = ACTIVE, .bringup = BRINGUP, .teardown = TEARDOWN};

static void assert_rows(
	struct rwk_hotplug_event *events, size_t nr, bool with_domains, const char *want)
{
	char *text = rwk_hotplug_rows(events, nr, &states, with_domains);

	assert_non_null(text);
	assert_string_equal(text, want);
	free(text);
}

#define ENTER(ts, cpu, step, state)                                                                \
	{                                                                                          \
		ts, RWK_HOTPLUG_ENTER, cpu, step, state, 0                                         \
	}
#define EXIT(ts, cpu, step, state, result)                                                         \
	{                                                                                          \
		ts, RWK_HOTPLUG_EXIT, cpu, step, state, result                                     \
	}

static void test_states(void **state)
{
	struct rwk_hotplug_states s = rwk_hotplug_states_parse(
		"  0: offline\n 91: cpu:bringup\n153: cpu:teardown\n234: xsched:active\n"
		"235: sched:active\n236: sched:active2\n");

	(void)state;
	assert_int_equal(s.bringup, 91);
	assert_int_equal(s.teardown, 153);
	assert_int_equal(s.active, 235);
	s = rwk_hotplug_states_parse("0: offline");
	assert_int_equal(s.active, -1);
	s = rwk_hotplug_states_parse(NULL);
	assert_int_equal(s.teardown, -1);
}

/* As seen in 6.1: domains are built long after the CPU has gone. */
static void test_down_and_up(void **state)
{
	struct rwk_hotplug_event events[] = {
		{900, RWK_HOTPLUG_REBUILD, 0, 0, 0, 0},
		{910, RWK_HOTPLUG_REBUILT, 0, 0, 0, 0},
		ENTER(100, 1, ACTIVE, TEARDOWN),
		EXIT(150, 1, ACTIVE, ACTIVE - 1, 0),
		ENTER(200, 1, TEARDOWN, 0),
		EXIT(260, 1, TEARDOWN, 94, 0),
		ENTER(261, 1, BRINGUP, 0),
		EXIT(262, 1, BRINGUP, BRINGUP - 1, 0),
		ENTER(2000, 1, BRINGUP, 236),
		EXIT(2020, 1, BRINGUP, BRINGUP, 0),
		ENTER(2030, 1, ACTIVE, 236),
		EXIT(2040, 1, ACTIVE, ACTIVE, 0),
		{2100, RWK_HOTPLUG_REBUILD, 0, 0, 0, 0},
		{2110, RWK_HOTPLUG_REBUILT, 0, 0, 0, 0},
	};

	(void)state;
	assert_rows(events, sizeof(events) / sizeof(events[0]), false,
		"100 100 inactive 1\n200 260 offline 1\n900 910 domains\n"
		"2000 2020 online 1\n2030 2030 active 1\n2100 2110 domains\n");
}

/* As seen in 6.12: the step that brings a CPU up ends when all others have. */
static void test_up_within_up(void **state)
{
	struct rwk_hotplug_event events[] = {
		ENTER(2000, 1, BRINGUP, 236),
		ENTER(2030, 1, ACTIVE, 236),
		EXIT(2040, 1, ACTIVE, ACTIVE, 0),
		EXIT(2050, 1, BRINGUP, 236, 0),
	};

	(void)state;
	assert_rows(events, 4, true, "2000 2030 online 1\n2030 2030 active 1\n2030 2040 domains\n");
	assert_rows(events, 2, false, "2000 2030 online 1\n2030 2030 active 1\n");
}

static void test_within_step(void **state)
{
	struct rwk_hotplug_event events[] = {
		ENTER(100, 1, ACTIVE, TEARDOWN),
		EXIT(150, 1, ACTIVE, ACTIVE - 1, 0),
	};

	(void)state;
	assert_rows(events, 2, true, "100 100 inactive 1\n100 150 domains\n");
}

static void test_failed(void **state)
{
	struct rwk_hotplug_event refused[] = {
		ENTER(100, 1, ACTIVE, TEARDOWN),
		EXIT(150, 1, ACTIVE, ACTIVE - 1, -16),
	};
	struct rwk_hotplug_event dead[] = {
		ENTER(100, 1, BRINGUP, 236),
		EXIT(150, 1, BRINGUP, BRINGUP - 1, -5),
	};

	(void)state;
	assert_rows(refused, 2, false, "100 100 inactive 1\n150 150 active 1\n");
	assert_rows(dead, 2, false, "");
}

/* The recording began, and ended, in the middle of a step. */
static void test_cut(void **state)
{
	struct rwk_hotplug_event events[] = {
		EXIT(10, 2, ACTIVE, ACTIVE - 1, 0),
		ENTER(20, 2, TEARDOWN, 0),
	};
	struct rwk_hotplug_event built[] = {
		{5, RWK_HOTPLUG_REBUILT, 0, 0, 0, 0}, {30, RWK_HOTPLUG_REBUILD, 0, 0, 0, 0}};

	(void)state;
	assert_rows(events, 2, false, "0 0 inactive 2\n20 end offline 2\n");
	assert_rows(built, 2, false, "0 5 domains\n30 end domains\n");
	assert_rows(NULL, 0, false, "");
}

/* Steps that do not matter, and CPUs that there cannot be. */
static void test_foreign(void **state)
{
	struct rwk_hotplug_event events[] = {
		ENTER(1, -1, ACTIVE, TEARDOWN),
		ENTER(2, RWK_MAX_CPUS, ACTIVE, TEARDOWN),
		ENTER(3, 1, 7, TEARDOWN),
		EXIT(4, 1, 7, 6, 0),
	};

	(void)state;
	assert_rows(events, 4, true, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_down_and_up),
		cmocka_unit_test(test_up_within_up),
		cmocka_unit_test(test_within_step),
		cmocka_unit_test(test_failed),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_foreign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
