/*
 * Pictures with CPUs as the probe found them: what was probed beats what was
 * rebuilt, value by value, and the sets say the same as the CPUs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "events_build.h"
#include "model/picture.h"
#include "replay/probed.h"

struct scene {
	struct rows rows;
	struct rwk_model *m;
	struct rwk_probed *p;
	struct rwk_wakeup w;
};

static void happen(struct scene *s, struct rwk_event ev)
{
	assert_int_equal(rwk_model_apply(s->m, &ev), 0);
}

/*
 * By the events: CPUs 0 and 1 run tasks 30 and 31, where 32 waits, too; 2 and 3 are
 * idle, a wakeup being on its way to 3; nothing is known of 4 to 7.
 */
static void begin(struct scene *s)
{
	struct rwk_model_options opt = {.machine = &s->rows.machine, .hidden = true};

	rows_begin(&s->rows, "6.1.192", false, RWK_PROBE_ALL);
	assert_int_equal(rwk_model_create(&opt, NULL, &s->m), 0);
	assert_int_equal(rwk_probed_create(s->m->nr_cpus, &s->p), 0);
	for (int cpu = 0; cpu < 4; cpu++) {
		happen(s, ev_switch(100 + cpu, cpu, 40 + cpu, RWK_END_SLEEPING, 0));
		happen(s, ev_wake(RWK_EV_WAKING, 110 + cpu, cpu, 0, 30 + cpu, cpu));
	}
	happen(s, ev_wake(RWK_EV_WAKEUP, 120, 0, 0, 30, 0));
	happen(s, ev_wake(RWK_EV_WAKEUP, 121, 1, 0, 31, 1));
	happen(s, ev_switch(122, 0, 0, RWK_END_RUNNABLE, 30));
	happen(s, ev_switch(123, 1, 0, RWK_END_RUNNABLE, 31));
	happen(s, ev_wake(RWK_EV_WAKEUP, 124, 1, 31, 32, 1));
	rwk_model_pending_add(s->m, 3);
}

static void end(struct scene *s)
{
	rwk_probed_destroy(s->p);
	rwk_model_destroy(s->m);
	rows_free(&s->rows);
}

static const struct rwk_cpu_view *look(struct scene *s, const struct rwk_probe_cpu *cpu, int nr)
{
	s->w = (struct rwk_wakeup){0};
	rwk_model_picture(s->m, &s->w);
	assert_ptr_equal(s->w.cpu, s->m->view);
	rwk_probed_picture(s->p, s->m, cpu, nr, &s->w);
	for (int i = 0; i < s->m->nr_cpus; i++) {
		const struct rwk_cpu_view *v = &s->w.cpu[i];

		assert_int_equal(rwk_cpuset_has(s->w.free_cpus, i), v->idle || v->sched_idle);
		assert_int_equal(rwk_cpuset_has(s->w.unknown_cpus, i), v->source == RWK_UNKNOWN);
	}
	return s->w.cpu;
}

static int32_t utid(struct scene *s, int tid, int cpu)
{
	return rwk_tasks_find(&s->m->tasks, tid, cpu)->utid;
}

static void what_was_rebuilt(void **state)
{
	struct scene s;
	const struct rwk_cpu_view *v;

	(void)state;
	begin(&s);
	v = look(&s, NULL, 0);
	assert_int_equal(v[0].source, RWK_REBUILT);
	assert_int_equal(v[0].nr_running, 1);
	assert_int_equal(v[1].nr_running, 2);
	assert_true(v[2].idle);
	assert_int_equal(v[2].idle_since_ns, 102);
	assert_true(v[3].pending);
	assert_false(v[3].idle);
	assert_int_equal(v[4].source, RWK_UNKNOWN);
	end(&s);
}

static void probed_beats_rebuilt(void **state)
{
	static const struct rwk_probe_cpu cpu[] = {
		{0, 0, 0, 0, 11}, /* idle by now */
		{1, 1, 1, 32, 12}, /* 31 went, and another is on its way */
		{2, 1, 0, 0, 13}, /* a task is queued and not yet picked */
		{3, 0, 0, 0, 14}, /* the wakeup arrived elsewhere */
		{4, 0, 0, 0, 15},
		{5, 3, 0, 4711, 16}, /* a task that no event named */
		{6, 0, 1, 0, 17},
	};
	struct scene s;
	const struct rwk_cpu_view *v;

	(void)state;
	begin(&s);
	v = look(&s, cpu, 7);
	for (int i = 0; i < 7; i++)
		assert_int_equal(v[i].source, RWK_PROBED);
	assert_int_equal(v[7].source, RWK_UNKNOWN);

	assert_true(v[0].idle);
	assert_int_equal(v[0].nr_running, 0);
	assert_int_equal(v[0].curr, utid(&s, 0, 0));
	/* When it became so is not known, nor what ran there before. */
	assert_int_equal(v[0].idle_since_source, RWK_UNKNOWN);
	assert_int_equal(v[0].idle_since_ns, RWK_NS_NONE);
	assert_int_equal(v[0].curr_run_total_source, RWK_UNKNOWN);

	assert_int_equal(v[1].nr_running, 1);
	assert_int_equal(v[1].curr, utid(&s, 32, 1));
	assert_true(v[1].pending);

	assert_false(v[2].idle);
	assert_int_equal(v[2].curr, utid(&s, 0, 2));
	assert_int_equal(v[2].nr_running, 1);

	assert_true(v[3].idle);
	assert_false(v[3].pending);
	assert_true(v[4].idle);
	assert_int_equal(v[5].curr, RWK_NONE);
	assert_int_equal(v[5].nr_running, 3);
	assert_false(v[6].idle);
	assert_true(v[6].pending);

	/* The next picture begins with what was rebuilt again. */
	v = look(&s, cpu, 0);
	assert_int_equal(v[0].source, RWK_REBUILT);
	assert_int_equal(v[0].nr_running, 1);
	assert_int_equal(v[4].source, RWK_UNKNOWN);
	end(&s);
}

