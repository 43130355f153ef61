/*
 * A snapshot is taken from a tree, survives the way through JSON byte by byte,
 * and refuses what is not one.  The recorded trees of real machines are used
 * where they lie beside the source tree.
 */
#include <errno.h>
#include <fcntl.h>
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

#include "base/parse.h"
#include "machine/escape.h"
#include "machine/machine.h"

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

/* Writes a file below the test's directory, with the folders it needs; returns its path. */
static char *put(const char *name, const char *content)
{
	static char path[512];
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
	return path;
}

static char *slurp(const char *path)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_true(getdelim(&text, &size, 0, f) >= 0);
	fclose(f);
	return text;
}

static void escape_round_trips(void **state)
{
	/* Not UTF-8: a lone byte, cut short, overlong, a surrogate, beyond the last, own escapes.
	 */
	static const char *const bytes[] = {"", "plain\n", "gr\xc3\xbc\xc3\x9f", "\xff", "a\x80z",
		"\xc3", "\xe2\x82", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
		"\xf4\x8f\xba\x80", "\xf4\x8f\xbb\xbf", "\xf4\x8f\xb9\xbf", "\xf0\x9f\x98\x80\xf0"};
	char all[256];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		char *text = rwk_escape_bytes(bytes[i]), *back = rwk_unescape_bytes(text);

		assert_string_equal(back, bytes[i]);
		free(text);
		free(back);
	}
	for (int i = 0; i < 255; i++)
		all[i] = (char)(i + 1);
	all[255] = '\0';
	char *text = rwk_escape_bytes(all), *back = rwk_unescape_bytes(text);

	assert_string_equal(back, all);
	free(text);
	free(back);
	text = rwk_escape_bytes("\xff");
	assert_string_equal(text, "\xf4\x8f\xbb\xbf");
	free(text);
}

static void takes_what_is_there(void **state)
{
	struct rwk_snapshot *snap;
	const char *path, *content;
	char last[512] = "";
	bool asked = false;

	(void)state;
	put("r/sys/devices/system/cpu/online", "0-1\n");
	put("r/sys/devices/system/cpu/cpu1/topology/core_id", "1\n");
	put("r/sys/devices/system/cpu/cpu1/topology/core_cpus", "1\n"); /* a mask, not kept */
	put("r/sys/devices/system/cpufreq/online", "x");
	put("r/proc/sys/kernel/sched_child_runs_first", "0\n");
	put("r/etc/shadow", "secret\n");
	put("r/proc/version", "Linux version 6.1.0-57-cloud-amd64 (gcc)\n");
	put("r/boot/config-6.1.0-57-cloud-amd64",
		"CONFIG_HZ=250\n# CONFIG_PREEMPT_RT is not set\nCONFIG_NUMA=y\nCONFIG_HZ_250=y\n");
	/* A link must not lead out of the tree. */
	assert_int_equal(symlink("../../../../etc/shadow",
				 strcat(strcpy(last, dir), "/r/sys/devices/system/cpu/isolated")),
		0);
	snprintf(last, sizeof(last), "%s/r", dir);
	assert_int_equal(rwk_snapshot_take(last, false, NULL, &snap), 0);
	assert_string_equal(rwk_snapshot_file(snap, "sys/devices/system/cpu/online"), "0-1\n");
	assert_string_equal(
		rwk_snapshot_file(snap, "sys/devices/system/cpu/cpu1/topology/core_id"), "1\n");
	assert_null(rwk_snapshot_file(snap, "sys/devices/system/cpu/cpu1/topology/core_cpus"));
	assert_null(rwk_snapshot_file(snap, "sys/devices/system/cpu/isolated"));
	assert_string_equal(rwk_snapshot_release(snap), "6.1.0-57-cloud-amd64");
	assert_string_equal(rwk_snapshot_file(snap, "config/CONFIG_HZ"), "250\n");
	assert_string_equal(rwk_snapshot_file(snap, "config/CONFIG_PREEMPT_RT"), "n\n");
	assert_string_equal(rwk_snapshot_file(snap, "config/CONFIG_NUMA"), "y\n");
	last[0] = '\0';
	for (size_t i = 0; rwk_snapshot_file_at(snap, i, &path, &content); i++) {
		assert_true(strcmp(last, path) < 0);
		snprintf(last, sizeof(last), "%s", path);
		asked |= !strcmp(path, "sys/kernel/debug/sched/features") && !content;
	}
	assert_true(asked); /* absent files are noted */
	rwk_snapshot_destroy(snap);
}

