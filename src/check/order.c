/*
 * Follows each task through its switches and wakeups only as far as the order
 * between CPUs needs it.  What is seen is the order of clocks that may differ, so
 * that an effect may come before its cause: it is kept until the cause turns up.
 */
#include "check/order.h"

#include <errno.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/vec.h"

enum state {
	UNKNOWN,
	RUNNING, /* on .in's CPU */
	QUEUED, /* switched out while runnable */
	SLEEPING,
};

/* Something that happened to a task; cpu RWK_NONE: it did not. */
struct place {
	rwk_ns ts;
	int32_t cpu;
};

static const struct place nowhere = {RWK_NS_NONE, RWK_NONE};

struct task {
	uint32_t epoch; /* of what follows; older than the last loss: void */
	uint8_t state;
	int32_t from_cpu; /* CPU of its last switch out, RWK_NONE unknown */
	struct place in, out;
	struct place woken; /* since it went to sleep, or while it was on its way there */
	struct place moved; /* since it was switched out; to moved_to */
	int32_t moved_to;
	struct place unwoken; /* first sign of a wakeup whose sched_waking is still to come */
	bool unmoved; /* switched in elsewhere, sched_migrate_task is still to come */
	struct place elsewhere; /* switched in there while still on a CPU: its switch out is to come
				 */
	int32_t leaving_cpu; /* that CPU */
};

/* Whom a CPU's last switch brought, to save the look-up. */
struct current {
	int32_t tid;
	int32_t index;
};

struct rwk_order {
	struct rwk_map by_tid;
	struct task *task;
	size_t nr_tasks, task_cap;
	/*
	 * A task of which nothing is known since the last loss.  Copied from here, since
	 * compilers clear a constant of this size with an instruction that is slower.
	 */
	struct task unknown;
	bool seen_waking; /* else sched_wakeup is the first that is seen of a wakeup */
	struct current curr[RWK_MAX_CPUS];
	struct rwk_order_bounds *bounds[RWK_MAX_CPUS]; /* [cause CPU][effect CPU] */
	struct rwk_anomalies anomalies;
	int64_t nr_uncaused;
};

int rwk_order_create(struct rwk_order **ret)
{
	struct rwk_order *o = calloc(1, sizeof(*o));

	if (!o)
		return -ENOMEM;
	o->unknown = (struct task){.state = UNKNOWN,
		.from_cpu = RWK_NONE,
		.in = nowhere,
		.out = nowhere,
		.woken = nowhere,
		.moved = nowhere,
		.moved_to = RWK_NONE,
		.unwoken = nowhere,
		.elsewhere = nowhere,
		.leaving_cpu = RWK_NONE};
	*ret = o;
	return 0;
}

void rwk_order_destroy(struct rwk_order *o)
{
	if (!o)
		return;
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++)
		free(o->bounds[cpu]);
	rwk_map_finish(&o->by_tid);
	free(o->task);
	free(o);
}

/* Nothing is known of t. */
static void forget(const struct rwk_order *o, struct task *t)
{
	*t = o->unknown;
}

/* Of a task by its index, as far as it is known since the last loss. */
static struct task *task_at(struct rwk_order *o, int32_t index)
{
	struct task *t = &o->task[index];

	if (t->epoch != o->unknown.epoch)
		forget(o, t);
	return t;
}

/* Its index, or -ENOMEM. */
static int32_t task_index(struct rwk_order *o, int32_t tid)
{
	int32_t *at = rwk_map_find(&o->by_tid, (uint32_t)tid);
	int err;

	if (at)
		return *at;
	err = rwk_vec_grow(&o->task, &o->task_cap, o->nr_tasks + 1, sizeof(*o->task));
	if (!err)
		err = rwk_map_set(&o->by_tid, (uint32_t)tid, (int32_t)o->nr_tasks);
	if (err)
		return err;
	forget(o, &o->task[o->nr_tasks]);
	return (int32_t)o->nr_tasks++;
}

/* effect must come after cause, which took place on another CPU; ev: where it shows. */
static int pair(
	struct rwk_order *o, struct place cause, struct place effect, const struct rwk_event *ev)
{
	struct rwk_order_bounds *b;
	rwk_ns delay, swap;

