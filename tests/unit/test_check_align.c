/* Clocks that are far apart: roughly by how much, from runs that follow wakeups (T3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/align.h"
#include "events_build.h"

#define WAKING RWK_EV_WAKING
#define S      RWK_END_SLEEPING
#define CPUS   4

struct found {
	rwk_ns ns[RWK_MAX_CPUS];
	int nr_joined;
};

static struct rwk_align *begin(void)
{
	struct rwk_align *a;

	assert_int_equal(rwk_align_create(&a), 0);
	return a;
}

static void feed(struct rwk_align *a, const rwk_ns *skew, struct rwk_event ev)
{
	ev.ts += skew[ev.cpu];
	assert_int_equal(rwk_align_event(a, &ev), 0);
}

/*
 * Task 100+b of CPU b is woken by CPU a again and again, after 0.2 to 20 ms (jitter 0: after
 * 1 ms each time), runs some µs later, and sleeps again soon.  Order does not matter here.
 */
static void workload(struct rwk_align *a, const rwk_ns *skew, int nr, int jitter, int spread)
{
	uint32_t seed = 7;
	rwk_ns now = INT64_C(100000000000);

	for (int i = 0; i < nr; i++) {
		int from = i % CPUS, to, tid;

		seed = seed * 1664525 + 1013904223;
		to = (from + 1 + (int)(seed >> 20) % (CPUS - 1)) % CPUS;
		tid = 100 + to + CPUS * (int)((seed >> 8) % (uint32_t)spread);
		now += jitter ? 200000 + (rwk_ns)(seed >> 16) * jitter : 1000000;
		feed(a, skew, ev_wake(WAKING, now, from, 1, tid, to));
		feed(a, skew, ev_switch(now + 3000 + (rwk_ns)(seed >> 19), to, 0, S, tid));
		feed(a, skew, ev_switch(now + 60000, to, tid, S, 0));
	}
}

static void solve(struct rwk_align *a, struct found *ret)
{
	assert_int_equal(rwk_align_solve(a, ret->ns, &ret->nr_joined), 0);
	rwk_align_destroy(a);
}

/* Corrections are relative to each other. */
static void assert_corrects(const struct found *f, const rwk_ns *skew)
{
	assert_int_equal(f->nr_joined, CPUS - 1);
	for (int cpu = 1; cpu < CPUS; cpu++)
		assert_true(
			llabs(f->ns[cpu] + skew[cpu] - f->ns[0] - skew[0]) < RWK_ALIGN_NEAR / 4);
}

static void T3_clocks_far_apart(void **state)
{
	static const rwk_ns skews[][CPUS] = {
		{0, 0, 0, 0},
		{0, 0, 2000000, 0},
		{-50000000, 0, 0, 0},
		{0, 3000000000, 0, 3000000000},
		{0, -7000000, 450000000, INT64_C(-40000000000)},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(skews) / sizeof(skews[0]); i++) {
		struct rwk_align *a = begin();
		struct found f;

		workload(a, skews[i], 2000, 300, 1);
		solve(a, &f);
		assert_corrects(&f, skews[i]);
		for (int cpu = CPUS; cpu < RWK_MAX_CPUS; cpu++)
			assert_true(f.ns[cpu] >= 0);
	}
}

/* Most keep their clock: the one that is off gets all of the correction, if it may be positive. */
static void most_keep_their_clock(void **state)
{
	static const rwk_ns skew[CPUS] = {0, -90000000, 0, 0};
	struct rwk_align *a = begin();
	struct found f;

	(void)state;
	workload(a, skew, 2000, 300, 1);
	solve(a, &f);
	assert_true(
		f.ns[0] < RWK_ALIGN_NEAR && f.ns[2] < RWK_ALIGN_NEAR && f.ns[3] < RWK_ALIGN_NEAR);
	assert_true(llabs(f.ns[1] - 90000000) < RWK_ALIGN_NEAR);
}

/* At equal distances, one period more is as good an answer. */
static void equal_distances_tell_nothing(void **state)
{
	static const rwk_ns skew[CPUS] = {0, 30000000, 0, 0};
	struct rwk_align *a = begin();
	struct found f;
	rwk_ns now = 1000000000;

	(void)state;
	for (int i = 0; i < 2000; i++, now += 4000000) {
		feed(a, skew, ev_wake(WAKING, now, 0, 1, 101, 1));
		feed(a, skew, ev_switch(now + 5000, 1, 0, S, 101));
		feed(a, skew, ev_switch(now + 60000, 1, 101, S, 0));
	}
	solve(a, &f);
	assert_int_equal(f.nr_joined, 0);
}

static void too_little_tells_nothing(void **state)
{
	static const rwk_ns skew[CPUS] = {0, 30000000, 0, 0};
	struct rwk_align *a = begin();
	struct found f;

	(void)state;
	workload(a, skew, 12, 300, 1);
	solve(a, &f);
	assert_int_equal(f.nr_joined, 0);
	for (int cpu = 0; cpu < CPUS; cpu++)
		assert_int_equal(f.ns[cpu], 0);
	solve(begin(), &f);
	assert_int_equal(f.nr_joined, 0);
}

/* More than is kept: of fewer tasks then, over all of the time. */
static void more_than_is_kept(void **state)
{
	static const rwk_ns skew[CPUS] = {0, 3000000, 0, -3000000};
	struct rwk_align *a = begin();
	struct found f;

	(void)state;
	workload(a, skew, RWK_ALIGN_POINTS / 2, 3, 4000);
	solve(a, &f);
	assert_corrects(&f, skew);
	/* One task, which cannot be fewer: its beginning. */
	a = begin();
	for (int i = 0; i < RWK_ALIGN_POINTS; i++) {
		feed(a, skew, ev_wake(WAKING, i * 100, 0, 1, 101, 1));
		feed(a, skew, ev_switch(i * 100 + 5, 1, 0, S, 101));
	}
	solve(a, &f);
	assert_int_equal(f.nr_joined, 0);
}

static void any_numbers(void **state)
{
	static const rwk_ns none[RWK_MAX_CPUS] = {0};
	static const rwk_ns times[] = {INT64_MIN, -1, 0, INT64_MAX - 1, INT64_MAX};
	struct rwk_align *a = begin();
	struct found f;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		rwk_ns ts = times[i % 5];
		int cpu = i * 7 % (RWK_MAX_CPUS + 2) - 1;
		struct rwk_event ev = ev_wake(WAKING, ts, 0, 1, i % 3 - 1, i * 5 % 2000 - 100);

		ev.cpu = cpu;
		assert_int_equal(rwk_align_event(a, &ev), 0);
		ev = ev_switch(ts, 0, i % 3, S, INT32_MAX - i % 2);
		ev.cpu = cpu;
		assert_int_equal(rwk_align_event(a, &ev), 0);
		feed(a, none, ev_migrate(ts, i % 2, 1, i % 3, 0, i % 2000 - 3));
	}
	solve(a, &f);
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++)
		assert_true(f.ns[cpu] >= 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(T3_clocks_far_apart),
		cmocka_unit_test(most_keep_their_clock),
		cmocka_unit_test(equal_distances_tell_nothing),
		cmocka_unit_test(too_little_tells_nothing),
		cmocka_unit_test(more_than_is_kept),
		cmocka_unit_test(any_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
