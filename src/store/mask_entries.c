/*
 * Entries of a machine's snapshot.  What is known to hold only numbers, CPU
 * lists and words of the kernel is kept; ids and groups in others are
 * replaced; all else is left out, as nobody can know what it says.
 */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "store/mask_private.h"

#define CHANGED_SETTING "rewake/changed/setting/"
#define CHANGED_TASK    "rewake/changed/task/"
#define APPEARED        "rewake/changed/appeared"
#define FILTER          "rewake/filter"
#define SEEN            "rewake/seen/"
#define CMDLINE         "proc/cmdline"
#define SCHEDSTAT       "proc/schedstat"
#define CGROUPS         "sys/fs/cgroup/"

static bool is_plain(const struct rwk_mask *mask, const char *path)
{
	/* As in machine/take.c; "*" does not match a slash. */
	static const char *const plain[] = {"config/CONFIG_*", CMDLINE, SCHEDSTAT,
		"proc/sys/kernel/numa_balancing", "proc/sys/kernel/sched_*",
		"proc/sys/kernel/sched_domain/cpu[0-9]*/domain[0-9]*/*",
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
		"sys/devices/system/cpu/isolated", "sys/devices/system/cpu/nohz_full",
		"sys/devices/system/cpu/online", "sys/devices/system/cpu/possible",
		"sys/devices/system/cpu/present", "sys/devices/system/cpu/smt/active",
		"sys/devices/system/node/node[0-9]*/cpulist",
		"sys/devices/system/node/node[0-9]*/distance", "sys/devices/system/node/online",
		"sys/devices/system/node/possible", "sys/kernel/debug/sched/base_slice_ns",
		"sys/kernel/debug/sched/cgroup_mode", "sys/kernel/debug/sched/features",
		"sys/kernel/debug/sched/idle_min_granularity_ns",
		"sys/kernel/debug/sched/latency_ns", "sys/kernel/debug/sched/migration_cost_ns",
		"sys/kernel/debug/sched/min_granularity_ns", "sys/kernel/debug/sched/nr_migrate",
		"sys/kernel/debug/sched/preempt", "sys/kernel/debug/sched/tunable_scaling",
		"sys/kernel/debug/sched/verbose", "sys/kernel/debug/sched/wakeup_granularity_ns",
		"sys/kernel/debug/sched/domains/cpu[0-9]*/domain[0-9]*/*",
		"sys/kernel/debug/sched/fair_server/cpu[0-9]*/*",
		"sys/kernel/debug/sched/llc_balancing/*", "sys/kernel/debug/sched/numa_balancing/*",
		"sys/kernel/debug/sched_features", "sys/kernel/sched_ext/nr_rejected",
		"sys/kernel/sched_ext/state", "sys/kernel/sched_ext/switch_all", "rewake/buffer",
		"rewake/changes", "rewake/changed/offline", "rewake/changed/online",
		"rewake/changed/feature/*", "rewake/changed/domains/cpu[0-9]*", "rewake/end",
		"rewake/edit", "rewake/hotplug/begin", "rewake/hotplug/end", "rewake/unread",
		"rewake/probe/level", "rewake/probe/asked", "rewake/probe/events",
		"rewake/probe/stats", APPEARED, FILTER};
	/* These hold times of the trace's clock. */
	static const char *const timed[] = {"rewake/clock", "rewake/flight", "rewake/hotplug/rows",
		"rewake/loss/cpu[0-9]*", "rewake/stats/cpu[0-9]*"};

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (!fnmatch(plain[i], path, FNM_PATHNAME))
			return true;
	}
	for (size_t i = 0; !mask->shift_time && i < sizeof(timed) / sizeof(timed[0]); i++) {
		if (!fnmatch(timed[i], path, FNM_PATHNAME))
			return true;
	}
	return false;
}

/* The number at text, up to end; false for anything else. */
static bool tid_at(const char *text, const char *end, int64_t *ret)
{
	char digits[16];
	size_t len = (size_t)(end - text);

	if (end <= text || len >= sizeof(digits))
		return false;
	memcpy(digits, text, len);
	digits[len] = '\0';
	return !rwk_parse_i64(digits, 1, INT32_MAX, ret);
}

