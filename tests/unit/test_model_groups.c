/* Load of task groups (design §4.5), against numbers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "events_build.h"
#include "model/groups.h"
#include "model/load.h"
#include "model/picture.h"
#include "model/state.h"

#define PERIOD_NS ((rwk_ns)1024 * 1024)
#define S         RWK_END_SLEEPING
#define R         RWK_END_RUNNABLE
#define NONE      RWK_NONE
#define UNKNOWN   RWK_GROUP_UNKNOWN
#define LONG      600 /* periods: whatever began is 1024 or nothing by then */

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static struct rwk_model *model(
	struct rows *r, const char *kernel, const struct rwk_group_facts *facts)
{
	struct rwk_model_options opt = {.machine = &r->machine, .hidden = true, .groups = facts};
	struct rwk_model *m;

	rows_begin(r, kernel, false, RWK_PROBE_ALL);
	assert_int_equal(rwk_model_create(&opt, NULL, &m), 0);
	return m;
}

static void done(struct rwk_model *m, struct rows *r)
{
	rwk_model_destroy(m);
	rows_free(r);
}

static void apply(struct rwk_model *m, struct rwk_event ev)
{
	assert_int_equal(rwk_model_apply(m, &ev), 0);
}

/* cpu's task goes on; every tick is taken. */
static void pass(struct rwk_model *m, int cpu, int tid, int from, int to)
{
	for (int i = from; i <= to; i++) {
		apply(m, ev_other(i * PERIOD_NS, cpu, tid));
		rwk_load_ticks(m);
	}
}

static uint32_t h(const struct rwk_model *m, int tid)
{
	return rwk_load_h(m, rwk_tasks_find(&m->tasks, tid, RWK_NONE));
}

/* Tasks become known in the order of the first events that name them: idle 0, 20, idle 1, 21 … */
static void start(struct rwk_model *m, int nr)
{
	for (int i = 0; i < nr; i++)
		apply(m, ev_switch(1000 + i, i, 0, R, 20 + i));
}

/* A session of four threads on four CPUs weighs like one nice-0 task: a quarter of it on each. */
static void one_session(void **state)
{
	static const struct rwk_task_group group[] = {{.parent = NONE, .shares = 1024}};
	static const int32_t of[] = {NONE, 0, NONE, 0, NONE, 0, NONE, 0};
	static const struct rwk_group_facts facts = {group, 1, of, NR(of), true};
	static const char *const kernels[] = {"6.1.0", "6.12.0"};

	(void)state;
	for (size_t k = 0; k < NR(kernels); k++) {
		struct rows r;
		struct rwk_model *m = model(&r, kernels[k], &facts);

		start(m, 4);
		pass(m, 0, 20, 1, LONG);
		for (int cpu = 0; cpu < 4; cpu++) {
			assert_in_range(m->view[cpu].load_avg, 246, 266); /* ± 1/64 of the sum */
			assert_int_equal(m->view[cpu].load_source, RWK_INFERRED);
			assert_in_range(m->view[cpu].load_weight, 246, 266);
			assert_in_range(m->view[cpu].util_avg, 1015, 1024);
			assert_int_equal(m->view[cpu].nr_fair, 1);
			assert_in_range(h(m, 20 + cpu), 240, 266);
		}
		done(m, &r);
	}
}

