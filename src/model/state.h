/*
 * The state of the machine rebuilt from events: who runs where, who is queued,
 * which wakeups are on their way, and the values that a placement decision
 * reads.  Only apply.c and the files it dispatches to write it.
 */
#ifndef SRC_MODEL_STATE_H
#define SRC_MODEL_STATE_H

#include <rewake/machine.h>
#include <rewake/wakeup.h>

#include "base/diag.h"
#include "event/anomaly.h"
#include "event/event.h"
#include "model/tasks.h"

struct rwk_cpu_state {
	int32_t curr; /* utid, RWK_NONE unknown */
	bool assumed_idle; /* curr is still unknown, but the CPU's first event will be the idle
			      task's */
	bool observed; /* some event came from it */
	bool nr_known; /* nr is certain since the CPU was last seen idle */
	uint32_t queue_id; /* grows when the queue is known to be empty */
	int32_t nr; /* queued tasks, the running one included */
	int32_t nr_sched_idle; /* of them of policy SCHED_IDLE */
	/* As the kernel itself counted (rewake:nr), RWK_NONE: not told since the last loss. */
	int32_t nr_told;
	int32_t nr_told_delayed; /* of these, who are not known to run or wait */
	int32_t nr_pending; /* remote wakeups on their way */
	rwk_ns idle_ts; /* since when the idle task runs, RWK_NS_NONE */

	/* avg_idle of design §3.2. */
	rwk_ns avg_idle_ns;
	bool avg_idle_open; /* idle and nothing enqueued yet */
	uint8_t avg_idle_source;

	struct rwk_eevdf_queue eevdf;
	struct rwk_pelt cfs;
	uint64_t load_weight; /* Σ weights queued in the root queue: tasks and groups */
	int32_t nr_fair; /* tasks that these weights are of */
	struct rwk_task *queue; /* first of its queued tasks (queues.h) */
	uint32_t removed_load, removed_util,
		removed_runnable; /* of tasks woken elsewhere since the last update */
	uint32_t util_est; /* Σ est_queued of the queued tasks */
	rwk_ns load_from; /* since when the load is followed */
	int32_t nr_stray; /* queued tasks of which nobody knows what they add (rwk_load_is_stray) */
	rwk_ns stray_ts; /* when such a task was queued there last, RWK_NS_NONE */
};

/* Room for the view of one queue. */
struct rwk_queued_list {
	struct rwk_queued_view *of;
	size_t cap;
};

struct rwk_model_options {
	const struct rwk_machine *machine;
	bool hidden; /* keep up placement state too (a replay), not only who runs where */
	/* By utid - 1, borrowed: tasks known to be SCHED_IDLE.  NULL: none; children inherit it. */
	const bool *sched_idle;
	size_t nr_sched_idle;
	const struct rwk_group_facts *groups; /* borrowed; NULL: all tasks are in the root group */
};

struct rwk_model {
	const struct rwk_machine *machine;
	bool hidden;
	bool delays; /* the kernel delays dequeues (6.12+, feature DELAY_DEQUEUE) */
	rwk_ns slice_ns, tick_ns;
	int nr_cpus;
	struct rwk_tasks tasks;
	struct rwk_cpu_state *cpu; /* [nr_cpus] */
	/* [machine->nr_llc]: the rebuilt hints; room for one per CPU, as machine may change */
	struct rwk_llc_view *llc;
	struct rwk_cpu_view *view; /* [nr_cpus]: as a policy reads it; only a replay keeps it up */
	struct rwk_cpuset free_cpus, unknown_cpus; /* what view says, as sets */
	struct rwk_cpuset delayed_cpus; /* with delayed tasks, now or when last published */
	struct rwk_group_tree *groups; /* NULL: there are none, or they do not matter */
	uint32_t loss; /* gaps met so far */
	rwk_ns now;
	struct rwk_queued_list queued[2]; /* views handed out last */
	rwk_ns *scan_ts; /* [nr_llc]: when nr_idle_scan was last recomputed */
	rwk_ns last_tick; /* jiffy up to which load is current */
	rwk_ns last_idle_decay; /* jiffy of the last decay of idle CPUs' load */
	struct rwk_anomalies anomalies;
};

int rwk_model_create(
	const struct rwk_model_options *opt, struct rwk_diag *diag, struct rwk_model **ret);
void rwk_model_destroy(struct rwk_model *m);

/*
 * CPUs came or went: machine, with as many CPU ids, is what holds from m->now on.  rebuilt:
 * its cache domains are new, and what the kernel keeps in them begins anew.
 */
void rwk_model_set_machine(struct rwk_model *m, const struct rwk_machine *machine, bool rebuilt);

/* Applies one event.  0 or -ENOMEM; whatever is impossible is counted, never an error. */
int rwk_model_apply(struct rwk_model *m, const struct rwk_event *ev);

/* Time passes up to ts, the next event's, which is not to be applied yet. */
void rwk_model_advance(struct rwk_model *m, rwk_ns ts);

static inline bool rwk_model_cpu_ok(const struct rwk_model *m, int cpu)
{
	return cpu >= 0 && cpu < m->nr_cpus;
}

/* The state of a task is certain: it was seen since the last loss. */
static inline bool rwk_model_task_certain(const struct rwk_model *m, const struct rwk_task *t)
{
	return t->state != RWK_TASK_UNKNOWN && t->loss == m->loss;
}

/*
 * Somebody else is on ev->cpu than was known: nobody was, or the switch to the
 * task that common_pid names is missing (L9).
 */
static inline bool rwk_model_occupant_differs(const struct rwk_model *m, const struct rwk_event *ev)
{
	int32_t curr = m->cpu[ev->cpu].curr;

	return ev->tid >= 0 && (curr == RWK_NONE || rwk_tasks_at(&m->tasks, curr)->tid != ev->tid);
}

/*
 * Before the first event: cpu is idle until an event of its own comes, as its
 * first event will show.  Its source is RWK_INFERRED until then.
 */
void rwk_model_assume_idle(struct rwk_model *m, int cpu);

/* A remote wakeup is on its way to cpu, or arrived. */
void rwk_model_pending_add(struct rwk_model *m, int cpu);
void rwk_model_pending_del(struct rwk_model *m, int cpu);

/* ---- internal to the room ---- */

/* Whether the queue of cpu is one whose length the kernel tells. */
static inline bool rwk_model_nr_is_told(const struct rwk_model *m, int cpu)
{
	return m->cpu[cpu].nr_told != RWK_NONE;
}

/* [sidle(cpu)] of the tasks that are queued there. */
static inline bool rwk_model_only_sched_idle(const struct rwk_model *m, int cpu)
{
	return m->cpu[cpu].nr > 0 && m->cpu[cpu].nr_sched_idle == m->cpu[cpu].nr;
}

/* Who is queued on cpu.  Until it was seen idle, somebody may be who was not seen yet. */
static inline uint8_t rwk_model_queue_source(const struct rwk_model *m, int cpu)
{
	if (m->view[cpu].source == RWK_UNKNOWN)
		return RWK_UNKNOWN;
	return m->cpu[cpu].nr_known ? RWK_REBUILT : RWK_INFERRED;
}

/* Recomputes view[cpu] after a change of cpu[cpu], if anybody is to read it. */
void rwk_model_cpu_refresh(struct rwk_model *m, int cpu);
void rwk_model_enqueue(struct rwk_model *m, struct rwk_task *t, int cpu);
void rwk_model_dequeue(struct rwk_model *m, struct rwk_task *t);

#endif