/* What agrees keeps all that goes with it. */
static void the_same_state(void **state)
{
	static const struct rwk_probe_cpu cpu[] = {{1, 2, 0, 31, 9}, {2, 0, 0, 0, 9}};
	struct scene s;
	const struct rwk_cpu_view *v;

	(void)state;
	begin(&s);
	v = look(&s, cpu, 2);
	assert_int_equal(v[1].source, RWK_PROBED);
	assert_int_equal(v[1].queue_source, s.m->view[1].queue_source);
	assert_int_equal(v[1].load_weight, s.m->view[1].load_weight);
	assert_int_equal(v[1].curr_run_total_source, s.m->view[1].curr_run_total_source);
	assert_true(v[2].idle);
	assert_int_equal(v[2].idle_since_ns, 102);
	assert_int_equal(v[2].idle_since_source, RWK_REBUILT);
	end(&s);
}

/* Tasks that the model has too many are delayed ones that left; others may be waiting. */
static void delayed_tasks_leave_first(void **state)
{
	static const struct rwk_probe_cpu cpu[] = {
		{0, 3, 0, 30, 1}, {1, 2, 0, 31, 1}, {2, 0, 0, 0, 1}, {3, 5, 0, 0, 1}};
	struct scene s;
	const struct rwk_cpu_view *v;

	(void)state;
	begin(&s);
	for (int i = 0; i < 4; i++) {
		s.m->view[i].nr_running = 4;
		s.m->view[i].nr_delayed = 2;
	}
	v = look(&s, cpu, 4);
	assert_int_equal(v[0].nr_delayed, 1);
	assert_int_equal(v[1].nr_delayed, 0);
	assert_int_equal(v[2].nr_delayed, 0);
	assert_int_equal(v[2].nr_running, 0);
	assert_int_equal(v[3].nr_delayed, 2);
	end(&s);
}

/* A kernel without ttwu_pending: what was rebuilt of it stays. */
static void pending_is_absent(void **state)
{
	static const struct rwk_probe_cpu cpu[] = {{2, 0, RWK_NONE, 0, 1}, {3, 0, RWK_NONE, 0, 1}};
	struct scene s;
	const struct rwk_cpu_view *v;

	(void)state;
	begin(&s);
	v = look(&s, cpu, 2);
	assert_true(v[2].idle);
	assert_true(v[3].pending);
	assert_false(v[3].idle);
	assert_int_equal(v[3].source, RWK_PROBED);
	end(&s);
}

/* The load is taken where the averages are known at all, for they share one source. */
static void load_needs_a_source(void **state)
{
	static const struct rwk_probe_cpu cpu[] = {{0, 1, 0, 30, 777}, {1, 2, 0, 31, RWK_NONE},
		{2, 0, 0, 0, INT64_MAX}, {3, 0, 0, 0, 5}};
	struct scene s;
	const struct rwk_cpu_view *v;

	(void)state;
	begin(&s);
	for (int i = 0; i < 3; i++)
		s.m->view[i].load_source = RWK_REBUILT;
	s.m->view[1].load_avg = 88;
	s.m->view[3].load_source = RWK_UNKNOWN;
	s.m->view[3].load_avg = 99;
	v = look(&s, cpu, 4);
	assert_int_equal(v[0].load_avg, 777);
	assert_int_equal(v[0].load_source, RWK_REBUILT);
	assert_int_equal(v[1].load_avg, 88);
	assert_int_equal(v[2].load_avg, UINT32_MAX);
	assert_int_equal(v[3].load_avg, 99);
	assert_int_equal(v[3].load_source, RWK_UNKNOWN);
	end(&s);
}

static void what_the_machine_has_not(void **state)
{
	static const struct rwk_probe_cpu cpu[] = {{-1, 0, 0, 0, 0}, {0, UINT16_MAX + 1, 0, 30, 0},
		{8, 0, 0, 0, 0}, {1023, 1, 0, 1, 1}};
	struct scene s;
	const struct rwk_cpu_view *v;

	(void)state;
	begin(&s);
	v = look(&s, cpu, 4);
	assert_int_equal(v[0].source, RWK_REBUILT);
	assert_int_equal(v[0].nr_running, 1);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_rebuilt),
		cmocka_unit_test(probed_beats_rebuilt),
		cmocka_unit_test(the_same_state),
		cmocka_unit_test(delayed_tasks_leave_first),
		cmocka_unit_test(pending_is_absent),
		cmocka_unit_test(load_needs_a_source),
		cmocka_unit_test(what_the_machine_has_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
