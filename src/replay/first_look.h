/*
 * Who was on each CPU when the recording began: a CPU's first event names its
 * task, and it was there all along, since an earlier switch would have come
 * first.  True only if the CPU's buffer still holds its beginning.
 */
#ifndef SRC_REPLAY_FIRST_LOOK_H
#define SRC_REPLAY_FIRST_LOOK_H

#include "replay/feed.h"

struct rwk_first_look;

int rwk_first_look_create(int nr_cpus, struct rwk_first_look **ret);
void rwk_first_look_destroy(struct rwk_first_look *look);
/* The next item of the run. */
void rwk_first_look_take(struct rwk_first_look *look, const struct rwk_feed_item *it);

/* cpu's first event is the idle task's; false also where there is none, or a gap comes first. */
bool rwk_first_look_idle(const struct rwk_first_look *look, int cpu);

#endif
