/* Which blocked tasks are still queued (6.12+), on hand-made runs of one CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "events_build.h"
#include "model/eevdf.h"
#include "model/state.h"

#define S  RWK_END_SLEEPING
#define R  RWK_END_RUNNABLE
#define RP RWK_END_PREEMPTED
#define US ((rwk_ns)1000)
#define MS ((rwk_ns)1000000)

static struct rwk_model *model(struct rows *r, const char *kernel)
{
	struct rwk_model_options opt = {.machine = &r->machine};
	struct rwk_model *m;

	rows_begin(r, kernel, false, RWK_PROBE_ALL);
	assert_int_equal(rwk_model_create(&opt, NULL, &m), 0);
	return m;
}

static void apply(struct rwk_model *m, struct rwk_event ev)
{
	assert_int_equal(rwk_model_apply(m, &ev), 0);
}

static bool delayed(struct rwk_model *m, int tid, rwk_ns now)
{
	m->now = now;
	return rwk_eevdf_is_delayed(m, rwk_tasks_find(&m->tasks, tid, RWK_NONE));
}

/* Two tasks join an idle CPU; the one that ran is ahead of the average when it blocks. */
static void ahead_is_delayed(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r, "6.12.117");

	(void)state;
	apply(m, ev_switch(100 * MS, 0, 9, S, 0));
	apply(m, ev_wake(RWK_EV_WAKEUP, 101 * MS, 1, 0, 10, 0));
	apply(m, ev_switch(101 * MS, 0, 0, R, 10));
	apply(m, ev_wake(RWK_EV_WAKEUP, 101 * MS + 10 * US, 0, 10, 20, 0));
	apply(m, ev_switch(101 * MS + 50 * US, 0, 10, S, 20));
	assert_true(delayed(m, 10, 101 * MS + 60 * US));
	/* going idle dequeues it */
	apply(m, ev_switch(101 * MS + 90 * US, 0, 20, S, 0));
	assert_false(delayed(m, 10, 101 * MS + 95 * US));
	assert_int_equal(m->cpu[0].eevdf.weight, 0);
	rwk_model_destroy(m);
	rows_free(&r);
}

/* Alone on its queue a task is always eligible; so is one that waited while others ran. */
static void eligible_is_dequeued(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r, "6.12.117");

	(void)state;
	apply(m, ev_switch(100 * MS, 0, 9, S, 0));
	apply(m, ev_wake(RWK_EV_WAKEUP, 101 * MS, 1, 0, 10, 0));
	apply(m, ev_switch(101 * MS, 0, 0, R, 10));
	apply(m, ev_wake(RWK_EV_WAKEUP, 101 * MS, 1, 0, 20, 0));
	apply(m, ev_switch(102 * MS, 0, 10, RP, 20)); /* 20 waited for a millisecond */
	apply(m, ev_switch(102 * MS + 100 * US, 0, 20, S, 10));
	assert_false(delayed(m, 20, 102 * MS + 110 * US));
	rwk_model_destroy(m);
	rows_free(&r);
}

/* The running task's slice ends: at that tick the CPU picks, and drops the delayed one. */
static void dropped_at_the_tick(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r, "6.12.117");

	(void)state;
	apply(m, ev_switch(100 * MS, 0, 9, S, 0));
	apply(m, ev_wake(RWK_EV_WAKEUP, 101 * MS, 1, 0, 10, 0));
	apply(m, ev_switch(101 * MS, 0, 0, R, 10));
	apply(m, ev_wake(RWK_EV_WAKEUP, 101 * MS + 10 * US, 0, 10, 20, 0));
	apply(m, ev_switch(101 * MS + 50 * US, 0, 10, S, 20));
	assert_true(delayed(m, 10, 103 * MS)); /* no tick yet */
	assert_false(delayed(m, 10, 109 * MS));
	rwk_model_destroy(m);
	rows_free(&r);
}

/* The slice is the recorded one, else it follows from the number of CPUs. */
static void slice_of_the_machine(void **state)
{
	static const struct {
		rwk_ns recorded;
		int cpus;
		rwk_ns slice;
	} cases[] = {{3 * MS, 8, 3 * MS}, {RWK_NS_NONE, 1, 700 * US}, {RWK_NS_NONE, 4, 2100 * US},
		{RWK_NS_NONE, 8, 2800 * US}, {RWK_NS_NONE, 16, 2800 * US}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rwk_machine machine = {.nr_cpu_ids = 16,
			.min_granularity_ns = cases[i].recorded,
			.kernel = {6, 12, 117}};
		struct rwk_machine_cpu cpu[16] = {0};
		struct rwk_model *m;

		machine.cpu = cpu;
		for (int c = 0; c < cases[i].cpus; c++)
			rwk_cpuset_add(&machine.online, c);
		assert_int_equal(rwk_model_create(&(struct rwk_model_options){.machine = &machine},
					 NULL, &m),
			0);
		assert_int_equal(m->slice_ns, cases[i].slice);
		rwk_model_destroy(m);
	}
}

