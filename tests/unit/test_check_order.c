/* Orders between CPUs that cannot be, and the skew of clocks that explains them (T3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/skew.h"
#include "events_build.h"

#define WAKING RWK_EV_WAKING
#define WAKEUP RWK_EV_WAKEUP
#define NEW    RWK_EV_WAKEUP_NEW
#define S      RWK_END_SLEEPING
#define R      RWK_END_RUNNABLE
#define MAX    4096

static struct rwk_order *order_of(const struct rwk_event *ev, size_t nr)
{
	struct rwk_order *o;

	assert_int_equal(rwk_order_create(&o), 0);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(rwk_order_event(o, &ev[i]), 0);
	return o;
}

static int64_t impossible(const struct rwk_order *o)
{
	return rwk_order_anomalies(o)->of[RWK_AN_IMPOSSIBLE_ORDER].count;
}

#define order_run(o, ...)                                                                          \
	do {                                                                                       \
		const struct rwk_event evs_[] = {__VA_ARGS__};                                     \
		o = order_of(evs_, sizeof(evs_) / sizeof(evs_[0]));                                \
	} while (0)

static void causes_before_effects(void **state)
{
	const struct rwk_order_bounds *b;
	struct rwk_order *o;

	(void)state;
	order_run(o, ev_switch(100, 1, 20, S, 0), ev_wake(WAKING, 200, 0, 10, 20, 1),
		ev_migrate(210, 0, 10, 20, 1, 2), ev_wake(WAKEUP, 230, 2, 0, 20, 2),
		ev_switch(260, 2, 0, R, 20));
	assert_int_equal(impossible(o), 0);
	b = rwk_order_bounds(o, 0);
	assert_non_null(b);
	/* waking → wakeup, waking → run, migration → run */
	assert_int_equal(b[2].nr, 3);
	assert_int_equal(b[2].delay[0], 30);
	assert_int_equal(b[2].delay[1], 50);
	assert_int_equal(b[2].delay[2], 60);
	b = rwk_order_bounds(o, 1);
	assert_int_equal(b[2].nr, 1);
	assert_int_equal(b[2].delay[0], 160);
	rwk_order_destroy(o);
}

static void ran_before_its_waking(void **state)
{
	struct rwk_order *o;

	(void)state;
	order_run(o, ev_switch(100, 1, 20, S, 0), ev_switch(150, 1, 0, R, 20),
		ev_wake(WAKING, 200, 0, 10, 20, 1));
	assert_int_equal(impossible(o), 1);
	assert_int_equal(rwk_order_bounds(o, 0)[1].delay[0], -50);
	rwk_order_destroy(o);
}

static void ran_before_its_migration(void **state)
{
	struct rwk_order *o;

	(void)state;
	order_run(o, ev_switch(50, 1, 0, R, 20), ev_switch(100, 1, 20, R, 0),
		ev_switch(150, 2, 0, R, 20), ev_migrate(180, 0, 10, 20, 1, 2));
	assert_int_equal(impossible(o), 1);
	assert_int_equal(rwk_order_bounds(o, 0)[2].delay[0], -30);
	rwk_order_destroy(o);
}

static void on_two_cpus_at_once(void **state)
{
	struct rwk_order *o;

	(void)state;
	order_run(o, ev_switch(50, 1, 0, R, 20), ev_switch(150, 2, 0, R, 20),
		ev_switch(170, 1, 20, R, 0));
	assert_int_equal(impossible(o), 1);
	assert_int_equal(rwk_order_bounds(o, 1)[2].delay[0], -20);
	rwk_order_destroy(o);
}

/* The waker finds the state set, the wakee's switch out comes later: that is no skew. */
static void waking_on_its_way_out(void **state)
{
	struct rwk_order *o;

	(void)state;
	order_run(o, ev_switch(50, 1, 0, R, 20), ev_wake(WAKING, 100, 0, 10, 20, 1),
		ev_switch(110, 1, 20, S, 0), ev_wake(WAKEUP, 120, 1, 0, 20, 1),
		ev_switch(130, 1, 0, R, 20), ev_wake(WAKING, 140, 0, 10, 20, 1),
		ev_switch(150, 1, 20, S, 0), ev_wake(WAKEUP, 160, 1, 0, 20, 1),
		ev_switch(170, 1, 0, R, 20));
	assert_int_equal(impossible(o), 0);
	rwk_order_destroy(o);
}

