/* What the model keeps up for the proposed policies, against numbers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "events_build.h"
#include "model/habits.h"
#include "model/picture.h"
#include "model/queues.h"

#define S RWK_END_SLEEPING
#define R RWK_END_PREEMPTED

static struct rwk_model *model(struct rows *r)
{
	struct rwk_model_options opt = {.machine = &r->machine, .hidden = true};
	struct rwk_model *m;

	rows_begin(r, "6.1.0", false, RWK_PROBE_ALL);
	r->machine.migration_cost_ns = 500000;
	assert_int_equal(rwk_model_create(&opt, NULL, &m), 0);
	return m;
}

static void apply(struct rwk_model *m, struct rwk_event ev)
{
	assert_int_equal(rwk_model_apply(m, &ev), 0);
}

static struct rwk_task_view view(const struct rwk_model *m, int tid)
{
	struct rwk_task_view v;

	rwk_model_task_view(m, rwk_tasks_find(&m->tasks, tid, RWK_NONE), &v);
	return v;
}

/* tid 50 is born on CPU 1, which idles. */
static void birth(struct rwk_model *m)
{
	apply(m, ev_switch(1000, 1, 9, S, 0));
	apply(m, ev_switch(1000, 0, 0, R, 10));
	apply(m, ev_wake(RWK_EV_WAKEUP_NEW, 2000, 0, 10, 50, 1));
}

/* Runs of 14 and 6 µs; the first woke somebody 8 µs before its end. */
static void runs_and_overlap(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r);
	struct rwk_event irq = ev_wake(RWK_EV_WAKING, 23000, 1, 50, 61, 2);
	struct rwk_task_view v;

	(void)state;
	birth(m);
	apply(m, ev_switch(10000, 1, 0, R, 50));
	apply(m, ev_wake(RWK_EV_WAKING, 14000, 1, 50, 60, 2));
	apply(m, ev_wake(RWK_EV_WAKING, 16000, 1, 50, 60, 2));
	/* an interrupt is none of its wakeups */
	irq.flags = RWK_FLAG_HARDIRQ;
	apply(m, irq);
	v = view(m, 50);
	assert_int_equal(v.run_total_ns, 13000); /* still running */
	apply(m, ev_switch(24000, 1, 50, S, 0));
	v = view(m, 50);
	assert_int_equal(v.avg_run_ns, 14000 / 8);
	assert_int_equal(v.avg_overlap_ns, 8000 / 8);
	assert_int_equal(v.run_total_ns, 14000);
	assert_int_equal(v.nr_sleeps, 1);
	assert_int_equal(v.avg_run_source, RWK_REBUILT);
	assert_int_equal(v.avg_overlap_source, RWK_REBUILT);
	assert_int_equal(v.run_total_source, RWK_REBUILT);
	/* nobody woken: the run counts, the overlap stays; a preemption ends neither */
	apply(m, ev_wake(RWK_EV_WAKEUP, 30000, 0, 10, 50, 1));
	apply(m, ev_switch(31000, 1, 0, R, 50));
	apply(m, ev_switch(33000, 1, 50, R, 62));
	apply(m, ev_switch(40000, 1, 62, S, 50));
	apply(m, ev_switch(44000, 1, 50, S, 0));
	v = view(m, 50);
	assert_int_equal(v.avg_run_ns, 1750 + (6000 - 1750) / 8);
	assert_int_equal(v.avg_overlap_ns, 1000);
	assert_int_equal(v.run_total_ns, 20000);
	assert_int_equal(v.nr_sleeps, 2);
	rwk_model_destroy(m);
	rows_free(&r);
}

/* Met in the middle of its life: unknown, then taken to be what it first did. */
static void middle_of_a_life(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r);
	struct rwk_task_view v;

	(void)state;
	apply(m, ev_switch(10000, 1, 0, R, 20));
	v = view(m, 20);
	assert_int_equal(v.avg_run_source, RWK_UNKNOWN);
	assert_int_equal(v.run_total_source, RWK_UNKNOWN);
	assert_int_equal(m->view[1].curr_run_total_source, RWK_UNKNOWN);
	apply(m, ev_wake(RWK_EV_WAKING, 14000, 1, 20, 60, 2));
	apply(m, ev_switch(18000, 1, 20, S, 0));
	v = view(m, 20);
	assert_int_equal(v.avg_run_ns, 8000);
	assert_int_equal(v.avg_overlap_ns, 4000);
	assert_int_equal(v.avg_run_source, RWK_INFERRED);
	assert_int_equal(v.avg_overlap_source, RWK_INFERRED);
	/* the idle task: nothing unknown, no time, since never */
	assert_int_equal(m->view[1].curr_run_total_source, RWK_REBUILT);
	assert_int_equal(m->view[1].curr_run_total_ns, 0);
	assert_int_equal(m->view[1].curr_since_ns, RWK_NS_NONE);
	apply(m, ev_switch(30000, 1, 0, R, 20));
	assert_int_equal(m->view[1].curr_run_total_ns, 8000);
	assert_int_equal(m->view[1].curr_nr_sleeps, 1);
	assert_int_equal(m->view[1].curr_since_ns, 30000);
	assert_int_equal(m->view[1].curr_run_total_source, RWK_INFERRED);
	rwk_model_destroy(m);
	rows_free(&r);
}

