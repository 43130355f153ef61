/* What a recorder watches while it records: when events are lost, and how much may still be
 * written. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "record/flight.h"
#include "record/loss.h"
#include "record/watch.h"

static void look(struct rwk_loss *loss, int nth, rwk_ns now, int64_t overrun, int64_t dropped)
{
	const struct rwk_record_cpu seen = {.now_ns = now, .overrun = overrun, .dropped = dropped};

	rwk_loss_note(loss, nth, &seen);
}

static struct rwk_cpuset two_cpus(void)
{
	struct rwk_cpuset cpus = {0};

	rwk_cpuset_add(&cpus, 1);
	rwk_cpuset_add(&cpus, 5);
	return cpus;
}

static void test_only_changes_are_kept(void **state)
{
	struct rwk_cpuset cpus = two_cpus();
	struct rwk_loss loss;
	char *text;
	int err = -1;

	(void)state;
	assert_int_equal(rwk_loss_init(&loss, &cpus, true), 0);
	look(&loss, 1, 1000, 7, 0); /* what was before the first look was not lost in it */
	look(&loss, 1, 2000, 7, 0);
	look(&loss, 1, 3000, 9, 4);
	look(&loss, 1, RWK_NS_NONE, 11, 4); /* no time: told with the next look */
	look(&loss, 1, 5000, 12, 4);
	look(&loss, 1, 6000, 12, 4);
	assert_null(rwk_loss_text(&loss, 1, &err));
	assert_int_equal(err, 0);
	assert_null(rwk_loss_text(&loss, 2, &err));
	text = rwk_loss_text(&loss, 5, &err);
	assert_int_equal(err, 0);
	assert_string_equal(text, "2000 3000 2 0 4\n3000 5000 3 0 0\n");
	free(text);
	rwk_loss_finish(&loss);
}

static void test_rows_are_bounded(void **state)
{
	struct rwk_cpuset cpus = two_cpus();
	struct rwk_loss loss;
	struct rwk_loss_cpu *c;
	int64_t sum = 0;

	(void)state;
	assert_int_equal(rwk_loss_init(&loss, &cpus, true), 0);
	c = &loss.cpu[0];
	for (int i = 0; i <= 10 * RWK_LOSS_MAX; i++)
		look(&loss, 0, (rwk_ns)i * 10, (int64_t)i * 3, i);
	assert_true(c->nr <= RWK_LOSS_MAX && c->nr > RWK_LOSS_MAX / 4);
	for (int i = 0; i < c->nr; i++) {
		sum += c->row[i].overrun;
		assert_true(c->row[i].from == (i ? c->row[i - 1].to : 0));
	}
	/* Coarser, but nothing is missing and the times go from end to end. */
	assert_int_equal(sum, 30 * RWK_LOSS_MAX);
	assert_int_equal(c->row[c->nr - 1].to, 100 * RWK_LOSS_MAX);
	rwk_loss_finish(&loss);
}

static void test_times_of_stats(void **state)
{
	struct rwk_record_cpu c = {.oldest_ns = RWK_NS_NONE, .now_ns = RWK_NS_NONE};

	(void)state;
	rwk_stats_parse("entries: 3\noverrun: 2\ncommit overrun: 1\nbytes: 9\n"
			"oldest event ts:     5.000001\nnow ts: 15928.260056\ndropped events: 4\n",
		&c);
	assert_int_equal(c.entries, 3);
	assert_int_equal(c.dropped, 4);
	assert_true(c.oldest_ns == 5000001000);
	assert_true(c.now_ns == 15928260056000);
	/* Clocks that are not in seconds, and nonsense, change nothing. */
	rwk_stats_parse("oldest event ts: 77\nnow ts: 99999999999999999.000001\n", &c);
	rwk_stats_parse("now ts: 5.1\n", &c);
	assert_true(c.oldest_ns == 5000001000);
	assert_true(c.now_ns == 15928260056000);
}