/* The thread id in "proc/TID/autogroup" or "rewake/changed/task/TID", and what is around it. */
static bool path_tid(const char *path, int64_t *ret, int *ret_before, const char **ret_after)
{
	const char *slash;

	if (!strncmp(path, CHANGED_TASK, strlen(CHANGED_TASK))) {
		*ret_before = (int)strlen(CHANGED_TASK);
		*ret_after = path + strlen(path);
		return tid_at(path + *ret_before, *ret_after, ret);
	}
	slash = strncmp(path, "proc/", 5) ? NULL : strchr(path + 5, '/');
	if (!slash || strcmp(slash, "/autogroup"))
		return false;
	*ret_before = 5;
	*ret_after = slash;
	return tid_at(path + 5, slash, ret);
}

static int cgroup_path(struct rwk_mask *mask, const char *path, char **ret)
{
	static const char *const files[] = {"cpu.weight", "cpu.weight.nice", "cpu.shares",
		"cpu.idle", "cpu.max", "cgroup.controllers"};
	const char *file = strrchr(path, '/') + 1;
	size_t len;
	FILE *out;
	int err;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (strcmp(files[i], file))
			continue;
		out = open_memstream(ret, &len);
		if (!out)
			return -ENOMEM;
		fputs(CGROUPS, out);
		err = rwk_mask_folders(
			mask, path + strlen(CGROUPS), (size_t)(file - path) - strlen(CGROUPS), out);
		fputs(file, out);
		return fclose(out) ? -ENOMEM : err;
	}
	return 0;
}

/* Options of the configuration that are words of whoever built the kernel. */
static bool is_own_text(const char *path, const char *content)
{
	return !strncmp(path, "config/", 7) && content &&
	       (strspn(content, "ymn0123456789\n") != strlen(content) || strlen(content) > 12);
}

int rwk_mask_path(struct rwk_mask *mask, const char *path, const char *content, char **ret)
{
	const char *after, *setting;
	int64_t tid;
	int before;

	*ret = NULL;
	if (path_tid(path, &tid, &before, &after))
		return asprintf(ret, "%.*s%" PRId64 "%s", before, path, rwk_mask_tid(mask, tid),
			       after) < 0
			       ? -ENOMEM
			       : 0;
	if (!strncmp(path, CGROUPS, strlen(CGROUPS)))
		return cgroup_path(mask, path, ret);
	/* A changed setting is as plain as the setting; the command line cannot change. */
	setting = strncmp(path, CHANGED_SETTING, strlen(CHANGED_SETTING))
			  ? path
			  : path + strlen(CHANGED_SETTING);
	if (!strncmp(path, SEEN, strlen(SEEN)))
		setting = path + strlen(SEEN);
	if (!is_plain(mask, setting) || (setting != path && !strcmp(setting, CMDLINE)) ||
		is_own_text(path, content))
		return 0;
	*ret = strdup(path);
	return *ret ? 0 : -ENOMEM;
}

/* ---- contents ---- */

/* Only options that bear on scheduling, with values that are numbers, lists and words. */
static void put_cmdline(const char *text, FILE *out)
{
	static const char *const kept[] = {"isolcpus", "nohz", "nohz_full", "rcu_nocbs",
		"rcu_nocb_poll", "mitigations", "nosmt", "maxcpus", "nr_cpus", "possible_cpus",
		"numa_balancing", "numa", "preempt", "threadirqs", "noautogroup",
		"relax_domain_level", "sched_verbose", "skew_tick", "idle", "cpuidle.off",
		"intel_idle.max_cstate", "processor.max_cstate", "schedstats"};
	bool first = true;
	size_t len;

	for (; *text; text += len) {
		size_t name;

		text += strspn(text, " \t\n");
		len = strcspn(text, " \t\n");
		name = strcspn(text, "= \t\n");
		for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
			if (strlen(kept[i]) != name || memcmp(kept[i], text, name) ||
				len - name > 64)
				continue;
			fprintf(out, "%s%.*s", first ? "" : " ", (int)len, text);
			first = false;
			break;
		}
	}
	fputc('\n', out);
}