/* A CPU stays hot as long as the task that left it idle usually sleeps, if that is short. */
static void hot(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r);

	(void)state;
	birth(m);
	apply(m, ev_switch(10000, 1, 0, R, 50));
	apply(m, ev_switch(20000, 1, 50, S, 0));
	assert_int_equal(m->view[1].hot_until_ns, RWK_NS_NONE); /* has not slept yet */
	apply(m, ev_wake(RWK_EV_WAKEUP, 100000, 0, 10, 50, 1)); /* 80 µs: average 10 µs */
	apply(m, ev_switch(101000, 1, 0, R, 50));
	apply(m, ev_switch(110000, 1, 50, S, 0));
	assert_int_equal(m->view[1].hot_until_ns, 120000);
	/* longer than migration_cost: half of it */
	apply(m, ev_wake(RWK_EV_WAKEUP, 610000, 0, 10, 50, 1));
	apply(m, ev_switch(611000, 1, 0, R, 50));
	/* somebody else is queued: it does not leave an idle CPU */
	apply(m, ev_wake(RWK_EV_WAKEUP, 612000, 0, 10, 51, 1));
	apply(m, ev_switch(620000, 1, 50, S, 51));
	assert_int_equal(m->view[1].hot_until_ns, 120000);
	apply(m, ev_switch(630000, 1, 51, S, 0));
	apply(m, ev_wake(RWK_EV_WAKEUP, 700000, 0, 10, 50, 1)); /* 5 + (80 − 5)/8 = 14.375 µs */
	apply(m, ev_switch(701000, 1, 0, R, 50));
	apply(m, ev_switch(710000, 1, 50, S, 0));
	assert_int_equal(m->view[1].hot_until_ns, 724375);
	/* never back to an earlier time */
	apply(m, ev_wake(RWK_EV_WAKEUP_NEW, 711000, 0, 10, 52, 1));
	apply(m, ev_switch(712000, 1, 0, R, 52));
	apply(m, ev_switch(713000, 1, 52, S, 0));
	assert_int_equal(m->view[1].hot_until_ns, 724375);
	rwk_model_destroy(m);
	rows_free(&r);
}

static bool is_queued(const struct rwk_queue_view *q, const struct rwk_model *m, int tid)
{
	int utid = rwk_tasks_find(&m->tasks, tid, RWK_NONE)->utid;

	for (int i = 0; i < q->nr; i++) {
		if (q->task[i].utid == utid)
			return true;
	}
	return false;
}

/* Fair tasks on a CPU: who, how many, of what weight. */
static void queues(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r);
	struct rwk_event rt = ev_wake(RWK_EV_WAKEUP, 4000, 0, 10, 70, 1);
	struct rwk_event nice = ev_wake(RWK_EV_WAKEUP, 3000, 0, 10, 60, 1);
	struct rwk_event pull = ev_migrate(5000, 2, 0, 60, 1, 2);
	struct rwk_wakeup w = {.this_cpu = 0, .prev_cpu = 1};

	(void)state;
	assert_int_equal(m->view[1].queue_source, RWK_UNKNOWN);
	birth(m);
	assert_int_equal(m->view[1].queue_source, RWK_REBUILT);
	nice.task.prio = 130; /* weight 110 */
	rt.task.prio = 50;
	apply(m, nice);
	apply(m, rt);
	assert_int_equal(m->view[1].nr_running, 3);
	assert_int_equal(m->view[1].nr_fair, 2);
	assert_int_equal(m->view[1].load_weight, 1024 + 110);
	assert_int_equal(rwk_queue_views(m, &w), 0);
	assert_int_equal(w.this_queue.nr, 1);
	assert_true(is_queued(&w.this_queue, m, 10));
	assert_int_equal(w.prev_queue.nr, 2);
	assert_true(is_queued(&w.prev_queue, m, 50) && is_queued(&w.prev_queue, m, 60));
	/* one is pulled away, one runs and sleeps */
	pull.migrate.prio = 130;
	apply(m, pull);
	assert_int_equal(m->view[1].load_weight, 1024);
	assert_int_equal(m->view[2].load_weight, 110);
	apply(m, ev_switch(6000, 1, 0, R, 50));
	apply(m, ev_switch(7000, 1, 50, S, 70));
	assert_int_equal(m->view[1].nr_fair, 0);
	assert_int_equal(m->view[1].load_weight, 0);
	assert_int_equal(rwk_queue_views(m, &w), 0);
	assert_int_equal(w.prev_queue.nr, 0);
	/* an idle CPU has nobody, whatever was thought; nobody turns up twice */
	apply(m, ev_switch(8000, 2, 0, R, 0));
	assert_int_equal(m->view[2].nr_fair, 0);
	apply(m, ev_wake(RWK_EV_WAKEUP, 9000, 0, 10, 60, 2));
	apply(m, ev_wake(RWK_EV_WAKEUP, 9500, 0, 10, 60, 2));
	w.prev_cpu = 2;
	assert_int_equal(rwk_queue_views(m, &w), 0);
	assert_int_equal(w.prev_queue.nr, 1);
	rwk_model_destroy(m);
	rows_free(&r);
}