/* Two groups wait for one CPU: each counts what it weighs, whatever its tasks do. */
static void weights(void **state)
{
	static const struct rwk_task_group group[] = {
		{.parent = NONE, .shares = 2048}, {.parent = NONE, .shares = 1024}};
	/* idle 0, 20, 30, 31, 32 */
	static const int32_t of[] = {NONE, 0, 1, 1, NONE};
	static const struct rwk_group_facts facts = {group, 2, of, NR(of), true};
	struct rows r;
	struct rwk_model *m = model(&r, "6.1.0", &facts);

	(void)state;
	start(m, 1);
	apply(m, ev_wake(RWK_EV_WAKEUP, 2000, 0, 20, 30, 0));
	apply(m, ev_wake(RWK_EV_WAKEUP, 3000, 0, 20, 31, 0));
	apply(m, ev_wake(RWK_EV_WAKEUP, 4000, 0, 20, 32, 0));
	assert_int_equal(m->view[0].load_weight, 2048 + 1024 + 1024);
	assert_int_equal(m->view[0].nr_fair, 4);
	pass(m, 0, 20, 1, LONG);
	assert_in_range(m->view[0].load_avg, 4080, 4096);
	/*
	 * The group of two is updated when one of it comes, goes or runs.  Its queue
	 * has 2048, of which each is a half: 1024 · 1024 / 2049.
	 */
	apply(m, ev_switch((LONG + 1) * PERIOD_NS, 0, 20, R, 30));
	assert_in_range(h(m, 20), 2030, 2048);
	assert_in_range(h(m, 30), 500, 512);
	assert_in_range(h(m, 32), 0, 5); /* not updated since it came; the kernel does not either */
	done(m, &r);
}

/* In group a (1024) a task and group b (512) with another: 2/3 and 1/3 of one nice-0 task. */
static void nested(void **state)
{
	static const struct rwk_task_group group[] = {
		{.parent = NONE, .shares = 1024}, {.parent = 0, .shares = 512}};
	static const int32_t of[] = {NONE, 0, 1};
	static const struct rwk_group_facts facts = {group, 2, of, NR(of), true};
	struct rows r;
	struct rwk_model *m = model(&r, "6.1.0", &facts);
	const struct rwk_group_queue *a, *b;

	(void)state;
	start(m, 1);
	apply(m, ev_wake(RWK_EV_WAKEUP, 2000, 0, 20, 30, 0));
	assert_int_equal(m->view[0].load_weight, 1024);
	for (int i = 0; i < LONG; i += 2) { /* they take turns, so that both are up to date */
		apply(m, ev_switch((i + 1) * PERIOD_NS, 0, 20, R, 30));
		rwk_load_ticks(m);
		apply(m, ev_switch((i + 2) * PERIOD_NS, 0, 30, R, 20));
		rwk_load_ticks(m);
	}
	a = rwk_group_queue_get(m, 0, 0);
	b = rwk_group_queue_get(m, 1, 0);
	assert_ptr_equal(b->parent, a);
	assert_int_equal(a->load_weight, 1024 + 512);
	assert_int_equal(b->load_weight, 1024);
	assert_int_equal(a->nr, 2);
	assert_int_equal(b->nr, 1);
	assert_in_range(a->cfs.util_avg, 1015, 1024);
	assert_in_range(b->cfs.util_avg, 480, 540);
	assert_in_range(m->view[0].load_avg, 1015, 1024);
	assert_in_range(h(m, 20), 674, 683); /* 1024 · 1024 / 1537 */
	assert_in_range(h(m, 30), 334, 342); /* 1024 · 512 / 1537 */
	/* b has gone to sleep: a's task has it all, b's entity only what decays. */
	apply(m, ev_switch((LONG + 1) * PERIOD_NS, 0, 20, R, 30));
	apply(m, ev_switch((LONG + 2) * PERIOD_NS, 0, 30, S, 20));
	assert_int_equal(a->load_weight, 1024);
	assert_false(b->on_rq);
	assert_int_equal(m->view[0].load_weight, 1024);
	pass(m, 0, 20, LONG + 3, 2 * LONG);
	assert_in_range(m->view[0].load_avg, 1015, 1024);
	assert_in_range(h(m, 20), 1010, 1024);
	apply(m, ev_switch((2 * LONG + 1) * PERIOD_NS, 0, 20, S, 0));
	assert_int_equal(m->view[0].load_weight, 0);
	assert_false(a->on_rq);
	done(m, &r);
}

