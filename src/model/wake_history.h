/*
 * What the kernel remembers about who wakes whom: wakee_flips, last_wakee and
 * recent_used_cpu (design §2.2, §2.6, §3.2).
 */
#ifndef SRC_MODEL_WAKE_HISTORY_H
#define SRC_MODEL_WAKE_HISTORY_H

#include "model/state.h"

/* wakee_flips is halved once this time has passed, at the task's next wakeup. */
#define RWK_FLIP_DECAY_NS ((rwk_ns)1000000000)

/*
 * record_wakee: waker is about to choose a CPU for wakee at ts.  true: it woke
 * another one before, which counts.
 */
bool rwk_model_record_wakee(struct rwk_task *waker, const struct rwk_task *wakee, rwk_ns ts);

/* A child takes over its parent's counters; fork sets recent_used_cpu to the CPU it was born on. */
void rwk_model_inherit(struct rwk_task *child, const struct rwk_task *parent, int born_cpu);

/* Probed values of the wakee, as the kernel read them at the decision's entry. */
void rwk_model_adopt_probe(
	struct rwk_model *m, struct rwk_task *wakee, const struct rwk_ev_probe *probe, rwk_ns ts);

#endif
