/* Which tasks a filter is for, out of a made-up /proc, and what it is said to hide. */
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

#include "base/parse.h"
#include "record/filter.h"

static char root[] = "/tmp/rewake-test-XXXXXX";

static void make(const char *path)
{
	char full[1024];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	assert_int_equal(mkdir(full, 0700), 0);
}

static void add_process(int pid, const char *comm, int parent, int extra_thread)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%d", pid);
	make(path);
	snprintf(path, sizeof(path), "%d/task", pid);
	make(path);
	snprintf(path, sizeof(path), "%d/task/%d", pid, pid);
	make(path);
	if (extra_thread) {
		snprintf(path, sizeof(path), "%d/task/%d", pid, extra_thread);
		make(path);
	}
	snprintf(path, sizeof(path), "%s/%d/stat", root, pid);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%d (%s) S %d 0 0\n", pid, comm, parent);
	assert_int_equal(fclose(f), 0);
}

static int setup(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(root));
	make("sys");
	add_process(1, "init", 0, 0);
	add_process(40, "x) R 1 (", 1, 41); /* a name that looks like the fields behind it */
	add_process(30, "grandchild", 50, 0);
	add_process(50, "child", 40, 0);
	add_process(60, "other", 1, 0);
	return 0;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command);
}

static void test_family(void **state)
{
	int *ids = NULL;
	int none = 0;
	size_t nr = 0;

	(void)state;
	assert_int_equal(rwk_filter_find_tasks(root, &(int){40}, 1, &ids, &nr, &none), 0);
	assert_int_equal(nr, 4);
	assert_int_equal(ids[0], 30);
	assert_int_equal(ids[1], 40);
	assert_int_equal(ids[2], 41);
	assert_int_equal(ids[3], 50);
	free(ids);
	assert_int_equal(rwk_filter_find_tasks(root, &(int){60}, 1, &ids, &nr, &none), 0);
	assert_int_equal(nr, 1);
	free(ids);
	assert_int_equal(rwk_filter_find_tasks(root, (int[]){60, 50}, 2, &ids, &nr, &none), 0);
	assert_int_equal(nr, 3);
	assert_int_equal(ids[0], 30);
	assert_int_equal(ids[2], 60);
	free(ids);
	nr = 9;
	assert_int_equal(rwk_filter_find_tasks(root, &(int){41}, 1, &ids, &nr, &none),
		-ESRCH); /* a thread */
	assert_int_equal(rwk_filter_find_tasks(root, (int[]){60, 99}, 2, &ids, &nr, &none), -ESRCH);
	assert_int_equal(none, 99);
	assert_int_equal(
		rwk_filter_find_tasks("/nonexistent", &(int){1}, 1, &ids, &nr, &none), -ENOENT);
	assert_int_equal(nr, 9);
}

static void test_mask(void **state)
{
	struct rwk_cpuset cpus = {0};
	char mask[RWK_FILTER_MASK];

	(void)state;
	rwk_cpuset_add(&cpus, 1);
	rwk_cpuset_add(&cpus, 3);
	rwk_filter_format_mask(&cpus, mask);
	assert_string_equal(mask, "a");
	rwk_cpuset_add(&cpus, 64);
	rwk_filter_format_mask(&cpus, mask);
	assert_string_equal(mask, "1,00000000,0000000a");
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++)
		rwk_cpuset_add(&cpus, cpu);
	rwk_filter_format_mask(&cpus, mask);
	assert_int_equal(strlen(mask), RWK_MAX_CPUS / 32 * 9 - 1);
	assert_int_equal(strspn(mask, "f,"), strlen(mask));
}

static void test_note(void **state)
{
	struct rwk_record_filter filter = {0};
	char note[RWK_FILTER_NOTE];

	(void)state;
	rwk_filter_describe(&filter, note);
	assert_string_equal(note, "");
	filter.by_cpu = true;
	rwk_cpuset_add(&filter.cpus, 0);
	rwk_cpuset_add(&filter.cpus, 2);
	filter.pid[0] = 77;
	filter.pid[1] = 78;
	filter.nr_pids = 2;
	rwk_filter_describe(&filter, note);
	assert_non_null(strstr(note, "cpus: 0,2\npid: 77,78\nunknown: what other CPUs"));
	assert_non_null(strstr(note, "; what CPUs ran between these tasks"));
	assert_int_equal(note[strlen(note) - 1], '\n');
	/* Even the longest list leaves room for what matters. */
	for (int cpu = 1; cpu < RWK_MAX_CPUS; cpu += 2)
		rwk_cpuset_add(&filter.cpus, cpu);
	rwk_filter_describe(&filter, note);
	assert_non_null(strstr(note, "wakeups among other tasks\n"));
}