/* What a group's only task did goes with it; its old CPU gives up its share only when updated. */
static void moves(void **state)
{
	static const struct rwk_task_group group[] = {{.parent = NONE, .shares = 1024}};
	static const int32_t of[] = {NONE, 0};
	static const struct rwk_group_facts facts = {group, 1, of, NR(of), true};
	struct rows r;
	struct rwk_model *m = model(&r, "6.1.0", &facts);
	uint32_t left;

	(void)state;
	apply(m, ev_switch(1000, 1, 0, R, 20));
	pass(m, 1, 20, 1, LONG);
	assert_in_range(m->view[1].load_avg, 1015, 1024);
	apply(m, ev_switch((LONG + 1) * PERIOD_NS, 1, 20, S, 0));
	left = m->view[1].load_avg;
	assert_in_range(left, 1015, 1024);
	assert_in_range(h(m, 20), 1010, 1023);
	apply(m, ev_wake(RWK_EV_WAKING, (LONG + 1) * PERIOD_NS, 2, 0, 20, 1));
	apply(m, ev_migrate((LONG + 1) * PERIOD_NS, 2, 0, 20, 1, 2));
	apply(m, ev_wake(RWK_EV_WAKEUP, (LONG + 1) * PERIOD_NS, 2, 0, 20, 2));
	assert_int_equal(m->view[1].load_avg, left); /* frozen */
	/* Half the shares are still thought to be on CPU 1: 1024 · 1024 / (1024 + 1023). */
	assert_in_range(m->view[2].load_avg, 505, 520);
	assert_in_range(h(m, 20), 500, 520);
	/* The idle CPU is looked after within 32 ms; then all of it is here. */
	apply(m, ev_switch((LONG + 2) * PERIOD_NS, 2, 0, R, 20));
	pass(m, 2, 20, LONG + 3, LONG + 40);
	assert_in_range(m->view[1].load_avg, 0, 10);
	assert_int_equal(m->groups->load[0], rwk_group_queue_get(m, 0, 2)->contrib);
	assert_in_range(m->view[2].load_weight, 1000, 1024);
	pass(m, 2, 20, LONG + 41, 2 * LONG);
	assert_in_range(m->view[2].load_avg, 1015, 1024);
	/* Moved while queued, it leaves at once. */
	apply(m, ev_wake(RWK_EV_WAKEUP, (2 * LONG + 1) * PERIOD_NS, 2, 20, 30, 2));
	apply(m, ev_switch((2 * LONG + 1) * PERIOD_NS, 2, 20, R, 30));
	apply(m, ev_migrate((2 * LONG + 1) * PERIOD_NS, 3, 0, 20, 2, 3));
	assert_in_range(m->view[2].load_avg, 0, 20);
	assert_in_range(m->view[3].load_avg, 1000, 1024);
	assert_in_range(m->view[3].load_weight, 1000, 1024);
	done(m, &r);
}

/* The sum over CPUs lags by 1/64 at most, and from 6.7 on by a millisecond. */
static void lazy_sum(void **state)
{
	static const struct rwk_task_group group[] = {{.parent = NONE, .shares = 1024}};
	static const int32_t of[] = {NONE, 0};
	static const struct rwk_group_facts facts = {group, 1, of, NR(of), true};

	(void)state;
	for (int limited = 0; limited < 2; limited++) {
		struct rows r;
		struct rwk_model *m = model(&r, limited ? "6.12.0" : "6.6.0", &facts);
		const struct rwk_group_queue *q;

		start(m, 1);
		q = rwk_group_queue_get(m, 0, 0);
		pass(m, 0, 20, 1, LONG);
		assert_int_equal(m->groups->load[0], q->contrib);
		assert_in_range(q->cfs.load_avg - q->contrib, 0, q->contrib / 64);
		/* two tasks come half a millisecond after one another: 1024 each at once */
		apply(m, ev_wake(RWK_EV_WAKEUP_NEW, (LONG + 1) * PERIOD_NS, 0, 20, 30, 0));
		assert_in_range(q->contrib, 2040, 2048);
		apply(m, ev_wake(RWK_EV_WAKEUP_NEW, (LONG + 1) * PERIOD_NS + PERIOD_NS / 2, 0, 20,
				 31, 0));
		assert_in_range(q->cfs.load_avg, 3060, 3072);
		if (limited)
			assert_in_range(q->contrib, 2040, 2048);
		else
			assert_in_range(q->contrib, 3060, 3072);
		assert_int_equal(m->groups->load[0], q->contrib);
		done(m, &r);
	}
}

