/*
 * What the group entries of a snapshot mean (groups.h).  A folder is looked up
 * by its path and has the group that its tasks are in: its own, or the next one
 * around it.
 */
#include "machine/groups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/vec.h"
#include "machine/snapshot.h"

#define NICE_0      1024
#define IDLE_SHARES 3 /* a group with cpu.idle weighs like a SCHED_IDLE task */
#define MIN_SHARES  2
#define MAX_SHARES  (1 << 18)
#define MAX_WEIGHT  10000 /* of cpu.weight; 100 is nice 0 */

struct folder {
	char *path; /* below the base, "/a/b" */
	int32_t group; /* index, RWK_NONE or RWK_GROUP_UNKNOWN */
};

struct session {
	int32_t tid, group;
};

struct rwk_groups {
	struct rwk_task_group *group;
	size_t nr, cap;
	struct folder *folder; /* by path */
	size_t nr_folders, cap_folders;
	struct session *session; /* by tid: autogroups */
	size_t nr_sessions, cap_sessions;
	bool in_sessions; /* tasks of the root group are in autogroups */
	bool sessions_unknown; /* or are they? */
	bool below_root; /* "/" is not the machine's root group: a namespace hides those around it
			  */
	bool by_load;
};

void rwk_groups_destroy(struct rwk_groups *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->nr_folders; i++)
		free(g->folder[i].path);
	free(g->folder);
	free(g->group);
	free(g->session);
	free(g);
}

static void count_bad(struct rwk_anomalies *anomalies)
{
	if (anomalies)
		rwk_anomaly_add(anomalies, RWK_AN_BAD_SIDECAR, RWK_NS_NONE, RWK_NONE, RWK_NONE);
}

static int group_add(struct rwk_groups *g, const struct rwk_task_group *group, int32_t *ret)
{
	int err = rwk_vec_grow(&g->group, &g->cap, g->nr + 1, sizeof(*g->group));

	if (err)
		return err;
	*ret = (int32_t)g->nr;
	g->group[g->nr++] = *group;
	return 0;
}

/* ---- control groups ---- */

/* Where the entries of the control groups are, and what the weights are called; false: nobody
 * looked. */
static bool find_base(
	const struct rwk_snapshot *snap, const char **ret_base, const char **ret_weight)
{
	static const struct {
		const char *base, *weight, *sign;
	} table[] = {
		{"sys/fs/cgroup/cpu", "cpu.shares", "cpu.shares"},
		{"sys/fs/cgroup/cpu,cpuacct", "cpu.shares", "cpu.shares"},
		{"sys/fs/cgroup/cpuacct,cpu", "cpu.shares", "cpu.shares"},
		{"sys/fs/cgroup", "cpu.weight", "cgroup.controllers"},
		{"sys/fs/cgroup/unified", "cpu.weight", "cgroup.controllers"},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char path[128];
		const char *content;

		snprintf(path, sizeof(path), "%s/%s", table[i].base, table[i].sign);
		if (!rwk_snapshot_has(snap, path, &content))
			continue;
		*ret_base = table[i].base;
		*ret_weight = table[i].weight;
		return true;
	}
	return false;
}

/* One number and a newline. */
static bool parse_number(const char *content, int64_t min, int64_t max, int64_t *ret)
{
	char text[32];
	size_t len = strcspn(content, "\n");

	if (len >= sizeof(text) || (content[len] && content[len + 1]))
		return false;
	memcpy(text, content, len);
	text[len] = '\0';
	return !rwk_parse_i64(text, min, max, ret);
}

