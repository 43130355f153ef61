/*
 * Causes (wakeups, migrations) and effects (runs) are kept, of fewer tasks if there are many. Pairs
 * of CPUs with the most causes are joined first by what they say of their clocks
 * (align_votes.h), as long as they join CPUs that are not joined yet.
 */
#include "check/align.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "check/align_votes.h"

#define VAIN      16 /* times that a CPU is tried with others that it is not joined with then */
#define SETTLE    2 /* times that each clock is looked at with all others */
#define MAX_LEVEL 16 /* of every 2^16 tasks one is kept */

struct join {
	int16_t a, b;
	int32_t nr; /* causes on either */
};

struct clocks {
	rwk_ns off[RWK_MAX_CPUS]; /* from the others of its group */
	int group[RWK_MAX_CPUS]; /* named by one of its CPUs */
	int nr_joined;
};

struct rwk_align {
	struct rwk_align_point *point;
	size_t nr, cap;
	int level; /* tasks whose hash has as many zeros are kept */
	bool full; /* there are no fewer tasks to keep */
	bool used[RWK_MAX_CPUS];
};

int rwk_align_create(struct rwk_align **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? 0 : -ENOMEM;
}

void rwk_align_destroy(struct rwk_align *a)
{
	if (!a)
		return;
	free(a->point);
	free(a);
}

static bool kept(const struct rwk_align *a, int32_t tid)
{
	uint32_t hash = (uint32_t)tid * UINT32_C(2654435761) >> (32 - MAX_LEVEL);

	return !(hash & ((UINT32_C(1) << a->level) - 1));
}

/* Room for one more, by keeping every second of the tasks that are left. */
static void thin(struct rwk_align *a)
{
	while (a->nr == RWK_ALIGN_POINTS && a->level < MAX_LEVEL) {
		size_t nr = 0;

		a->level++;
		for (size_t i = 0; i < a->nr; i++) {
			if (kept(a, a->point[i].tid))
				a->point[nr++] = a->point[i];
		}
		a->nr = nr;
	}
	a->full = a->nr == RWK_ALIGN_POINTS;
}

static int add(struct rwk_align *a, const struct rwk_event *ev, int32_t tid, int32_t to)
{
	if (a->full || tid <= 0 || !kept(a, tid) || to >= RWK_MAX_CPUS || to == ev->cpu)
		return 0;
	if (a->nr == RWK_ALIGN_POINTS)
		thin(a);
	if (a->full || !kept(a, tid))
		return 0;
	if (rwk_vec_grow(&a->point, &a->cap, a->nr + 1, sizeof(*a->point)))
		return -ENOMEM;
	a->point[a->nr++] = (struct rwk_align_point){.ts = ev->ts,
		.tid = tid,
		.on = (int16_t)ev->cpu,
		.to = (int16_t)to,
		.wakes = ev->kind != RWK_EV_MIGRATE};
	a->used[ev->cpu] = true;
	return 0;
}

static int add_switch(struct rwk_align *a, const struct rwk_event *ev)
{
	bool queued =
		ev->sw.prev_state == RWK_END_RUNNABLE || ev->sw.prev_state == RWK_END_PREEMPTED;
	int err = add(a, ev, ev->sw.prev_tid, queued ? RWK_ALIGN_OUT_QUEUED : RWK_ALIGN_OUT_ASLEEP);

	return err ? err : add(a, ev, ev->sw.next_tid, RWK_ALIGN_IN);
}

int rwk_align_event(struct rwk_align *a, const struct rwk_event *ev)
{
	if (ev->cpu < 0 || ev->cpu >= RWK_MAX_CPUS)
		return 0;
	switch ((enum rwk_event_kind)ev->kind) {
	case RWK_EV_WAKING:
	case RWK_EV_WAKEUP_NEW:
		return ev->task.target_cpu < 0 ? 0 : add(a, ev, ev->task.tid, ev->task.target_cpu);
	case RWK_EV_MIGRATE:
		return ev->migrate.dest_cpu < 0 ? 0
						: add(a, ev, ev->migrate.tid, ev->migrate.dest_cpu);
	case RWK_EV_SWITCH:
		return add_switch(a, ev);
	default:
		return 0;
	}
}

/* ---- all CPUs ---- */

static int by_causes(const void *x, const void *y)
{
	const struct join *p = x, *q = y;

	if (p->nr != q->nr)
		return p->nr > q->nr ? -1 : 1;
	return p->a != q->a ? p->a - q->a : p->b - q->b;
}

