/* What ends a flight recording: how long tasks wait, and how that is asked for. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "record/latency.h"
#include "record/record.h"
#include "record/trigger.h"
#include "record/trigger_table.h"

static void test_parse(void **state)
{
	static const char *const refused[] = {"", "wakeup-latency", "wakeup-latency>",
		"wakeup-latency>5", "wakeup-latency>0ms", "wakeup-latency>-5ms",
		"wakeup-latency<5ms", "wakeup-latency>5ms 6ms", "wakeup-latency>5ms || 1",
		"latency>5ms", "wakeup-latencyx>5ms", "wakeup-latency>s",
		"wakeup-latency>99999999999999999999s",
		"wakeup-latency>0000000000000000000000000000000000005ms"};
	rwk_ns ns = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_int_equal(rwk_trigger_parse(refused[i], &ns), -EINVAL);
		assert_int_equal(ns, 7);
	}
	assert_int_equal(rwk_trigger_parse("wakeup-latency>5ms", &ns), 0);
	assert_int_equal(ns, 5000000);
	assert_int_equal(rwk_trigger_parse(" wakeup-latency > 1.5us ", &ns), 0);
	assert_int_equal(ns, 1500);
	assert_int_equal(rwk_trigger_parse("wakeup-latency>2s", &ns), 0);
	assert_int_equal(ns, 2000000000);
}

static void test_wait(void **state)
{
	struct rwk_latency *l = rwk_latency_create();

	(void)state;
	assert_non_null(l);
	rwk_latency_waking(l, 100, 7);
	rwk_latency_waking(l, 110, 8);
	assert_int_equal(rwk_latency_switch(l, 150, 3, 8), 40);
	assert_int_equal(rwk_latency_switch(l, 400, 8, 7), 300);
	/* Preempted, it has not been woken: nothing is known to have been waited for. */
	assert_int_equal(rwk_latency_switch(l, 500, 7, 8), RWK_NS_NONE);
	assert_int_equal(rwk_latency_switch(l, 900, 8, 7), RWK_NS_NONE);
	rwk_latency_destroy(l);
}

/* Woken while it still ran, it went on: the time that it ran is no wait. */
static void test_woken_while_running(void **state)
{
	struct rwk_latency *l = rwk_latency_create();

	(void)state;
	assert_non_null(l);
	assert_int_equal(rwk_latency_switch(l, 100, 0, 7), RWK_NS_NONE);
	rwk_latency_waking(l, 200, 7);
	assert_int_equal(rwk_latency_switch(l, 9000, 7, 0), RWK_NS_NONE);
	assert_int_equal(rwk_latency_switch(l, 9900, 0, 7), RWK_NS_NONE);
	rwk_latency_destroy(l);
}

static void test_impossible_ids(void **state)
{
	static const int64_t ids[] = {0, -1, INT32_MIN, 4 << 20, INT32_MAX};
	struct rwk_latency *l = rwk_latency_create();

	(void)state;
	assert_non_null(l);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		rwk_latency_waking(l, 100, ids[i]);
		assert_int_equal(rwk_latency_switch(l, 200, ids[i], ids[i]), RWK_NS_NONE);
	}
	/* Out of order: an earlier time is no wait. */
	rwk_latency_waking(l, 100, 5);
	assert_int_equal(rwk_latency_switch(l, 50, 0, 5), RWK_NS_NONE);
	rwk_latency_destroy(l);
	rwk_latency_destroy(NULL);
}

/* What was not seen may have been a run and another waking: then the time since the first is no
 * wait. */
static void test_after_a_gap(void **state)
{
	struct rwk_latency *l = rwk_latency_create();

	(void)state;
	assert_non_null(l);
	rwk_latency_waking(l, 100, 7);
	rwk_latency_waking(l, 100, 8);
	rwk_latency_forget(l, 5000);
	rwk_latency_forget(l, 300);
	rwk_latency_waking(l, 5000, 8);
	assert_int_equal(rwk_latency_switch(l, 9000, 0, 7), RWK_NS_NONE);
	assert_int_equal(rwk_latency_switch(l, 9100, 7, 8), 4100);
	rwk_latency_destroy(l);
}

/* For each table as many tasks again can come as there are. */
static void test_table_size(void **state)
{
	(void)state;
	assert_int_equal(rwk_trigger_table_size(1), 1 << 14);
	assert_int_equal(rwk_trigger_table_size(1 << 13), 1 << 14);
	assert_int_equal(rwk_trigger_table_size((1 << 13) + 1), 1 << 15);
	assert_int_equal(rwk_trigger_table_size(1 << 16), 1 << 17);
	assert_int_equal(rwk_trigger_table_size((1 << 16) + 1), 0);
	assert_int_equal(rwk_trigger_table_size(INT64_MAX / 2), 0);
}

/* As 6.1 and 6.12 print it, two tables on one event. */
static void test_dropped(void **state)
{
	static const char text[] = "# event histogram\n#\n"
				   "# trigger info: hist:keys=prev_pid:vals=hitcount:x=common_"
				   "timestamp-$w:sort=hitcount:size=128:clock=mono [active]\n#\n\n"
				   "{ prev_pid:         16 } hitcount:          7\n\n"
				   "Totals:\n    Hits: 35\n    Entries: 9\n    Dropped: 3\n\n\n"
				   "# trigger info: hist:keys=next_pid:vals=hitcount:sort=hitcount:"
				   "size=16384:clock=mono [active]\n#\n\n"
				   "Totals:\n    Hits: 2823\n    Entries: 37\n    Dropped: 41\n";

	(void)state;
	assert_int_equal(rwk_trigger_dropped_parse(text, "prev_pid"), 3);
	assert_int_equal(rwk_trigger_dropped_parse(text, "next_pid"), 41);
	assert_int_equal(rwk_trigger_dropped_parse(text, "pid"), -1);
	assert_int_equal(rwk_trigger_dropped_parse("", "pid"), -1);
	assert_int_equal(
		rwk_trigger_dropped_parse("hist:keys=pid:\nDropped: 99999999999999999999", "pid"),
		-1);
	assert_int_equal(rwk_trigger_dropped_parse("hist:keys=pid:\nDropped: x", "pid"), -1);
}

/* Who decides is said of a kernel as it is, and of one without. */
static void test_who_decides(void **state)
{
	struct rwk_record_trigger t;
	char text[RWK_TRIGGER_TEXT];

	(void)state;
	rwk_trigger_preview("/nonexistent", &t);
	assert_int_equal(t.by, RWK_TRIGGER_BY_RECORDER);
	assert_string_equal(rwk_trigger_by_name(t.by), "recorder");
	rwk_trigger_describe(&t, text);
	assert_non_null(strstr(text, "by the recorder"));
	assert_non_null(strstr(text, "CONFIG_HIST_TRIGGERS"));
	t = (struct rwk_record_trigger){.by = RWK_TRIGGER_BY_KERNEL};
	rwk_trigger_describe(&t, text);
	assert_string_equal(
		text, "decided by the kernel: histogram triggers and a synthetic event");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_wait),
		cmocka_unit_test(test_woken_while_running),
		cmocka_unit_test(test_impossible_ids),
		cmocka_unit_test(test_after_a_gap),
		cmocka_unit_test(test_table_size),
		cmocka_unit_test(test_dropped),
		cmocka_unit_test(test_who_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