/* A task that turns up on another CPU than it was queued on leaves the right queue. */
static void seen_elsewhere(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r);
	struct rwk_wakeup w = {.this_cpu = 2, .prev_cpu = 3};

	(void)state;
	apply(m, ev_wake(RWK_EV_WAKEUP, 1000, 0, 10, 60, 2));
	apply(m, ev_wake(RWK_EV_WAKEUP, 1000, 0, 10, 61, 2));
	assert_int_equal(m->view[2].nr_running, 2);
	apply(m, ev_switch(2000, 3, 60, R, 61));
	assert_int_equal(m->view[2].nr_running, 0);
	assert_int_equal(m->view[2].nr_fair, 0);
	assert_int_equal(m->view[3].nr_running, 2);
	assert_int_equal(rwk_queue_views(m, &w), 0);
	assert_int_equal(w.this_queue.nr, 0);
	assert_int_equal(w.prev_queue.nr, 2);
	rwk_model_destroy(m);
	rows_free(&r);
}

/* What ran while events were lost counts for nobody. */
static void lost_run(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r);

	(void)state;
	birth(m);
	apply(m, ev_switch(10000, 1, 0, R, 50));
	apply(m, ev_lost(20000, 1, 100, 11000));
	apply(m, ev_switch(90000, 1, 50, S, 0));
	assert_int_equal(view(m, 50).run_total_ns, 0);
	assert_int_equal(view(m, 50).avg_run_ns, 0);
	rwk_model_destroy(m);
	rows_free(&r);
}

/* Decisions of a task by time; what is too old is forgotten. */
static void mix(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r);
	const struct rwk_wake_mix *mix;
	struct rwk_wakeup w = {.this_cpu = 0, .prev_cpu = 0};
	struct rwk_task *t;

	(void)state;
	birth(m);
	t = rwk_tasks_find(&m->tasks, 10, RWK_NONE);
	assert_int_equal(rwk_queue_views(m, &w), 0);
	assert_null(w.this_queue.task[0].mix);
	m->now = 4 * RWK_WAKE_MIX_NS;
	assert_int_equal(rwk_habit_decides(m, t, true, true), 0);
	assert_int_equal(rwk_habit_decides(m, t, false, true), 0);
	assert_int_equal(rwk_habit_decides(m, t, true, false), 0);
	assert_int_equal(rwk_queue_views(m, &w), 0);
	mix = w.this_queue.task[0].mix;
	assert_int_equal(mix->newest, 4);
	assert_int_equal(mix->bucket[4].all, 3);
	assert_int_equal(mix->bucket[4].sync, 1);
	assert_int_equal(mix->bucket[4].unknown, 1);
	m->now = (4 + RWK_WAKE_MIX_BUCKETS - 1) * RWK_WAKE_MIX_NS;
	assert_int_equal(rwk_habit_decides(m, t, true, true), 0);
	assert_int_equal(mix->bucket[4].all, 3);
	assert_int_equal(mix->bucket[3].all, 1);
	m->now += RWK_WAKE_MIX_NS;
	assert_int_equal(rwk_habit_decides(m, t, true, true), 0);
	assert_int_equal(mix->bucket[4].all, 1);
	/* long after: nothing of before is left */
	m->now = (rwk_ns)1000000 * RWK_WAKE_MIX_NS;
	assert_int_equal(rwk_habit_decides(m, t, false, true), 0);
	for (int i = 0; i < RWK_WAKE_MIX_BUCKETS; i++)
		assert_int_equal(mix->bucket[i].all, i == 1000000 % RWK_WAKE_MIX_BUCKETS ? 1 : 0);
	rwk_model_destroy(m);
	rows_free(&r);
}

/* Import keeps none of this up. */
static void only_in_a_replay(void **state)
{
	struct rows r;
	struct rwk_model_options opt = {.machine = &r.machine};
	struct rwk_model *m;

	(void)state;
	rows_begin(&r, "6.1.0", false, RWK_PROBE_ALL);
	assert_int_equal(rwk_model_create(&opt, NULL, &m), 0);
	birth(m);
	apply(m, ev_switch(10000, 1, 0, R, 50));
	apply(m, ev_switch(24000, 1, 50, S, 0));
	assert_int_equal(view(m, 50).avg_run_source, RWK_UNKNOWN);
	assert_int_equal(view(m, 50).run_total_ns, 0);
	assert_int_equal(m->view[1].load_weight, 0);
	rwk_model_destroy(m);
	rows_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_and_overlap),
		cmocka_unit_test(middle_of_a_life),
		cmocka_unit_test(hot),
		cmocka_unit_test(queues),
		cmocka_unit_test(seen_elsewhere),
		cmocka_unit_test(lost_run),
		cmocka_unit_test(mix),
		cmocka_unit_test(only_in_a_replay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
