/*
 * What is known of each thread when the snapshot is taken: affinity, policy,
 * priority, name and groups, from four files of proc per thread.
 */
#include "machine/groups.h"
#include "machine/take.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>

#include "base/parse.h"

#define MAX_STATUS     (64 << 10)
#define MAX_AUTOGROUPS (1 << 16) /* of more threads than that the group stays unknown */

/*
 * "TID (name) S ppid … priority …": the name may hold anything, so that the
 * last parenthesis counts.  Fields are numbered as in proc(5).
 */
static bool parse_stat(char *stat, struct rwk_snapshot_task *task)
{
	char *begin = strchr(stat, '('), *end = strrchr(stat, ')');
	char *save = NULL, *field;
	int nr = 3;

	if (!begin || !end || end < begin)
		return false;
	*end = '\0';
	task->comm = begin + 1;
	for (field = strtok_r(end + 1, " \n", &save); field;
		field = strtok_r(NULL, " \n", &save), nr++) {
		int64_t v;

		/* Field 18 counts from the first non-realtime priority, which is 100; -101 is
		 * deadline. */
		if (nr == 18 && !rwk_parse_i64(field, -101, 39, &v))
			task->prio = (int32_t)v + 100;
		else if (nr == 22 && !rwk_parse_i64(field, 0, INT64_MAX, &v))
			task->started = v;
		else if (nr == 41 && !rwk_parse_i64(field, 0, 255, &v))
			task->policy = (int32_t)v;
	}
	return true;
}

static void parse_status(char *status, struct rwk_snapshot_task *task)
{
	char *line = strstr(status, "\nCpus_allowed_list:");

	if (!line)
		return;
	line += strlen("\nCpus_allowed_list:");
	line += strspn(line, " \t");
	line[strcspn(line, "\n")] = '\0';
	task->allowed_known = !rwk_parse_cpulist(line, &task->allowed);
}

/* The group that the cpu controller uses: its own hierarchy (v1), else the unified one. */
static char *parse_cgroup(char *text, bool *ret_v1)
{
	char *save = NULL, *unified = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *controllers = strchr(line, ':'), *path;

		if (!controllers)
			continue;
		path = strchr(++controllers, ':');
		if (!path)
			continue;
		*path++ = '\0';
		if (!*controllers)
			unified = path;
		for (char *name = controllers; *name; name += name[0] == ',') {
			size_t len = strcspn(name, ",");

			if (len == 3 && !memcmp(name, "cpu", 3)) {
				*ret_v1 = true;
				return path;
			}
			name += len;
		}
	}
	return unified;
}

struct threads {
	const struct rwk_tree *tree;
	struct rwk_snapshot *snap;
	bool v1;
	bool autogroups; /* they are in use */
	size_t nr_autogroups; /* noted so far */
	int64_t pid; /* whose autogroup was read last */
	char *autogroup; /* NULL: it has none */
};

/*
 * A process's autogroup is noted for each of its threads, under the thread's
 * own id, where the kernel shows it too.
 */
static int take_autogroup(struct threads *t, int64_t pid, int32_t tid)
{
	char path[64];

	if (!t->autogroups || t->nr_autogroups == MAX_AUTOGROUPS)
		return 0;
	if (pid != t->pid) {
		int err;

		free(t->autogroup);
		t->autogroup = NULL;
		t->pid = pid;
		snprintf(path, sizeof(path), "proc/%lld/autogroup", (long long)pid);
		err = rwk_tree_read(t->tree, t->tree->fd, path, MAX_STATUS, &t->autogroup);
		if (err == -ENOMEM)
			return err;
	}
	t->nr_autogroups++;
	snprintf(path, sizeof(path), "proc/%d/autogroup", tid);
	return rwk_snapshot_append_file(t->snap, path, t->autogroup);
}

static int take_thread(struct threads *t, int dir_fd, int64_t pid, int32_t tid)
{
	const struct rwk_tree *tree = t->tree;
	struct rwk_snapshot_task task = {.tid = tid, .policy = RWK_NONE, .prio = RWK_PRIO_UNKNOWN};
	char *stat = NULL, *status = NULL, *cgroup = NULL;
	int err = rwk_tree_read(tree, dir_fd, "stat", MAX_STATUS, &stat);

	if (!err && !parse_stat(stat, &task))
		err = -ENOENT;
	if (!err)
		err = rwk_tree_read(tree, dir_fd, "status", MAX_STATUS, &status);
	if (!err) {
		parse_status(status, &task);
		err = rwk_tree_read(tree, dir_fd, "cgroup", MAX_STATUS, &cgroup);
		if (!err)
			task.cgroup = parse_cgroup(cgroup, &t->v1);
		/* A kernel without control groups has no such file. */
		if (err != -ENOMEM && err != -ESRCH)
			err = 0;
	}
	if (!err) {
		err = rwk_snapshot_append_task(t->snap, &task);
		if (!err)
			err = take_autogroup(t, pid, tid);
	} else if (err != -ENOMEM) {
		err = 0; /* it ended meanwhile */
	}
	free(stat);
	free(status);
	free(cgroup);
	return err;
}

/* path is proc/PID/task/TID/stat, dir_fd the thread's directory. */
static int found_stat(const char *path, int dir_fd, const char *name, void *data)
{
	struct threads *t = data;
	int64_t pid, tid;
	char text[2][16];

	(void)name;
	if (sscanf(path, "proc/%15[0-9]/task/%15[0-9]/stat", text[0], text[1]) != 2 ||
		rwk_parse_i64(text[0], 1, INT32_MAX, &pid) ||
		rwk_parse_i64(text[1], 1, INT32_MAX, &tid))
		return 0;
	return take_thread(t, dir_fd, pid, (int32_t)tid);
}

static int find_autogroups(const struct rwk_tree *tree, bool *ret)
{
	char *text;
	int err = rwk_tree_read(tree, tree->fd, RWK_AUTOGROUP_ENABLED, MAX_STATUS, &text);

	*ret = !err && text[0] == '1';
	if (!err)
		free(text);
	return err == -ENOMEM ? err : 0;
}

int rwk_take_threads(const struct rwk_tree *tree, struct rwk_snapshot *snap, bool *ret_v1)
{
	struct threads t = {.tree = tree, .snap = snap};
	int err = find_autogroups(tree, &t.autogroups);

	if (!err)
		err = rwk_tree_glob(tree, "proc/[1-9]*/task/[1-9]*/stat", found_stat, &t);
	free(t.autogroup);
	*ret_v1 = t.v1;
	return err;
}
