/*
 * Takes a snapshot: the list of what is read (design §6.3), the kernel release
 * and, through kconfig.c, threads.c and cgroups.c, configuration, tasks and groups.  Only reads,
 * nowhere writes: what needs a knob turned to be seen is absent instead.
 */
#include "machine/take.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/*
 * sched/debug is left out: it prints every task under locks.  proc/schedstat is
 * the only place where a kernel tells the spans of its domains.
 */
static const char *const patterns[] = {
	"proc/cmdline",
	"proc/schedstat",
	"proc/sys/kernel/numa_balancing",
	"proc/sys/kernel/osrelease",
	"proc/sys/kernel/sched_*",
	"proc/sys/kernel/sched_autogroup_enabled",
	"proc/sys/kernel/sched_energy_aware",
	"proc/sys/kernel/sched_domain/cpu[0-9]*/domain[0-9]*/flags",
	"proc/sys/kernel/sched_domain/cpu[0-9]*/domain[0-9]*/imbalance_pct",
	"proc/sys/kernel/sched_domain/cpu[0-9]*/domain[0-9]*/name",
	"proc/version",
	"sys/devices/system/clocksource/clocksource0/current_clocksource",
	"sys/devices/system/cpu/cpu[0-9]*/cache/index[0-9]*/id",
	"sys/devices/system/cpu/cpu[0-9]*/cache/index[0-9]*/level",
	"sys/devices/system/cpu/cpu[0-9]*/cache/index[0-9]*/shared_cpu_list",
	"sys/devices/system/cpu/cpu[0-9]*/cache/index[0-9]*/size",
	"sys/devices/system/cpu/cpu[0-9]*/cache/index[0-9]*/type",
	"sys/devices/system/cpu/cpu[0-9]*/cpu_capacity",
	"sys/devices/system/cpu/cpu[0-9]*/online",
	"sys/devices/system/cpu/cpu[0-9]*/topology/*_id",
	"sys/devices/system/cpu/cpu[0-9]*/topology/*_list",
	"sys/devices/system/cpu/isolated",
	"sys/devices/system/cpu/nohz_full",
	"sys/devices/system/cpu/online",
	"sys/devices/system/cpu/possible",
	"sys/devices/system/cpu/present",
	"sys/devices/system/cpu/smt/active",
	"sys/devices/system/node/node[0-9]*/cpulist",
	"sys/devices/system/node/node[0-9]*/distance",
	"sys/devices/system/node/online",
	"sys/devices/system/node/possible",
	"sys/kernel/debug/sched/base_slice_ns",
	"sys/kernel/debug/sched/cgroup_mod[e]", /* 7.x only: no note where it is absent */
	"sys/kernel/debug/sched/domains/cpu[0-9]*/domain[0-9]*/*",
	"sys/kernel/debug/sched/fair_server/cpu[0-9]*/*",
	"sys/kernel/debug/sched/features",
	"sys/kernel/debug/sched/idle_min_granularity_ns",
	"sys/kernel/debug/sched/latency_ns",
	"sys/kernel/debug/sched/llc_balancing/*",
	"sys/kernel/debug/sched/migration_cost_ns",
	"sys/kernel/debug/sched/min_granularity_ns",
	"sys/kernel/debug/sched/nr_migrate",
	"sys/kernel/debug/sched/numa_balancing/*",
	"sys/kernel/debug/sched/preempt",
	"sys/kernel/debug/sched/tunable_scaling",
	"sys/kernel/debug/sched/verbose",
	"sys/kernel/debug/sched/wakeup_granularity_ns",
	"sys/kernel/debug/sched_features",
	"sys/kernel/sched_ext/nr_rejected",
	"sys/kernel/sched_ext/root/ops",
	"sys/kernel/sched_ext/state",
	"sys/kernel/sched_ext/switch_all",
};

struct collect {
	const struct rwk_tree *tree;
	struct rwk_snapshot *snap;
	size_t nr; /* found by the current pattern */
	size_t nr_total;
};

static int collect_file(const char *path, int dir_fd, const char *name, void *data)
{
	struct collect *c = data;
	char *content;
	int err = rwk_tree_read(c->tree, dir_fd, name, RWK_SNAPSHOT_MAX_BYTES, &content);

	/* Unreadable counts as absent: some files exist only to refuse to be read. */
	if (err == -ENOMEM)
		return err;
	if (err)
		return 0;
	err = rwk_snapshot_append_file(c->snap, path, content);
	free(content);
	/* A name that cannot be an entry's is no file of ours. */
	if (err == -EINVAL)
		return 0;
	if (!err) {
		c->nr++;
		c->nr_total++;
	}
	return err;
}

