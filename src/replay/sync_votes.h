/*
 * WF_SYNC where it was not probed: a waker that soon blocks meant it.  Decided
 * by majority over the whole run (fidelity §4), so that it needs a pass of its
 * own before the replay (prepass.h).  Whether the hint is given depends on the
 * code that wakes (a pipe gives it, a futex does not): wakers of one name vote
 * together on wakees of one name, numbers in names aside, per context.
 */
#ifndef SRC_REPLAY_SYNC_VOTES_H
#define SRC_REPLAY_SYNC_VOTES_H

#include "replay/feed.h"

/* A waker that sleeps within this time after waking counts as one vote for sync. */
#define RWK_SYNC_VOTE_NS ((rwk_ns)200000)

struct rwk_sync_votes;

/* task: by utid - 1, for their names. */
int rwk_sync_votes_create(
	int nr_cpus, const struct rwk_task_row *task, size_t nr_task, struct rwk_sync_votes **ret);
void rwk_sync_votes_destroy(struct rwk_sync_votes *votes);
/* The next item of the run, to collect the votes.  0 or -ENOMEM. */
int rwk_sync_votes_take(struct rwk_sync_votes *votes, const struct rwk_feed_item *it);

/* Majority for such a wakeup; false also in hard interrupts and by the idle task. */
bool rwk_sync_votes_say(const struct rwk_sync_votes *votes, const struct rwk_wakeup_row *row);

/*
 * Calibrated mode: an outcome spoke for (or against) sync of such a wakeup.
 * What was learned goes before the majority, what a pair of tasks taught before
 * what others of their names did.
 */
void rwk_sync_votes_learn(
	struct rwk_sync_votes *votes, const struct rwk_wakeup_row *row, bool sync);
/* Forgets what was learned; the votes stand. */
void rwk_sync_votes_forget(struct rwk_sync_votes *votes);

#endif