static int list_pairs(
	const struct rwk_align *a, const struct rwk_votes *v, struct join **ret, size_t *ret_nr)
{
	size_t cap = 0;

	for (int x = 0; x < RWK_MAX_CPUS; x++) {
		for (int y = x + 1; a->used[x] && y < RWK_MAX_CPUS; y++) {
			size_t nr = a->used[y] ? rwk_votes_causes(v, x, y) : 0;

			if (nr < RWK_VOTES_LEAST)
				continue;
			if (rwk_vec_grow(ret, &cap, *ret_nr + 1, sizeof(**ret)))
				return -ENOMEM;
			(*ret)[(*ret_nr)++] = (struct join){(int16_t)x, (int16_t)y, (int32_t)nr};
		}
	}
	if (*ret_nr)
		qsort(*ret, *ret_nr, sizeof(**ret), by_causes);
	return 0;
}

/* All of one group to the clock of another, which y's is off by more than x's. */
static void join(struct clocks *c, int x, int y, rwk_ns more)
{
	rwk_ns by = c->off[x] + more - c->off[y];
	int gone = c->group[y];

	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++) {
		if (c->group[cpu] != gone)
			continue;
		c->group[cpu] = c->group[x];
		c->off[cpu] += by;
	}
	c->nr_joined++;
}

static void join_all(struct rwk_votes *v, const struct join *pair, size_t nr, struct clocks *c)
{
	int nr_vain[RWK_MAX_CPUS] = {0};
	rwk_ns more;

	for (size_t i = 0; i < nr; i++) {
		int x = pair[i].a, y = pair[i].b;

		if (c->group[x] == c->group[y] || (nr_vain[x] >= VAIN && nr_vain[y] >= VAIN))
			continue;
		if (rwk_votes_stand_out(v, x, y, &more)) {
			join(c, x, y, more);
		} else {
			nr_vain[x]++;
			nr_vain[y]++;
		}
	}
}

/* Each clock once more, near where it is by now, by all others of its group. */
static void settle(const struct rwk_align *a, struct rwk_votes *v, struct clocks *c)
{
	for (int y = 0; y < RWK_MAX_CPUS; y++) {
		struct rwk_cpuset with = {0};
		rwk_ns off;

		for (int x = 0; x < RWK_MAX_CPUS; x++) {
			if (a->used[y] && c->group[x] == c->group[y])
				rwk_cpuset_add(&with, x);
		}
		if (rwk_votes_near(v, y, &with, c->off, &off))
			c->off[y] = off;
	}
}

/* The clock of a group that most of it are near to. */
static rwk_ns clock_of(const struct clocks *c, int group)
{
	rwk_ns ret = 0;
	int most = 0;

	for (int a = 0; a < RWK_MAX_CPUS; a++) {
		int nr = 0;

		for (int b = 0; c->group[a] == group && b < RWK_MAX_CPUS; b++)
			nr += c->group[b] == group &&
			      llabs(c->off[a] - c->off[b]) <= RWK_ALIGN_NEAR;
		if (nr > most) {
			most = nr;
			ret = c->off[a];
		}
	}
	return ret;
}

int rwk_align_solve(struct rwk_align *a, rwk_ns *ret, int *ret_nr_joined)
{
	struct clocks c = {.nr_joined = 0};
	rwk_ns least = 0;
	struct join *pair = NULL;
	struct rwk_votes v;
	size_t nr = 0;
	int err;

	memset(ret, 0, RWK_MAX_CPUS * sizeof(*ret));
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++)
		c.group[cpu] = cpu;
	err = rwk_votes_init(&v, a->point, a->nr);
	if (!err)
		err = list_pairs(a, &v, &pair, &nr);
	if (!err)
		join_all(&v, pair, nr, &c);
	for (int i = 0; i < SETTLE && c.nr_joined; i++)
		settle(a, &v, &c);
	free(pair);
	rwk_votes_finish(&v);
	for (int group = 0; group < RWK_MAX_CPUS && c.nr_joined; group++) {
		rwk_ns clock = clock_of(&c, group);

		for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++) {
			if (c.group[cpu] == group)
				ret[cpu] = clock - c.off[cpu];
		}
	}
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++)
		least = ret[cpu] < least ? ret[cpu] : least;
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++)
		ret[cpu] -= least;
	*ret_nr_joined = c.nr_joined;
	return err;
}