static void takes_threads(void **state)
{
	struct rwk_snapshot *snap;
	const struct rwk_snapshot_task *task;
	char root[64];

	(void)state;
	put("r/sys/devices/system/cpu/online", "0-7\n");
	put("r/proc/12/task/13/stat", "13 (a) b)\xff) S 1 1 1 0 -1 4194304 1 0 0 0 0 0 0 0 25 5 1 "
				      "0 100 1 1 1 1 1 1 1 1 0 "
				      "0 0 0 0 0 0 17 1 0 3 0 0 0\n");
	put("r/proc/12/task/13/status", "Name:\tx\nCpus_allowed:\tf\nCpus_allowed_list:\t0-2,7\n");
	put("r/proc/12/task/13/cgroup", "3:memory:/m\n2:cpu,cpuacct:/c:d\n0::/u\n");
	put("r/proc/12/task/12/stat", "12 (m) S 1 1 1 0 -1 4194304 1 0 0 0 0 0 0 0 -101 0\n");
	put("r/proc/12/task/12/status", "Cpus_allowed_list:\t0-99999\n");
	put("r/proc/12/task/99/stat", "no stat\n");
	put("r/proc/self/task/1/stat", "1 (s) S\n");
	snprintf(root, sizeof(root), "%s/r", dir);
	assert_int_equal(rwk_snapshot_take(root, true, NULL, &snap), 0);
	assert_int_equal(rwk_snapshot_nr_tasks(snap), 2);
	task = rwk_snapshot_task_at(snap, 0);
	assert_int_equal(task->tid, 12);
	assert_int_equal(task->prio, RWK_PRIO_DEADLINE);
	assert_int_equal(task->policy, RWK_NONE);
	assert_false(task->allowed_known);
	assert_null(task->cgroup);
	task = rwk_snapshot_task_at(snap, 1);
	assert_int_equal(task->tid, 13);
	assert_string_equal(task->comm, "a) b)\xff");
	assert_int_equal(task->prio, 125);
	assert_int_equal(task->policy, 3);
	assert_true(task->allowed_known);
	assert_int_equal(rwk_cpuset_weight(&task->allowed), 4);
	assert_string_equal(task->cgroup, "/c:d");
	assert_null(rwk_snapshot_task_at(snap, 2));
	rwk_snapshot_destroy(snap);
}

static void saves_and_loads(void **state)
{
	struct rwk_snapshot *snap, *back;
	char a[64], b[64], root[64], *first, *second;

	(void)state;
	put("r/sys/devices/system/cpu/online", "0-1\n\xfe\x01\"\\");
	put("r/proc/7/task/7/stat", "7 (\xc3\x28\n) S 1 1 1 0 -1 0 1 0 0 0 0 0 0 0 20 0\n");
	put("r/proc/7/task/7/status", "Name:\tx\nCpus_allowed_list:\t0-1,1023\n");
	put("r/uname", "7.3.4+deb13\n");
	snprintf(root, sizeof(root), "%s/r", dir);
	snprintf(a, sizeof(a), "%s/a.json", dir);
	snprintf(b, sizeof(b), "%s/b.json", dir);
	assert_int_equal(rwk_snapshot_take(root, true, NULL, &snap), 0);
	assert_int_equal(rwk_snapshot_save(snap, a, NULL), 0);
	assert_int_equal(rwk_snapshot_load(a, NULL, &back), 0);
	assert_string_equal(rwk_snapshot_release(back), "7.3.4+deb13");
	assert_string_equal(
		rwk_snapshot_file(back, "sys/devices/system/cpu/online"), "0-1\n\xfe\x01\"\\");
	assert_string_equal(rwk_snapshot_task_at(back, 0)->comm, "\xc3\x28\n");
	assert_true(rwk_cpuset_has(&rwk_snapshot_task_at(back, 0)->allowed, 1023));
	assert_int_equal(rwk_snapshot_save(back, b, NULL), 0);
	first = slurp(a);
	second = slurp(b);
	assert_string_equal(first, second);
	free(first);
	free(second);
	rwk_snapshot_destroy(back);

	/* An entry added later, an entry replaced, bad paths. */
	assert_int_equal(rwk_snapshot_add_file(snap, "rewake/clock", "mono\n"), 0);
	assert_int_equal(rwk_snapshot_add_file(snap, "rewake/clock", "local\n"), 0);
	assert_string_equal(rwk_snapshot_file(snap, "rewake/clock"), "local\n");
	assert_int_equal(rwk_snapshot_add_file(snap, "/etc/passwd", ""), -EINVAL);
	assert_int_equal(rwk_snapshot_add_file(snap, "a/../b", ""), -EINVAL);
	assert_int_equal(rwk_snapshot_add_file(snap, "", ""), -EINVAL);
	rwk_snapshot_destroy(snap);
	rwk_snapshot_destroy(NULL);
}

