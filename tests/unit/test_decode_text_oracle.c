/*
 * Text against the binary file it was printed from, by trace-cmd and by perf:
 * both must decode to the same events, but for what the text does not carry.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode_run.h"
#include "perf_build.h"

/* What a form of text leaves out. */
enum {
	NO_NANOSECONDS = 1,
	NO_FLAGS = 2,
	NO_RELEASE = 4, /* so that numbers of prev_state say less */
	NO_LOSS = 8,
	PLUGIN = 16, /* letters of trace-cmd's plugin: R for R+ too, X and Z exchanged */
};

static bool have(const char *command)
{
	char line[256];

	snprintf(line, sizeof(line), "%s >/dev/null 2>&1", command);
	return !system(line);
}

/* The output of a command as a file. */
static void print(const char *command, struct tb_file *f)
{
	static char text[8 << 20];
	FILE *p = popen(command, "r");
	size_t n;

	assert_non_null(p);
	n = fread(text, 1, sizeof(text), p);
	assert_true(n < sizeof(text));
	assert_int_equal(pclose(p), 0);
	tb_file_set(f, text, n);
}

static void assert_same_place(
	const struct rwk_event *a, const struct rwk_event *b, int lacks, const char *what, size_t i)
{
	rwk_ns off = a->ts > b->ts ? a->ts - b->ts : b->ts - a->ts;

	if (a->kind != b->kind || a->cpu != b->cpu || off > (lacks & NO_NANOSECONDS ? 1000 : 0))
		fail_msg("%s: event %zu: %s of cpu %d at %lld, not %s of %d at %lld", what, i,
			rwk_event_kind_name(b->kind), b->cpu, (long long)b->ts,
			rwk_event_kind_name(a->kind), a->cpu, (long long)a->ts);
	assert_int_equal(a->tid, b->tid);
	if (!(lacks & NO_FLAGS))
		assert_int_equal(
			a->flags & (RWK_FLAG_HARDIRQ | RWK_FLAG_SOFTIRQ | RWK_FLAG_NMI), b->flags);
}

static void assert_same_switch(
	const struct rwk_ev_switch *a, const struct rwk_ev_switch *b, int lacks)
{
	assert_int_equal(a->prev_tid, b->prev_tid);
	assert_int_equal(a->next_tid, b->next_tid);
	assert_int_equal(a->prev_prio, b->prev_prio);
	assert_int_equal(a->next_prio, b->next_prio);
	assert_memory_equal(a->prev_comm, b->prev_comm, RWK_COMM_LEN);
	assert_memory_equal(a->next_comm, b->next_comm, RWK_COMM_LEN);
	if (b->prev_state_raw != RWK_NONE)
		assert_int_equal(a->prev_state_raw, b->prev_state_raw);
	if (a->prev_state == RWK_END_PREEMPTED && lacks & PLUGIN)
		assert_int_equal(b->prev_state, RWK_END_RUNNABLE);
	else if (a->prev_state == RWK_END_ZOMBIE && lacks & PLUGIN)
		assert_int_equal(b->prev_state, RWK_END_DEAD);
	else if (b->prev_state != RWK_END_UNKNOWN || !(lacks & NO_RELEASE))
		assert_int_equal(a->prev_state, b->prev_state);
}

static void assert_same_probe(const struct rwk_ev_probe *a, const struct rwk_ev_probe *b)
{
	assert_int_equal(a->prev_cpu, b->prev_cpu);
	assert_int_equal(a->wake_flags, b->wake_flags);
	assert_int_equal(a->has_hidden, b->has_hidden);
	assert_int_equal(a->flips, b->flips);
	assert_int_equal(a->recent_cpu, b->recent_cpu);
	assert_int_equal(a->nr_cpus_allowed, b->nr_cpus_allowed);
	assert_int_equal(a->last_wakee_tid, b->last_wakee_tid);
	assert_int_equal(a->nr_llc, b->nr_llc);
	assert_memory_equal(a->llc, b->llc, (size_t)a->nr_llc * sizeof(a->llc[0]));
}

