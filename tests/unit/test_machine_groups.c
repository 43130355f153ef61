/* Task groups: taken from a tree, kept by the sidecar, and what their files mean. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "machine/groups.h"

static char dir[] = "/tmp/rewake-test-XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

/* Writes a file below the test's directory, with the folders it needs. */
static void put(const char *name, const char *content)
{
	char path[1024];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	for (char *p = strchr(path + strlen(dir) + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		assert_true(!mkdir(path, 0777) || errno == EEXIST);
		*p = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(content, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void put_thread(int pid, int tid, const char *cgroup)
{
	char path[128], text[256];

	snprintf(path, sizeof(path), "proc/%d/task/%d/stat", pid, tid);
	snprintf(text, sizeof(text), "%d (t) S 1 1 1 0 -1 0 1 0 0 0 0 0 0 0 20 0\n", tid);
	put(path, text);
	snprintf(path, sizeof(path), "proc/%d/task/%d/status", pid, tid);
	put(path, "Name:\tt\n");
	snprintf(path, sizeof(path), "proc/%d/task/%d/cgroup", pid, tid);
	put(path, cgroup);
}

static struct rwk_snapshot *take(void)
{
	struct rwk_snapshot *snap;

	put("sys/devices/system/cpu/online", "0-1\n");
	assert_int_equal(rwk_snapshot_take(dir, true, NULL, &snap), 0);
	return snap;
}

static const struct rwk_version kernel = {6, 1, 0};

static struct rwk_groups *build(const struct rwk_snapshot *snap, int64_t bad)
{
	struct rwk_anomalies anomalies = {0};
	struct rwk_groups *groups;

	assert_int_equal(rwk_groups_build(snap, kernel, &anomalies, &groups), 0);
	assert_int_equal(anomalies.of[RWK_AN_BAD_SIDECAR].count, bad);
	return groups;
}

/* The group of a task that the snapshot holds. */
static int32_t of(const struct rwk_groups *groups, const struct rwk_snapshot *snap, int tid)
{
	for (size_t i = 0; i < rwk_snapshot_nr_tasks(snap); i++) {
		const struct rwk_snapshot_task *task = rwk_snapshot_task_at(snap, i);

		if (task->tid == tid)
			return rwk_groups_of(groups, tid, task->cgroup);
	}
	fail_msg("no task %d", tid);
	return RWK_GROUP_UNKNOWN;
}

static const struct rwk_task_group *group(const struct rwk_groups *groups, int32_t index)
{
	size_t nr;
	const struct rwk_task_group *all = rwk_groups_all(groups, &nr);

	assert_in_range(index, 0, nr - 1);
	return &all[index];
}

/* Absent is not the same as never looked for. */
static bool noted_absent(const struct rwk_snapshot *snap, const char *path)
{
	const char *content;

	return rwk_snapshot_has(snap, path, &content) && !content;
}

static void check_unified(const struct rwk_snapshot *snap)
{
	struct rwk_groups *groups = build(snap, 0);
	const struct rwk_task_group *g;
	int32_t a = of(groups, snap, 10), b = of(groups, snap, 11);
	size_t nr;

	g = group(groups, a);
	assert_int_equal(g->parent, RWK_NONE);
	assert_int_equal(g->shares, 2048);
	assert_false(g->idle);
	g = group(groups, b);
	assert_int_equal(g->parent, a);
	assert_int_equal(g->shares, 10); /* 1 of 100: 10.24 */
	assert_int_equal(of(groups, snap, 12), b); /* no controller there: the next one around */
	g = group(groups, of(groups, snap, 13));
	assert_true(g->idle);
	assert_int_equal(g->shares, 3);
	/* In the root group as the cpu controller sees it: there the sessions count. */
	g = group(groups, of(groups, snap, 14));
	assert_int_equal(g->shares, 335); /* nice 5 */
	assert_int_equal(g->parent, RWK_NONE);
	assert_int_equal(of(groups, snap, 15), of(groups, snap, 14));
	assert_int_equal(of(groups, snap, 19), of(groups, snap, 14)); /* a thread of 15 */
	assert_int_equal(of(groups, snap, 16), RWK_NONE); /* session 0 */
	/* A namespace hides it, it is gone, and so is the file that says its session. */
	assert_int_equal(of(groups, snap, 17), RWK_GROUP_UNKNOWN);
	assert_int_equal(of(groups, snap, 18), RWK_GROUP_UNKNOWN);
	assert_int_equal(of(groups, snap, 20), RWK_GROUP_UNKNOWN);
	assert_int_equal(rwk_groups_of(groups, 14, NULL), RWK_GROUP_UNKNOWN);
	assert_non_null(rwk_groups_all(groups, &nr));
	assert_int_equal(nr, 5); /* session 9 is one, too */
	assert_true(rwk_groups_by_load(groups));
	rwk_groups_destroy(groups);
}

static void unified(void **state)
{
	struct rwk_snapshot *snap, *back;
	char path[64];

	(void)state;
	put("sys/fs/cgroup/cgroup.controllers", "cpuset cpu io\n");
	put("sys/fs/cgroup/a.slice/cpu.weight", "200\n");
	put("sys/fs/cgroup/a.slice/cpu.idle", "0\n");
	put("sys/fs/cgroup/a.slice/b/cpu.weight", "1\n"); /* no cpu.idle before 5.15 */
	put("sys/fs/cgroup/a.slice/b/deep/er/pids.max", "max\n");
	put("sys/fs/cgroup/a.slice-x/cpu.weight", "0\n");
	put("sys/fs/cgroup/a.slice-x/cpu.idle", "1\n");
	put("sys/fs/cgroup/bare.slice/pids.max", "max\n");
	put("sys/fs/cgroup/nobody/cpu.weight", "100\n"); /* no task is in it */
	put("proc/sys/kernel/sched_autogroup_enabled", "1\n");
	put_thread(10, 10, "0::/a.slice\n");
	put_thread(11, 11, "3:pids:/x\n0::/a.slice/b\n");
	put_thread(12, 12, "0::/a.slice/b/deep/er\n");
	put_thread(13, 13, "0::/a.slice-x\n");
	put_thread(14, 14, "0::/bare.slice\n");
	put_thread(15, 15, "0::/\n");
	put_thread(15, 19, "0::/\n");
	put_thread(16, 16, "0::/\n");
	put_thread(17, 17, "0::/../../nobody\n");
	put_thread(18, 18, "0::/gone (deleted)\n");
	put_thread(20, 20, "0::/\n");
	put("proc/10/autogroup", "/autogroup-9 nice 0\n"); /* its cgroup goes before */
	put("proc/14/autogroup", "/autogroup-86 nice 5\n");
	put("proc/15/autogroup", "/autogroup-86 nice 5\n");
	put("proc/16/autogroup", ""); /* as the kernel shows that there is none */
	snap = take();
	assert_true(noted_absent(snap, "sys/fs/cgroup/cpu.weight"));
	assert_true(noted_absent(snap, "sys/fs/cgroup/bare.slice/cpu.weight"));
	assert_true(noted_absent(snap, "sys/fs/cgroup/a.slice/b/cpu.idle"));
	assert_true(noted_absent(snap, "proc/20/autogroup"));
	assert_string_equal(rwk_snapshot_file(snap, "sys/fs/cgroup/a.slice/cpu.weight"), "200\n");
	assert_string_equal(rwk_snapshot_file(snap, "proc/19/autogroup"), "/autogroup-86 nice 5\n");
	assert_false(noted_absent(snap, "sys/fs/cgroup/gone (deleted)/cpu.weight"));
	assert_null(rwk_snapshot_file(snap, "sys/fs/cgroup/nobody/cpu.weight"));
	check_unified(snap);
	snprintf(path, sizeof(path), "%s/m.json", dir);
	assert_int_equal(rwk_snapshot_save(snap, path, NULL), 0);
	assert_int_equal(rwk_snapshot_load(path, NULL, &back), 0);
	check_unified(back);
	rwk_snapshot_destroy(back);
	rwk_snapshot_destroy(snap);
}

/* Of two mounts of one kernel, the one with the cpu controller's own hierarchy counts. */
static void first_version(void **state)
{
	struct rwk_snapshot *snap;
	struct rwk_groups *groups;

	(void)state;
	put("sys/fs/cgroup/unified/cgroup.controllers", "\n");
	put("sys/fs/cgroup/unified/a/pids.max", "max\n");
	put("sys/fs/cgroup/cpu,cpuacct/cpu.shares", "1024\n");
	put("sys/fs/cgroup/cpu,cpuacct/a/cpu.shares", "1\n");
	put("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.shares", "99999999999\n");
	put_thread(10, 10, "2:cpu,cpuacct:/a\n0::/z\n");
	put_thread(11, 11, "2:cpu,cpuacct:/a/b\n0::/z\n");
	put_thread(12, 12, "2:cpu,cpuacct:/\n0::/a\n");
	put("proc/12/autogroup", "/autogroup-86 nice 5\n"); /* not enabled */
	snap = take();
	groups = build(snap, 0);
	assert_int_equal(group(groups, of(groups, snap, 10))->shares, 2);
	assert_int_equal(group(groups, of(groups, snap, 11))->shares, 1 << 18);
	assert_int_equal(group(groups, of(groups, snap, 11))->parent, of(groups, snap, 10));
	assert_int_equal(of(groups, snap, 12), RWK_NONE);
	assert_null(rwk_snapshot_file(snap, "proc/12/autogroup"));
	rwk_groups_destroy(groups);
	rwk_snapshot_destroy(snap);
}

struct entry {
	const char *path, *content;
};

static struct rwk_snapshot *snapshot(const struct entry *entry)
{
	struct rwk_snapshot *snap;

	assert_int_equal(rwk_snapshot_create(&snap), 0);
	for (; entry->path; entry++)
		assert_int_equal(rwk_snapshot_add_file(snap, entry->path, entry->content), 0);
	return snap;
}

#define BASE "sys/fs/cgroup/"

/* What makes no sense is counted, and nobody's group follows from it. */
static void hostile(void **state)
{
	static const char *const weights[] = {
		"", "\n", "abc\n", "-1\n", "10001\n", "0\n", "1\n2\n", "99999999999999999999999\n"};
	static const char *const sessions[] = {"/autogroup-\n", "/autogroup-x nice 0\n",
		"/autogroup-1 nice 20\n", "/autogroup-1 nice -21\n", "/autogroup-1 nice\n",
		" nice 0\n", "/autogroup-99999999999999999999999999999999 nice 0\n",
		"/autogroup- nice 0\n", "/autogroup--1 nice 0\n", "x"};
	struct rwk_groups *groups;

	(void)state;
	for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++) {
		struct rwk_snapshot *snap = snapshot((const struct entry[]){
			{BASE "cgroup.controllers", "cpu\n"}, {BASE "a/cpu.weight", weights[i]},
			{BASE "a/b/cpu.weight", "100\n"}, {BASE "c/cpu.weight", "100\n"}, {0}});

		groups = build(snap, 1);
		assert_int_equal(rwk_groups_of(groups, 1, "/a"), RWK_GROUP_UNKNOWN);
		assert_int_equal(rwk_groups_of(groups, 1, "/a/b"), RWK_GROUP_UNKNOWN);
		assert_int_equal(rwk_groups_of(groups, 1, "/c"), 0);
		assert_int_equal(rwk_groups_of(groups, 1, "a"), RWK_GROUP_UNKNOWN);
		assert_int_equal(rwk_groups_of(groups, 1, ""), RWK_GROUP_UNKNOWN);
		rwk_groups_destroy(groups);
		rwk_snapshot_destroy(snap);
	}
	for (size_t i = 0; i < sizeof(sessions) / sizeof(sessions[0]); i++) {
		struct rwk_snapshot *snap = snapshot((const struct entry[]){
			{RWK_AUTOGROUP_ENABLED, "1\n"}, {"proc/7/autogroup", sessions[i]},
			{"proc/8/autogroup", "/autogroup-8 nice 0\n"},
			{"proc/99999999999/autogroup", "/autogroup-8 nice 0\n"},
			{"proc/x/autogroup", "/autogroup-8 nice 0\n"}, {0}});

		groups = build(snap, 1);
		assert_int_equal(rwk_groups_of(groups, 7, "/"), RWK_GROUP_UNKNOWN);
		assert_int_equal(rwk_groups_of(groups, 8, "/"), 0);
		assert_int_equal(rwk_groups_of(groups, 9, "/"), RWK_GROUP_UNKNOWN);
		rwk_groups_destroy(groups);
		rwk_snapshot_destroy(snap);
	}
}

static void odd_machines(void **state)
{
	static const struct {
		struct entry entry[5];
		int bad, root, a, deep;
	} cases[] = {
		/* nothing was looked for: only who is in no group is known */
		{{{0}}, 0, RWK_NONE, RWK_GROUP_UNKNOWN, RWK_GROUP_UNKNOWN},
		/* recorded in a container: its root is some group of the machine */
		{{{BASE "cgroup.controllers", "cpu\n"}, {BASE "cpu.weight", "100\n"},
			 {BASE "a/cpu.weight", "100\n"}},
			0, RWK_GROUP_UNKNOWN, RWK_GROUP_UNKNOWN, RWK_GROUP_UNKNOWN},
		/* a group between two others is missing */
		{{{BASE "cgroup.controllers", "cpu\n"}, {BASE "a/cpu.weight", "100\n"},
			 {BASE "a/b/c/cpu.weight", "100\n"}},
			0, RWK_NONE, 0, RWK_GROUP_UNKNOWN},
		{{{BASE "cgroup.controllers", "cpu\n"}, {BASE "a/cpu.weight", "100\n"},
			 {BASE "a/cpu.idle", "2\n"}},
			1, RWK_NONE, RWK_GROUP_UNKNOWN, RWK_GROUP_UNKNOWN},
		{{{BASE "cgroup.controllers", "cpu\n"}, {RWK_AUTOGROUP_ENABLED, "yes\n"}}, 1,
			RWK_GROUP_UNKNOWN, RWK_GROUP_UNKNOWN, RWK_GROUP_UNKNOWN},
		{{{BASE "unified/cgroup.controllers", NULL}, {BASE "unified/a/cpu.weight", NULL},
			 {BASE "unified/a/b/cpu.weight", NULL},
			 {BASE "unified/a/b/c/cpu.weight", "300\n"}},
			0, RWK_NONE, RWK_NONE, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rwk_snapshot *snap = snapshot(cases[i].entry);
		struct rwk_groups *groups = build(snap, cases[i].bad);

		print_message("case %zu\n", i);
		assert_int_equal(rwk_groups_of(groups, 1, "/"), cases[i].root);
		assert_int_equal(rwk_groups_of(groups, 1, "/a"), cases[i].a);
		assert_int_equal(rwk_groups_of(groups, 1, "/a/b/c"), cases[i].deep);
		rwk_groups_destroy(groups);
		rwk_snapshot_destroy(snap);
	}
}

/* A tree as a stranger may copy it: too deep, too many, links and folders for files. */
static void hostile_tree(void **state)
{
	char cgroup[1200] = "0::", path[256];
	struct rwk_snapshot *snap;
	struct rwk_groups *groups;

	(void)state;
	for (int i = 0; i < 400; i++)
		strcat(cgroup, "/d");
	put("sys/fs/cgroup/cgroup.controllers", "cpu\n");
	put("sys/fs/cgroup/a/cpu.weight/x", "100\n"); /* a folder */
	put("sys/fs/cgroup/b/big", "");
	snprintf(path, sizeof(path), "%s/sys/fs/cgroup/b/cpu.weight", dir);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	snprintf(path, sizeof(path), "%s/sys/fs/cgroup/link", dir);
	assert_int_equal(symlink("/sys/fs/cgroup", path), 0);
	put("sys/fs/cgroup/n/cpu.weight", "100\n");
	put_thread(10, 10, "0::/a\n");
	put_thread(11, 11, "0::/b\n");
	put_thread(12, 12, "0::/link/x\n");
	put_thread(13, 13, cgroup);
	put_thread(14, 14, "0:://n\n");
	put_thread(15, 15, "0::n\n");
	put_thread(16, 16, "0::/n/./\n");
	put_thread(17, 17, "0::/n\xff\n");
	put_thread(18, 18, "0::/n\n");
	snap = take();
	groups = build(snap, 0);
	for (int tid = 10; tid < 18; tid++)
		assert_int_equal(of(groups, snap, tid), RWK_GROUP_UNKNOWN);
	assert_int_equal(of(groups, snap, 18), 0);
	assert_false(noted_absent(snap, "sys/fs/cgroup/a/cpu.weight"));
	assert_null(rwk_snapshot_file(snap, "sys/fs/cgroup/b/cpu.weight"));
	rwk_groups_destroy(groups);
	rwk_snapshot_destroy(snap);
}

/* 7.x knows other ways to spread a weight than the one that is modelled. */
static void spreading(void **state)
{
	static const struct {
		struct rwk_version kernel;
		const char *mode;
		bool by_load;
	} cases[] = {{{6, 18, 0}, NULL, true}, {{0, 0, 0}, NULL, true}, {{7, 0, 0}, NULL, false},
		{{7, 3, 4}, "up smp (concur) max tasks \n", false},
		{{7, 3, 4}, "up (smp) concur max tasks \n", true}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct entry entry[] = {
			{"sys/kernel/debug/sched/cgroup_mode", cases[i].mode}, {0}};
		struct rwk_snapshot *snap = snapshot(entry);
		struct rwk_groups *groups;

		assert_int_equal(rwk_groups_build(snap, cases[i].kernel, NULL, &groups), 0);
		assert_int_equal(rwk_groups_by_load(groups), cases[i].by_load);
		rwk_groups_destroy(groups);
		rwk_snapshot_destroy(snap);
	}
}

/* What the kernel shows to this process is what the snapshot has of it. */
static void live_session(void **state)
{
	char own[128] = "", enabled[8] = "", path[64];
	FILE *a = fopen("/proc/self/autogroup", "r"), *b = fopen("/" RWK_AUTOGROUP_ENABLED, "r");
	bool known = a && b && fgets(enabled, sizeof(enabled), b) && enabled[0] == '1';
	struct rwk_snapshot *snap;
	struct rwk_groups *groups;

	(void)state;
	if (known && !fgets(own, sizeof(own), a))
		assert_true(feof(a)); /* of no session */
	if (a)
		fclose(a);
	if (b)
		fclose(b);
	if (!known) {
		print_message("skipped: no autogroups here\n");
		skip();
	}
	assert_int_equal(rwk_snapshot_take("/", true, NULL, &snap), 0);
	snprintf(path, sizeof(path), "proc/%d/autogroup", (int)getpid());
	assert_non_null(rwk_snapshot_file(snap, path));
	assert_string_equal(rwk_snapshot_file(snap, path), own);
	assert_int_equal(rwk_groups_build(snap, kernel, NULL, &groups), 0);
	if (*own)
		assert_true(rwk_groups_of(groups, (int32_t)getpid(), "/") >= 0);
	else
		assert_int_equal(rwk_groups_of(groups, (int32_t)getpid(), "/"), RWK_NONE);
	rwk_groups_destroy(groups);
	rwk_snapshot_destroy(snap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(unified, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(first_version, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(hostile_tree, make_dir, remove_dir),
		cmocka_unit_test(hostile),
		cmocka_unit_test(odd_machines),
		cmocka_unit_test(spreading),
		cmocka_unit_test(live_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