static int folder_cmp(const void *a, const void *b)
{
	const struct folder *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static const struct folder *folder_find(const struct rwk_groups *g, const char *path)
{
	struct folder key = {.path = (char *)(uintptr_t)path};

	return g->nr_folders ? bsearch(&key, g->folder, g->nr_folders, sizeof(key), folder_cmp)
			     : NULL;
}

/* Each entry BASE/PATH/WEIGHT is a folder; BASE/WEIGHT itself is none. */
static int collect_folders(
	struct rwk_groups *g, const struct rwk_snapshot *snap, const char *base, const char *weight)
{
	size_t base_len = strlen(base), weight_len = strlen(weight);
	const char *path, *content;

	for (size_t i = 0; rwk_snapshot_file_at(snap, i, &path, &content); i++) {
		size_t len = strlen(path);
		char *copy;
		int err;

		if (len < base_len + weight_len + 3 || memcmp(path, base, base_len) ||
			path[base_len] != '/' || path[len - weight_len - 1] != '/' ||
			strcmp(path + len - weight_len, weight))
			continue;
		err = rwk_vec_grow(
			&g->folder, &g->cap_folders, g->nr_folders + 1, sizeof(*g->folder));
		if (err)
			return err;
		copy = strndup(path + base_len, len - weight_len - 1 - base_len);
		if (!copy)
			return -ENOMEM;
		g->folder[g->nr_folders++] = (struct folder){copy, RWK_GROUP_UNKNOWN};
	}
	if (g->nr_folders)
		qsort(g->folder, g->nr_folders, sizeof(*g->folder), folder_cmp);
	return 0;
}

/* The group around path: of the folder that it is in. */
static int32_t group_around(const struct rwk_groups *g, const char *path)
{
	const struct folder *folder;
	char up[RWK_SNAPSHOT_MAX_PATH + 1];
	size_t len = (size_t)(strrchr(path, '/') - path);

	if (!len)
		return RWK_NONE;
	if (len >= sizeof(up))
		return RWK_GROUP_UNKNOWN;
	memcpy(up, path, len);
	up[len] = '\0';
	folder = folder_find(g, up);
	return folder ? folder->group : RWK_GROUP_UNKNOWN;
}

static bool parse_shares(const char *weight, bool v1, bool idle, uint32_t *ret)
{
	int64_t v;

	/* What an idle group shows as its weight is not what it counts. */
	if (!parse_number(weight, 0, INT64_MAX, &v) || (!v1 && v > MAX_WEIGHT))
		return false;
	if (idle)
		*ret = IDLE_SHARES;
	else if (v1)
		*ret = (uint32_t)(v < MIN_SHARES ? MIN_SHARES : v > MAX_SHARES ? MAX_SHARES : v);
	else
		*ret = (uint32_t)((v * NICE_0 + 50) / 100);
	return *ret >= MIN_SHARES;
}

static int read_folder(struct rwk_groups *g, const struct rwk_snapshot *snap, const char *base,
	const char *weight, struct folder *f, struct rwk_anomalies *anomalies)
{
	struct rwk_task_group group = {.parent = group_around(g, f->path)};
	const char *content = NULL, *idle = NULL;
	char path[RWK_SNAPSHOT_MAX_PATH + 32];
	int64_t v = 0;

	f->group = group.parent;
	snprintf(path, sizeof(path), "%s%s/%s", base, f->path, weight);
	if (!rwk_snapshot_has(snap, path, &content) || !content || f->group == RWK_GROUP_UNKNOWN)
		return 0;
	f->group = RWK_GROUP_UNKNOWN;
	snprintf(path, sizeof(path), "%s%s/cpu.idle", base, f->path);
	/* Kernels before 5.15 have no such file. */
	if (rwk_snapshot_has(snap, path, &idle) && idle && !parse_number(idle, 0, 1, &v)) {
		count_bad(anomalies);
		return 0;
	}
	group.idle = v == 1;
	if (!parse_shares(content, weight[4] == 's', group.idle, &group.shares)) {
		count_bad(anomalies);
		return 0;
	}
	return group_add(g, &group, &f->group);
}

static int read_cgroups(
	struct rwk_groups *g, const struct rwk_snapshot *snap, struct rwk_anomalies *anomalies)
{
	const char *base, *weight, *content = NULL;
	char path[128];
	int err;

	if (!find_base(snap, &base, &weight))
		return 0;
	/* Only v1 shows a weight of the root group. */
	snprintf(path, sizeof(path), "%s/%s", base, weight);
	g->below_root = weight[4] == 'w' && rwk_snapshot_has(snap, path, &content) && content;
	err = collect_folders(g, snap, base, weight);
	/* A path stands before those that go on from it: parents come first. */
	for (size_t i = 0; i < g->nr_folders && !err; i++)
		err = read_folder(g, snap, base, weight, &g->folder[i], anomalies);
	return err;
}

/* ---- autogroups ---- */

/* Weight of a nice value (design §4.2). */
static uint32_t nice_weight(int64_t nice)
{
	static const uint32_t weights[40] = {88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705,
		14949, 11916, 9548, 7620, 6100, 4904, 3906, 3121, 2501, 1991, 1586, 1277, 1024, 820,
		655, 526, 423, 335, 272, 215, 172, 137, 110, 87, 70, 56, 45, 36, 29, 23, 18, 15};

	return weights[nice + 20];
}

/* "/autogroup-86 nice 0\n", or nothing for a task of the root group: number 0. */
static bool parse_autogroup(const char *content, int64_t *ret_id, int64_t *ret_nice)
{
	static const char head[] = "/autogroup-", mid[] = " nice ";
	const char *nice = strstr(content, mid);
	char id[32];
	size_t len;

	*ret_id = *ret_nice = 0;
	if (!*content)
		return true;
	if (strncmp(content, head, sizeof(head) - 1) || !nice)
		return false;
	content += sizeof(head) - 1;
	if (nice < content)
		return false;
	len = (size_t)(nice - content);
	if (!len || len >= sizeof(id))
		return false;
	memcpy(id, content, len);
	id[len] = '\0';
	return !rwk_parse_i64(id, 0, INT64_MAX, ret_id) &&
	       parse_number(nice + sizeof(mid) - 1, -20, 19, ret_nice);
}

/* "proc/TID/autogroup" */
static bool autogroup_tid(const char *path, int64_t *ret)
{
	static const char tail[] = "/autogroup";
	const char *end = path + strlen(path) - (sizeof(tail) - 1);
	char tid[16];

	if (strncmp(path, "proc/", 5) || end < path + 6 || strcmp(end, tail) ||
		(size_t)(end - path - 5) >= sizeof(tid))
		return false;
	memcpy(tid, path + 5, (size_t)(end - path - 5));
	tid[end - path - 5] = '\0';
	return !rwk_parse_i64(tid, 1, INT32_MAX, ret);
}

struct numbered {
	int64_t id, nice;
	int32_t tid;
};

static int numbered_cmp(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int session_cmp(const void *a, const void *b)
{
	const struct session *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int session_add(struct rwk_groups *g, int32_t tid, int32_t group)
{
	int err = rwk_vec_grow(
		&g->session, &g->cap_sessions, g->nr_sessions + 1, sizeof(*g->session));

	if (!err)
		g->session[g->nr_sessions++] = (struct session){tid, group};
	return err;
}

/* One group per number; 0 is that of the tasks without a session, the root group. */
static int number_groups(
	struct rwk_groups *g, const struct numbered *of, size_t nr, struct rwk_anomalies *anomalies)
{
	int32_t group = RWK_NONE;
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++) {
		bool begins = !i || of[i].id != of[i - 1].id;

		if (begins && of[i].id)
			err = group_add(g,
				&(struct rwk_task_group){
					.parent = RWK_NONE, .shares = nice_weight(of[i].nice)},
				&group);
		else if (!begins && of[i].nice != of[i - 1].nice)
			count_bad(anomalies); /* somebody reniced it meanwhile: the first holds */
		if (!err)
			err = session_add(g, of[i].tid, of[i].id ? group : RWK_NONE);
	}
	return err;
}

static int read_autogroups(
	struct rwk_groups *g, const struct rwk_snapshot *snap, struct rwk_anomalies *anomalies)
{
	const char *enabled = rwk_snapshot_file(snap, RWK_AUTOGROUP_ENABLED), *path, *content;
	struct numbered *of = NULL;
	size_t nr = 0, cap = 0;
	int64_t v = 0;
	int err = 0;

	/* A copy of a file that could not be read is empty. */
	if (!enabled || !*enabled)
		return 0;
	if (!parse_number(enabled, 0, 1, &v)) {
		count_bad(anomalies);
		g->sessions_unknown = true;
		return 0;
	}
	g->in_sessions = v;
	for (size_t i = 0; v && !err && rwk_snapshot_file_at(snap, i, &path, &content); i++) {
		struct numbered one;
		int64_t tid;

		if (!content || !autogroup_tid(path, &tid))
			continue;
		if (!parse_autogroup(content, &one.id, &one.nice)) {
			count_bad(anomalies);
			continue;
		}
		one.tid = (int32_t)tid;
		err = rwk_vec_grow(&of, &cap, nr + 1, sizeof(*of));
		if (!err)
			of[nr++] = one;
	}
	if (nr && !err) {
		qsort(of, nr, sizeof(*of), numbered_cmp);
		err = number_groups(g, of, nr, anomalies);
	}
	if (g->nr_sessions)
		qsort(g->session, g->nr_sessions, sizeof(*g->session), session_cmp);
	free(of);
	return err;
}

/* ---- together ---- */

/* "up smp (concur) max tasks": the one in use is in parentheses. */
static bool spreads_by_load(const struct rwk_snapshot *snap, struct rwk_version kernel)
{
	const char *mode = rwk_snapshot_file(snap, "sys/kernel/debug/sched/cgroup_mode");

	return mode ? strstr(mode, "(smp)") != NULL : kernel.major < 7;
}

int rwk_groups_build(const struct rwk_snapshot *snap, struct rwk_version kernel,
	struct rwk_anomalies *anomalies, struct rwk_groups **ret)
{
	struct rwk_groups *g = calloc(1, sizeof(*g));
	int err = g ? 0 : -ENOMEM;

	if (!err && snap) {
		g->by_load = spreads_by_load(snap, kernel);
		err = read_cgroups(g, snap, anomalies);
		if (!err)
			err = read_autogroups(g, snap, anomalies);
	}
	if (err) {
		rwk_groups_destroy(g);
		return err;
	}
	*ret = g;
	return 0;
}

const struct rwk_task_group *rwk_groups_all(const struct rwk_groups *g, size_t *ret_nr)
{
	*ret_nr = g->nr;
	return g->group;
}

bool rwk_groups_by_load(const struct rwk_groups *g)
{
	return g->by_load;
}

static int32_t session_of(const struct rwk_groups *g, int32_t tid)
{
	struct session key = {.tid = tid};
	const struct session *s = NULL;

	if (g->sessions_unknown)
		return RWK_GROUP_UNKNOWN;
	if (!g->in_sessions)
		return RWK_NONE;
	if (g->nr_sessions)
		s = bsearch(&key, g->session, g->nr_sessions, sizeof(key), session_cmp);
	return s ? s->group : RWK_GROUP_UNKNOWN;
}

int32_t rwk_groups_of(const struct rwk_groups *g, int32_t tid, const char *cgroup)
{
	int32_t group = RWK_NONE;

	if (!cgroup || cgroup[0] != '/' || g->below_root)
		return RWK_GROUP_UNKNOWN;
	if (cgroup[1]) {
		const struct folder *folder = folder_find(g, cgroup);

		group = folder ? folder->group : RWK_GROUP_UNKNOWN;
	}
	return group == RWK_NONE ? session_of(g, tid) : group;
}
