/*
 * Calibrated mode: after a decision was scored, a hidden value that alone
 * explains the difference to the kernel's answer is adopted for what follows.
 * The state then carries recorded answers, so that its figures are never mixed
 * with open-loop ones.
 */
#ifndef SRC_REPLAY_CALIBRATE_H
#define SRC_REPLAY_CALIBRATE_H

#include "model/state.h"
#include "policy/registry.h"

/* Which hidden value explains a miss. */
enum rwk_hidden {
	RWK_HIDDEN_NONE, /* no single one does */
	RWK_HIDDEN_RECENT,
	RWK_HIDDEN_IDLE_SCAN,
	RWK_HIDDEN_FLIPS,
	RWK_HIDDEN_IDLE_CORES,
	RWK_HIDDEN_SYNC,
	RWK_HIDDEN_COUNT
};

/*
 * kernel answered *v to w, which is not w->recorded_cpu.  Finds the smallest
 * single change of a hidden value under which it would have agreed; adopt: the
 * model takes the value over (source CALIBRATED), and *v becomes that answer, so
 * that its effects follow.
 */
enum rwk_hidden rwk_calibrate(struct rwk_model *m, const struct rwk_policy_instance *kernel,
	const struct rwk_wakeup *w, bool adopt, struct rwk_verdict *v);

#endif
