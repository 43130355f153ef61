/*
 * What differs between two snapshots of a machine is kept in the first one,
 * what is no difference is not; and a sidecar that claims anything is counted.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/parse.h"
#include "machine/changes.h"
#include "machine/snapshot.h"

static void put(struct rwk_snapshot *snap, const char *path, const char *content)
{
	assert_int_equal(rwk_snapshot_add_file(snap, path, content), 0);
}

/* Cores of two threads that share one cache; CPUs above nr are offline. */
static struct rwk_snapshot *machine(int nr)
{
	struct rwk_snapshot *snap;
	char path[128], list[32];

	assert_int_equal(rwk_snapshot_create(&snap), 0);
	assert_int_equal(rwk_snapshot_set_release(snap, "6.1.0"), 0);
	put(snap, "sys/devices/system/cpu/present", "0-3\n");
	snprintf(list, sizeof(list), "0-%d\n", nr - 1);
	put(snap, "sys/devices/system/cpu/online", list);
	for (int cpu = 0; cpu < nr; cpu++) {
		int last = (cpu | 1) < nr ? cpu | 1 : nr - 1;
		const char *dir = "sys/devices/system/cpu/cpu";

		snprintf(path, sizeof(path), "%s%d/topology/thread_siblings_list", dir, cpu);
		if ((cpu & ~1) == last)
			snprintf(list, sizeof(list), "%d\n", last);
		else
			snprintf(list, sizeof(list), "%d-%d\n", cpu & ~1, last);
		put(snap, path, list);
		snprintf(path, sizeof(path), "%s%d/cache/index3/shared_cpu_list", dir, cpu);
		snprintf(list, sizeof(list), "0-%d\n", nr - 1);
		put(snap, path, list);
		snprintf(path, sizeof(path), "%s%d/cache/index3/level", dir, cpu);
		put(snap, path, "3\n");
		snprintf(path, sizeof(path), "%s%d/cache/index3/type", dir, cpu);
		put(snap, path, "Unified\n");
	}
	return snap;
}

static void add_task(struct rwk_snapshot *snap, int32_t tid, const char *allowed, int32_t prio,
	const char *cgroup, int64_t started)
{
	struct rwk_snapshot_task task = {.tid = tid,
		.policy = 0,
		.prio = prio,
		.allowed_known = allowed != NULL,
		.comm = "task",
		.cgroup = cgroup,
		.started = started};

	if (allowed)
		assert_int_equal(rwk_parse_cpulist(allowed, &task.allowed), 0);
	assert_int_equal(rwk_snapshot_append_task(snap, &task), 0);
}

static void is(const struct rwk_snapshot *snap, const char *path, const char *content)
{
	const char *got = rwk_snapshot_file(snap, path);

	assert_non_null(got);
	assert_string_equal(got, content);
}

static int nr_entries(const struct rwk_snapshot *snap)
{
	const char *path, *content;
	int nr = 0;

	for (size_t i = 0; rwk_snapshot_file_at(snap, i, &path, &content); i++)
		nr += !strncmp(path, "rewake/changed/", 15);
	return nr;
}

static void compare(struct rwk_snapshot *before, struct rwk_snapshot *after)
{
	struct rwk_diag diag = {0};

	rwk_snapshot_sort(before);
	rwk_snapshot_sort(after);
	assert_int_equal(rwk_changes_add(before, after, &diag), 0);
	rwk_snapshot_destroy(after);
}

static void nothing_changed(void **state)
{
	struct rwk_snapshot *before = machine(4), *after = machine(4);
	struct rwk_changes changes;

	(void)state;
	assert_false(rwk_changes_read(before, &changes));
	/* Counters count. */
	put(before, "sys/kernel/sched_ext/nr_rejected", "1\n");
	put(after, "sys/kernel/sched_ext/nr_rejected", "2\n");
	put(before, "sys/kernel/debug/sched/domains/cpu0/domain0/max_newidle_lb_cost", "1\n");
	put(after, "sys/kernel/debug/sched/domains/cpu0/domain0/max_newidle_lb_cost", "2\n");
	/* The same files, absent in both. */
	put(before, "sys/devices/system/cpu/isolated", NULL);
	put(after, "sys/devices/system/cpu/isolated", NULL);
	add_task(before, 7, "0-3", 120, "/", 5);
	add_task(after, 7, "0-3", 120, "/", 5);
	compare(before, after);
	is(before, "rewake/changes", "0\n");
	assert_int_equal(nr_entries(before), 0);
	assert_true(rwk_changes_read(before, &changes));
	assert_true(rwk_cpuset_empty(&changes.offline) && rwk_cpuset_empty(&changes.online));
	assert_int_equal(changes.nr_settings + changes.nr_domain_cpus + changes.nr_tasks +
				 changes.nr_appeared,
		0);
	rwk_snapshot_destroy(before);
}

