/* Votes for WF_SYNC by whether the waker soon slept. */
#include "replay/sync_votes.h"

#include <errno.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/vec.h"

#define LEARNED_MAX 4 /* so that a pair that changes its ways is followed */

/* One kind of wakeup: by name of waker and wakee, or by the tasks themselves. */
struct votes {
	int32_t all, yes; /* of names only */
	int32_t learned; /* outcomes for minus outcomes against, within ±LEARNED_MAX */
};

/* A wakeup whose waker has not left its CPU yet. */
struct open_vote {
	rwk_ns ts;
	int32_t index;
};

struct cpu_votes {
	struct open_vote *open;
	size_t nr, cap;
};

struct rwk_sync_votes {
	struct rwk_map index; /* key → index into of */
	struct votes *of;
	size_t nr, cap;
	struct cpu_votes *cpu; /* [nr_cpus] */
	int nr_cpus;
	int32_t *name; /* [utid - 1] of the name, from 1; 0 unknown */
	size_t nr_task;
};

/* Hard interrupts never carry the hint, and the idle task has nothing to wait for. */
static bool may_vote(const struct rwk_wakeup_row *row)
{
	return row->waker_utid > 0 &&
	       (row->context == RWK_CTX_TASK || row->context == RWK_CTX_SOFTIRQ);
}

static uint64_t key_of(bool names, uint64_t waker, uint64_t wakee, bool softirq)
{
	return (uint64_t)names << 63 | (waker & INT32_MAX) << 32 | (wakee & INT32_MAX) << 1 |
	       softirq;
}

static uint64_t task_key(const struct rwk_wakeup_row *row)
{
	return key_of(false, (uint32_t)row->waker_utid, (uint32_t)row->wakee_utid,
		row->context == RWK_CTX_SOFTIRQ);
}

/* A task without a name stands for itself. */
static uint64_t name_of(const struct rwk_sync_votes *v, int32_t utid)
{
	int32_t name = utid > 0 && (size_t)utid <= v->nr_task ? v->name[utid - 1] : 0;

	return name ? (uint32_t)name : (uint32_t)utid | UINT64_C(1) << 30;
}

static uint64_t name_key(const struct rwk_sync_votes *v, const struct rwk_wakeup_row *row)
{
	return key_of(true, name_of(v, row->waker_utid), name_of(v, row->wakee_utid),
		row->context == RWK_CTX_SOFTIRQ);
}

static struct votes *find(const struct rwk_sync_votes *v, uint64_t key)
{
	int32_t *at = rwk_map_find(&v->index, key);

	return at ? &v->of[*at] : NULL;
}

static int find_or_add(struct rwk_sync_votes *v, uint64_t key, int32_t *ret)
{
	int32_t *at = rwk_map_find(&v->index, key);
	int err;

	if (at) {
		*ret = *at;
		return 0;
	}
	*ret = (int32_t)v->nr;
	err = rwk_vec_grow(&v->of, &v->cap, v->nr + 1, sizeof(*v->of));
	if (!err)
		err = rwk_map_set(&v->index, key, *ret);
	if (!err)
		v->nr++;
	return err;
}

static int vote_open(
	struct rwk_sync_votes *v, struct cpu_votes *c, const struct rwk_wakeup_row *row)
{
	int32_t index;
	int err = find_or_add(v, task_key(row), &index);

	if (!err)
		err = find_or_add(v, name_key(v, row), &index);
	if (!err)
		err = rwk_vec_grow(&c->open, &c->cap, c->nr + 1, sizeof(*c->open));
	if (err)
		return err;
	v->of[index].all++;
	c->open[c->nr++] = (struct open_vote){.ts = row->ts, .index = index};
	return 0;
}

static void votes_close(struct rwk_sync_votes *v, struct cpu_votes *c, const struct rwk_event *ev)
{
	bool slept = ev->kind == RWK_EV_SWITCH && ev->sw.prev_state != RWK_END_RUNNABLE &&
		     ev->sw.prev_state != RWK_END_PREEMPTED && ev->sw.prev_state != RWK_END_UNKNOWN;

	for (size_t i = 0; slept && i < c->nr; i++) {
		if (ev->ts - c->open[i].ts <= RWK_SYNC_VOTE_NS)
			v->of[c->open[i].index].yes++;
	}
	c->nr = 0;
}

