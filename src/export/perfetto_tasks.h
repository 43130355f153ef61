/* Threads as a Perfetto trace names them. */
#ifndef SRC_EXPORT_PERFETTO_TASKS_H
#define SRC_EXPORT_PERFETTO_TASKS_H

#include <rewake/types.h>

#include "export/perfetto_out.h"
#include "store/store.h"

/*
 * Who is on a CPU while nobody knows who is: a thread of its own per CPU, above
 * every thread id that Linux gives.
 */
#define RWK_PF_NOBODY_TID 0x40000000

/* An unknown priority; a deadline task's is -1. */
#define RWK_PF_NO_PRIO INT64_MIN

struct rwk_pf_task {
	int32_t tid; /* 0 idle tasks */
	char *name; /* as a text for terminals; "" unknown */
	bool again; /* the thread id was another task's before */
	bool seen; /* rwk_pf_task_meet() was here */
};

struct rwk_pf_tasks {
	struct rwk_pf_task *task;
	size_t nr, cap;
	struct rwk_map index; /* utid → place */
	struct rwk_pf_task nobody; /* of the CPU last asked for */
};

int rwk_pf_tasks_load(
	struct rwk_pf_tasks *t, struct rwk_store *store, int64_t run_id, struct rwk_diag *diag);
void rwk_pf_tasks_finish(struct rwk_pf_tasks *t);

/* The task; whoever is on cpu if utid is none of the run.  Valid until the next call. */
const struct rwk_pf_task *rwk_pf_task_of(struct rwk_pf_tasks *t, int64_t utid, int32_t cpu);
/* Before the task's first event, at ts on cpu: ends the one that had its thread id before. */
int rwk_pf_task_meet(
	struct rwk_pf_tasks *t, struct rwk_pf_out *o, int64_t utid, int32_t cpu, rwk_ns ts);

#endif
