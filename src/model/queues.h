/*
 * Who is queued where: the list of each CPU's fair tasks, and its view for the
 * policies that ask for it.
 */
#ifndef SRC_MODEL_QUEUES_H
#define SRC_MODEL_QUEUES_H

#include "model/state.h"

/*
 * t joins the list of its queue_cpu, or leaves it; cpu's list is known to be
 * empty, which those that were in it find out by its queue_id.
 */
void rwk_queue_add(struct rwk_model *m, struct rwk_task *t);
void rwk_queue_del(struct rwk_model *m, struct rwk_task *t);
void rwk_queue_empty(struct rwk_model *m, int cpu);

/*
 * The queues of ret's two CPUs, valid until the next event or call.  0 or
 * -ENOMEM.
 */
int rwk_queue_views(struct rwk_model *m, struct rwk_wakeup *ret);

#endif
