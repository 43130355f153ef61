/* Masks and lists of ids. */
#include "record/filter.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

#define MAX_ROUNDS 8 /* until no child has come while we looked */

struct process {
	int pid, parent;
	bool wanted;
};

void rwk_filter_describe(const struct rwk_record_filter *filter, char buf[RWK_FILTER_NOTE])
{
	char cpus[128], list[160] = "", pid[64] = "";

	buf[0] = '\0';
	if (!filter->by_cpu && !filter->pid)
		return;
	if (filter->by_cpu) {
		rwk_format_cpulist(&filter->cpus, cpus, sizeof(cpus));
		snprintf(list, sizeof(list), "cpus: %s\n", cpus);
	}
	if (filter->pid)
		snprintf(pid, sizeof(pid), "pid: %d\n", filter->pid);
	snprintf(buf, RWK_FILTER_NOTE, "%s%sunknown: %s%s%s\n", list, pid,
		filter->by_cpu ? "what other CPUs ran and whether they were idle, and wakeups made "
				 "there"
			       : "",
		filter->by_cpu && filter->pid ? "; " : "",
		filter->pid ? "what CPUs ran between tasks of the process and whether they were "
			      "idle, and wakeups among other tasks"
			    : "");
}

void rwk_filter_format_mask(const struct rwk_cpuset *cpus, char buf[RWK_FILTER_MASK])
{
	size_t len = 0;
	bool begun = false;

	buf[0] = '\0';
	for (int word = RWK_MAX_CPUS / 32 - 1; word >= 0; word--) {
		unsigned int bits = 0;

		for (int i = 0; i < 32; i++)
			bits |= (unsigned int)rwk_cpuset_has(cpus, word * 32 + i) << i;
		if (!bits && !begun && word)
			continue;
		len += (size_t)snprintf(
			buf + len, RWK_FILTER_MASK - len, begun ? ",%08x" : "%x", bits);
		begun = true;
	}
}

/* The parent in the text of a stat file, whose second field may hold anything; -1: none. */
static int parse_parent(const char *stat)
{
	const char *p = strrchr(stat, ')');
	int parent;

	return p && sscanf(p + 1, " %*c %d", &parent) == 1 ? parent : -1;
}

static int read_id(const char *name)
{
	int64_t id;

	return rwk_parse_i64(name, 1, INT_MAX, &id) ? 0 : (int)id;
}