	if (cause.cpu == RWK_NONE || effect.cpu == RWK_NONE || cause.cpu == effect.cpu)
		return 0;
	/* Times of a hostile file may be any. */
	if (__builtin_sub_overflow(effect.ts, cause.ts, &delay))
		return 0;
	if (!o->bounds[cause.cpu]) {
		o->bounds[cause.cpu] = calloc(RWK_MAX_CPUS, sizeof(**o->bounds));
		if (!o->bounds[cause.cpu])
			return -ENOMEM;
	}
	b = &o->bounds[cause.cpu][effect.cpu];
	if (delay < 0) {
		b->nr_impossible++;
		rwk_anomaly_add(
			&o->anomalies, RWK_AN_IMPOSSIBLE_ORDER, ev->ts, effect.cpu, ev->offset);
	}
	b->nr++;
	if (b->nr > RWK_ORDER_KEPT) {
		if (delay >= b->delay[RWK_ORDER_KEPT - 1])
			return 0;
		b->delay[RWK_ORDER_KEPT - 1] = delay;
	} else {
		b->delay[b->nr - 1] = delay;
	}
	for (int i = (b->nr < RWK_ORDER_KEPT ? (int)b->nr : RWK_ORDER_KEPT) - 1;
		i > 0 && b->delay[i] < b->delay[i - 1]; i--) {
		swap = b->delay[i];
		b->delay[i] = b->delay[i - 1];
		b->delay[i - 1] = swap;
	}
	return 0;
}

/* ---- handlers ---- */

static int on_waking(struct rwk_order *o, struct task *t, const struct rwk_event *ev)
{
	struct place here = {ev->ts, ev->cpu};
	struct place effect = t->unwoken;

	if (effect.cpu != RWK_NONE) {
		t->unwoken = nowhere;
		o->nr_uncaused--;
		if (t->state == SLEEPING)
			t->woken = here;
		return pair(o, here, effect, ev);
	}
	/*
	 * Later ones of the same wakeup may have come after it: only the first is its cause.
	 * Of a running task it is one if the task turns out to have been on its way out.
	 */
	if (t->woken.cpu == RWK_NONE && (t->state == SLEEPING || t->state == RUNNING))
		t->woken = here;
	return 0;
}

static int on_wakeup(struct rwk_order *o, struct task *t, const struct rwk_event *ev)
{
	struct place here = {ev->ts, ev->cpu};

	if (!o->seen_waking)
		return on_waking(o, t, ev);
	if (t->state == RUNNING) {
		/* It ran on: that wakeup is over. */
		t->woken = nowhere;
		return 0;
	}
	if (t->state != SLEEPING)
		return 0;
	if (t->woken.cpu != RWK_NONE)
		return pair(o, t->woken, here, ev);
	if (t->unwoken.cpu == RWK_NONE) {
		t->unwoken = here;
		o->nr_uncaused++;
	}
	return 0;
}

static int on_new(struct rwk_order *o, struct task *t, const struct rwk_event *ev)
{
	forget(o, t);
	t->state = SLEEPING;
	t->woken = (struct place){ev->ts, ev->cpu};
	return 0;
}

static int on_migrate(struct rwk_order *o, struct task *t, const struct rwk_event *ev)
{
	struct place here = {ev->ts, ev->cpu};

	if (t->state == RUNNING && t->unmoved && t->from_cpu == ev->migrate.orig_cpu &&
		t->in.cpu == ev->migrate.dest_cpu) {
		t->unmoved = false;
		return pair(o, here, t->in, ev);
	}
	if (t->state == QUEUED || t->state == SLEEPING) {
		t->moved = here;
		t->moved_to = ev->migrate.dest_cpu;
	}
	return 0;
}

static bool sleeps(enum rwk_end_state s)
{
	return s != RWK_END_RUNNABLE && s != RWK_END_PREEMPTED && s != RWK_END_UNKNOWN;
}

