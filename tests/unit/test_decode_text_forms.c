/* Text in the forms of perf script, systrace and others: one fixture each. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode_run.h"
#include "tracedat_build.h"

#define SWITCH                                                                                     \
	"sched_switch: prev_comm=a b prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=c "       \
	"next_pid=6 next_prio=100"

/* One switch each, in whatever stands around it. */
static void one_line(void **state)
{
	static const struct {
		const char *line, *format;
		int cpu, tid, flags;
		rwk_ns ts;
	} cases[] = {
		{"perf 11729 [003] 22262.298411:       sched:" SWITCH, "perf script text", 3, 11729,
			0, 22262298411000},
		{"tmux: server   5 [003] 1.000000001: sched:" SWITCH, "perf script text", 3, 5, 0,
			1000000001},
		{"a-1 [b] 9 [1x   77/5     [003]     1.000001:  sched:" SWITCH, "perf script text",
			3, 5, 0, 1000001000},
		{"a-4   5 [003] 1.000001:          1    sched:" SWITCH
		 " ffffffff82266208 __schedule",
			"perf script text", 3, 5, 0, 1000001000},
		{"5 [003] 1.000001: sched:" SWITCH, "perf script text", 3, 5, 0, 1000001000},
		{"[003] 1.000001: sched:" SWITCH, "perf script text", 3, RWK_NONE, 0, 1000001000},
		{"swapper     0 [003]  1234.567890: " SWITCH, "perf script text", 3, 0, 0,
			1234567890000}, /* perf 3.x: without the system's name */
		{":-1    -1 [003] 1.000001: sched:" SWITCH, "perf script text", 3, RWK_NONE, 0,
			1000001000}, /* S5 */
		{"<...>-5     (-----) [003] d..3  1.000001: " SWITCH, "ftrace text", 3, 5, 0,
			1000001000},
		{"  a: b-5     (    5) [003] d.h3..1 1.000001: " SWITCH, "ftrace text", 3, 5,
			RWK_FLAG_HARDIRQ, 1000001000},
		{"foo:           <...>-5     [003] 1.000001: " SWITCH, "ftrace text", 3, 5, 0,
			1000001000}, /* several buffers in one report */
		{"  <idle>-0       3d.s3   12us+: " SWITCH, "ftrace text", 3, 0, RWK_FLAG_SOFTIRQ,
			12000}, /* latency-format */
		{"  <idle>-0       3d..3 1234us : " SWITCH, "ftrace text", 3, 0, 0, 1234000},
		{"a-5 [003]  1.000001: (+119)   " SWITCH, "ftrace text", 3, 5, 0, 1000001000},
		{"\xef\xbb\xbf a-5 [003]  1.000001: " SWITCH, "ftrace text", 3, 5, 0, 1000001000},
		{"a-5 [003]  1.000001: " SWITCH "\r\r", "ftrace text", 3, 5, 0, 1000001000},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct decode_run r;
		const struct rwk_event *ev;
		char text[512];

		snprintf(text, sizeof(text), "%s\n", cases[i].line);
		decode_run_text(state, text, &r);
		if (r.nr != 1)
			fail_msg("case %zu: %zu events", i, r.nr);
		ev = decode_run_find(&r, RWK_EV_SWITCH, 0);
		if (strcmp(r.info.format, cases[i].format) || ev->cpu != cases[i].cpu ||
			ev->tid != cases[i].tid || ev->ts != cases[i].ts ||
			ev->flags != cases[i].flags)
			fail_msg("case %zu: %s cpu %d tid %d at %lld flags 0x%x", i, r.info.format,
				ev->cpu, ev->tid, (long long)ev->ts, ev->flags);
		assert_comm(ev->sw.prev_comm, "a b");
		assert_int_equal(ev->sw.prev_tid, 5);
		assert_int_equal(ev->sw.prev_state, RWK_END_SLEEPING);
		assert_int_equal(ev->sw.next_tid, 6);
		assert_int_equal(ev->sw.next_prio, 100);
		assert_int_equal(r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 0);
		decode_run_finish(&r);
	}
}

