/*
 * Task groups in load tracking (design §4.5).  Each group has a queue per CPU,
 * and an entity that stands for that queue in the queue around it: the group's
 * queue of the next group, or the CPU's root queue.  A group's shares are
 * spread over its entities by load, so that the root queue's load is what the
 * groups weigh and not what their tasks do.
 *
 * Only load goes this way: utilisation and runnable time of the root queue are
 * sums over tasks, groups or not, and are load.c's.  A group's queues come into
 * being when a task of it is first queued there; a run without groups has none
 * of this.
 */
#ifndef SRC_MODEL_GROUPS_H
#define SRC_MODEL_GROUPS_H

#include <stddef.h>

#include <rewake/machine.h>

#include "base/map.h"
#include "model/pelt.h"

struct rwk_model;

/* What is known of a run's groups; borrowed.  Parents stand before their children. */
struct rwk_group_facts {
	const struct rwk_task_group *group;
	size_t nr;
	/*
	 * By utid - 1: index, RWK_NONE or RWK_GROUP_UNKNOWN.  Tasks beyond are
	 * unknown; a child is in its parent's group.
	 */
	const int32_t *of;
	size_t nr_of;
	bool by_load; /* false: loads of groups are estimates, whose source is RWK_UNKNOWN */
};

/* One group on one CPU. */
struct rwk_group_queue {
	struct rwk_group_queue *parent; /* the queue around it; NULL: the root queue */
	struct rwk_group_queue *next; /* another group's on the same CPU */
	int32_t group, cpu;
	struct rwk_pelt cfs;
	uint64_t load_weight; /* Σ weights queued in it: tasks and entities */
	int32_t nr; /* tasks queued in it and below */
	uint32_t removed_load, removed_util, removed_runnable; /* as rwk_cpu_state's */
	struct rwk_pelt entity; /* its load only */
	uint32_t weight; /* of the entity now */
	bool on_rq; /* the entity is queued: its weight counts around */
	uint32_t contrib; /* what of its load the group's sum has */
	rwk_ns contrib_ts; /* since when, RWK_NS_NONE */
};

struct rwk_group_cpu {
	struct rwk_group_queue *first;
	int32_t nr_on_rq; /* entities queued */
};

struct rwk_group_tree {
	const struct rwk_group_facts *facts;
	int64_t *load; /* [facts->nr]: sum of contributions */
	struct rwk_map by_place; /* group and CPU to index in queue */
	struct rwk_group_queue **queue;
	size_t nr, cap;
	struct rwk_group_cpu *cpu; /* [nr_cpus] */
	int nr_cpus;
	bool rate_limited; /* 6.7+: the sum is refreshed at most once per ms */
	bool keeps_weight; /* 6.12+: an empty queue's entity keeps its weight */
	bool failed; /* memory ran out: the run must end */
};

/* 0 or -ENOMEM. */
int rwk_group_tree_create(const struct rwk_group_facts *facts, struct rwk_version kernel,
	int nr_cpus, struct rwk_group_tree **ret);
void rwk_group_tree_destroy(struct rwk_group_tree *tree);

/*
 * The queue of group on cpu, made if there is none, with a clock like the root
 * queue's.  NULL for a task of no known group, or without memory (failed is set).
 */
struct rwk_group_queue *rwk_group_queue_get(struct rwk_model *m, int32_t group, int cpu);

/*
 * q and those around it, NULL allowed.  Advance: time passes up to now; the root
 * queue must have been advanced first.  The others change them at that time.
 */
void rwk_group_advance(const struct rwk_model *m, struct rwk_group_queue *q, rwk_ns now);
/* Who left is taken off; weights: the entities' weights follow their load. */
void rwk_group_refresh(struct rwk_model *m, struct rwk_group_queue *q, bool weights);
/* A task of that weight is queued; load_sum: what it brought from elsewhere. */
void rwk_group_enqueue(
	struct rwk_model *m, struct rwk_group_queue *q, uint32_t weight, uint64_t load_sum);
void rwk_group_dequeue(struct rwk_model *m, struct rwk_group_queue *q, uint32_t weight);

/* A task's averages join q (utilisation and runnable time those around it, too) … */
void rwk_group_attach(struct rwk_group_queue *q, const struct rwk_pelt *p, uint32_t weight);
/* … and leave it at its next refresh. */
void rwk_group_detach(struct rwk_group_queue *q, const struct rwk_pelt *p);

/* Nothing is queued on cpu, whose root queue was advanced to now. */
void rwk_group_empty(struct rwk_model *m, int cpu, rwk_ns now);
/* What is not queued on cpu decays up to now, which comes from outside. */
void rwk_group_decay(struct rwk_model *m, int cpu, rwk_ns now);

/* The part of q's load that counts in the root queue of cpu (h_load); q NULL: all of it. */
uint64_t rwk_group_h_load(const struct rwk_model *m, int cpu, const struct rwk_group_queue *q);

#endif
