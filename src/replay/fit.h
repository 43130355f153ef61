/*
 * What tasks brought into the recording, fitted to the whole of it (calibrated
 * mode): the wakee_flips of those that it found alive, whose children carry
 * them on (design §2.2, §3.2), and their recent_used_cpu.
 *
 * A first replay collects: a grid of beginnings is followed through every
 * later change of the counter, fork included, and those score that say "wide"
 * where only that explains the kernel's answer.  The best one is what the
 * second replay begins with, marked RWK_CALIBRATED.
 */
#ifndef SRC_REPLAY_FIT_H
#define SRC_REPLAY_FIT_H

#include "model/state.h"

/* Tasks whose counters are followed; what comes later stays unknown. */
#define RWK_FIT_MAX_TASKS 65536

struct rwk_fit;

int rwk_fit_create(struct rwk_fit **ret); /* 0 or -ENOMEM */
void rwk_fit_destroy(struct rwk_fit *fit);

/* ---- the first replay; tasks by utid.  int: 0 or -ENOMEM. ---- */

/* utid is about to wake, be woken or fork; the first time decides when it was seen first. */
int rwk_fit_meet(struct rwk_fit *fit, int32_t utid, rwk_ns ts);
/* waker wakes at ts; new_wakee: another one than it woke last. */
void rwk_fit_wakes(struct rwk_fit *fit, int32_t waker, rwk_ns ts, bool new_wakee);
/* child begins with what parent has. */
int rwk_fit_inherit(struct rwk_fit *fit, int32_t child, int32_t parent);
/* The kernel's answer can only come from wide, or only from not wide; factor: the LLC's size. */
int rwk_fit_outcome(struct rwk_fit *fit, int32_t waker, int32_t wakee, uint32_t factor, bool wide);
/* utid, of which nothing was known, had cpu as its recent one. */
int rwk_fit_recent(struct rwk_fit *fit, int32_t utid, int32_t cpu);

/* ---- between the two ---- */

/* Nothing is learned any more: the best beginnings stand, where one is better than others. */
void rwk_fit_conclude(struct rwk_fit *fit);

/* ---- the second replay ---- */

/*
 * Gives t what it began with if that is fitted and t has not got it yet.  At
 * the instants of rwk_fit_meet().
 */
void rwk_fit_begin_task(const struct rwk_fit *fit, struct rwk_task *t, rwk_ns ts);

#endif
