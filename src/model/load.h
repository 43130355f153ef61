/*
 * Upkeep of load tracking over the events (design §4.3): which entity adds
 * what while time passes, and who moves where.  One root queue per CPU, to which
 * a task adds its load itself or through the queues of its groups (groups.h).
 */
#ifndef SRC_MODEL_LOAD_H
#define SRC_MODEL_LOAD_H

#include "model/state.h"

/* t joins cpu's queue at m->now; queued: it comes from another queue, not from a sleep. */
void rwk_load_enqueue(struct rwk_model *m, struct rwk_task *t, int cpu, bool queued);
/* t leaves its queue; its decaying load stays there. */
void rwk_load_dequeue(struct rwk_model *m, struct rwk_task *t);
/*
 * t, dequeued, goes to sleep: what it used is remembered (util_est).  Or for
 * good: what it added leaves its queue.
 */
void rwk_load_sleep(struct rwk_model *m, struct rwk_task *t);
/* cpu's queue is known to be empty. */
void rwk_load_empty(struct rwk_model *m, int cpu);
/* Before prev leaves cpu: what it did until now counts as running. */
void rwk_load_switch_out(struct rwk_model *m, int cpu, struct rwk_task *prev);
/* Before next becomes current: what it did until now counts as waiting. */
void rwk_load_switch_in(struct rwk_model *m, int cpu, struct rwk_task *next);
/* A new task starts with full load (design §4.3, fork). */
void rwk_load_birth(struct rwk_model *m, struct rwk_task *t, int cpu);
/*
 * The ticks of every busy CPU that fell before m->now, and the decay of idle CPUs
 * that follows from them; brings the views up to date.
 */
void rwk_load_ticks(struct rwk_model *m);
/*
 * What t adds to the root queue's load is not known: nobody knows its group, or
 * how its group's weight is spread.  While such a task is queued on a CPU, and
 * until what it left there has decayed, the CPU's load is RWK_UNKNOWN.
 */
bool rwk_load_is_stray(const struct rwk_model *m, const struct rwk_task *t);
/* enum rwk_source of t's averages and of [H(t)]. */
uint8_t rwk_load_source(const struct rwk_model *m, const struct rwk_task *t);
/* [H(t)] */
uint32_t rwk_load_h(const struct rwk_model *m, const struct rwk_task *t);

#endif