static void failed_save_leaves_nothing(void **state)
{
	struct rwk_snapshot *snap;
	struct rwk_diag diag = {0};
	char path[64];

	(void)state;
	assert_int_equal(rwk_snapshot_create(&snap), 0);
	snprintf(path, sizeof(path), "%s/none/x.json", dir);
	assert_int_equal(rwk_snapshot_save(snap, path, &diag), -ENOENT);
	assert_true(diag.nr > 0);
	FILE *full = fopen("/dev/full", "w");

	if (full) {
		assert_int_equal(rwk_snapshot_print(snap, full, &diag), -ENOSPC);
		fclose(full);
	}
	rwk_snapshot_destroy(snap);
}

static void refuses_what_is_no_sidecar(void **state)
{
#define HEAD "{\"format\": \"rewake-machine\", \"version\": 1, "
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"", "line 1"},
		{"{\n\"format\": \"rewake-machine\",\n}", "line 3"},
		{"[]", "no JSON object"},
		{"{\"format\": \"other\", \"version\": 1, \"files\": {}}", "format"},
		{"{\"format\": \"rewake-machine\", \"version\": 2, \"files\": {}}", "version"},
		{HEAD "\"file\": {}}", "unknown key \"file\""},
		{HEAD "\"release\": 6, \"files\": {}}", "release"},
		{HEAD "\"files\": []}", "files"},
		{HEAD "\"files\": {\"a\": 1}}", "a is no string"},
		{HEAD "\"files\": {\"../a\": \"\"}}", "bad path"},
		{HEAD "\"files\": {\"a\": \"\", \"a\": \"\"}}", "duplicate"},
		{HEAD "\"files\": {}, \"tasks\": {}}", "tasks"},
		{HEAD "\"files\": {}, \"tasks\": [1]}", "entry 0"},
		{HEAD "\"files\": {}, \"tasks\": [{\"comm\": \"x\"}]}", "entry 0"},
		{HEAD "\"files\": {}, \"tasks\": [{\"tid\": 1}, {\"tid\": 1}]}", "twice"},
		{HEAD "\"files\": {}, \"tasks\": [{\"tid\": 1, \"allowed\": \"9-\"}]}", "entry 0"},
		{HEAD "\"files\": {}, \"tasks\": [{\"tid\": 1, \"prio\": 140}]}", "entry 0"},
		{HEAD "\"files\": {}, \"tasks\": [{\"tid\": 1, \"nice\": 0}]}", "entry 0"},
		{HEAD "\"files\": {}} trailing", "line 1"},
	};
	struct rwk_snapshot *snap = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rwk_diag diag = {0};
		char text[1024];

		assert_int_equal(
			rwk_snapshot_load(put("bad.json", cases[i].text), &diag, &snap), -EBADMSG);
		rwk_diag_format(&diag, text, sizeof(text));
		if (!strstr(text, cases[i].says))
			fail_msg("case %zu says: %s", i, text);
	}
	assert_null(snap);
	assert_int_equal(rwk_snapshot_load("/nonexistent/x", NULL, &snap), -ENOENT);
	assert_int_equal(rwk_snapshot_take("/nonexistent", false, NULL, &snap), -ENOENT);
	assert_int_equal(rwk_snapshot_take(put("plain", "x"), false, NULL, &snap), -ENOTDIR);
	assert_int_equal(rwk_snapshot_take(dir, false, NULL, &snap), -ENODATA);
	/* A directory is taken as a root. */
	put("sys/devices/system/cpu/online", "0\n");
	assert_int_equal(rwk_snapshot_load(dir, NULL, &snap), 0);
	rwk_snapshot_destroy(snap);
}