static void add_group(const char *path, const char *file, const char *ids)
{
	char full[1024];
	FILE *f;

	make(path);
	snprintf(full, sizeof(full), "%s/%s/%s", root, path, file);
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(ids, f);
	assert_int_equal(fclose(f), 0);
}

static void test_group(void **state)
{
	char path[512], *group = NULL;
	int *ids = NULL;
	size_t nr = 0;

	(void)state;
	add_group("two", "cgroup.threads", "9\n7\n0\n");
	add_group("two/inner", "cgroup.threads", "3\n");
	add_group("one", "tasks", "5\n");
	add_group("empty", "cgroup.threads", "");
	snprintf(path, sizeof(path), "%s/two", root);
	assert_int_equal(rwk_filter_find_group(path, &group), 0);
	assert_string_equal(group, path);
	assert_int_equal(rwk_filter_find_group_tasks(group, &ids, &nr), 0);
	free(group);
	assert_int_equal(nr, 3);
	assert_int_equal(ids[0], 3);
	assert_int_equal(ids[1], 7);
	assert_int_equal(ids[2], 9);
	free(ids);
	snprintf(path, sizeof(path), "%s/one", root);
	assert_int_equal(rwk_filter_find_group_tasks(path, &ids, &nr), 0);
	assert_int_equal(nr, 1);
	free(ids);
	snprintf(path, sizeof(path), "%s/empty", root);
	assert_int_equal(rwk_filter_find_group_tasks(path, &ids, &nr), -ESRCH);
	snprintf(path, sizeof(path), "%s/nowhere", root);
	assert_int_equal(rwk_filter_find_group(path, &group), -ENOENT);
	assert_int_equal(rwk_filter_find_group("../../etc", &group), -ENOENT);
}

static void test_comm(void **state)
{
	static const char *const fields[] = {"comm", "COMM", NULL};
	struct rwk_record_filter filter = {.comm = {"tr", "kworker/*"}, .nr_comms = 2};
	char note[RWK_FILTER_NOTE], *text;

	(void)state;
	text = rwk_filter_format_comm(&filter, fields);
	assert_string_equal(text, "comm == \"tr\" || COMM == \"tr\" || comm ~ \"kworker/*\" || "
				  "COMM ~ \"kworker/*\"");
	free(text);
	rwk_filter_describe(&filter, note);
	assert_non_null(strstr(note, "comm: tr\ncomm: kworker/*\nunknown: what CPUs ran"));
	assert_true(rwk_filter_comm_ok("Web Content"));
	assert_true(rwk_filter_comm_ok("fifteen bytes !"));
	assert_false(rwk_filter_comm_ok("sixteen bytes !!"));
	assert_false(rwk_filter_comm_ok(""));
	assert_false(rwk_filter_comm_ok("x\" || 1 == 1"));
	assert_false(rwk_filter_comm_ok("two\nlines"));
}

/* For a trigger of the kernel, which no filter of the instance holds for. */
static void test_about(void **state)
{
	struct rwk_record_filter filter = {0};
	char *text;

	(void)state;
	text = rwk_filter_format_about(&filter, "pid", "comm");
	assert_string_equal(text, "pid != 0");
	free(text);
	filter.by_cpu = true;
	assert_int_equal(rwk_parse_cpulist("0-3,5,1023", &filter.cpus), 0);
	text = rwk_filter_format_about(&filter, "next_pid", "next_comm");
	assert_string_equal(
		text, "next_pid != 0 && (CPU >= 0 && CPU <= 3 || CPU == 5 || CPU == 1023)");
	free(text);
	filter.comm[0] = "tr";
	filter.comm[1] = "k*";
	filter.nr_comms = 2;
	filter.by_cpu = false;
	text = rwk_filter_format_about(&filter, "next_pid", "next_comm");
	assert_string_equal(text, "next_pid != 0 && (next_comm == \"tr\" || next_comm ~ \"k*\")");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_family),
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_comm),
		cmocka_unit_test(test_about),
		cmocka_unit_test(test_mask),
		cmocka_unit_test(test_note),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
