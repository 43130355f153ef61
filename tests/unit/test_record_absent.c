/*
 * Files of tracefs that a kernel may lack, one at a time out of a made-up tree: the
 * recorder does without and says so, or says what it cannot do, naming the file.
 */
#include <errno.h>
#include <ftw.h>
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
#include <tracefs.h>

#include "base/parse.h"
#include "record/filter.h"
#include "record/instance.h"
#include "record/tracefs_root.h"
#include "record/trigger_kernel.h"

#define INSTANCE "instances/x"

static char root[] = "/tmp/rewake-test-XXXXXX";
static int nr_cpus;

static void make(const char *name, const char *text)
{
	char path[1024];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		assert_true(!mkdir(path, 0700) || errno == EEXIST);
		*p = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* Everything that there is for an instance on this machine's CPUs. */
static void make_tree(void)
{
	static const char *const plain[] = {"tracing_on", "options/overwrite", "options/event-fork",
		"buffer_size_kb", "buffer_subbuf_size_kb", "buffer_percent", "tracing_cpumask",
		"set_event_pid", "events/sched/sched_waking/filter",
		"events/sched/sched_switch/filter", "events/sched/sched_wakeup/filter",
		"events/sched/sched_wakeup_new/filter", "events/sched/sched_migrate_task/filter"};
	static const char *const of_cpu[] = {"trace_pipe_raw", "stats", "buffer_size_kb"};
	char name[256];

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		snprintf(name, sizeof(name), INSTANCE "/%s", plain[i]);
		make(name, "4\n");
	}
	make(INSTANCE "/trace_clock", "[local] global mono\n");
	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		for (size_t i = 0; i < sizeof(of_cpu) / sizeof(of_cpu[0]); i++) {
			snprintf(name, sizeof(name), INSTANCE "/per_cpu/cpu%d/%s", cpu, of_cpu[i]);
			make(name, "");
		}
	}
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_tree(void)
{
	nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The tree without one file; what a recording of CPU 0 with a process and a name comes to. */
static int set_up_without(const char *file, struct rwk_instance *inst, struct rwk_diag *diag)
{
	struct rwk_record_filter filter = {
		.by_cpu = true, .pid = {(int)getpid()}, .nr_pids = 1, .comm = {"x"}, .nr_comms = 1};
	char path[1024];
	int err;

	*inst = (struct rwk_instance){.dir = root};
	*diag = (struct rwk_diag){0};
	rwk_cpuset_add(&filter.cpus, 0);
	remove_tree();
	assert_int_equal(mkdir(root, 0700), 0);
	make_tree();
	snprintf(path, sizeof(path), "%s/" INSTANCE "/%s", root, file);
	if (file[0])
		assert_int_equal(unlink(path), 0);
	assert_int_equal(rwk_tracefs_use(root, diag), 0);
	inst->handle = tracefs_instance_create("x");
	assert_non_null(inst->handle);
	assert_false(tracefs_instance_is_new(inst->handle));
	err = rwk_instance_set_up(inst, 64, &filter.cpus, diag);
	if (!err)
		err = rwk_filter_apply(&filter, inst, diag);
	tracefs_instance_free(inst->handle);
	rwk_tracefs_use(NULL, NULL);
	return err;
}

static void test_all_there(void **state)
{
	struct rwk_instance inst;
	struct rwk_diag diag;

	(void)state;
	assert_int_equal(set_up_without("", &inst, &diag), 0);
	assert_string_equal(inst.without, "");
	assert_string_equal(inst.setup.clock, "mono");
	assert_int_equal(inst.page_size, 4096);
}

static void test_done_without(void **state)
{
	static const struct {
		const char *file, *said;
	} cases[] = {
		{"options/overwrite", "no options/overwrite: which events"},
		{"trace_clock", "no trace_clock: the kernel's own clock"},
		{"per_cpu/cpu0/buffer_size_kb",
			"no per_cpu/cpuN/buffer_size_kb: CPUs that are not"},
		/* Older kernels have pages of one size; and nobody waits for a recording's. */
		{"buffer_subbuf_size_kb", ""},
		{"buffer_percent", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rwk_instance inst;
		struct rwk_diag diag;

		assert_int_equal(set_up_without(cases[i].file, &inst, &diag), 0);
		assert_int_equal(strncmp(inst.without, cases[i].said, strlen(cases[i].said)), 0);
		assert_int_equal(!inst.without[0], !cases[i].said[0]);
		assert_string_equal(
			inst.setup.clock, strcmp(cases[i].file, "trace_clock") ? "mono" : "local");
	}
}

static void test_refused_by_name(void **state)
{
	static const char *const files[] = {"tracing_on", "buffer_size_kb", "per_cpu/cpu0/stats",
		"tracing_cpumask", "set_event_pid", "options/event-fork",
		"events/sched/sched_waking/filter", "events/sched/sched_switch/filter"};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct rwk_instance inst;
		struct rwk_diag diag;
		char text[RWK_DIAG_TEXT];

		assert_int_equal(set_up_without(files[i], &inst, &diag), -ENODATA);
		rwk_diag_format(&diag, text, sizeof(text));
		assert_non_null(strstr(text, "missing="));
		assert_non_null(strstr(text, files[i]));
	}
}

/* A kernel without these decides no trigger: what the recorder then does is live/record. */
static void test_no_trigger_of_the_kernel(void **state)
{
	char why[RWK_RECORD_TRIGGER_WHY];

	(void)state;
	remove_tree();
	assert_int_equal(mkdir(root, 0700), 0);
	make("events/sched/sched_switch/hist", "");
	rwk_trigger_kernel_lack(root, why);
	assert_non_null(strstr(why, "CONFIG_SYNTH_EVENTS"));
	make("synthetic_events", "");
	rwk_trigger_kernel_lack(root, why);
	assert_string_equal(why, "");
}

/* What the trace.dat is made of beside the events; each is missed before anything is recorded. */
static void test_needed_of_all(void **state)
{
	static const char *const files[] = {"events/header_page", "events/ftrace/print/format",
		"events/sched/sched_waking/format", "saved_cmdlines"};
	char path[1024], text[RWK_DIAG_TEXT];

	(void)state;
	for (size_t i = 0; i <= sizeof(files) / sizeof(files[0]); i++) {
		const char *missing = i ? files[i - 1] : NULL;
		char without[RWK_TRACEFS_WITHOUT];
		struct rwk_diag diag = {0};
		bool optional = missing && !strcmp(missing, "saved_cmdlines");
		int err;

		remove_tree();
		assert_int_equal(mkdir(root, 0700), 0);
		for (size_t k = 0; k < sizeof(files) / sizeof(files[0]); k++)
			make(files[k], "text\n");
		for (int k = 0; k < RWK_RECORD_NR_EVENTS; k++) {
			snprintf(
				path, sizeof(path), "events/sched/%s/format", rwk_record_events[k]);
			make(path, "text\n");
		}
		snprintf(path, sizeof(path), "%s/%s", root, missing ? missing : "");
		if (missing)
			assert_int_equal(unlink(path), 0);
		err = rwk_tracefs_check_events(root, &diag);
		assert_int_equal(err, missing && !optional ? -ENODATA : 0);
		rwk_diag_format(&diag, text, sizeof(text));
		assert_int_equal(strstr(text, "missing=") != NULL, err != 0);
		rwk_tracefs_without(root, without);
		assert_int_equal(strstr(without, "no saved_cmdlines: ") != NULL, optional);
	}
}

static int begin(void **state)
{
	struct rwk_cpuset present;
	char text[4096] = "";
	FILE *f = fopen("/sys/devices/system/cpu/present", "re");

	(void)state;
	if (!f || !fgets(text, sizeof(text), f) || rwk_parse_cpulist(text, &present))
		return -1;
	fclose(f);
	rwk_cpuset_foreach (cpu, &present)
		nr_cpus = cpu + 1;
	return mkdtemp(root) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	remove_tree();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_there),
		cmocka_unit_test(test_done_without),
		cmocka_unit_test(test_refused_by_name),
		cmocka_unit_test(test_no_trigger_of_the_kernel),
		cmocka_unit_test(test_needed_of_all),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