static int switch_out(struct rwk_order *o, struct task *t, const struct rwk_event *ev)
{
	struct place here = {ev->ts, ev->cpu};
	struct place woken = t->woken;

	/* It was switched in elsewhere before it left here. */
	if (t->state == RUNNING && t->in.cpu != ev->cpu) {
		int err = 0;

		if (t->leaving_cpu == ev->cpu)
			err = pair(o, here, t->elsewhere, ev);
		t->elsewhere = nowhere;
		t->leaving_cpu = RWK_NONE;
		return err;
	}
	forget(o, t);
	if (ev->sw.prev_state == RWK_END_DEAD || ev->sw.prev_state == RWK_END_ZOMBIE ||
		ev->sw.prev_state == RWK_END_UNKNOWN)
		return 0;
	t->state = sleeps(ev->sw.prev_state) ? SLEEPING : QUEUED;
	if (t->state == SLEEPING)
		t->woken = woken;
	t->out = here;
	t->from_cpu = ev->cpu;
	return 0;
}

static int switch_in(struct rwk_order *o, struct task *t, const struct rwk_event *ev)
{
	struct place here = {ev->ts, ev->cpu};
	struct task was = *t;
	int err = 0;

	t->state = RUNNING;
	t->in = here;
	t->woken = nowhere;
	t->out = nowhere;
	t->moved = nowhere;
	t->unmoved = false;
	t->elsewhere = nowhere;
	t->leaving_cpu = RWK_NONE;
	if (was.state == RUNNING) {
		t->unwoken = nowhere;
		if (was.in.cpu != ev->cpu) {
			t->elsewhere = here;
			t->leaving_cpu = was.in.cpu;
		}
		return 0;
	}
	if (was.state == UNKNOWN)
		return 0;
	if (was.state == SLEEPING && was.woken.cpu == RWK_NONE && was.unwoken.cpu == RWK_NONE) {
		t->unwoken = here;
		o->nr_uncaused++;
	}
	t->unmoved = was.state == QUEUED && was.from_cpu != ev->cpu && was.moved.cpu == RWK_NONE;
	err = pair(o, was.out, here, ev);
	if (!err)
		err = pair(o, was.woken, here, ev);
	if (!err && was.moved_to == ev->cpu)
		err = pair(o, was.moved, here, ev);
	return err;
}

static int on_switch(struct rwk_order *o, const struct rwk_event *ev)
{
	struct current *c = &o->curr[ev->cpu];
	int err = 0;

	if (ev->sw.prev_tid > 0) {
		int32_t index =
			c->tid == ev->sw.prev_tid ? c->index : task_index(o, ev->sw.prev_tid);

		if (index < 0)
			return index;
		err = switch_out(o, task_at(o, index), ev);
	}
	*c = (struct current){0};
	if (!err && ev->sw.next_tid > 0) {
		int32_t index = task_index(o, ev->sw.next_tid);

		if (index < 0)
			return index;
		*c = (struct current){ev->sw.next_tid, index};
		err = switch_in(o, task_at(o, index), ev);
	}
	return err;
}

static int on_task(struct rwk_order *o, int32_t tid, const struct rwk_event *ev,
	int (*handle)(struct rwk_order *o, struct task *t, const struct rwk_event *ev))
{
	int32_t index = tid > 0 ? task_index(o, tid) : 0;

	if (tid <= 0)
		return 0;
	return index < 0 ? index : handle(o, task_at(o, index), ev);
}

int rwk_order_event(struct rwk_order *o, const struct rwk_event *ev)
{
	if (ev->cpu < 0 || ev->cpu >= RWK_MAX_CPUS)
		return 0;
	switch ((enum rwk_event_kind)ev->kind) {
	case RWK_EV_WAKING:
		o->seen_waking = true;
		return on_task(o, ev->task.tid, ev, on_waking);
	case RWK_EV_WAKEUP:
		return on_task(o, ev->task.tid, ev, on_wakeup);
	case RWK_EV_WAKEUP_NEW:
		return on_task(o, ev->task.tid, ev, on_new);
	case RWK_EV_MIGRATE:
		return on_task(o, ev->migrate.tid, ev, on_migrate);
	case RWK_EV_SWITCH:
		return on_switch(o, ev);
	case RWK_EV_LOST:
		o->unknown.epoch++;
		return 0;
	default:
		return 0;
	}
}

const struct rwk_anomalies *rwk_order_anomalies(const struct rwk_order *o)
{
	return &o->anomalies;
}

const struct rwk_order_bounds *rwk_order_bounds(const struct rwk_order *o, int cause_cpu)
{
	return o->bounds[cause_cpu];
}

int64_t rwk_order_uncaused(const struct rwk_order *o)
{
	return o->seen_waking ? o->nr_uncaused : 0;
}