static void cpus_go_and_come(void **state)
{
	struct rwk_snapshot *before = machine(4);
	struct rwk_changes changes;

	(void)state;
	compare(before, machine(3));
	is(before, "rewake/changed/offline", "3\n");
	is(before, "rewake/changed/domains/cpu0",
		"SMT 0-1 110 %, MC 0-3 117 % -> SMT 0-1 110 %, MC 0-2 117 %\n");
	is(before, "rewake/changed/domains/cpu2", "SMT 2-3 110 %, MC 0-3 117 % -> MC 0-2 117 %\n");
	/* The files that went with the CPU are no settings. */
	is(before, "rewake/changes", "4\n");
	assert_int_equal(nr_entries(before), 4);
	/* What the machine was at the beginning is still there. */
	is(before, "sys/devices/system/cpu/online", "0-3\n");
	assert_true(rwk_changes_read(before, &changes));
	assert_int_equal(rwk_cpuset_next(&changes.offline, 0), 3);
	assert_int_equal(changes.nr_domain_cpus, 3);
	rwk_snapshot_destroy(before);

	before = machine(3);
	compare(before, machine(4));
	is(before, "rewake/changed/online", "3\n");
	assert_null(rwk_snapshot_file(before, "rewake/changed/offline"));
	is(before, "rewake/changes", "4\n");
	rwk_snapshot_destroy(before);
}

static void settings_change(void **state)
{
	struct rwk_snapshot *before = machine(4), *after = machine(4);
	struct rwk_changes changes;
	char path[RWK_SNAPSHOT_MAX_PATH + 1] = "sys/kernel/";

	(void)state;
	put(before, "sys/kernel/debug/sched/features", "WA_IDLE NO_SIS_PROP SIS_UTIL NO_GONE\n");
	put(after, "sys/kernel/debug/sched/features", "NO_WA_IDLE SIS_PROP SIS_UTIL NEW\n");
	put(before, "sys/kernel/debug/sched/migration_cost_ns", "500000\n");
	put(after, "sys/kernel/debug/sched/migration_cost_ns", "600000\n");
	put(before, "sys/kernel/sched_ext/root/ops", "scx_simple\n");
	put(after, "sys/kernel/sched_ext/state", "disabled\n");
	put(before, "sys/kernel/sched_ext/state", NULL);
	put(before, "sys/kernel/sched_ext/switch_all", "1\n");
	put(after, "sys/kernel/sched_ext/switch_all", NULL);
	/* As long as a path can be: no entry, but counted. */
	memset(path + strlen(path), 'x', RWK_SNAPSHOT_MAX_PATH - strlen(path));
	put(before, path, "1\n");
	put(after, path, "2\n");
	compare(before, after);
	is(before, "rewake/changed/feature/WA_IDLE", "on -> off\n");
	is(before, "rewake/changed/feature/SIS_PROP", "off -> on\n");
	is(before, "rewake/changed/setting/sys/kernel/debug/sched/migration_cost_ns",
		"500000 -> 600000\n");
	is(before, "rewake/changed/setting/sys/kernel/sched_ext/root/ops",
		"scx_simple -> absent\n");
	is(before, "rewake/changed/setting/sys/kernel/sched_ext/state", "absent -> disabled\n");
	is(before, "rewake/changed/setting/sys/kernel/sched_ext/switch_all", "1 -> absent\n");
	is(before, "rewake/changes", "7\n");
	assert_int_equal(nr_entries(before), 6);
	assert_true(rwk_changes_read(before, &changes));
	assert_int_equal(changes.nr_settings, 6);
	rwk_snapshot_destroy(before);
}

/* What belongs to a task or group comes and goes with it; a weight that was turned is a change. */
static void files_of_tasks_and_groups(void **state)
{
	struct rwk_snapshot *before = machine(4), *after = machine(4);

	(void)state;
	put(before, "proc/10/autogroup", "/autogroup-1 nice 0\n");
	put(after, "proc/20/autogroup", "/autogroup-2 nice 0\n");
	put(before, "sys/fs/cgroup/gone/cpu.weight", "100\n");
	put(after, "sys/fs/cgroup/new/cpu.weight", "200\n");
	put(before, "sys/fs/cgroup/same/cpu.weight", "100\n");
	put(after, "sys/fs/cgroup/same/cpu.weight", "300\n");
	compare(before, after);
	is(before, "rewake/changes", "1\n");
	assert_int_equal(nr_entries(before), 1);
	is(before, "rewake/changed/setting/sys/fs/cgroup/same/cpu.weight", "100 -> 300\n");
	is(before, "sys/fs/cgroup/gone/cpu.weight", "100\n");
	is(before, "sys/fs/cgroup/same/cpu.weight", "100\n");
	is(before, "sys/fs/cgroup/new/cpu.weight", "200\n");
	is(before, "proc/20/autogroup", "/autogroup-2 nice 0\n");
	rwk_snapshot_destroy(before);
}

