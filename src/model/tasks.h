/*
 * Identity of tasks: a thread id that comes back after its owner died, or is
 * born again, is another task (failure kind I1); each CPU's idle task is one
 * of its own (I6).
 */
#ifndef SRC_MODEL_TASKS_H
#define SRC_MODEL_TASKS_H

#include <stddef.h>

#include <rewake/types.h>
#include <rewake/wakeup.h>

#include "base/map.h"
#include "event/event.h"
#include "model/eevdf.h"
#include "model/groups.h"
#include "model/pelt.h"

enum rwk_task_state {
	RWK_TASK_UNKNOWN, /* never seen, or events were lost since */
	RWK_TASK_RUNNING,
	RWK_TASK_QUEUED,
	RWK_TASK_SLEEPING,
	RWK_TASK_WAKING, /* between sched_waking and sched_wakeup */
	RWK_TASK_DEAD,
};

/* What habits.c keeps up. */
struct rwk_habits {
	rwk_ns run_from; /* since when it runs; RWK_NS_NONE: it does not, or nobody knows */
	rwk_ns run_ns; /* CPU time since its last sleep */
	rwk_ns avg_run_ns; /* its EWMA (design §5.4, duration_avg) */
	rwk_ns woke_at; /* run_ns when it last woke somebody; RWK_NS_NONE: not since it slept */
	rwk_ns avg_overlap_ns; /* EWMA of run_ns from there to the sleep (design §2.11) */
	rwk_ns avg_hot_ns; /* EWMA of short sleeps (design §5.5, avg_hot_dur) */
	rwk_ns run_total_ns; /* CPU time of its life as far as it was seen */
	uint32_t nr_sleeps;
	uint8_t avg_run_source, avg_overlap_source;
	uint8_t life_source; /* of run_total_ns and nr_sleeps */
	struct rwk_wake_mix *mix; /* NULL until a policy wants it */
};

struct rwk_task {
	int32_t utid; /* from 1 */
	int32_t tid;
	int32_t generation;
	int32_t idle_cpu; /* RWK_NONE unless an idle task */
	char comm[RWK_COMM_LEN];
	bool comm_known;
	bool is_pcpu_kthread;
	int32_t prio; /* or RWK_PRIO_UNKNOWN */
	bool is_sched_idle; /* policy SCHED_IDLE, which no event shows */
	int32_t group; /* index, RWK_NONE: the root group, RWK_GROUP_UNKNOWN */
	bool in_idle_group; /* it or one around it has cpu.idle */

	enum rwk_task_state state;
	int32_t cpu; /* where it is or was last, RWK_NONE unknown */
	uint32_t loss; /* rwk_model.loss when the state was last certain */
	bool queued; /* counted in queue_cpu's nr, unless that was found empty since */
	int32_t queue_cpu;
	uint32_t queue_id; /* rwk_cpu_state.queue_id when it was queued */
	rwk_ns sleep_ts; /* last switch-out into a sleep, RWK_NS_NONE */

	/* Placement state (design §3.2); only a replay keeps it up. */
	uint32_t flips;
	uint8_t flips_source, last_wakee_source, recent_source;
	rwk_ns flip_decay_ts; /* RWK_NS_NONE: unknown */
	int32_t last_wakee; /* utid, RWK_NONE */
	int32_t recent_cpu;

	struct rwk_habits habit; /* only a replay keeps it up */
	struct rwk_task *queue_next, *queue_prev; /* in queue_cpu's list (queues.h) */

	struct rwk_pelt_task pelt;
	struct rwk_eevdf_task eevdf;
	rwk_ns load_from; /* since when its load is followed, RWK_NS_NONE */
};

#define RWK_TASKS_RECENT 256 /* power of two */

struct rwk_tasks {
	struct rwk_task **of; /* [utid - 1]; stable addresses */
	size_t nr, cap;
	struct rwk_map by_tid;
	/* Last owners of tids, [tid % RWK_TASKS_RECENT]: saves most look-ups in by_tid. */
	struct rwk_task *recent[RWK_TASKS_RECENT];
	int32_t *idle; /* utid of each CPU's idle task, [nr_cpus] */
	int nr_cpus;
	int64_t nr_reused;
	const bool
		*sched_idle; /* borrowed, [nr_sched_idle] by utid - 1; others are taken for not */
	size_t nr_sched_idle;
	const struct rwk_group_facts *groups; /* borrowed; NULL: every task is in the root group */
};

int rwk_tasks_init(struct rwk_tasks *tasks, int nr_cpus);
void rwk_tasks_finish(struct rwk_tasks *tasks);

/* The task with utid, which must be valid. */
static inline struct rwk_task *rwk_tasks_at(const struct rwk_tasks *tasks, int32_t utid)
{
	return tasks->of[utid - 1];
}

/*
 * The present owner of tid, made if there is none or if the last one died.
 * tid 0 is the idle task of cpu.  comm may be NULL; it updates the name.
 * 0, or -ENOMEM.
 */
int rwk_tasks_get(
	struct rwk_tasks *tasks, int32_t tid, int cpu, const char *comm, struct rwk_task **ret);
/* As get, but only a look: NULL if there is no living owner. */
struct rwk_task *rwk_tasks_find(const struct rwk_tasks *tasks, int32_t tid, int cpu);
/* tid starts its life now: a living owner is taken for dead. */
int rwk_tasks_birth(struct rwk_tasks *tasks, int32_t tid, const char *comm, struct rwk_task **ret);
/* What child, just born, has from its parent: policy and group. */
void rwk_tasks_inherit(
	const struct rwk_tasks *tasks, struct rwk_task *child, const struct rwk_task *parent);

/* Counts as SCHED_IDLE in its queue (design [sidle]). */
static inline bool rwk_task_counts_idle(const struct rwk_task *t)
{
	return t->is_sched_idle || t->in_idle_group;
}

#endif
