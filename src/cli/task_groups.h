/* The groups of a run's tasks, from the machine's files and the tasks' rows to what a replay takes.
 */
#ifndef SRC_CLI_TASK_GROUPS_H
#define SRC_CLI_TASK_GROUPS_H

#include "base/diag.h"
#include "machine/groups.h"
#include "model/groups.h"
#include "timeline/rows.h"

struct rwk_task_groups {
	struct rwk_group_facts facts;
	struct rwk_groups *groups;
	int32_t *of;
};

/*
 * The groups of a machine with that kernel; snap may be NULL.  0 or -ENOMEM; ret is to be
 * finished in either case.
 */
int rwk_task_groups_open(const struct rwk_snapshot *snap, struct rwk_version kernel,
	struct rwk_diag *diag, struct rwk_task_groups *ret);
/* Finds the group of each task, by utid - 1.  0 or -ENOMEM. */
int rwk_task_groups_find(struct rwk_task_groups *groups, const struct rwk_task_row *task,
	size_t nr_task, struct rwk_diag *diag);
void rwk_task_groups_finish(struct rwk_task_groups *groups);

/* For the replay: NULL if the run has no groups. */
const struct rwk_group_facts *rwk_task_groups_facts(const struct rwk_task_groups *groups);

#endif