/* Call chains, headers, records that are no samples, losses. */
static void perf_script(void **state)
{
	struct decode_run r;
	const struct rwk_event *ev;

	decode_run_text(state,
		"# ========\n"
		"# captured on    : Mon Nov 30 16:13:42 2026\n"
		"# os release : 6.18.44-fc\n"
		"# ========\n"
		"#\n"
		"swapper     0 [000]     0.000000: PERF_RECORD_COMM: process:1/1\n"
		"a    5 [001]     1.000100: sched:sched_waking: comm=b pid=6 prio=120 "
		"target_cpu=001\n"
		"\tffffffff813b4986 try_to_wake_up+0x1a6 ([kernel.kallsyms])\n"
		"\t    55d0f0 main+0x10 (/usr/bin/a)\n"
		"\n"
		"a    5 [001]     1.000150: PERF_RECORD_LOST lost 12\n"
		"a    5 [001]     1.000200:     250000 cycles:  ffffffff813b4986 x\n"
		"a    5 [001]     1.000300: sched:sched_switch: a:5 [120] R+ ==> b:6 [120]\n"
		"this is none\n",
		&r);
	assert_string_equal(r.info.release, "6.18.44-fc");
	assert_int_equal(r.nr, 4);
	ev = decode_run_find(&r, RWK_EV_LOST, 0);
	assert_int_equal(ev->cpu, 1);
	assert_int_equal(ev->lost.count, 12);
	assert_int_equal(ev->lost.from_ts, 1000100000);
	assert_int_equal(decode_run_find(&r, RWK_EV_OTHER, 0)->tid, 5);
	assert_int_equal(decode_run_find(&r, RWK_EV_SWITCH, 0)->sw.prev_state, RWK_END_PREEMPTED);
	/* The times that perf gives to what it made up itself say nothing of CPU 0. */
	assert_int_equal(r.info.cpu[0].nr_events, 0);
	assert_int_equal(r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 1);
	assert_int_equal(r.info.anomalies.of[RWK_AN_BAD_RECORD].first_offset, 14);
	decode_run_finish(&r);
}

static void without_cpus(void **state)
{
	static const char some[] = "perf 7 1.000001: sched:" SWITCH "\n"
				   "perf 7 [001] 1.000002: sched:" SWITCH "\n";
	struct tb_file *f = *state;
	struct decode_run r;

	tb_file_set(f, some, strcspn(some, "\n") + 1);
	decode_run(&r, f->path);
	assert_int_equal(r.open_err, -EBADMSG);
	assert_non_null(strstr(r.text, "have no CPUs"));
	decode_run_finish(&r);
	decode_run_text(state, some, &r);
	assert_int_equal(r.nr, 1);
	assert_int_equal(r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 1);
	decode_run_finish(&r);
}

/* A page of systrace: blocks of which one is of the kernel, lines of any length outside. */
static void systrace_page(void **state)
{
	static char text[400000];
	struct decode_run r;
	int n = snprintf(text, sizeof(text), "\n<!DOCTYPE html>\n<html><script>");

	memset(text + n, 'x', 200000);
	strcpy(text + n + 200000, "</script>\n"
				  "a-5 [003] 1.000001: " SWITCH "\n"
				  "<!-- BEGIN TRACE -->\n"
				  "  <script class=\"trace-data\" type=\"application/text\">\n"
				  "USER PID PPID\n"
				  "root 1 0\n"
				  "  </script>\n"
				  "  <script class=\"trace-data\" type=\"application/text\">\n"
				  "# tracer: nop\n"
				  "# entries-in-buffer/entries-written: 30/100   #P:8\n"
				  "a-5 (    5) [003] d..3 1.000001: " SWITCH "\n"
				  "garbage\n"
				  "##### CPU 2 buffer started ####\n"
				  "a-5 (    5) [002] d..3 1.000002: " SWITCH "\n"
				  "  </script>\n"
				  "</html>\n");
	decode_run_text(state, text, &r);
	assert_string_equal(r.info.format, "systrace page");
	assert_int_equal(r.nr, 2);
	assert_int_equal(r.info.nr_cpus, 8);
	assert_int_equal(r.info.nr_overwritten, 70);
	assert_int_equal(r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 1);
	assert_int_equal(r.info.anomalies.of[RWK_AN_BAD_RECORD].first_offset, 14);
	decode_run_finish(&r);
}

/* The pages and the extracts of 2012, where the text is a string of JavaScript. */
static void systrace_string(void **state)
{
	struct decode_run r;

	decode_run_text(state,
		"<!DOCTYPE HTML>\n"
		"<script>\n"
		"  var linuxPerfData = \"\\\n"
		"# tracer: nop\\n\\\n"
		"#\\n\\\n"
		"          a\\\"-5     [000] 1.000001: sched_switch: prev_comm=a\\\"\\\\b "
		"prev_pid=5 "
		"prev_prio=120 prev_state=R+ ==> next_comm=c next_pid=6 next_prio=100\\n\\\n"
		"\";\n"
		"  </script>\n",
		&r);
	assert_int_equal(r.nr, 1);
	assert_comm(decode_run_find(&r, RWK_EV_SWITCH, 0)->sw.prev_comm, "a\"\\b");
	assert_int_equal(decode_run_find(&r, RWK_EV_SWITCH, 0)->sw.prev_state, RWK_END_PREEMPTED);
	decode_run_finish(&r);
	/* As atrace writes it to its output. */
	decode_run_text(state,
		"capturing trace... done\n"
		"TRACE:\n"
		"# tracer: nop\\n\\\n"
		"#\\n\\\n"
		"  a-5 [000] 1.000001: sched_wakeup: comm=x pid=7 prio=120 success=1 "
		"target_cpu=000\\n\\\n",
		&r);
	assert_int_equal(decode_run_find(&r, RWK_EV_WAKEUP, 0)->task.target_cpu, 0);
	assert_int_equal(r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 0);
	decode_run_finish(&r);
}

