/*
 * State to the read-only picture of one wakeup that policies see.
 */
#ifndef SRC_MODEL_PICTURE_H
#define SRC_MODEL_PICTURE_H

#include "model/state.h"

/* Weight of a fair task's priority (design §4.2); 0 for others. */
uint32_t rwk_prio_weight(int32_t prio);

/* 0 for a task that is not fair (idle, real-time, deadline); an unknown priority counts as nice 0.
 */
uint32_t rwk_task_weight(const struct rwk_task *t);

/* The view of a task as it is now; RWK_NONE as utid when t is NULL. */
void rwk_model_task_view(
	const struct rwk_model *m, const struct rwk_task *t, struct rwk_task_view *ret);

/*
 * Points ret at the model's CPU and LLC views, which are valid until the next
 * event.  The rest of ret (who, where, flags) is the caller's.
 */
void rwk_model_picture(const struct rwk_model *m, struct rwk_wakeup *ret);

#endif
