/*
 * Delayed dequeue (6.12+): a task that blocks while it is not eligible stays
 * queued until the CPU picks it or somebody wakes it, and waking it then is no
 * placement (design §1.3 rule 5, §3.2 "delayed").  The five events do not show
 * it; this follows the queues' virtual time closely enough to tell.
 *
 * Virtual time is in ns of a nice-0 task.  What the recording found queued
 * starts without lag.
 */
#ifndef SRC_MODEL_EEVDF_H
#define SRC_MODEL_EEVDF_H

#include <rewake/machine.h>
#include <rewake/types.h>

/* Slice where the recording does not say, for one CPU; a doubling of CPUs up to 8 adds as much. */
#define RWK_DEFAULT_SLICE_NS 700000

struct rwk_model;
struct rwk_task;

/* One task's part. */
struct rwk_eevdf_task {
	int64_t vruntime, deadline;
	int64_t vlag; /* behind (positive) or ahead of its queue when it left it */
	int64_t brought; /* lag that it was placed with */
	uint32_t weight;
	bool queued; /* counts in its queue's average, delayed ones included */
	bool delayed; /* blocked, but not yet dequeued */
	bool sure; /* delayed by more than the lags that its queue's tasks came with, which are
		      estimates */
	bool known; /* was placed once */
	struct rwk_task *next, *prev; /* in its queue */
	int32_t cpu;
};

/* One CPU's queue of fair tasks. */
struct rwk_eevdf_queue {
	struct rwk_task *first;
	uint64_t weight; /* of all queued */
	int64_t base; /* zero point of sum */
	__int128 sum; /* Σ weight·(vruntime − base) */
	int nr_delayed;
	struct rwk_task *curr; /* the one that runs, if fair */
	rwk_ns run_from; /* up to when its run is accounted */
	rwk_ns next_tick; /* not yet looked at */
};

/* t joins cpu's queue at m->now, by a wakeup or from another queue. */
void rwk_eevdf_enqueue(struct rwk_model *m, struct rwk_task *t, int cpu);
/* t, which ran, blocks: it leaves its queue, or stays there delayed. */
void rwk_eevdf_block(struct rwk_model *m, struct rwk_task *t);
/* t leaves its queue for good or for another. */
void rwk_eevdf_leave(struct rwk_model *m, struct rwk_task *t);
/* cpu switches to next (NULL: no fair task): what is picked before it is dequeued. */
void rwk_eevdf_switch(struct rwk_model *m, int cpu, struct rwk_task *next);
/* cpu runs nothing: delayed tasks went first. */
void rwk_eevdf_empty(struct rwk_model *m, int cpu);
/* Counts of delayed tasks into the CPU views, for a picture at m->now. */
void rwk_eevdf_publish(struct rwk_model *m);
/* Is t surely still queued, although it blocked?  Brings its queue to m->now first. */
bool rwk_eevdf_is_delayed(struct rwk_model *m, struct rwk_task *t);
/*
 * t, queued at m->now: until when it waits at least for the one that runs on
 * its CPU, if that does not block; m->now: for nothing.
 */
rwk_ns rwk_eevdf_waits_until(const struct rwk_model *m, const struct rwk_task *t);

#endif