static void assert_same(
	const struct decode_run *binary, const struct decode_run *text, int lacks, const char *what)
{
	size_t k = 0;

	assert_int_equal(text->open_err, 0);
	assert_int_equal(text->next_err, 0);
	for (size_t i = 0; i < binary->nr; i++) {
		const struct rwk_event *a = &binary->event[i], *b = &text->event[k];

		if (a->kind == RWK_EV_LOST && lacks & NO_LOSS)
			continue;
		assert_true(k < text->nr);
		assert_same_place(a, b, lacks, what, i);
		switch ((enum rwk_event_kind)a->kind) {
		case RWK_EV_WAKING:
		case RWK_EV_WAKEUP:
		case RWK_EV_WAKEUP_NEW:
			assert_memory_equal(&a->task, &b->task, sizeof(a->task));
			break;
		case RWK_EV_MIGRATE:
			assert_memory_equal(&a->migrate, &b->migrate, sizeof(a->migrate));
			break;
		case RWK_EV_SWITCH:
			assert_same_switch(&a->sw, &b->sw, lacks);
			break;
		case RWK_EV_SEL:
			assert_same_probe(&binary->probe[i], &text->probe[k]);
			break;
		case RWK_EV_SEL_RET:
			assert_int_equal(a->sel_ret.cpu, b->sel_ret.cpu);
			break;
		case RWK_EV_LOST:
			assert_int_equal(a->lost.count, b->lost.count);
			break;
		default:
			break;
		}
		k++;
	}
	assert_int_equal(k, text->nr);
	for (int i = 0; i < RWK_AN_COUNT; i++)
		assert_int_equal(
			text->info.anomalies.of[i].count, binary->info.anomalies.of[i].count);
}

static void compare(const char *path, const char *command, int lacks)
{
	struct decode_run binary, text;
	struct tb_file file;

	tb_file_init(&file);
	print(command, &file);
	decode_run(&binary, path);
	assert_int_equal(binary.open_err, 0);
	decode_run(&text, file.path);
	assert_same(&binary, &text, lacks, command);
	decode_run_finish(&binary);
	decode_run_finish(&text);
	tb_file_finish(&file);
}

/* A real recording of all kinds, in every form that trace-cmd prints. */
static void trace_cmd_report(void **state)
{
	static const struct {
		const char *options;
		int lacks;
	} forms[] = {
		{"", NO_NANOSECONDS | NO_FLAGS | PLUGIN},
		{"-t", NO_FLAGS | PLUGIN},
		{"-l -t", PLUGIN},
		{"-N -l -t", 0},
		{"-R -t", NO_FLAGS | NO_RELEASE},
		{"-R -l", NO_NANOSECONDS | NO_FLAGS | NO_RELEASE},
		{"-t --ts-diff", NO_FLAGS | PLUGIN},
	};
	const char *root = getenv("REWAKE_SOURCE_ROOT");
	char path[4096], command[4400];

	(void)state;
	if (!root || !have("command -v trace-cmd"))
		skip();
	snprintf(path, sizeof(path), "%s/samples/oltp.dat", root);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		snprintf(command, sizeof(command), "trace-cmd report %s -i '%s' 2>/dev/null",
			forms[i].options, path);
		compare(path, command, forms[i].lacks);
	}
}

/* Gaps of which the number is known, and is not. */
static void trace_cmd_losses(void **state)
{
	struct tb_bytes bytes;
	struct tb_trace t;
	struct tb_file file;
	char path[64], command[256];

	(void)state;
	if (!have("command -v trace-cmd"))
		skip();
	tb_init(&t);
	tb_put_task(&t, 0, 1000000, &tb_waking, 5, 7, 0);
	tb_put_switch(&t, 1, 1000500, 5, 1, 7);
	tb_page(&t, 0, 2000000);
	tb_put_task(&t, 0, 2000000, &tb_waking, 5, 8, 0);
	tb_missed(&t, 0, 207);
	tb_page(&t, 1, 3000000);
	tb_put_switch(&t, 1, 3000000, 8, 1, 7);
	tb_missed(&t, 1, -1);
	tb_build(&t, &bytes);
	tb_finish(&t);
	tb_file_init(&file);
	tb_file_set(&file, bytes.data, bytes.len);
	free(bytes.data);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), file.fd);
	snprintf(command, sizeof(command), "trace-cmd report -t -i %s 2>/dev/null", path);
	compare(path, command, NO_FLAGS);
	tb_file_finish(&file);
}

