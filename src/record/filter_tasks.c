/* Which tasks there are: of processes with their descendants, or of a control group. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/parse.h"
#include "record/filter.h"

#define CGROUP_ROOT "/sys/fs/cgroup"
#define MAX_DEPTH   32 /* of groups within groups */

struct process {
	int pid, parent;
	bool wanted;
};

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

static bool mark(struct process *list, size_t nr, int pid)
{
	for (size_t i = 0; i < nr; i++) {
		if (list[i].pid == pid)
			return list[i].wanted = true;
	}
	return false;
}

/* Marks what descends from those that are marked. */
static void mark_families(struct process *list, size_t nr)
{
	bool more = true;

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

int rwk_filter_find_tasks(
	const char *proc, const int *pid, int nr_pids, int **ret, size_t *ret_nr, int *ret_none)
{
	struct process *list = NULL;
	size_t nr_list = 0, nr = 0;
	int *ids = malloc(RWK_FILTER_TASKS * sizeof(*ids));
	int err = ids ? list_processes(proc, &list, &nr_list) : -ENOMEM;

	for (int i = 0; i < nr_pids && !err; i++) {
		if (mark(list, nr_list, pid[i]))
			continue;
		*ret_none = pid[i];
		err = -ESRCH;
	}
	if (!err)
		mark_families(list, nr_list);
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

/* Of version 2 and 1; a group may have either process ids or thread ids only. */
static FILE *open_tasks(const char *group)
{
	static const char *const names[] = {"cgroup.threads", "tasks"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[PATH_MAX];
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", group, names[i]);
		f = fopen(path, "re");
		if (f)
			return f;
	}
	return NULL;
}

static int add_group(const char *group, int depth, int *ids, size_t *nr)
{
	FILE *f = open_tasks(group);
	const struct dirent *de;
	int id, err = 0;
	DIR *dir;

	/* One that went meanwhile has nobody any more. */
	if (!f)
		return depth ? 0 : -errno;
	while (!err && fscanf(f, "%d", &id) == 1) {
		if (*nr == RWK_FILTER_TASKS)
			err = -E2BIG;
		else if (id > 0) /* 0: of another PID namespace */
			ids[(*nr)++] = id;
	}
	fclose(f);
	dir = err || depth == MAX_DEPTH ? NULL : opendir(group);
	while (dir && !err && (de = readdir(dir))) {
		char path[PATH_MAX];

		if (de->d_type != DT_DIR || de->d_name[0] == '.' ||
			snprintf(path, sizeof(path), "%s/%s", group, de->d_name) >= PATH_MAX)
			continue;
		err = add_group(path, depth + 1, ids, nr);
	}
	if (dir)
		closedir(dir);
	return err;
}

int rwk_filter_find_group(const char *name, char **ret)
{
	static const char *const roots[] = {"", CGROUP_ROOT "/", CGROUP_ROOT "/unified/",
		CGROUP_ROOT "/cpu/", CGROUP_ROOT "/systemd/"};

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		char *path;
		FILE *f;

		if (asprintf(&path, "%s%s", roots[i], name) < 0)
			return -ENOMEM;
		f = open_tasks(path);
		if (f) {
			fclose(f);
			*ret = path;
			return 0;
		}
		free(path);
	}
	return -ENOENT;
}

int rwk_filter_find_group_tasks(const char *group, int **ret, size_t *ret_nr)
{
	int *ids = malloc(RWK_FILTER_TASKS * sizeof(*ids));
	size_t nr = 0;
	int err = ids ? add_group(group, 0, ids, &nr) : -ENOMEM;

	if (!err && !nr)
		err = -ESRCH;
	if (err) {
		free(ids);
		return err;
	}
	qsort(ids, nr, sizeof(*ids), compare_ids);
	*ret = ids;
	*ret_nr = nr;
	return 0;
}
