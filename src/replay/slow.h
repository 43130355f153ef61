/*
 * What the slow path places: a new task, which the model does not know yet, and
 * a task that calls exec, which no wakeup tells about.
 */
#ifndef SRC_REPLAY_SLOW_H
#define SRC_REPLAY_SLOW_H

#include "timeline/rows.h"

/*
 * w, the picture of a fork with the parent as waker, gets the child as wakee: it
 * has its parent's history, the load of its weight, and has used nothing yet.
 */
void rwk_slow_child(const struct rwk_wakeup_row *r, struct rwk_wakeup *w);

/*
 * A probe that belongs to no wakeup as the row of an exec, its CPUs unchecked;
 * false if its flags say otherwise (old_flags: of kernels up to 5.10, which say
 * nothing).
 */
bool rwk_slow_exec(
	const struct rwk_probe_row *probe, bool old_flags, struct rwk_wakeup_row *ret_row);

#endif