/* Those whose path begins with folder. */
static int collect_files(struct collect *c, const char *folder)
{
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		int err;

		if (strncmp(patterns[i], folder, strlen(folder)))
			continue;
		c->nr = 0;
		err = rwk_tree_glob(c->tree, patterns[i], collect_file, c);
		if (!err && !c->nr && !strpbrk(patterns[i], "*["))
			err = rwk_snapshot_append_file(c->snap, patterns[i], NULL);
		if (err)
			return err;
	}
	return 0;
}

/* Two patterns may find one file (sched_*), a copied tree hold a thread twice: the later one goes.
 */
static void drop_doubles(struct rwk_snapshot *snap)
{
	size_t kept = 0;

	for (size_t i = 0; i < snap->nr_tasks; i++) {
		if (kept && snap->task[kept - 1].tid == snap->task[i].tid)
			rwk_snapshot_task_finish(&snap->task[i]);
		else
			snap->task[kept++] = snap->task[i];
	}
	snap->nr_tasks = kept;
	kept = 0;

	for (size_t i = 0; i < snap->nr_files; i++) {
		if (kept && !strcmp(snap->file[kept - 1].path, snap->file[i].path)) {
			free(snap->file[i].path);
			free(snap->file[i].content);
			continue;
		}
		snap->file[kept++] = snap->file[i];
	}
	snap->nr_files = kept;
}

/* "6.1.0-57", "Linux version 6.1.0-57 (…" and "Linux host 6.1.0-57 …" as uname -a prints. */
static int set_release(struct rwk_snapshot *snap, const char *text)
{
	if (!strncmp(text, "Linux ", 6)) {
		text += 6;
		text += strcspn(text, " \n");
		text += strspn(text, " ");
	}
	return rwk_snapshot_set_release(snap, text);
}

static int find_release(const struct rwk_tree *tree, struct rwk_snapshot *snap)
{
	/* A tree copied from a machine may keep the release beside itself. */
	static const char *const names[] = {
		"proc/sys/kernel/osrelease", "proc/version", "uname", "../uname"};
	struct utsname uts;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *text;
		int err;

		if (tree->live && i >= 2)
			break;
		err = rwk_tree_read(tree, tree->fd, names[i], 4096, &text);
		if (err == -ENOMEM)
			return err;
		if (err)
			continue;
		err = set_release(snap, text);
		free(text);
		if (err || rwk_snapshot_release(snap)[0])
			return err;
	}
	if (tree->live && !uname(&uts))
		return rwk_snapshot_set_release(snap, uts.release);
	return 0;
}

int rwk_snapshot_take(
	const char *root, bool with_tasks, struct rwk_diag *diag, struct rwk_snapshot **ret)
{
	struct rwk_tree tree;
	struct collect c = {.tree = &tree};
	bool v1 = false;
	int err = rwk_tree_open(root, diag, &tree);

	if (err)
		return err;
	err = rwk_snapshot_create(&c.snap);
	if (!err)
		err = collect_files(&c, "");
	if (!err)
		err = find_release(&tree, c.snap);
	if (!err)
		err = rwk_take_kconfig(&tree, c.snap);
	if (!err && with_tasks)
		err = rwk_take_threads(&tree, c.snap, &v1);
	if (!err && with_tasks)
		err = rwk_take_cgroups(&tree, v1, c.snap);
	if (err)
		rwk_diag_push(diag, err, "cannot take the machine snapshot: root=%s why=%s", root,
			strerror(-err));
	else if (!c.nr_total)
		err = rwk_diag_push(diag, -ENODATA,
			"cannot take the machine snapshot: root=%s why=it holds no sys or proc "
			"files "
			"that describe a machine",
			root);
	rwk_tree_close(&tree);
	if (err) {
		rwk_snapshot_destroy(c.snap);
		return err;
	}
	rwk_snapshot_sort(c.snap);
	drop_doubles(c.snap);
	*ret = c.snap;
	return 0;
}

int rwk_snapshot_take_cpus(struct rwk_diag *diag, struct rwk_snapshot **ret)
{
	struct rwk_tree tree;
	struct collect c = {.tree = &tree};
	int err = rwk_tree_open("/", diag, &tree);

	if (err)
		return err;
	err = rwk_snapshot_create(&c.snap);
	if (!err)
		err = collect_files(&c, "sys/devices/system/");
	rwk_tree_close(&tree);
	if (err) {
		rwk_snapshot_destroy(c.snap);
		return rwk_diag_push(diag, err, "cannot look at the CPUs: why=%s", strerror(-err));
	}
	rwk_snapshot_sort(c.snap);
	drop_doubles(c.snap);
	*ret = c.snap;
	return 0;
}