/* How far behind a task may stay: two slices up to 6.18, a slice and a tick in 7.3. */
static void lag_is_limited(void **state)
{
	static const char *const kernels[] = {"6.12.117", "6.18.15", "7.3.4"};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct rows r;
		struct rwk_model *m = model(&r, kernels[i]);

		apply(m, ev_switch(100 * MS, 0, 9, S, 0));
		apply(m, ev_wake(RWK_EV_WAKEUP, 101 * MS, 1, 0, 10, 0));
		apply(m, ev_switch(101 * MS, 0, 0, R, 10));
		apply(m, ev_wake(RWK_EV_WAKEUP, 101 * MS, 1, 0, 20, 0));
		apply(m, ev_switch(131 * MS, 0, 10, RP, 20)); /* 20 waited for long */
		apply(m, ev_switch(131 * MS + 100 * US, 0, 20, S, 10));
		assert_int_equal(rwk_tasks_find(&m->tasks, 20, RWK_NONE)->eevdf.vlag,
			i < 2 ? 5600 * US : 6800 * US);
		rwk_model_destroy(m);
		rows_free(&r);
	}
}

/* Kernels before 6.12 dequeue at once; so do stopped and dead tasks always. */
static void never_delayed(void **state)
{
	static const char *const kernels[] = {"6.1.192", "6.12.117"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct rows r;
		struct rwk_model *m = model(&r, kernels[i]);

		apply(m, ev_switch(100 * MS, 0, 9, S, 0));
		apply(m, ev_wake(RWK_EV_WAKEUP, 101 * MS, 1, 0, 10, 0));
		apply(m, ev_switch(101 * MS, 0, 0, R, 10));
		apply(m, ev_wake(RWK_EV_WAKEUP, 101 * MS + 10 * US, 0, 10, 20, 0));
		apply(m, ev_switch(101 * MS + 50 * US, 0, 10, i ? RWK_END_STOPPED : S, 20));
		assert_false(delayed(m, 10, 101 * MS + 60 * US));
		rwk_model_destroy(m);
		rows_free(&r);
	}
}

/* Woken while delayed, in place and by its waker directly: no placement. */
static void wakeup_of_delayed_is_queued(void **state)
{
	struct rows r;
	const struct rwk_event evs[] = {ev_switch(100 * MS, 0, 9, S, 0),
		ev_wake(RWK_EV_WAKEUP, 101 * MS, 1, 0, 10, 0), ev_switch(101 * MS, 0, 0, R, 10),
		ev_wake(RWK_EV_WAKEUP, 101 * MS + 10 * US, 0, 10, 20, 0),
		ev_switch(101 * MS + 50 * US, 0, 10, S, 20),
		ev_wake(RWK_EV_WAKING, 101 * MS + 80 * US, 0, 20, 10, 0),
		ev_wake(RWK_EV_WAKEUP, 101 * MS + 81 * US, 0, 20, 10, 0),
		ev_switch(101 * MS + 90 * US, 0, 20, S, 10)};

	(void)state;
	for (int i = 0; i < 2; i++) {
		rows_begin(&r, i ? "6.12.117" : "6.1.192", false, RWK_PROBE_ALL);
		rows_feed(&r, evs, sizeof(evs) / sizeof(evs[0]));
		rows_end(&r);
		assert_int_equal(r.nr_wakeup, 1);
		assert_int_equal(r.wakeup[0].kind, i ? RWK_KIND_QUEUED : RWK_KIND_DECISION);
		assert_int_equal(r.wakeup[0].kind_source, RWK_INFERRED);
		rows_free(&r);
	}
}

/*
 * Put back without lag it waits for its waker from 7.x on, which brings the
 * waker up to date first: if it ran at once, it was not delayed.  Up to 6.18 a
 * delayed one goes first too.
 */
static void at_once_is_no_requeue(void **state)
{
	static const char *const kernels[] = {"6.12.117", "7.3.4"};
	struct rows r;

	(void)state;
	for (int i = 0; i < 4; i++) {
		const struct rwk_event evs[] = {ev_switch(100 * MS, 0, 9, S, 0),
			ev_wake(RWK_EV_WAKEUP, 101 * MS, 1, 0, 10, 0),
			ev_switch(101 * MS, 0, 0, R, 10),
			ev_wake(RWK_EV_WAKEUP, 101 * MS + 10 * US, 0, 10, 20, 0),
			ev_switch(101 * MS + 50 * US, 0, 10, S, 20),
			ev_wake(RWK_EV_WAKING, 101 * MS + 130 * US, 0, 20, 10, 0),
			ev_wake(RWK_EV_WAKEUP, 101 * MS + 131 * US, 0, 20, 10, 0),
			/* at once, or when 20 has used its slice up */
			ev_switch((i < 2 ? 101 : 110) * MS + 140 * US, 0, 20, RP, 10)};

		rows_begin(&r, kernels[i & 1], false, RWK_PROBE_ALL);
		rows_feed(&r, evs, sizeof(evs) / sizeof(evs[0]));
		rows_end(&r);
		assert_int_equal(r.nr_wakeup, 1);
		assert_int_equal(r.wakeup[0].kind, i == 1 ? RWK_KIND_DECISION : RWK_KIND_QUEUED);
		assert_int_equal(r.wakeup[0].kind_source, RWK_INFERRED);
		rows_free(&r);
	}
}