static void pages_without_trace(void **state)
{
	static const char page[] = "<html>\n<body>a-5 [003] 1.000001: x: y\n</body></html>\n";
	struct tb_file *f = *state;
	struct decode_run r;

	tb_file_set(f, page, sizeof(page) - 1);
	decode_run(&r, f->path);
	assert_int_equal(r.open_err, -EBADMSG);
	assert_non_null(strstr(r.text, "without trace data"));
	decode_run_finish(&r);
}

/* prev_state as letters and numbers of all kernels (S1, S2, S4). */
static void states(void **state)
{
	static const struct {
		const char *release, *state;
		enum rwk_end_state want;
	} cases[] = {
		{"6.1", "R", RWK_END_RUNNABLE},
		{"6.1", "R+", RWK_END_PREEMPTED},
		{"6.1", "S", RWK_END_SLEEPING},
		{"6.1", "D", RWK_END_DISK},
		{"6.1", "T", RWK_END_STOPPED},
		{"6.1", "t", RWK_END_TRACED},
		{"6.1", "X", RWK_END_DEAD},
		{"6.1", "Z", RWK_END_ZOMBIE},
		{"6.1", "P", RWK_END_PARKED},
		{"6.1", "I", RWK_END_IDLE},
		{"3.10", "x", RWK_END_DEAD},
		{"3.10", "D|K", RWK_END_DISK},
		{"4.4", "D|W", RWK_END_DISK},
		{"4.9", "D|N", RWK_END_IDLE},
		{"4.9", "S|K", RWK_END_SLEEPING},
		{"4.9", "t|K", RWK_END_TRACED},
		{"6.1", "S|D", RWK_END_DISK},
		{"6.1", "0x1", RWK_END_SLEEPING},
		{"6.1", "0x80", RWK_END_IDLE},
		{"6.1", "256", RWK_END_PREEMPTED},
		{"6.1", "0", RWK_END_RUNNABLE},
		{"", "1024", RWK_END_PREEMPTED},
		{"", "0x800", RWK_END_PREEMPTED},
		{"", "4096", RWK_END_PREEMPTED},
		{"", "130", RWK_END_DISK},
		{"", "64", RWK_END_UNKNOWN}, /* dead, or parked */
		{"", "128", RWK_END_UNKNOWN}, /* dead, idle or waking */
		{"", "256", RWK_END_UNKNOWN}, /* preempted, or killable */
		{"", "?", RWK_END_UNKNOWN},
		{"", "", RWK_END_UNKNOWN},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct decode_run r;
		char text[512];

		snprintf(text, sizeof(text),
			"# rewake: release=%s\n"
			"a-5 [001] 1.000002: sched_switch: prev_comm=a prev_pid=5 prev_prio=120 "
			"prev_state=%s ==> next_comm=b next_pid=6 next_prio=120\n",
			cases[i].release, cases[i].state);
		decode_run_text(state, text, &r);
		if (decode_run_find(&r, RWK_EV_SWITCH, 0)->sw.prev_state != cases[i].want)
			fail_msg("%s of %s: %d", cases[i].state, cases[i].release,
				decode_run_find(&r, RWK_EV_SWITCH, 0)->sw.prev_state);
		decode_run_finish(&r);
	}
}

/* Lines of one microsecond stay in their order; with nanoseconds, kinds have theirs (T7). */
static void order_of_ties(void **state)
{
	static const char *const wakeup = "sched_wakeup: comm=x pid=7 prio=120 target_cpu=001\n";
	struct decode_run r;
	char text[1024];

	for (int ns = 0; ns < 2; ns++) {
		const char *time = ns ? "1.000001000" : "1.000001";

		snprintf(text, sizeof(text), "a-5 [001] %s: %s\nb-6 [000] %s: %s", time, SWITCH,
			time, wakeup);
		decode_run_text(state, text, &r);
		assert_int_equal(r.nr, 2);
		assert_int_equal(r.event[0].kind, ns ? RWK_EV_WAKEUP : RWK_EV_SWITCH);
		decode_run_finish(&r);
	}
}

/* A CPU that shows up late is counted before the first event is given out. */
static void late_cpu(void **state)
{
	static char text[400000];
	struct decode_run r;
	char *p = text;

	for (int i = 0; i < 3000; i++)
		p += sprintf(p, "a-5 [%03d] 1.%06d: irq: x [9] y\n", i == 2999 ? 6 : 0, i);
	decode_run_text(state, text, &r);
	assert_int_equal(r.nr_cpus_at_open, 7);
	assert_int_equal(r.info.nr_cpus, 7);
	assert_int_equal(r.nr, 3000);
	decode_run_finish(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_line, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			perf_script, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			without_cpus, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			systrace_page, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			systrace_string, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			pages_without_trace, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(states, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			order_of_ties, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(late_cpu, decode_file_setup, decode_file_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