static void tasks_change_and_appear(void **state)
{
	struct rwk_snapshot *before = machine(4), *after = machine(4);
	const struct rwk_snapshot_task *task;
	struct rwk_changes changes;
	int32_t *tid;
	size_t nr;

	(void)state;
	add_task(before, 10, "0-3", 120, "/a", 1);
	add_task(after, 10, "2", 110, "/b", 1);
	add_task(before, 20, "0-3", 120, "/a", 1); /* ended */
	add_task(before, 30, "0-3", 120, "/a", 1);
	add_task(after, 30, "1", 139, "/a", 9); /* another one */
	add_task(before, 40, NULL, RWK_PRIO_UNKNOWN, NULL, 1); /* unknown is no change */
	add_task(after, 40, "1", 120, "/a", 1);
	add_task(before, 50, "0-3", 120, "/a", 1);
	add_task(after, 50, "0-3", 121, "/a", 1);
	add_task(after, 5, "0-1", 120, "/c", 7);
	add_task(after, 60, "3", 100, "/d", 7);
	compare(before, after);
	is(before, "rewake/changed/task/10",
		"allowed 0-3 -> 2; prio 120 -> 110; cgroup /a -> /b\n");
	is(before, "rewake/changed/task/50", "prio 120 -> 121\n");
	is(before, "rewake/changed/appeared", "5\n60\n");
	is(before, "rewake/changes", "2\n");
	assert_true(rwk_changes_of_affinity(before, 10));
	assert_false(rwk_changes_of_affinity(before, 50));
	assert_false(rwk_changes_of_affinity(before, 30));
	/* In the order of tids: what was there as it was, what appeared as it is. */
	assert_int_equal(rwk_snapshot_nr_tasks(before), 7);
	task = rwk_snapshot_task_at(before, 0);
	assert_int_equal(task->tid, 5);
	assert_int_equal(rwk_cpuset_weight(&task->allowed), 2);
	assert_string_equal(task->cgroup, "/c");
	assert_int_equal(rwk_snapshot_task_at(before, 1)->prio, 120);
	assert_int_equal(rwk_snapshot_task_at(before, 3)->prio, 120);
	task = rwk_snapshot_task_at(before, 6);
	assert_int_equal(task->tid, 60);
	assert_int_equal(task->prio, 100);
	assert_true(rwk_changes_read(before, &changes));
	assert_int_equal(changes.nr_tasks, 2);
	assert_int_equal(changes.nr_appeared, 2);
	assert_int_equal(rwk_changes_appeared(before, &tid, &nr), 0);
	assert_int_equal(nr, 2);
	assert_int_equal(tid[0], 5);
	assert_int_equal(tid[1], 60);
	free(tid);
	rwk_snapshot_destroy(before);
}

static void any_sidecar_is_read(void **state)
{
	struct rwk_snapshot *snap = machine(4);
	struct rwk_changes changes;
	int32_t *tid;
	size_t nr;

	(void)state;
	put(snap, "rewake/changes", NULL);
	assert_false(rwk_changes_read(snap, &changes));
	put(snap, "rewake/changes", "many\n");
	put(snap, "rewake/changed/offline", "0-99999999\n");
	put(snap, "rewake/changed/online", NULL);
	put(snap, "rewake/changed/task/1", NULL);
	put(snap, "rewake/changed/task/2", "allowed");
	put(snap, "rewake/changed/appeared", NULL);
	put(snap, "rewake/changed/other", "x");
	assert_true(rwk_changes_read(snap, &changes));
	assert_true(rwk_cpuset_empty(&changes.offline) && rwk_cpuset_empty(&changes.online));
	assert_int_equal(changes.nr_tasks, 2);
	assert_int_equal(changes.nr_appeared, 0);
	assert_false(rwk_changes_of_affinity(snap, 1));
	assert_false(rwk_changes_of_affinity(snap, 2));
	assert_int_equal(rwk_changes_appeared(snap, &tid, &nr), 0);
	assert_int_equal(nr, 0);
	free(tid);
	put(snap, "rewake/changed/appeared", "9\n\n-4\n7x\n99999999999999999999\n3\n0\n8");
	assert_int_equal(rwk_changes_appeared(snap, &tid, &nr), 0);
	assert_int_equal(nr, 3);
	assert_int_equal(tid[0], 3);
	assert_int_equal(tid[2], 9);
	free(tid);
	rwk_snapshot_destroy(snap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_changed),
		cmocka_unit_test(cpus_go_and_come),
		cmocka_unit_test(settings_change),
		cmocka_unit_test(files_of_tasks_and_groups),
		cmocka_unit_test(tasks_change_and_appear),
		cmocka_unit_test(any_sidecar_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