static void test_near_the_limit(void **state)
{
	(void)state;
	/* All that the buffers hold still fits, unless that were most of the recording. */
	assert_true(
		rwk_watch_near_bytes(INT64_C(1) << 30, 8 << 20) == (INT64_C(1) << 30) - (8 << 20));
	assert_true(rwk_watch_near_bytes(8 << 20, 8 << 20) == 7 << 20);
}

static void test_full_disk(void **state)
{
	const int64_t mb = 1 << 20;

	(void)state;
	assert_false(rwk_watch_disk_is_full(10 * mb, 5 * mb, mb));
	assert_true(rwk_watch_disk_is_full(10 * mb, 7 * mb, mb));
	assert_true(rwk_watch_disk_is_full(10 * mb, 5 * mb, 2 * mb));
	assert_true(rwk_watch_disk_is_full(64 << 10, 0, 0)); /* not even formats fit */
	assert_false(rwk_watch_disk_is_full(INT64_MAX, 100 * mb, mb));
}

static void test_flight_buffers(void **state)
{
	const int64_t limit = 256 << 10;

	(void)state;
	/* 10 s at 1 MB/s on two CPUs, twice over. */
	assert_int_equal(rwk_flight_kb(10000000000, 1048576, 2, 4096, limit), 10240);
	assert_int_equal(rwk_flight_kb(10000000000, 0, 2, 4096, limit), 4096);
	assert_int_equal(rwk_flight_kb(INT64_MAX, 1e12, 2, 4096, limit), 128 << 10);
	assert_int_equal(rwk_flight_kb(1, 1, 4096, 4, 64), RWK_RECORD_MIN_KB);
}

static void test_flight_window(void **state)
{
	struct rwk_record_cpu cpu[3] = {{.oldest_ns = 10, .now_ns = 500},
		{.oldest_ns = 50, .now_ns = 510, .overrun = 7},
		{.oldest_ns = RWK_NS_NONE, .now_ns = 505}};
	struct rwk_flight_window w = rwk_flight_find_window(cpu, 3);

	(void)state;
	/* The latest that any CPU has lost its past: before, something is missing. */
	assert_true(w.from == 50 && w.to == 510);
	cpu[0].overrun = 1;
	cpu[0].oldest_ns = 90;
	assert_true(rwk_flight_find_window(cpu, 3).from == 90);
	cpu[0].overrun = cpu[1].overrun = 0;
	assert_true(rwk_flight_find_window(cpu, 3).from == RWK_NS_NONE);
	assert_true(rwk_flight_find_window(cpu, 0).to == RWK_NS_NONE);
}

static void test_overwriting_is_no_loss_in_flight(void **state)
{
	struct rwk_cpuset cpus = two_cpus();
	struct rwk_loss loss;
	char *text;
	int err;

	(void)state;
	assert_int_equal(rwk_loss_init(&loss, &cpus, false), 0);
	look(&loss, 0, 10, 0, 0);
	look(&loss, 0, 20, 99, 0);
	assert_null(rwk_loss_text(&loss, 1, &err));
	look(&loss, 0, 30, 99, 1);
	text = rwk_loss_text(&loss, 1, &err);
	assert_string_equal(text, "20 30 0 0 1\n");
	free(text);
	rwk_loss_finish(&loss);
}

static void test_most(void **state)
{
	(void)state;
	assert_int_equal(rwk_watch_most_bytes(INT64_MAX), 0);
	assert_int_equal(rwk_watch_most_bytes(0), 0);
	assert_int_equal(rwk_watch_most_bytes(1 << 20), 0);
	/* Twice that, with what comes beside it, is less than what there is; and not much less. */
	for (int64_t room = 4 << 20; room < INT64_C(1) << 40; room *= 3) {
		int64_t most = rwk_watch_most_bytes(room);

		assert_true(2 * most + (128 << 10) < room);
		assert_true(most > room / 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_most),
		cmocka_unit_test(test_only_changes_are_kept),
		cmocka_unit_test(test_rows_are_bounded),
		cmocka_unit_test(test_times_of_stats),
		cmocka_unit_test(test_near_the_limit),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_flight_buffers),
		cmocka_unit_test(test_flight_window),
		cmocka_unit_test(test_overwriting_is_no_loss_in_flight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