/* Whatever the tables say of its id: a child is in its parent's group. */
static void children(void **state)
{
	static const struct rwk_task_group group[] = {
		{.parent = NONE, .shares = 1024}, {.parent = NONE, .shares = 512, .idle = true}};
	/* idle 0, 20, 30 (by an older owner of the id), idle 1, 21, 31 */
	static const int32_t of[] = {NONE, 0, 1, NONE, UNKNOWN, 0};
	static const struct rwk_group_facts facts = {group, 2, of, NR(of), true};
	struct rows r;
	struct rwk_model *m = model(&r, "6.1.0", &facts);
	const struct rwk_task *child;

	(void)state;
	start(m, 1);
	apply(m, ev_wake(RWK_EV_WAKEUP_NEW, 2000, 0, 20, 30, 2));
	child = rwk_tasks_find(&m->tasks, 30, RWK_NONE);
	assert_int_equal(child->group, 0);
	assert_false(child->in_idle_group);
	assert_int_equal(rwk_load_source(m, child), RWK_REBUILT);
	/* Its CPU has just begun: all its group weighs, half of which is thought to be at its
	 * parent's, where nothing was updated yet. */
	assert_int_equal(m->view[2].load_avg, 1024);
	apply(m, ev_switch(3000, 1, 0, R, 21));
	apply(m, ev_wake(RWK_EV_WAKEUP_NEW, 4000, 1, 21, 31, 3));
	child = rwk_tasks_find(&m->tasks, 31, RWK_NONE);
	assert_int_equal(child->group, 0); /* its parent's is unknown: what the table has */
	/* A task that no table has, of a parent that is not seen. */
	apply(m, ev_wake(RWK_EV_WAKEUP_NEW, 5000, 5, NONE, 32, 3));
	assert_int_equal(rwk_tasks_find(&m->tasks, 32, RWK_NONE)->group, UNKNOWN);
	done(m, &r);
}

static uint8_t view_source(const struct rwk_model *m, int tid)
{
	struct rwk_task_view view;

	rwk_model_task_view(m, rwk_tasks_find(&m->tasks, tid, RWK_NONE), &view);
	return view.load_source;
}

/* Nobody knows what an unknown task adds: not while it is there, nor until it has decayed. */
static void strays(void **state)
{
	static const struct rwk_task_group group[] = {{.parent = NONE, .shares = 1024}};
	static const int32_t of[] = {NONE, 0, NONE, UNKNOWN};
	static const struct rwk_group_facts facts = {group, 1, of, NR(of), true};
	struct rows r;
	struct rwk_model *m = model(&r, "6.1.0", &facts);

	(void)state;
	start(m, 2);
	pass(m, 0, 20, 1, LONG);
	assert_int_equal(m->view[0].load_source, RWK_INFERRED);
	assert_int_equal(m->view[1].load_source, RWK_UNKNOWN);
	assert_int_equal(view_source(m, 20), RWK_INFERRED);
	assert_int_equal(view_source(m, 21), RWK_UNKNOWN);
	assert_int_equal(m->view[0].queue_source, RWK_INFERRED);
	assert_int_equal(m->view[1].queue_source, RWK_UNKNOWN); /* of the weights */
	assert_int_equal(rwk_model_queue_source(m, 1), RWK_INFERRED); /* of who is there */
	apply(m, ev_switch((LONG + 1) * PERIOD_NS, 1, 21, S, 0));
	apply(m, ev_switch((LONG + 2) * PERIOD_NS, 1, 0, R, 22));
	assert_int_equal(rwk_tasks_find(&m->tasks, 22, RWK_NONE)->group, UNKNOWN);
	apply(m, ev_switch((LONG + 3) * PERIOD_NS, 1, 22, S, 0));
	apply(m, ev_switch((LONG + 4) * PERIOD_NS, 0, 20, S, 0));
	apply(m, ev_switch((LONG + 5) * PERIOD_NS, 1, 0, R, 20));
	pass(m, 1, 20, LONG + 6, LONG + 100);
	assert_int_equal(m->view[1].load_source, RWK_UNKNOWN);
	assert_int_equal(m->view[1].queue_source, RWK_REBUILT);
	pass(m, 1, 20, LONG + 101, LONG + 200);
	assert_int_equal(m->view[1].load_source, RWK_INFERRED);
	done(m, &r);
}