/* Several buffers, times with an offset, in ticks: as trace-cmd reads them. */
static void trace_cmd_buffers(void **state)
{
	static const struct {
		int version;
		const char *offset;
		uint32_t mult, shift;
		bool second;
	} kinds[] = {
		{6, NULL, 0, 0, true},
		{7, NULL, 0, 0, true},
		{6, "12345", 0, 0, false},
		{7, "-345", 0, 0, false},
		{7, NULL, 0x30000000, 28, false},
		{7, "7000", 0x30000000, 28, false},
	};

	(void)state;
	if (!have("command -v trace-cmd"))
		skip();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct tb_trace t, second;
		struct tb_bytes bytes;
		struct tb_file file;
		char path[64], command[256];

		tb_init(&t);
		tb_init(&second);
		t.version = kinds[i].version;
		t.offset = kinds[i].offset;
		t.tsc_mult = kinds[i].mult;
		t.tsc_shift = kinds[i].shift;
		for (int k = 0; k < 40; k++) {
			uint64_t ts = 1000000 + (uint64_t)k * 1000;

			tb_put_switch(&t, k % 2, ts, 5 + k, 1, 6);
			tb_put_task(&second, k % 2, ts + 300, &tb_waking, 5, 6 + k, 1);
		}
		if (kinds[i].second) {
			t.instance = "second";
			t.second = &second;
		}
		tb_build(&t, &bytes);
		tb_finish(&t);
		tb_finish(&second);
		tb_file_init(&file);
		tb_file_set(&file, bytes.data, bytes.len);
		free(bytes.data);
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), file.fd);
		snprintf(command, sizeof(command), "trace-cmd report -t -i %s 2>/dev/null", path);
		compare(path, command, NO_FLAGS | PLUGIN);
		tb_file_finish(&file);
	}
}

/* Threads, names and times in the forms that perf prints them in. */
static void perf_script(void **state)
{
	static const struct {
		const char *options;
		int lacks;
	} forms[] = {
		{"", NO_NANOSECONDS},
		{"--ns", 0},
		{"--ns -F comm,pid,tid,cpu,time,event,trace", 0},
		{"--ns -F tid,cpu,time,event,trace", 0},
		{"--ns -F +period", 0},
		{"--ns --header", 0},
	};
	struct tb_bytes bytes;
	struct tb_file file;
	struct pb_perf p;
	char path[64], command[256];

	(void)state;
	if (!have("command -v perf"))
		skip();
	pb_init(&p, false);
	for (int i = 0; i < 60; i++) {
		uint64_t at = 1000000000 + (uint64_t)i * 731;

		if (i % 3 == 0)
			pb_switch(&p, i % 2, at, 1 + i, i % 4 ? 1 : 0x100, 40 + i);
		else if (i % 3 == 1)
			pb_task(&p, i % 2, at, &tb_wakeup, 5, i, 1);
		else
			pb_migrate(&p, i % 2, at, i, 1, 2);
	}
	pb_build(&p, &bytes);
	pb_finish(&p);
	tb_file_init(&file);
	tb_file_set(&file, bytes.data, bytes.len);
	free(bytes.data);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), file.fd);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		snprintf(command, sizeof(command), "perf script %s -i %s 2>/dev/null",
			forms[i].options, path);
		compare(path, command, forms[i].lacks | NO_FLAGS | NO_LOSS);
	}
	tb_file_finish(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trace_cmd_report),
		cmocka_unit_test(trace_cmd_losses),
		cmocka_unit_test(trace_cmd_buffers),
		cmocka_unit_test(perf_script),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
