/* CPUs that run nothing but SCHED_IDLE tasks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "events_build.h"
#include "model/picture.h"
#include "model/state.h"

#define S  RWK_END_SLEEPING
#define R  RWK_END_RUNNABLE
#define US ((rwk_ns)1000)

/* By utid - 1: task 10 is the third that these runs meet. */
static const bool third[] = {false, false, true};

static struct rwk_model *model(struct rows *r)
{
	struct rwk_model_options opt = {
		.machine = &r->machine, .hidden = true, .sched_idle = third, .nr_sched_idle = 3};
	struct rwk_model *m;

	rows_begin(r, "6.1.192", false, RWK_PROBE_ALL);
	assert_int_equal(rwk_model_create(&opt, NULL, &m), 0);
	return m;
}

static void apply(struct rwk_model *m, struct rwk_event ev)
{
	assert_int_equal(rwk_model_apply(m, &ev), 0);
}

static bool sched_idle(const struct rwk_model *m, int cpu)
{
	struct rwk_wakeup w = {0};

	rwk_model_picture(m, &w);
	return w.cpu[cpu].sched_idle;
}

static void only_such_tasks_count(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r);
	struct rwk_task_view view;

	(void)state;
	apply(m, ev_switch(100 * US, 0, 9, S, 0));
	assert_false(sched_idle(m, 0)); /* idle altogether */
	apply(m, ev_wake(RWK_EV_WAKEUP, 101 * US, 0, 0, 10, 0));
	apply(m, ev_switch(102 * US, 0, 0, R, 10));
	assert_true(sched_idle(m, 0));
	apply(m, ev_wake(RWK_EV_WAKEUP, 103 * US, 0, 10, 11, 0));
	assert_false(sched_idle(m, 0)); /* 11 waits there */
	apply(m, ev_switch(104 * US, 0, 10, R, 11));
	assert_false(sched_idle(m, 0));
	apply(m, ev_switch(105 * US, 0, 11, S, 10));
	assert_true(sched_idle(m, 0));
	apply(m, ev_migrate(106 * US, 1, 0, 10, 0, 1));
	apply(m, ev_switch(107 * US, 0, 10, S, 0));
	assert_false(sched_idle(m, 0));

	rwk_model_task_view(m, rwk_tasks_find(&m->tasks, 10, RWK_NONE), &view);
	assert_true(view.is_sched_idle);
	assert_int_equal(view.weight, 3);
	rwk_model_task_view(m, rwk_tasks_find(&m->tasks, 11, RWK_NONE), &view);
	assert_false(view.is_sched_idle);
	assert_int_equal(view.weight, 1024);
	rwk_model_destroy(m);
	rows_free(&r);
}

static void children_are_too(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r);

	(void)state;
	apply(m, ev_switch(100 * US, 0, 9, S, 0));
	apply(m, ev_wake(RWK_EV_WAKEUP, 101 * US, 0, 0, 10, 0));
	apply(m, ev_switch(102 * US, 0, 0, R, 10));
	apply(m, ev_wake(RWK_EV_WAKEUP_NEW, 103 * US, 0, 10, 12, 1));
	apply(m, ev_switch(104 * US, 1, 0, R, 12));
	assert_true(sched_idle(m, 1));
	apply(m, ev_switch(105 * US, 1, 12, RWK_END_DEAD, 0));
	apply(m, ev_wake(RWK_EV_WAKEUP_NEW, 106 * US, 2, 13, 14, 1));
	assert_false(sched_idle(m, 1)); /* another parent's */
	rwk_model_destroy(m);
	rows_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_such_tasks_count),
		cmocka_unit_test(children_are_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