/* Where the kernel may spread weights in another way, loads of groups are placeholders. */
static void other_spreading(void **state)
{
	static const struct rwk_task_group group[] = {{.parent = NONE, .shares = 1024}};
	static const int32_t of[] = {NONE, 0, NONE, NONE};
	static const struct rwk_group_facts facts = {group, 1, of, NR(of), false};
	struct rows r;
	struct rwk_model *m = model(&r, "7.3.0", &facts);

	(void)state;
	start(m, 2);
	pass(m, 0, 20, 1, LONG);
	assert_int_equal(m->view[0].load_source, RWK_UNKNOWN);
	assert_int_equal(m->view[1].load_source, RWK_INFERRED);
	assert_int_equal(view_source(m, 20), RWK_UNKNOWN);
	assert_int_equal(view_source(m, 21), RWK_INFERRED);
	done(m, &r);
}

/* Tasks in a group with cpu.idle, however deep, count as SCHED_IDLE; their own weight stays. */
static void idle_groups(void **state)
{
	static const struct rwk_task_group group[] = {
		{.parent = NONE, .shares = 3, .idle = true}, {.parent = 0, .shares = 1024}};
	static const int32_t of[] = {NONE, 1, NONE}; /* idle 0, 20, 30 */
	static const struct rwk_group_facts facts = {group, 2, of, NR(of), true};
	struct rows r;
	struct rwk_model *m = model(&r, "6.1.0", &facts);
	struct rwk_task_view view;

	(void)state;
	start(m, 1);
	assert_true(m->view[0].sched_idle);
	assert_int_equal(m->view[0].load_weight, 3);
	rwk_model_task_view(m, rwk_tasks_find(&m->tasks, 20, RWK_NONE), &view);
	assert_false(view.is_sched_idle);
	assert_int_equal(view.weight, 1024);
	apply(m, ev_wake(RWK_EV_WAKEUP, 2000, 0, 20, 30, 0));
	assert_false(m->view[0].sched_idle);
	assert_int_equal(m->view[0].load_weight, 3 + 1024);
	apply(m, ev_switch(3000, 0, 20, R, 30));
	apply(m, ev_switch(4000, 0, 30, S, 20));
	assert_true(m->view[0].sched_idle);
	apply(m, ev_wake(RWK_EV_WAKEUP_NEW, 5000, 0, 20, 31, 1));
	assert_true(m->view[1].sched_idle);
	done(m, &r);
}

/* --- against a run without groups --- */

static uint32_t random_next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Eight tasks that wake, run, move and sleep on four CPUs. */
static struct rwk_event random_event(uint32_t *seed, rwk_ns *now, int curr[4])
{
	int cpu = (int)(random_next(seed) % 4), task = 20 + (int)(random_next(seed) % 8);
	int next = task;
	struct rwk_event ev;

	*now += (rwk_ns)(random_next(seed) % (2 * 1024 * 1024));
	for (int i = 0; i < 4; i++) {
		if (curr[i] == task)
			next = 0; /* it runs already */
	}
	switch (random_next(seed) % 4) {
	case 0:
		if (next)
			return ev_wake(RWK_EV_WAKEUP, *now, cpu, curr[cpu], task,
				(int)(random_next(seed) % 4));
		break;
	case 1:
		if (next)
			return ev_migrate(
				*now, cpu, curr[cpu], task, 0, (int)(random_next(seed) % 4));
		break;
	default:
		break;
	}
	ev = ev_switch(*now, cpu, curr[cpu], random_next(seed) % 3 ? S : R, next);
	if (ev.sw.next_tid == ev.sw.prev_tid)
		return ev_other(*now, cpu, curr[cpu]);
	curr[cpu] = next;
	return ev;
}

