#include "cli/appeared.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "machine/changes.h"

static int tid_cmp(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

/* Thread ids that a second task of the trace has got, sorted. */
static int reused_tids(
	const struct rwk_task_row *task, size_t nr_tasks, int32_t **ret, size_t *ret_nr)
{
	int32_t *tid = calloc(nr_tasks + 1, sizeof(*tid));
	size_t nr = 0;

	if (!tid)
		return -ENOMEM;
	for (size_t i = 0; i < nr_tasks; i++) {
		if (task[i].generation == 1)
			tid[nr++] = task[i].tid;
	}
	qsort(tid, nr, sizeof(*tid), tid_cmp);
	*ret = tid;
	*ret_nr = nr;
	return 0;
}

int rwk_appeared_forget(const struct rwk_snapshot *snap, struct rwk_task_row *task, size_t nr_tasks)
{
	int32_t *reused = NULL, *appeared = NULL;
	size_t nr_reused = 0, nr_appeared = 0;
	int err = rwk_changes_appeared(snap, &appeared, &nr_appeared);

	if (!err && nr_appeared)
		err = reused_tids(task, nr_tasks, &reused, &nr_reused);
	for (size_t i = 0; !err && nr_reused && i < nr_tasks; i++) {
		const int32_t *tid = &task[i].tid;

		if (task[i].generation || !*tid ||
			!bsearch(tid, reused, nr_reused, sizeof(*tid), tid_cmp) ||
			!bsearch(tid, appeared, nr_appeared, sizeof(*tid), tid_cmp))
			continue;
		task[i].allowed_known = false;
		task[i].policy = RWK_NONE;
		task[i].cgroup = NULL;
	}
	free(reused);
	free(appeared);
	return err;
}