/* What was lost may have been the cause. */
static void a_loss_proves_nothing(void **state)
{
	struct rwk_order *o;

	(void)state;
	order_run(o, ev_switch(100, 1, 20, S, 0), ev_lost(140, 0, 5, 90),
		ev_switch(150, 1, 0, R, 20), ev_wake(WAKING, 200, 0, 10, 20, 1));
	assert_int_equal(impossible(o), 0);
	rwk_order_destroy(o);
	/* A thread id that came back is another task. */
	order_run(o, ev_switch(100, 1, 20, RWK_END_DEAD, 0), ev_switch(150, 2, 0, R, 20),
		ev_wake(WAKING, 200, 0, 10, 20, 1));
	assert_int_equal(impossible(o), 0);
	rwk_order_destroy(o);
}

/* ---- skew ---- */

struct trace {
	struct rwk_event ev[MAX];
	size_t nr;
	rwk_ns skew[4];
};

static void put(struct trace *t, struct rwk_event ev)
{
	ev.ts += t->skew[ev.cpu];
	t->ev[t->nr++] = ev;
}

static int by_time(const void *a, const void *b)
{
	const struct rwk_event *x = a, *y = b;

	return rwk_event_before(x, y) ? -1 : rwk_event_before(y, x);
}

/*
 * Task 100+b lives on CPU b, is woken by 100+a on CPU a, runs 300 µs, and wakes that one's
 * partner in turn: both directions between all CPUs, 4 to 9 µs from waking to run.
 */
static void ring(struct trace *t, int nr_cpus, int rounds)
{
	rwk_ns now = 1000000;

	for (int cpu = 0; cpu < nr_cpus; cpu++)
		put(t, ev_switch(now + cpu, cpu, 100 + cpu, S, 0));
	for (int i = 0; i < rounds; i++) {
		for (int k = 1; k < nr_cpus; k++) {
			for (int a = 0; a < nr_cpus; a++) {
				int b = (a + k) % nr_cpus;

				now += 1000000;
				put(t, ev_wake(WAKING, now, a, 0, 100 + b, b));
				put(t, ev_switch(now + 4000 + 1000 * ((i + k) % 6), b, 0, R,
					       100 + b));
				put(t, ev_switch(now + 300000, b, 100 + b, S, 0));
			}
		}
	}
	qsort(t->ev, t->nr, sizeof(t->ev[0]), by_time);
}

static void solve(const struct trace *t, struct rwk_skew *ret)
{
	struct rwk_order *o = order_of(t->ev, t->nr);

	assert_int_equal(rwk_skew_solve(o, NULL, ret), 0);
	rwk_order_destroy(o);
}

static void sound_clocks_are_left(void **state)
{
	static struct trace t;
	struct rwk_skew skew;

	(void)state;
	t = (struct trace){0};
	ring(&t, 4, 10);
	solve(&t, &skew);
	assert_int_equal(skew.state, RWK_SKEW_NONE);
	assert_int_equal(skew.nr_impossible, 0);
}

static void T3_one_clock_is_off(void **state)
{
	static const rwk_ns off[] = {-120000, -20000, 20000, 120000};
	static struct trace t;
	struct rwk_skew skew;

	(void)state;
	for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++) {
		for (int cpu = 0; cpu < 4; cpu++) {
			t = (struct trace){0};
			t.skew[cpu] = off[i];
			ring(&t, 4, 10);
			solve(&t, &skew);
			assert_int_equal(skew.state, RWK_SKEW_FOUND);
			assert_true(skew.nr_impossible > 0);
			for (int c = 0; c < 4; c++) {
				if (c != cpu)
					assert_int_equal(skew.of[c].skew_ns, 0);
			}
			assert_true(skew.of[cpu].low_ns <= -off[i]);
			assert_true(skew.of[cpu].high_ns >= -off[i]);
			/* As tight as the fastest way there and back. */
			assert_true(skew.of[cpu].high_ns - skew.of[cpu].low_ns <= 20000);
			assert_true(llabs(skew.of[cpu].skew_ns + off[i]) <= 10000);
		}
	}
}