static int read_parent(const char *proc, int pid)
{
	char path[4096], text[1024];
	size_t len = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%d/stat", proc, pid);
	f = fopen(path, "re");
	if (f) {
		len = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	text[len] = '\0';
	return parse_parent(text);
}

static int list_processes(const char *proc, struct process **ret, size_t *ret_nr)
{
	DIR *dir = opendir(proc);
	struct process *list = NULL;
	size_t nr = 0, cap = 0;
	const struct dirent *de;

	if (!dir)
		return -errno;
	while ((de = readdir(dir))) {
		int pid = read_id(de->d_name);

		if (!pid)
			continue;
		if (nr == cap) {
			size_t more = cap ? 2 * cap : 256;
			struct process *grown = realloc(list, more * sizeof(*list));

			if (!grown) {
				free(list);
				closedir(dir);
				return -ENOMEM;
			}
			list = grown;
			cap = more;
		}
		list[nr++] = (struct process){pid, read_parent(proc, pid), false};
	}
	closedir(dir);
	*ret = list;
	*ret_nr = nr;
	return 0;
}

/* Marks pid and what descends from it; false when it is not there. */
static bool mark_family(struct process *list, size_t nr, int pid)
{
	bool found = false, more = true;

	for (size_t i = 0; i < nr; i++) {
		if (list[i].pid == pid)
			list[i].wanted = found = true;
	}
	/* A generation with each pass. */
	while (more) {
		more = false;
		for (size_t i = 0; i < nr; i++) {
			if (list[i].wanted)
				continue;
			for (size_t k = 0; k < nr && !list[i].wanted; k++)
				list[i].wanted = list[k].wanted && list[k].pid == list[i].parent;
			more |= list[i].wanted;
		}
	}
	return found;
}

static int add_threads(const char *proc, int pid, int *ids, size_t *nr)
{
	char path[4096];
	const struct dirent *de;
	DIR *dir;
	int err = 0;

	snprintf(path, sizeof(path), "%s/%d/task", proc, pid);
	dir = opendir(path);
	/* It has ended meanwhile. */
	if (!dir)
		return 0;
	while (!err && (de = readdir(dir))) {
		int id = read_id(de->d_name);

		if (!id)
			continue;
		if (*nr == RWK_FILTER_TASKS)
			err = -E2BIG;
		else
			ids[(*nr)++] = id;
	}
	closedir(dir);
	return err;
}

static int compare_ids(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

int rwk_filter_find_tasks(const char *proc, int pid, int **ret, size_t *ret_nr)
{
	struct process *list = NULL;
	size_t nr_list = 0, nr = 0;
	int *ids = malloc(RWK_FILTER_TASKS * sizeof(*ids));
	int err = ids ? list_processes(proc, &list, &nr_list) : -ENOMEM;

	if (!err && !mark_family(list, nr_list, pid))
		err = -ESRCH;
	for (size_t i = 0; i < nr_list && !err; i++) {
		if (list[i].wanted)
			err = add_threads(proc, list[i].pid, ids, &nr);
	}
	if (!err && !nr)
		err = -ESRCH;
	free(list);
	if (err) {
		free(ids);
		return err;
	}
	qsort(ids, nr, sizeof(*ids), compare_ids);
	*ret = ids;
	*ret_nr = nr;
	return 0;
}

static int no_tasks(int pid, int err, struct rwk_diag *diag)
{
	return rwk_diag_push(diag, err, "cannot record process %d: why=%s", pid,
		err == -ESRCH ? "there is none" : strerror(-err));
}

int rwk_filter_check_pid(int pid, struct rwk_diag *diag)
{
	size_t nr;
	int *ids;
	int err = rwk_filter_find_tasks("/proc", pid, &ids, &nr);

	if (err)
		return no_tasks(pid, err, diag);
	free(ids);
	return 0;
}

/* Children that come while the list is made are found by the kernel or by the next round. */
static int set_tasks(int pid, struct rwk_instance *inst, struct rwk_diag *diag)
{
	size_t before = 0;

	for (int round = 0; round < MAX_ROUNDS; round++) {
		size_t nr = 0;
		int *ids;
		int err = rwk_filter_find_tasks("/proc", pid, &ids, &nr);

		if (err)
			return no_tasks(pid, err, diag);
		for (size_t i = 0; i < nr && !err; i++) {
			char text[16];

			snprintf(text, sizeof(text), "%d", ids[i]);
			err = rwk_instance_append(inst, "set_event_pid", text, diag);
		}
		free(ids);
		if (err || nr == before)
			return err;
		before = nr;
	}
	return 0;
}

int rwk_filter_apply(
	const struct rwk_record_filter *filter, struct rwk_instance *inst, struct rwk_diag *diag)
{
	char mask[RWK_FILTER_MASK];
	int err = 0;

	if (filter->by_cpu) {
		rwk_filter_format_mask(&filter->cpus, mask);
		err = rwk_instance_set(inst, "tracing_cpumask", mask, diag);
	}
	if (err || !filter->pid)
		return err;
	if (!rwk_instance_has(inst, "set_event_pid") ||
		!rwk_instance_has(inst, "options/event-fork"))
		return rwk_diag_push(diag, -ENODATA,
			"this kernel cannot record a process with its children: "
			"missing=set_event_pid,options/event-fork");
	err = rwk_instance_set(inst, "options/event-fork", "1", diag);
	return err ? err : set_tasks(filter->pid, inst, diag);
}