/* Members of a pool are told apart by numbers only: "worker-12" is "worker-0". */
static uint64_t hash_name(const char comm[RWK_COMM_LEN])
{
	uint64_t h = UINT64_C(14695981039346656037);
	bool in_number = false;

	for (int i = 0; i < RWK_COMM_LEN && comm[i]; i++) {
		bool digit = comm[i] >= '0' && comm[i] <= '9';

		if (digit && in_number)
			continue;
		in_number = digit;
		h = (h ^ (uint8_t)(digit ? '0' : comm[i])) * UINT64_C(1099511628211);
	}
	return h;
}

static int number_names(struct rwk_sync_votes *v, const struct rwk_task_row *task)
{
	struct rwk_map numbers = {0};
	int err = 0;

	for (size_t i = 0; i < v->nr_task && !err; i++) {
		uint64_t h = hash_name(task[i].comm);
		int32_t *at;

		if (!task[i].comm_known)
			continue;
		at = rwk_map_find(&numbers, h);
		if (!at) {
			v->name[i] = (int32_t)numbers.nr_used + 1;
			err = rwk_map_set(&numbers, h, v->name[i]);
		} else {
			v->name[i] = *at;
		}
	}
	rwk_map_finish(&numbers);
	return err;
}

int rwk_sync_votes_create(
	int nr_cpus, const struct rwk_task_row *task, size_t nr_task, struct rwk_sync_votes **ret)
{
	struct rwk_sync_votes *v = calloc(1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	v->nr_cpus = nr_cpus;
	v->nr_task = nr_task;
	v->cpu = calloc((size_t)nr_cpus + 1, sizeof(*v->cpu));
	v->name = calloc(nr_task + 1, sizeof(*v->name));
	if (!v->cpu || !v->name || number_names(v, task)) {
		rwk_sync_votes_destroy(v);
		return -ENOMEM;
	}
	*ret = v;
	return 0;
}

void rwk_sync_votes_destroy(struct rwk_sync_votes *v)
{
	if (!v)
		return;
	for (int i = 0; v->cpu && i < v->nr_cpus; i++)
		free(v->cpu[i].open);
	free(v->cpu);
	free(v->name);
	rwk_map_finish(&v->index);
	free(v->of);
	free(v);
}

int rwk_sync_votes_take(struct rwk_sync_votes *v, const struct rwk_feed_item *it)
{
	const struct rwk_event *ev = &it->ev;

	if (ev->cpu < 0 || ev->cpu >= v->nr_cpus)
		return 0;
	if (ev->kind == RWK_EV_WAKING && it->wakeup && may_vote(it->wakeup))
		return vote_open(v, &v->cpu[ev->cpu], it->wakeup);
	if (ev->kind == RWK_EV_SWITCH || ev->kind == RWK_EV_LOST)
		votes_close(v, &v->cpu[ev->cpu], ev);
	return 0;
}

bool rwk_sync_votes_say(const struct rwk_sync_votes *v, const struct rwk_wakeup_row *row)
{
	const struct votes *pair, *names;
	int32_t learned;

	if (!may_vote(row))
		return false;
	pair = find(v, task_key(row));
	names = find(v, name_key(v, row));
	if (!pair || !names)
		return false;
	learned = 2 * pair->learned + names->learned;
	return learned ? learned > 0 : names->yes * 2 > names->all;
}

static void count(struct votes *votes, bool sync)
{
	if (votes && sync && votes->learned < LEARNED_MAX)
		votes->learned++;
	else if (votes && !sync && votes->learned > -LEARNED_MAX)
		votes->learned--;
}

void rwk_sync_votes_learn(struct rwk_sync_votes *v, const struct rwk_wakeup_row *row, bool sync)
{
	if (!may_vote(row))
		return;
	count(find(v, task_key(row)), sync);
	count(find(v, name_key(v, row)), sync);
}

void rwk_sync_votes_forget(struct rwk_sync_votes *v)
{
	for (size_t i = 0; i < v->nr; i++)
		v->of[i].learned = 0;
}