static void live_system(void **state)
{
	struct rwk_snapshot *snap;
	struct rwk_anomalies anomalies = {0};
	struct rwk_machine *m;

	(void)state;
	if (access("/sys/devices/system/cpu/online", R_OK) || access("/proc/self/stat", R_OK)) {
		print_message("skipped: no sysfs or procfs here\n");
		skip();
	}
	assert_int_equal(rwk_snapshot_take("/", true, NULL, &snap), 0);
	assert_true(rwk_snapshot_release(snap)[0]);
	assert_true(rwk_snapshot_nr_tasks(snap) > 0);
	assert_int_equal(rwk_machine_build(snap, "", 0, &anomalies, NULL, &m), 0);
	assert_true(m->nr_cpu_ids >= 1);
	assert_true(m->kernel.major >= 3);
	rwk_machine_destroy(m);
	rwk_snapshot_destroy(snap);
}

/* Recorded trees of real kernels: folder, domains of CPU 5, LLCs and their size. */
static void recorded_trees(void **state)
{
	static const struct {
		const char *name, *domains;
		int nr_llc, size, minor;
		bool features;
	} cases[] = {
		{"5.10-smt2numa-state", "SMT{2} MC{4} NUMA{8}", 2, 4, 10, false},
		{"6.1-smt2numa", "SMT{2} MC{4} NUMA{8}", 2, 4, 1, true},
		{"6.1-smt2numa-state", "SMT{2} MC{4} NUMA{8}", 2, 4, 1, true},
		{"6.1x-smt2numa-vagin", "SMT{2} MC{4} NUMA{8}", 2, 4, 1, true},
		{"6.12-llc16-state", "MC{16}", 1, 16, 12, true},
		{"6.18-smt2numa-state", "SMT{2} MC{4} NUMA{8}", 2, 4, 18, true},
		{"7.3-smt2numa-state", "SMT{2} MC{4} NUMA{8}", 2, 4, 3, true},
	};
	const char *source = getenv("REWAKE_SOURCE_ROOT");
	int nr = 0;

	(void)state;
	for (size_t i = 0; source && i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rwk_anomalies anomalies = {0};
		char path[1024], text[256] = "", *end = text;
		struct rwk_snapshot *snap;
		struct rwk_machine *m;

		snprintf(path, sizeof(path), "%s/../shared/traces/corpus/%s/machine", source,
			cases[i].name);
		if (access(path, R_OK))
			continue;
		nr++;
		assert_int_equal(rwk_snapshot_load(path, NULL, &snap), 0);
		assert_int_equal(rwk_machine_build(snap, "", 8, &anomalies, NULL, &m), 0);
		assert_int_equal(anomalies.of[RWK_AN_BAD_SIDECAR].count, 0);
		assert_true(m->topology_known);
		assert_int_equal(m->kernel.minor, cases[i].minor);
		for (int k = 0; k < m->cpu[5].nr_domains; k++)
			end += sprintf(end, "%s%s{%d}", k ? " " : "",
				rwk_domain_level_name(m->cpu[5].domain[k].level, m->kernel),
				rwk_cpuset_weight(&m->cpu[5].domain[k].span));
		assert_string_equal(text, cases[i].domains);
		assert_int_equal(m->nr_llc, cases[i].nr_llc);
		assert_int_equal(rwk_machine_llc_size(m, 5), cases[i].size);
		assert_int_equal(m->smt_active, cases[i].size == 4);
		assert_int_equal(m->feature_known[RWK_FEAT_WA_IDLE], cases[i].features);
		assert_false(m->cluster_active || m->asym_capacity || m->sched_ext_enabled);
		rwk_machine_destroy(m);
		rwk_snapshot_destroy(snap);
	}
	if (!nr) {
		print_message("skipped: no recorded trees beside the source tree\n");
		skip();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escape_round_trips),
		cmocka_unit_test_setup_teardown(takes_what_is_there, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(takes_threads, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(saves_and_loads, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(failed_save_leaves_nothing, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(refuses_what_is_no_sidecar, make_dir, remove_dir),
		cmocka_unit_test(live_system),
		cmocka_unit_test(recorded_trees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