static void put_line(const char *line, size_t len, FILE *out)
{
	fwrite(line, 1, len, out);
	fputc('\n', out);
}

/* "allowed 0-7 -> 0-3; cgroup /a -> /b" */
static int put_task_change(struct rwk_mask *mask, const char *line, size_t len, FILE *out)
{
	const char *group = memmem(line, len, "cgroup ", 7);
	const char *arrow = group ? memmem(group, len - (size_t)(group - line), " -> ", 4) : NULL;
	int err;

	if (!arrow) {
		put_line(line, len, out);
		return 0;
	}
	group += 7;
	fwrite(line, 1, (size_t)(group - line), out);
	err = rwk_mask_folders(mask, group, (size_t)(arrow - group), out);
	fputs(" -> ", out);
	arrow += 4;
	if (!err)
		err = rwk_mask_folders(mask, arrow, len - (size_t)(arrow - line), out);
	fputc('\n', out);
	return err;
}

static int put_content(struct rwk_mask *mask, const char *path, const char *content, FILE *out)
{
	bool task = !strncmp(path, CHANGED_TASK, strlen(CHANGED_TASK));
	int64_t tid;
	int err = 0;

	if (!strcmp(path, CMDLINE)) {
		put_cmdline(content, out);
		return 0;
	}
	for (size_t len; *content && !err; content += len + (content[len] == '\n')) {
		len = strcspn(content, "\n");
		if (task)
			err = put_task_change(mask, content, len, out);
		else if (!strcmp(path, APPEARED) && tid_at(content, content + len, &tid))
			fprintf(out, "%" PRId64 "\n", rwk_mask_tid(mask, tid));
		else if (!strcmp(path, FILTER) && len > 5 && !memcmp(content, "pid: ", 5) &&
			 tid_at(content + 5, content + len, &tid))
			fprintf(out, "pid: %" PRId64 "\n", rwk_mask_tid(mask, tid));
		else if (!strcmp(path, SCHEDSTAT) && len > 10 && !memcmp(content, "timestamp ", 10))
			fputs("timestamp 0\n", out); /* since when the machine is up */
		else
			put_line(content, len, out);
	}
	return err;
}

int rwk_mask_content(struct rwk_mask *mask, const char *path, const char *content, char **ret)
{
	bool line_by_line = !strcmp(path, CMDLINE) || !strcmp(path, SCHEDSTAT) ||
			    !strcmp(path, APPEARED) || !strcmp(path, FILTER) ||
			    !strncmp(path, CHANGED_TASK, strlen(CHANGED_TASK));
	size_t len;
	FILE *out;
	int err;

	if (!line_by_line) {
		*ret = strdup(content);
		return *ret ? 0 : -ENOMEM;
	}
	out = open_memstream(ret, &len);
	if (!out)
		return -ENOMEM;
	err = put_content(mask, path, content, out);
	if (fclose(out))
		err = -ENOMEM;
	/* A setting has lost its last newline, and must not get one. */
	if (!err && len && (*ret)[len - 1] == '\n' &&
		(!*content || content[strlen(content) - 1] != '\n'))
		(*ret)[len - 1] = '\0';
	return err;
}

int rwk_mask_add_tids_of(struct rwk_mask *mask, const char *path, const char *content)
{
	const char *after;
	int64_t tid;
	int before, err = 0;

	if (path_tid(path, &tid, &before, &after))
		err = rwk_mask_add_tid(mask, tid);
	if (!content || (strcmp(path, APPEARED) && strcmp(path, FILTER)))
		return err;
	for (size_t len; *content && !err; content += len + (content[len] == '\n')) {
		const char *at = content;

		len = strcspn(content, "\n");
		if (!strcmp(path, FILTER) && !strncmp(content, "pid: ", 5))
			at += 5;
		if (tid_at(at, content + len, &tid))
			err = rwk_mask_add_tid(mask, tid);
	}
	return err;
}
