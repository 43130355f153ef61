/* Task groups of a run. */
#include "cli/task_groups.h"

#include <errno.h>
#include <stdlib.h>

/* Only the first task that had an id can be the one that the snapshot met. */
static int32_t group_of(const struct rwk_groups *groups, const struct rwk_task_row *task)
{
	if (task->idle_cpu != RWK_NONE)
		return RWK_NONE;
	if (task->generation)
		return RWK_GROUP_UNKNOWN;
	return rwk_groups_of(groups, task->tid, task->cgroup);
}

int rwk_task_groups_open(const struct rwk_snapshot *snap, struct rwk_version kernel,
	struct rwk_diag *diag, struct rwk_task_groups *ret)
{
	int err;

	*ret = (struct rwk_task_groups){0};
	err = rwk_groups_build(snap, kernel, NULL, &ret->groups);
	if (err)
		return rwk_diag_push(diag, err, "cannot read task groups: out of memory");
	ret->facts.group = rwk_groups_all(ret->groups, &ret->facts.nr);
	ret->facts.by_load = rwk_groups_by_load(ret->groups);
	return 0;
}

int rwk_task_groups_find(struct rwk_task_groups *groups, const struct rwk_task_row *task,
	size_t nr_task, struct rwk_diag *diag)
{
	if (!groups->facts.nr)
		return 0;
	groups->of = calloc(nr_task + 1, sizeof(*groups->of));
	if (!groups->of)
		return rwk_diag_push(diag, -ENOMEM, "cannot read task groups: out of memory");
	for (size_t i = 0; i < nr_task; i++)
		groups->of[i] = group_of(groups->groups, &task[i]);
	groups->facts.of = groups->of;
	groups->facts.nr_of = nr_task;
	return 0;
}

void rwk_task_groups_finish(struct rwk_task_groups *groups)
{
	rwk_groups_destroy(groups->groups);
	free(groups->of);
	*groups = (struct rwk_task_groups){0};
}

const struct rwk_group_facts *rwk_task_groups_facts(const struct rwk_task_groups *groups)
{
	return groups->facts.nr ? &groups->facts : NULL;
}