/* One group's worth of events into two models; same(): what must be equal after each. */
static void compare(const struct rwk_group_facts *facts,
	void (*same)(const struct rwk_model *a, const struct rwk_model *b))
{
	for (uint32_t seed = 1; seed <= 20; seed++) {
		struct rows r, s;
		struct rwk_model *a = model(&r, "6.1.0", facts), *b = model(&s, "6.1.0", NULL);
		int curr[4] = {0};
		uint32_t state = seed;
		rwk_ns now = 1000;

		for (int i = 0; i < 2000; i++) {
			struct rwk_event ev = random_event(&state, &now, curr);

			apply(a, ev);
			apply(b, ev);
			rwk_load_ticks(a);
			rwk_load_ticks(b);
			same(a, b);
		}
		done(a, &r);
		done(b, &s);
	}
}

static void same_views(const struct rwk_model *a, const struct rwk_model *b)
{
	assert_memory_equal(a->view, b->view, 4 * sizeof(*a->view));
	for (size_t i = 1; i <= a->tasks.nr; i++) {
		struct rwk_task_view x, y;

		rwk_model_task_view(a, rwk_tasks_at(&a->tasks, (int32_t)i), &x);
		rwk_model_task_view(b, rwk_tasks_at(&b->tasks, (int32_t)i), &y);
		assert_memory_equal(&x, &y, sizeof(x));
	}
}

/* Groups that nobody is in change nothing, and have no queues. */
static void nobody_in_groups(void **state)
{
	static const struct rwk_task_group group[] = {{.parent = NONE, .shares = 1024}};
	static const int32_t of[] = {NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
		NONE, NONE, NONE, NONE, NONE, NONE};
	static const struct rwk_group_facts facts = {group, 1, of, NR(of), true};

	(void)state;
	compare(&facts, same_views);
}

static void same_use(const struct rwk_model *a, const struct rwk_model *b)
{
	for (int cpu = 0; cpu < 4; cpu++) {
		const struct rwk_cpu_view *x = &a->view[cpu], *y = &b->view[cpu];
		uint64_t top = 0, own = 0;

		assert_int_equal(x->util_avg, y->util_avg);
		assert_int_equal(x->util_est, y->util_est);
		assert_int_equal(x->runnable_avg, y->runnable_avg);
		assert_int_equal(x->nr_fair, y->nr_fair);
		/* What is queued in the root queue is its tasks and the groups with queued tasks.
		 */
		for (const struct rwk_task *t = a->cpu[cpu].queue; t; t = t->queue_next)
			own += t->pelt.queue ? 0 : t->pelt.weight;
		for (const struct rwk_group_queue *q = a->groups->cpu[cpu].first; q; q = q->next) {
			assert_int_equal(q->on_rq, q->nr > 0);
			assert_in_range(q->weight, 2, a->groups->facts->group[q->group].shares);
			top += q->on_rq && !q->parent ? q->weight : 0;
		}
		assert_int_equal(x->load_weight, top + own);
		assert_true(x->load_avg <= 8192);
	}
	for (size_t g = 0; g < a->groups->facts->nr; g++) {
		int64_t sum = 0;

		for (size_t i = 0; i < a->groups->nr; i++)
			sum += a->groups->queue[i]->group == (int32_t)g
				       ? a->groups->queue[i]->contrib
				       : 0;
		assert_int_equal(a->groups->load[g], sum);
	}
}

/* Groups change loads; what CPUs and tasks use stays a sum over tasks. */
static void use_is_of_tasks(void **state)
{
	static const struct rwk_task_group group[] = {{.parent = NONE, .shares = 1024},
		{.parent = 0, .shares = 300}, {.parent = 1, .shares = 2}};
	static const int32_t of[] = {0, 1, 2, NONE, 0, 1, 2, NONE, 0, 1, 2, 2, UNKNOWN, 0, 1, 2};
	static const struct rwk_group_facts facts = {group, 3, of, NR(of), true};

	(void)state;
	compare(&facts, same_use);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_session),
		cmocka_unit_test(weights),
		cmocka_unit_test(nested),
		cmocka_unit_test(moves),
		cmocka_unit_test(lazy_sum),
		cmocka_unit_test(children),
		cmocka_unit_test(strays),
		cmocka_unit_test(other_spreading),
		cmocka_unit_test(idle_groups),
		cmocka_unit_test(nobody_in_groups),
		cmocka_unit_test(use_is_of_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