static void two_clocks_are_off(void **state)
{
	static struct trace t;
	struct rwk_skew skew;

	(void)state;
	t = (struct trace){.skew = {0, 90000, 0, -60000}};
	ring(&t, 4, 10);
	solve(&t, &skew);
	assert_int_equal(skew.state, RWK_SKEW_FOUND);
	assert_int_equal(skew.of[0].skew_ns, 0);
	assert_int_equal(skew.of[2].skew_ns, 0);
	assert_true(llabs(skew.of[1].skew_ns + 90000) <= 10000);
	assert_true(llabs(skew.of[3].skew_ns - 60000) <= 10000);
}

/* A clock that runs away has no constant shift. */
static void a_drifting_clock_is_refused(void **state)
{
	static struct trace t;
	struct rwk_skew skew;

	(void)state;
	t = (struct trace){0};
	ring(&t, 4, 20);
	for (size_t i = 0; i < t.nr; i++) {
		if (t.ev[i].cpu == 2)
			t.ev[i].ts += ((rwk_ns)i - (rwk_ns)t.nr / 2) * 150000 / (rwk_ns)t.nr;
	}
	qsort(t.ev, t.nr, sizeof(t.ev[0]), by_time);
	solve(&t, &skew);
	assert_int_equal(skew.state, RWK_SKEW_INFEASIBLE);
	for (int cpu = 0; cpu < 4; cpu++)
		assert_int_equal(skew.of[cpu].skew_ns, 0);
}

/* Nothing on CPU 1 ever had an effect on CPU 0: how far back it belongs cannot be told. */
static void one_direction_is_no_bound(void **state)
{
	static struct trace t;
	struct rwk_skew skew;

	(void)state;
	t = (struct trace){.skew = {0, -100000}};
	for (int i = 1; i < 10; i++) {
		put(&t, ev_switch(i * 1000000 - 500000, 1, 101, S, 0));
		put(&t, ev_wake(WAKING, i * 1000000, 0, 0, 101, 1));
		put(&t, ev_switch(i * 1000000 + 5000, 1, 0, R, 101));
	}
	qsort(t.ev, t.nr, sizeof(t.ev[0]), by_time);
	solve(&t, &skew);
	assert_int_equal(skew.state, RWK_SKEW_ONE_SIDED);
	assert_int_equal(skew.of[0].skew_ns, 0);
	assert_int_equal(skew.of[1].skew_ns, 0);
}

/* One or two impossible orders of a pair may have any reason. */
static void outliers_move_no_clock(void **state)
{
	static struct trace t;
	struct rwk_skew skew;

	(void)state;
	t = (struct trace){0};
	ring(&t, 2, 10);
	for (int i = 0; i < 2; i++) {
		rwk_ns at = t.ev[t.nr - 1].ts + 1000000;

		put(&t, ev_switch(at, 1, 0, R, 101));
		put(&t, ev_wake(WAKING, at + 250000, 0, 0, 101, 1));
		put(&t, ev_switch(at + 300000, 1, 101, S, 0));
	}
	solve(&t, &skew);
	assert_int_equal(skew.nr_impossible, 2);
	assert_int_equal(skew.state, RWK_SKEW_NONE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(causes_before_effects),
		cmocka_unit_test(ran_before_its_waking),
		cmocka_unit_test(ran_before_its_migration),
		cmocka_unit_test(on_two_cpus_at_once),
		cmocka_unit_test(waking_on_its_way_out),
		cmocka_unit_test(a_loss_proves_nothing),
		cmocka_unit_test(sound_clocks_are_left),
		cmocka_unit_test(T3_one_clock_is_off),
		cmocka_unit_test(two_clocks_are_off),
		cmocka_unit_test(a_drifting_clock_is_refused),
		cmocka_unit_test(one_direction_is_no_bound),
		cmocka_unit_test(outliers_move_no_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
