/* Votes for WF_SYNC by whether the waker soon slept. */
#include "replay/sync_votes.h"

#include <errno.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/vec.h"

#define LEARNED_MAX 4 /* so that a pair that changes its ways is followed */

struct votes {
	int32_t all, yes;
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
};

/* Hard interrupts never carry the hint, and the idle task has nothing to wait for. */
static bool may_vote(const struct rwk_wakeup_row *row)
{
	return row->waker_utid > 0 &&
	       (row->context == RWK_CTX_TASK || row->context == RWK_CTX_SOFTIRQ);
}

static uint64_t key_of(const struct rwk_wakeup_row *row)
{
	return (uint64_t)(uint32_t)row->waker_utid << 33 |
	       (uint64_t)(uint32_t)row->wakee_utid << 2 | (row->context == RWK_CTX_SOFTIRQ);
}

static int vote_open(
	struct rwk_sync_votes *v, struct cpu_votes *c, const struct rwk_wakeup_row *row)
{
	int32_t *at = rwk_map_find(&v->index, key_of(row));
	int32_t index;
	int err;

	if (at) {
		index = *at;
	} else {
		index = (int32_t)v->nr;
		err = rwk_vec_grow(&v->of, &v->cap, v->nr + 1, sizeof(*v->of));
		if (!err)
			err = rwk_map_set(&v->index, key_of(row), index);
		if (err)
			return err;
		v->nr++;
	}
	v->of[index].all++;
	err = rwk_vec_grow(&c->open, &c->cap, c->nr + 1, sizeof(*c->open));
	if (err)
		return err;
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

int rwk_sync_votes_create(int nr_cpus, struct rwk_sync_votes **ret)
{
	struct rwk_sync_votes *v = calloc(1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	v->nr_cpus = nr_cpus;
	v->cpu = calloc((size_t)nr_cpus + 1, sizeof(*v->cpu));
	if (!v->cpu) {
		free(v);
		return -ENOMEM;
	}
	*ret = v;
	return 0;
}

void rwk_sync_votes_destroy(struct rwk_sync_votes *v)
{
	if (!v)
		return;
	for (int i = 0; i < v->nr_cpus; i++)
		free(v->cpu[i].open);
	free(v->cpu);
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
	int32_t *at;

	if (!may_vote(row))
		return false;
	at = rwk_map_find(&v->index, key_of(row));
	if (!at)
		return false;
	if (v->of[*at].learned)
		return v->of[*at].learned > 0;
	return v->of[*at].yes * 2 > v->of[*at].all;
}

void rwk_sync_votes_learn(struct rwk_sync_votes *v, const struct rwk_wakeup_row *row, bool sync)
{
	int32_t *at = may_vote(row) ? rwk_map_find(&v->index, key_of(row)) : NULL;
	struct votes *votes = at ? &v->of[*at] : NULL;

	if (!votes)
		return;
	if (sync && votes->learned < LEARNED_MAX)
		votes->learned++;
	else if (!sync && votes->learned > -LEARNED_MAX)
		votes->learned--;
}

void rwk_sync_votes_forget(struct rwk_sync_votes *v)
{
	for (size_t i = 0; i < v->nr; i++)
		v->of[i].learned = 0;
}