/* It came with a lag, which is an estimate: ahead by less than that is no certainty. */
static void lag_is_doubted(void **state)
{
	static const int ran_us[] = {1500, 4000};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct rows r;
		struct rwk_model *m = model(&r, "6.12.117");
		rwk_ns t = 110 * MS;

		/* 10 waits for a millisecond behind 20, runs briefly and sleeps with lag. */
		apply(m, ev_switch(100 * MS, 0, 9, S, 0));
		apply(m, ev_wake(RWK_EV_WAKEUP, 101 * MS, 1, 0, 20, 0));
		apply(m, ev_switch(101 * MS, 0, 0, R, 20));
		apply(m, ev_wake(RWK_EV_WAKEUP, 101 * MS, 1, 0, 10, 0));
		apply(m, ev_switch(102 * MS, 0, 20, RP, 10));
		apply(m, ev_switch(102 * MS + 10 * US, 0, 10, S, 20));
		assert_false(delayed(m, 10, 102 * MS + 10 * US));
		/* Woken again, it is some 990 us behind, and runs that and more. */
		apply(m, ev_wake(RWK_EV_WAKEUP, t, 0, 20, 10, 0));
		apply(m, ev_switch(t, 0, 20, RP, 10));
		assert_in_range(m->tasks.of[0]->eevdf.brought + 1, 0, MS);
		t += ran_us[i] * US;
		apply(m, ev_switch(t, 0, 10, S, 20));
		assert_int_equal(m->cpu[0].eevdf.nr_delayed, 1); /* it may well be */
		assert_int_equal(delayed(m, 10, t), i);
		rwk_model_destroy(m);
		rows_free(&r);
	}
}

/* Its wakeup and the switch to it are lost: it ran, so that it was not delayed any more. */
static void runs_while_thought_delayed(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r, "6.12.117");

	(void)state;
	apply(m, ev_switch(100 * MS, 0, 9, S, 0));
	apply(m, ev_wake(RWK_EV_WAKEUP, 101 * MS, 1, 0, 10, 0));
	apply(m, ev_switch(101 * MS, 0, 0, R, 10));
	apply(m, ev_wake(RWK_EV_WAKEUP, 101 * MS + 10 * US, 0, 10, 20, 0));
	apply(m, ev_switch(101 * MS + 50 * US, 0, 10, S, 20));
	assert_true(delayed(m, 10, 101 * MS + 60 * US));
	apply(m, ev_switch(101 * MS + 70 * US, 0, 10, S, 30));
	assert_false(delayed(m, 10, 101 * MS + 70 * US));
	assert_int_equal(m->cpu[0].eevdf.nr_delayed, 0);
	assert_int_equal(m->cpu[0].eevdf.weight, 1024); /* 30's */
	rwk_model_destroy(m);
	rows_free(&r);
}

/*
 * Real-time and deadline tasks have no part in it, nor has a priority that no kernel has; an
 * unknown one is taken for nice 0.
 */
static void only_fair_tasks(void **state)
{
	static const struct {
		int32_t prio;
		int64_t weight;
	} cases[] = {{99, 0}, {RWK_PRIO_DEADLINE, 0}, {140, 0}, {INT32_MAX, 0}, {INT32_MIN + 1, 0},
		{RWK_PRIO_UNKNOWN, 1024}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rows r;
		struct rwk_model *m = model(&r, "6.12.117");
		struct rwk_event ev = ev_switch(101 * MS, 0, 0, R, 10);

		ev.sw.next_prio = cases[i].prio;
		apply(m, ev_switch(100 * MS, 0, 9, S, 0));
		apply(m, ev);
		assert_int_equal(m->cpu[0].eevdf.weight, cases[i].weight);
		rwk_model_destroy(m);
		rows_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ahead_is_delayed),
		cmocka_unit_test(eligible_is_dequeued),
		cmocka_unit_test(dropped_at_the_tick),
		cmocka_unit_test(slice_of_the_machine),
		cmocka_unit_test(lag_is_limited),
		cmocka_unit_test(never_delayed),
		cmocka_unit_test(wakeup_of_delayed_is_queued),
		cmocka_unit_test(at_once_is_no_requeue),
		cmocka_unit_test(lag_is_doubted),
		cmocka_unit_test(runs_while_thought_delayed),
		cmocka_unit_test(only_fair_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
