#include "cli/task_processes.h"

#include "base/map.h"

int rwk_task_processes(
	const struct rwk_processes *processes, struct rwk_task_row *task, size_t nr_tasks)
{
	struct rwk_map came_back = {0};
	int err = 0;

	for (size_t i = 0; i < nr_tasks && !err; i++) {
		if (task[i].generation)
			err = rwk_map_set(&came_back, (uint64_t)task[i].tid, 1);
	}
	for (size_t i = 0; i < nr_tasks && !err; i++) {
		if (task[i].tid > 0 && !rwk_map_find(&came_back, (uint64_t)task[i].tid))
			task[i].tgid = rwk_processes_find(processes, task[i].tid);
	}
	rwk_map_finish(&came_back);
	return err;
}
