/* Identity of tasks. */
#include "model/tasks.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

int rwk_tasks_init(struct rwk_tasks *tasks, int nr_cpus)
{
	*tasks = (struct rwk_tasks){.nr_cpus = nr_cpus};
	tasks->idle = calloc((size_t)nr_cpus + 1, sizeof(*tasks->idle));
	return tasks->idle ? 0 : -ENOMEM;
}

void rwk_tasks_finish(struct rwk_tasks *tasks)
{
	for (size_t i = 0; i < tasks->nr; i++) {
		free(tasks->of[i]->habit.mix);
		free(tasks->of[i]);
	}
	free(tasks->of);
	free(tasks->idle);
	rwk_map_finish(&tasks->by_tid);
	*tasks = (struct rwk_tasks){0};
}

/*
 * Kernel threads that live on one CPU by construction (design §1.3, rule 3).
 * An unbound worker ("kworker/u8:1") may run anywhere.
 */
static bool name_says_pcpu(const char *comm)
{
	static const char *const prefixes[] = {"kworker/", "migration/", "ksoftirqd/", "cpuhp/",
		"rcuc/", "idle_inject/", "irq_work/"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t n = strlen(prefixes[i]);

		if (!strncmp(comm, prefixes[i], n))
			return isdigit((unsigned char)comm[n]);
	}
	return false;
}

/* trace-cmd and the kernel write this where a name was not saved (failure kind I4). */
static bool is_placeholder(const char *comm)
{
	return !comm[0] || !memcmp(comm, "<...>", 6);
}

static void set_comm(struct rwk_task *task, const char *comm)
{
	if (!comm || is_placeholder(comm) || !memcmp(task->comm, comm, RWK_COMM_LEN))
		return;
	char text[RWK_COMM_LEN + 1] = {0};

	memcpy(task->comm, comm, RWK_COMM_LEN);
	memcpy(text, comm, RWK_COMM_LEN);
	task->comm_known = true;
	task->is_pcpu_kthread = task->idle_cpu != RWK_NONE || name_says_pcpu(text);
}

static int32_t group_of(const struct rwk_tasks *tasks, size_t index)
{
	if (!tasks->groups)
		return RWK_NONE;
	return index < tasks->groups->nr_of ? tasks->groups->of[index] : RWK_GROUP_UNKNOWN;
}

static void set_group(const struct rwk_tasks *tasks, struct rwk_task *task, int32_t group)
{
	task->group = group;
	task->in_idle_group = false;
	for (; group >= 0; group = tasks->groups->group[group].parent)
		task->in_idle_group |= tasks->groups->group[group].idle;
}

static int task_add(struct rwk_tasks *tasks, int32_t tid, const char *comm, struct rwk_task **ret)
{
	struct rwk_task *task;
	int err = rwk_vec_grow(&tasks->of, &tasks->cap, tasks->nr + 1, sizeof(*tasks->of));

	if (err)
		return err;
	task = calloc(1, sizeof(*task));
	if (!task)
		return -ENOMEM;
	task->utid = (int32_t)tasks->nr + 1;
	task->tid = tid;
	task->idle_cpu = RWK_NONE;
	task->prio = RWK_PRIO_UNKNOWN;
	task->cpu = RWK_NONE;
	task->queue_cpu = RWK_NONE;
	task->sleep_ts = RWK_NS_NONE;
	task->flip_decay_ts = RWK_NS_NONE;
	task->last_wakee = RWK_NONE;
	task->recent_cpu = RWK_NONE;
	task->habit.run_from = RWK_NS_NONE;
	task->habit.woke_at = RWK_NS_NONE;
	task->load_from = RWK_NS_NONE;
	task->pelt.attached = RWK_NONE;
	task->pelt.avg.last = RWK_NS_NONE;
	task->is_sched_idle = tasks->nr < tasks->nr_sched_idle && tasks->sched_idle[tasks->nr];
	set_group(tasks, task, group_of(tasks, tasks->nr));
	set_comm(task, comm);
	tasks->of[tasks->nr++] = task;
	*ret = task;
	return 0;
}

static int idle_get(struct rwk_tasks *tasks, int cpu, struct rwk_task **ret)
{
	int err;

	if (cpu < 0 || cpu >= tasks->nr_cpus)
		return -ERANGE;
	if (tasks->idle[cpu]) {
		*ret = rwk_tasks_at(tasks, tasks->idle[cpu]);
		return 0;
	}
	err = task_add(tasks, 0, NULL, ret);
	if (err)
		return err;
	(*ret)->idle_cpu = cpu;
	set_group(tasks, *ret, RWK_NONE);
	(*ret)->cpu = cpu;
	(*ret)->is_pcpu_kthread = true;
	memcpy((*ret)->comm, "swapper\0\0\0\0\0\0\0\0", RWK_COMM_LEN);
	(*ret)->comm_known = true;
	tasks->idle[cpu] = (*ret)->utid;
	return 0;
}

struct rwk_task *rwk_tasks_find(const struct rwk_tasks *tasks, int32_t tid, int cpu)
{
	struct rwk_task *task = tasks->recent[(uint32_t)tid % RWK_TASKS_RECENT];
	int32_t *utid;

	if (tid == 0)
		return cpu >= 0 && cpu < tasks->nr_cpus && tasks->idle[cpu]
			       ? rwk_tasks_at(tasks, tasks->idle[cpu])
			       : NULL;
	if (!task || task->tid != tid) {
		utid = rwk_map_find(&tasks->by_tid, (uint32_t)tid);
		if (!utid)
			return NULL;
		task = rwk_tasks_at(tasks, *utid);
	}
	return task->state == RWK_TASK_DEAD ? NULL : task;
}

static int next_generation(
	struct rwk_tasks *tasks, int32_t tid, const char *comm, struct rwk_task **ret)
{
	int32_t *utid = rwk_map_find(&tasks->by_tid, (uint32_t)tid);
	int32_t generation = utid ? rwk_tasks_at(tasks, *utid)->generation + 1 : 0;
	int err = task_add(tasks, tid, comm, ret);

	if (err)
		return err;
	(*ret)->generation = generation;
	if (generation)
		tasks->nr_reused++;
	tasks->recent[(uint32_t)tid % RWK_TASKS_RECENT] = *ret;
	return rwk_map_set(&tasks->by_tid, (uint32_t)tid, (*ret)->utid);
}

int rwk_tasks_get(
	struct rwk_tasks *tasks, int32_t tid, int cpu, const char *comm, struct rwk_task **ret)
{
	struct rwk_task *task;

	if (tid == 0)
		return idle_get(tasks, cpu, ret);
	task = rwk_tasks_find(tasks, tid, cpu);
	if (!task)
		return next_generation(tasks, tid, comm, ret);
	tasks->recent[(uint32_t)tid % RWK_TASKS_RECENT] = task;
	set_comm(task, comm);
	*ret = task;
	return 0;
}

int rwk_tasks_birth(struct rwk_tasks *tasks, int32_t tid, const char *comm, struct rwk_task **ret)
{
	return next_generation(tasks, tid, comm, ret);
}

void rwk_tasks_inherit(
	const struct rwk_tasks *tasks, struct rwk_task *child, const struct rwk_task *parent)
{
	child->is_sched_idle |= parent->is_sched_idle;
	/* What is known of the child's id may be of another task that had it. */
	if (parent->idle_cpu == RWK_NONE && parent->group != RWK_GROUP_UNKNOWN)
		set_group(tasks, child, parent->group);
}
