/* The queues of a perf.data's CPUs, with so little memory that they use their file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/perf_queue.h"

#define NR 200000

static void push(struct rwk_perf_queues *q, int cpu, rwk_ns ts, int tid)
{
	struct rwk_event ev = {.cpu = cpu, .ts = ts, .kind = RWK_EV_WAKING, .task = {.tid = tid}};

	assert_int_equal(rwk_perf_queues_push(q, &ev, NULL), 0);
}

static int pop(struct rwk_perf_queues *q, int cpu, struct rwk_event *ret)
{
	struct rwk_ev_probe probe;
	int got = rwk_perf_queues_pop(q, cpu, ret, &probe, NULL);

	assert_in_range(got, 0, 1);
	return got;
}

/* Two CPUs in turns, some records a little late; the file is used, and used again. */
static void spilled(void **state)
{
	struct rwk_perf_queues *q;
	struct rwk_event ev;
	int64_t spilled;

	(void)state;
	assert_int_equal(rwk_perf_queues_create(2, 100 << 10, &q), 0);
	for (int pass = 0; pass < 2; pass++) {
		rwk_ns base = (rwk_ns)pass * NR;

		for (int i = 0; i < NR; i++)
			push(q, i & 1, base + (i % 100 == 7 ? i - 4 : i), i);
		spilled = rwk_perf_queues_spilled(q);
		/* Nearly all of it was in the file, which does not grow in the second pass. */
		assert_in_range(spilled, (int64_t)NR * 90, (int64_t)NR * 100);
		for (int cpu = 0; cpu < 2; cpu++) {
			rwk_ns last = base - 1;
			int n = 0;

			while (pop(q, cpu, &ev)) {
				assert_true(ev.ts >= last);
				assert_int_equal(ev.cpu, cpu);
				assert_int_equal(ev.task.tid & 1, cpu);
				last = ev.ts;
				n++;
				assert_true(rwk_perf_queues_next_ts(q, cpu) >= last);
			}
			assert_int_equal(n, NR / 2);
			assert_int_equal(rwk_perf_queues_next_ts(q, cpu), INT64_MAX);
		}
	}
	rwk_perf_queues_destroy(q);
}

/* Pushed and popped in turns, in any order: always the earliest, equal times as they came. */
static void any_order(void **state)
{
	enum { TIMES = 500 };
	struct rwk_perf_queues *q;
	struct rwk_event ev;
	uint32_t seed = 1;
	int waiting[TIMES] = {0}, nr = 0;
	int next_tid = 0, last_tid[TIMES];

	(void)state;
	memset(last_tid, 0xff, sizeof(last_tid));
	assert_int_equal(rwk_perf_queues_create(1, 0, &q), 0);
	for (int i = 0; i < 20000; i++) {
		seed = seed * 1664525 + 1013904223;
		if (seed >> 30 && nr < 3000) {
			int ts = (int)(seed >> 8 & 0xffff) % TIMES;

			push(q, 0, ts, next_tid++);
			waiting[ts]++;
			nr++;
			continue;
		}
		if (!pop(q, 0, &ev)) {
			assert_int_equal(nr, 0);
			continue;
		}
		for (int t = 0; t < (int)ev.ts; t++)
			assert_int_equal(waiting[t], 0);
		assert_true(waiting[ev.ts] > 0);
		/* Of one time the order is kept, as far as they waited together. */
		assert_true(ev.task.tid > last_tid[ev.ts]);
		last_tid[ev.ts] = ev.task.tid;
		waiting[ev.ts]--;
		nr--;
	}
	rwk_perf_queues_destroy(q);
}

/* Values of sel events that never came out are freed, from the file too. */
static void unfinished(void **state)
{
	struct rwk_perf_queues *q;
	struct rwk_ev_probe probe = {.nr_llc = 2};

	(void)state;
	assert_int_equal(rwk_perf_queues_create(1, 0, &q), 0);
	for (int i = 0; i < 5000; i++) {
		struct rwk_event ev = {.ts = i, .kind = RWK_EV_SEL, .probe = &probe};

		assert_int_equal(rwk_perf_queues_push(q, &ev, NULL), 0);
	}
	assert_true(rwk_perf_queues_spilled(q) > 0);
	rwk_perf_queues_destroy(q);
}

/* A folder for the file that is not there is told. */
static void no_room(void **state)
{
	struct rwk_perf_queues *q;
	struct rwk_diag diag = {0};
	int err = 0;

	(void)state;
	setenv("TMPDIR", "/nowhere/at/all", 1);
	assert_int_equal(rwk_perf_queues_create(1, 0, &q), 0);
	for (int i = 0; i < 5000 && !err; i++) {
		struct rwk_event ev = {.ts = i, .kind = RWK_EV_WAKING};

		err = rwk_perf_queues_push(q, &ev, &diag);
	}
	assert_true(err < 0);
	assert_non_null(strstr(diag.cause[0], "temporary file"));
	rwk_perf_queues_destroy(q);
	unsetenv("TMPDIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spilled),
		cmocka_unit_test(any_order),
		cmocka_unit_test(unfinished),
		cmocka_unit_test(no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
