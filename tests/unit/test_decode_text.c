/* The decoder of ftrace text. */
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

/* The kernel's `trace` file, all kinds. */
static void kernel_text(void **state)
{
	struct decode_run r;
	const struct rwk_event *ev;

	decode_run_text(state,
		"# tracer: nop\n"
		"#\n"
		"# rewake: release=6.1.0-13-amd64 clock=local\n"
		"# entries-in-buffer/entries-written: 7/7   #P:8\n"
		"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
		"\n"
		"           a-b c-1234    [001] d..2.  12.000001: sched_waking: comm=x y pid=77 "
		"prio=110 target_cpu=003\n"
		"           a-b c-1234    [001] d..2.  12.000002: sel: "
		"(select_task_rq_fair+0x0/0x10) prev=3 wf=0x18 flips=4 recent=-1 nca=8 lastw=99 "
		"scan8=5 core8=1 scan0=7 core0=0\n"
		"           a-b c-1234    [001] d..2.  12.000002: sel_state1: "
		"(select_task_rq_fair+0x0/0x10) nr5=2 pend5=1 curr5=77 load5=5000000000 nr4=0 "
		"curr4=0 nr1024=1 curr1024=1 xnr6=1 curr6=1\n"
		"           a-b c-1234    [001] d..2.  12.000003: sel_ret: (f <- g) cpu=2\n"
		"           a-b c-1234    [001] d..2.  12.000004: sched_migrate_task: comm=x y "
		"pid=77 prio=110 orig_cpu=3 dest_cpu=2\n"
		"           a-b c-1234    [001] dNh2.  12.000005: sched_wakeup: comm=x y pid=77 "
		"prio=110 target_cpu=002\n"
		"           a-b c-1234    [001] d.s2.  12.000006: sched_wakeup_new: comm=new "
		"pid=78 prio=120 target_cpu=010\n"
		"          <idle>-0       [002] d..2.  12.000007123: sched_switch: "
		"prev_comm=swapper/2 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=x y "
		"next_pid=77 next_prio=110\n",
		&r);
	assert_string_equal(r.info.format, "ftrace text");
	assert_string_equal(r.info.release, "6.1.0-13-amd64");
	assert_string_equal(r.info.clock, "local");
	assert_int_equal(r.info.nr_cpus, 11); /* one is only woken on */
	assert_int_equal(r.nr, 8);
	ev = decode_run_find(&r, RWK_EV_WAKING, 0);
	assert_int_equal(ev->ts, 12000001000);
	assert_int_equal(ev->cpu, 1);
	assert_int_equal(ev->tid, 1234);
	assert_int_equal(ev->flags, 0);
	assert_int_equal(ev->offset, 7);
	assert_int_equal(ev->task.tid, 77);
	assert_int_equal(ev->task.prio, 110);
	assert_int_equal(ev->task.target_cpu, 3);
	assert_comm(ev->task.comm, "x y");
	ev = decode_run_find(&r, RWK_EV_SEL, 0);
	assert_int_equal(r.probe[1].prev_cpu, 3);
	assert_int_equal(r.probe[1].wake_flags, 0x18);
	assert_true(r.probe[1].has_hidden);
	assert_int_equal(r.probe[1].flips, 4);
	assert_int_equal(r.probe[1].recent_cpu, -1);
	assert_int_equal(r.probe[1].nr_cpus_allowed, 8);
	assert_int_equal(r.probe[1].last_wakee_tid, 99);
	assert_int_equal(r.probe[1].nr_llc, 2);
	assert_int_equal(r.probe[1].llc[0].first_cpu, 0);
	assert_int_equal(r.probe[1].llc[0].nr_idle_scan, 7);
	assert_int_equal(r.probe[1].llc[1].first_cpu, 8);
	assert_int_equal(r.probe[1].llc[1].has_idle_cores, 1);
	assert_int_equal(decode_run_find(&r, RWK_EV_SEL_STATE, 0)->tid, 1234);
	assert_int_equal(r.probe[2].nr_cpus, 2);
	assert_int_equal(r.probe[2].cpu[0].cpu, 4);
	assert_int_equal(r.probe[2].cpu[0].nr_running, 0);
	assert_int_equal(r.probe[2].cpu[0].pending, RWK_NONE);
	assert_int_equal(r.probe[2].cpu[0].curr_tid, 0);
	assert_int_equal(r.probe[2].cpu[0].load, RWK_NONE);
	assert_int_equal(r.probe[2].cpu[1].cpu, 5);
	assert_int_equal(r.probe[2].cpu[1].nr_running, 2);
	assert_int_equal(r.probe[2].cpu[1].pending, 1);
	assert_int_equal(r.probe[2].cpu[1].curr_tid, 77);
	assert_int_equal(r.probe[2].cpu[1].load, 5000000000);
	assert_int_equal(decode_run_find(&r, RWK_EV_SEL_RET, 0)->sel_ret.cpu, 2);
	ev = decode_run_find(&r, RWK_EV_MIGRATE, 0);
	assert_int_equal(ev->migrate.orig_cpu, 3);
	assert_int_equal(ev->migrate.dest_cpu, 2);
	assert_comm(ev->migrate.comm, "x y");
	assert_int_equal(decode_run_find(&r, RWK_EV_WAKEUP, 0)->flags, RWK_FLAG_HARDIRQ);
	ev = decode_run_find(&r, RWK_EV_WAKEUP_NEW, 0);
	assert_int_equal(ev->flags, RWK_FLAG_SOFTIRQ);
	assert_int_equal(ev->task.target_cpu, 10); /* not octal */
	ev = decode_run_find(&r, RWK_EV_SWITCH, 0);
	assert_int_equal(ev->ts, 12000007123);
	assert_int_equal(ev->sw.prev_tid, 0);
	assert_int_equal(ev->sw.prev_state, RWK_END_RUNNABLE);
	assert_int_equal(ev->sw.next_tid, 77);
	assert_int_equal(ev->sw.next_prio, 110);
	assert_comm(ev->sw.prev_comm, "swapper/2");
	assert_comm(ev->sw.next_comm, "x y");
	for (int i = 0; i < RWK_AN_COUNT; i++)
		assert_int_equal(r.info.anomalies.of[i].count, 0);
	decode_run_finish(&r);
}

/* The event of a tracepoint probe, as the kernel and as trace-cmd print it. */
static void queue_lengths(void **state)
{
	struct decode_run r;
	const struct rwk_event *ev;

	decode_run_text(state,
		"# tracer: nop\n"
		"          <idle>-0       [001] d..2.  12.000001: nr: (__probestub+0x0/0x10) cpu=3 "
		"nr=2 change=-1\n"
		"          <idle>-0       [001] d..2.  12.000002: nr: (ffffffff8) cpu=0 nr=1 "
		"change=1\n"
		"          <idle>-0       [001] d..2.  12.000003: nr: cpu=0 nr=-1 change=1\n"
		"          <idle>-0       [001] d..2.  12.000004: nr: cpu=5000 nr=1 change=1\n"
		"          <idle>-0       [001] d..2.  12.000005: nr: cpu=0 nr=1\n",
		&r);
	assert_int_equal(r.info.nr_events[RWK_EV_NR], 2);
	ev = decode_run_find(&r, RWK_EV_NR, 0);
	assert_int_equal(ev->cpu, 1);
	assert_int_equal(ev->nr.cpu, 3);
	assert_int_equal(ev->nr.nr, 2);
	assert_int_equal(ev->nr.change, -1);
	assert_int_equal(decode_run_find(&r, RWK_EV_NR, 1)->nr.cpu, 0);
	assert_int_equal(r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 2);
	assert_int_equal(r.info.anomalies.of[RWK_AN_CPU_OUT_OF_RANGE].count, 1);
	decode_run_finish(&r);
}

/* trace-cmd report with its sched plugin, and its numeric -R form. */
static void report_text(void **state)
{
	struct decode_run r;
	const struct rwk_event *ev;

	decode_run_text(state,
		"cpus=8\n"
		"           sleep-2147  [000]   201.454734: sched_wakeup:         rcu_preempt:11 "
		"[98] success=1 CPU:005\n"
		"       trace-cmd-2146  [003]   201.453779: sched_switch:         kworker/0:2:2146 "
		"[120] W ==> swapper/3:0 [120]\n"
		"          <idle>-0     [003]   201.463779: sched_switch:          "
		"prev_comm=swapper/3 prev_pid=0 prev_prio=120 prev_state=0 next_comm=rs:main Q:Reg "
		"next_pid=5 next_prio=120\n"
		"          <idle>-0     [002]   201.454900: sched_wakeup:         x:y:4498 [-1] "
		"<CPU:007>\n",
		&r);
	assert_int_equal(r.nr, 4);
	ev = decode_run_find(&r, RWK_EV_WAKEUP, 0);
	assert_comm(ev->task.comm, "rcu_preempt");
	assert_int_equal(ev->task.tid, 11);
	assert_int_equal(ev->task.prio, 98);
	assert_int_equal(ev->task.target_cpu, 5);
	ev = decode_run_find(&r, RWK_EV_WAKEUP, 1);
	assert_comm(ev->task.comm, "x:y");
	assert_int_equal(ev->task.prio, -1);
	assert_int_equal(ev->task.target_cpu, 7);
	ev = decode_run_find(&r, RWK_EV_SWITCH, 0);
	assert_comm(ev->sw.prev_comm, "kworker/0:2");
	assert_int_equal(ev->sw.prev_tid, 2146);
	assert_int_equal(ev->sw.prev_state, RWK_END_IDLE);
	ev = decode_run_find(&r, RWK_EV_SWITCH, 1);
	assert_int_equal(ev->sw.prev_state_raw, 0);
	assert_comm(ev->sw.next_comm, "rs:main Q:Reg");
	decode_run_finish(&r);
}

/* Columns come and go; names try to look like the rest of the line. */
static void tolerant_of_columns(void **state)
{
	static const struct {
		const char *line;
		int cpu, tid, flags;
		rwk_ns ts;
	} cases[] = {
		{"a-5 [002] 1.5: x: y", 2, 5, 0, 1500000000},
		{"a-5 [002] 1.000000001: x: y", 2, 5, 0, 1000000001},
		{"a-5 [002] ...2 0.997355: x: y", 2, 5, 0, 997355000}, /* T11 */
		{"a-5 (   12) [002] d.H1.... 1.000000: x: y", 2, 5,
			RWK_FLAG_HARDIRQ | RWK_FLAG_SOFTIRQ, 1000000000},
		{"a-5 (-----) [002] d.Z1 1.000000: x: y", 2, 5, RWK_FLAG_HARDIRQ | RWK_FLAG_NMI,
			1000000000},
		{"a-5 [002] d.z1 1.000000: x: y", 2, 5, RWK_FLAG_NMI, 1000000000},
		{"com.google-7 [1] x-5 [002] 1.000000: x: y", 2, 5, 0, 1000000000},
		{"-5 [002] 1.000000: x: y", 2, 5, 0, 1000000000},
		{"--1--5 [002] 1.000000: x: y", 2, 5, 0, 1000000000},
		{"   loads-5    4dNh1.    97.108345: sel: y", 4, 5, RWK_FLAG_HARDIRQ, 97108345000},
		{"a-5 [002] 123456: x: y", 2, 5, 0, 123456}, /* a clock that only counts */
		{"a-5 [002] .... 1.000000: sys_read(fd: 3) -> 0", 2, 5, 0, 1000000000},
		{"a-5 [002] .... 1.000000: vfs_read <-ksys_read", 2, 5, 0, 1000000000},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct decode_run r;
		const struct rwk_event *ev;
		char text[512];

		snprintf(text, sizeof(text), "# tracer: nop\n%s\r\n", cases[i].line);
		decode_run_text(state, text, &r);
		if (!strstr(text, "sel:")) {
			ev = decode_run_find(&r, RWK_EV_OTHER, 0);
			assert_int_equal(ev->cpu, cases[i].cpu);
			assert_int_equal(ev->tid, cases[i].tid);
			assert_int_equal(ev->flags, cases[i].flags);
			assert_int_equal(ev->ts, cases[i].ts);
		} else {
			/* A sel without its fields. */
			assert_int_equal(
				r.info.anomalies.of[RWK_AN_BAD_RECORD].first_ts, cases[i].ts);
			assert_int_equal(
				r.info.anomalies.of[RWK_AN_BAD_RECORD].first_cpu, cases[i].cpu);
		}
		decode_run_finish(&r);
	}
}

static void lost_markers(void **state)
{
	struct decode_run r;
	const struct rwk_event *ev;

	decode_run_text(state,
		"a-5 [007] 1.000000: sched_waking: comm=x pid=1 prio=120 target_cpu=000\n"
		"a-5 [006] 1.100000: sched_waking: comm=x pid=1 prio=120 target_cpu=000\n"
		"CPU:7 [207 EVENTS DROPPED]\n"
		"CPU:7 [LOST 3 EVENTS]\n"
		"a-5 [006] 1.150000: sched_waking: comm=x pid=1 prio=120 target_cpu=000\n"
		"a-5 [007] 1.200000: sched_waking: comm=x pid=1 prio=120 target_cpu=000\n"
		"CPU:6 [EVENTS DROPPED]\n",
		&r);
	assert_int_equal(r.nr, 6);
	/* Behind the last event of its CPU. */
	ev = decode_run_find(&r, RWK_EV_LOST, 0);
	assert_int_equal(ev->cpu, 6);
	assert_int_equal(ev->ts, 1150000000);
	assert_int_equal(ev->lost.count, RWK_NONE);
	assert_int_equal(ev->lost.from_ts, 1150000000);
	ev = decode_run_find(&r, RWK_EV_LOST, 1);
	assert_int_equal(ev->cpu, 7);
	assert_int_equal(ev->ts, 1200000000);
	assert_int_equal(ev->lost.count, 210);
	assert_int_equal(ev->lost.from_ts, 1000000000);
	assert_int_equal(r.info.cpu[7].nr_lost, 210);
	assert_int_equal(r.info.cpu[6].nr_lost, 0);
	decode_run_finish(&r);
}

/* Lines that are none are counted with their number; the others are kept. */
static void bad_lines(void **state)
{
	struct decode_run r;
	static char text[200000];
	int n = snprintf(text, sizeof(text),
		"# tracer: nop\n"
		"what is this\n"
		"a-5 [007] 1.000000: sched_waking: comm=x prio=120 target_cpu=000\n"
		"a-5 [007] 1.000000: sched_waking: comm=x pid=-1 prio=120 target_cpu=000\n"
		"a-5 [007] 1.000000: sched_waking: comm=x pid=1 prio=120 target_cpu=1024\n"
		"a-5 [1024] 1.000000: sched_waking: comm=x pid=1 prio=120 target_cpu=0\n"
		"a-5 [99999999999999999999] 1.0: sched_waking: comm=x pid=1 prio=1 target_cpu=0\n"
		"a-5 [007] 99999999999.000000: sched_waking: comm=x pid=1 prio=1 target_cpu=0\n"
		"a-5 [007] 1.000000: sched_migrate_task: comm=x pid=1 prio=120 orig_cpu=1\n"
		"a-5 [007] 1.000000: sched_switch: prev_comm=x prev_pid=1 ==> next_comm=y\n"
		" => some_function\n"
		"a-5 [007] 1.000000: sched_wakeup: comm=x pid=1 prio=120 success=0 target_cpu=0\n");

	memset(text + n, 'y', 150000); /* longer than any line may be */
	strcpy(text + n + 150000,
		"\na-5 [007] 2.000000: sched_waking: comm=x pid=1 prio=120 target_cpu=000\n");
	decode_run_text(state, text, &r);
	assert_int_equal(r.info.nr_events[RWK_EV_WAKING], 1);
	assert_int_equal(r.info.nr_events[RWK_EV_OTHER], 1); /* the wakeup of nobody */
	assert_int_equal(r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 8);
	assert_int_equal(r.info.anomalies.of[RWK_AN_BAD_RECORD].first_offset, 2);
	assert_int_equal(r.info.anomalies.of[RWK_AN_CPU_OUT_OF_RANGE].count, 2);
	assert_int_equal(decode_run_find(&r, RWK_EV_WAKING, 0)->offset, 14);
	decode_run_finish(&r);
}

/* Names that hold what looks like fields. */
static void names_like_fields(void **state)
{
	struct decode_run r;
	const struct rwk_event *ev;

	decode_run_text(state,
		"a-5 [001] 1.000000: sched_waking: comm=a pid=9 b pid=7 prio=120 target_cpu=002\n"
		"a-5 [001] 1.000001: sched_switch: prev_comm=a ==> b prev_pid=7 prev_prio=120 "
		"prev_state=D|K ==> next_comm=c next_pid=8 next_prio=100\n"
		"a-5 [001] 1.000002: sched_waking: comm= pid=7 prio=120 target_cpu=002\n"
		"a-5 [001] 1.000003: sched_waking: comm=12345678901234567890 pid=7 prio=120 "
		"target_cpu=002\n",
		&r);
	ev = decode_run_find(&r, RWK_EV_WAKING, 0);
	assert_int_equal(ev->task.tid, 7);
	assert_comm(ev->task.comm, "a pid=9 b");
	ev = decode_run_find(&r, RWK_EV_SWITCH, 0);
	assert_comm(ev->sw.prev_comm, "a ==> b");
	assert_int_equal(ev->sw.prev_tid, 7);
	assert_int_equal(ev->sw.prev_state, RWK_END_DISK);
	assert_int_equal(ev->sw.next_tid, 8);
	assert_int_equal(ev->sw.next_prio, 100);
	assert_comm(decode_run_find(&r, RWK_EV_WAKING, 1)->task.comm, "");
	assert_memory_equal(
		decode_run_find(&r, RWK_EV_WAKING, 2)->task.comm, "1234567890123456", 16);
	decode_run_finish(&r);
}

/* Lines somewhat out of order are sorted between CPUs, not within one. */
static void disorder(void **state)
{
	struct decode_run r;

	decode_run_text(state,
		"a-5 [001] 1.000300: sched_waking: comm=x pid=3 prio=120 target_cpu=002\n"
		"a-5 [002] 1.000100: sched_waking: comm=x pid=1 prio=120 target_cpu=002\n"
		"a-5 [002] 1.000200: sched_waking: comm=x pid=2 prio=120 target_cpu=002\n"
		"a-5 [001] 1.000250: sched_waking: comm=x pid=9 prio=120 target_cpu=002\n"
		"a-5 [001] 1.000400: sched_waking: comm=x pid=4 prio=120 target_cpu=002\n",
		&r);
	assert_int_equal(r.info.nr_events[RWK_EV_WAKING], 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(decode_run_find(&r, RWK_EV_WAKING, i)->task.tid, i + 1);
	assert_int_equal(r.info.anomalies.of[RWK_AN_TIME_BACKWARDS].count, 1);
	assert_int_equal(r.info.anomalies.of[RWK_AN_TIME_BACKWARDS].first_offset, 4);
	assert_int_equal(decode_run_find(&r, RWK_EV_LOST, 0)->lost.count, 1);
	decode_run_finish(&r);
}

/* Many more events than the window, CPUs appearing late, every one kept in order. */
static void more_than_the_window(void **state)
{
	const int nr = 20000;
	char *text = malloc((size_t)nr * 100), *p = text;
	struct decode_run r;

	assert_non_null(text);
	for (int i = 0; i < nr; i++)
		p += sprintf(p,
			"a-5 [%03d] %d.%06d: sched_waking: comm=x pid=%d prio=120 target_cpu=0\n",
			i < nr / 2 ? i % 3 : i % 64, 1 + i / 1000000, i % 1000000, i);
	decode_run_text(state, text, &r);
	assert_int_equal(r.nr, nr);
	for (int i = 0; i < nr; i++)
		assert_int_equal(r.event[i].task.tid, i);
	assert_int_equal(r.info.nr_cpus, 64);
	decode_run_finish(&r);
	free(text);
}

/* L9: others tell who runs, until a switch does, and again behind a gap. */
static void others_until_the_first_switch(void **state)
{
	struct decode_run r;

	decode_run_text(state,
		"a-5 [001] 1.000001: irq_handler_entry: irq=1\n"
		"a-5 [001] 1.000002: sched_switch: prev_comm=a prev_pid=5 prev_prio=120 "
		"prev_state=S ==> next_comm=b next_pid=6 next_prio=120\n"
		"b-6 [001] 1.000003: irq_handler_entry: irq=1\n"
		"b-6 [002] 1.000004: irq_handler_entry: irq=1\n"
		"CPU:1 [LOST 1 EVENTS]\n"
		"c-7 [001] 1.000005: irq_handler_entry: irq=1\n",
		&r);
	assert_int_equal(r.info.nr_events[RWK_EV_OTHER], 3);
	assert_int_equal(decode_run_find(&r, RWK_EV_OTHER, 0)->tid, 5);
	assert_int_equal(decode_run_find(&r, RWK_EV_OTHER, 1)->cpu, 2);
	assert_int_equal(decode_run_find(&r, RWK_EV_OTHER, 2)->tid, 7);
	assert_int_equal(r.info.cpu[1].nr_events, 4);
	decode_run_finish(&r);
}

static void refused(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		int err;
		const char *word;
	} cases[] = {
		{"", 0, -EBADMSG, "empty"},
		{"hello\n", 6, -EBADMSG, "not a trace"},
		{"\0\0\0\0\0", 5, -EBADMSG, "not a trace"},
		{"cpus=2\n\0", 8, -EBADMSG, "not a trace"},
		{"PERFFILE........", 16, -ENOTSUP, "perf.data version 1"},
		{"\x1f\x8b\x08\x00", 4, -EBADMSG, "empty"},
		{"\x28\xb5\x2f\xfd", 4, -EBADMSG, "empty"},
		{"BZh9", 4, -ENOTSUP, "bzip2"},
		{"PK\x05\x06zzzz", 8, -ENOTSUP, "zip"},
		{"<!DOCTYPE HTML>", 15, -EBADMSG, "without trace data"},
		{"<html>\n<script id=\"viewer-data\" type=\"text/plain\">\nH4sI", 52, -EBADMSG,
			"trace2html"},
		{"\xff\xfe#\0", 4, -ENOTSUP, "UTF-16"},
		{"\x75\xd1\x1d\x57", 4, -ENOTSUP, "CTF"},
	};
	struct tb_file *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct decode_run r;

		tb_file_set(f, cases[i].bytes, cases[i].size);
		decode_run(&r, f->path);
		assert_int_equal(r.open_err, cases[i].err);
		assert_non_null(strstr(r.text, cases[i].word));
		assert_non_null(strstr(r.text, f->path));
		decode_run_finish(&r);
	}
}

static void not_a_file(void **state)
{
	struct decode_run r;

	(void)state;
	decode_run(&r, "/nonexistent/trace.dat");
	assert_int_equal(r.open_err, -ENOENT);
	assert_non_null(strstr(r.text, "/nonexistent/trace.dat"));
	decode_run(&r, "/tmp");
	assert_int_equal(r.open_err, -EISDIR);
	decode_run(&r, "/dev/null");
	assert_int_equal(r.open_err, -EINVAL);
}

/* A heading alone is a trace without events. */
static void no_events(void **state)
{
	struct decode_run r;

	decode_run_text(state, "# tracer: nop\n#\n", &r);
	assert_int_equal(r.nr, 0);
	assert_int_equal(r.info.nr_cpus, 0);
	decode_run_finish(&r);
}

/* Bytes changed at random never crash. */
/* A last line without a newline is kept where no number in it can have lost digits. */
static void last_line_without_newline(void **state)
{
	static const struct {
		const char *event;
		bool whole;
	} cases[] = {
		{"sched_waking: comm=x pid=7 prio=120 target_cpu=000", true},
		{"sched_wakeup: comm=x pid=7 prio=120 success=1 target_cpu=045", true},
		{"sched_wakeup_new: comm=x pid=7 prio=120 target_cpu=099", true},
		{"sched_waking: comm=x pid=7 prio=120 target_cpu=00", false},
		{"sched_waking: comm=x pid=7 prio=120 target_cpu=3", false},
		/* Of 1023, for all that is known. */
		{"sched_waking: comm=x pid=7 prio=120 target_cpu=102", false},
		{"sched_waking: comm=x pid=7 prio=120", false},
		{"sched_waking: x:7 [120] CPU:003", false},
		{"sched_migrate_task: comm=x pid=7 prio=120 orig_cpu=3 dest_cpu=012", false},
		{"sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=b "
		 "next_pid=6 next_prio=120",
			true},
		{"sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=b "
		 "next_pid=6 next_prio=0",
			true},
		{"sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=b "
		 "next_pid=6 next_prio=49",
			true},
		{"sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=b "
		 "next_pid=6 next_prio=14",
			false},
		{"sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=b "
		 "next_pid=6 next_prio=4",
			false},
		{"sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=b "
		 "next_pid=6",
			false},
		{"sched_switch: a:5 [120] S ==> b:2 [120]", false},
		{"print: target_cpu=003", false},
	};
	struct tb_file *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[512];
		struct decode_run r;

		snprintf(text, sizeof(text),
			"a-5 [001] d..2. 1.000001: sched_waking: comm=y pid=8 prio=120 "
			"target_cpu=1\n"
			"a-5 [001] d..2. 1.000002: %s",
			cases[i].event);
		tb_file_set(f, text, strlen(text));
		decode_run(&r, f->path);
		assert_int_equal(r.open_err, 0);
		if (r.info.truncated == cases[i].whole || r.nr != 1 + (size_t)cases[i].whole)
			fail_msg("%s: %zu events, truncated %d", cases[i].event, r.nr,
				r.info.truncated);
		assert_int_equal(r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 0);
		decode_run_finish(&r);
	}
}

static void damaged(void **state)
{
	static const char good[] =
		"# tracer: nop\ncpus=8\n"
		"CPU:7 [LOST 207 EVENTS]\n"
		"  a-b c-1234 [001] d..2.  12.000001: sched_waking: comm=x pid=77 prio=110 "
		"target_cpu=003\n"
		"  a-b c-1234 (123) [001] d..2.  12.000002: sel: (a) prev=3 wf=0x18 flips=4 "
		"recent=-1 nca=8 lastw=99 scan8=5 core8=1 scan0=7 core0=0\n"
		"  a-b c-1234 [001] dNh2.  12.000005: sched_wakeup: x:77 [110] success=1 CPU:002\n"
		"  <idle>-0 [002] 12.000007123: sched_switch: swapper/2:0 [120] R ==> x y:77 "
		"[120]\n"
		"  <idle>-0 [002] 12.000008123: sched_switch: prev_comm=swapper/2 prev_pid=0 "
		"prev_prio=120 prev_state=R ==> next_comm=x y next_pid=77 next_prio=110\n";
	struct tb_file *f = *state;
	uint32_t seed = 1;

	for (int i = 0; i < 1500; i++) {
		char text[sizeof(good)];
		struct decode_run r;

		memcpy(text, good, sizeof(good));
		for (int k = 0; k < 1 + i % 12; k++) {
			char c;

			seed = seed * 1103515245 + 12345;
			c = i % 2 ? (char)(seed >> 24) : "-:[]= 0\n"[seed >> 29];
			text[(seed >> 8) % (sizeof(good) - 1)] = c;
		}
		tb_file_set(f, text, sizeof(good) - 1);
		decode_run(&r, f->path);
		decode_run_finish(&r);
	}
}

static bool ends_with(const char *text, size_t size, const char *end)
{
	size_t n = strlen(end);

	return size >= n && !memcmp(text + size - n, end, n);
}

/*
 * X1: cut at any byte: what is given is what the whole text has there, field by field, and
 * where it ends is said; a number of which half is missing is not taken for one.
 */
static void cut_everywhere(void **state)
{
	static const char text[] =
		"# tracer: nop\n"
		"# rewake: release=6.1.0 clock=local\n"
		"a-5 [001] d.h2. 1.000001: sched_waking: comm=x y pid=77 prio=110 target_cpu=003\n"
		"a-5 [001] d..2. 1.000002: sched_migrate_task: comm=x y pid=77 prio=110 orig_cpu=3 "
		"dest_cpu=12\n"
		"CPU:1 [LOST 207 EVENTS]\n"
		"<idle>-0 [012] d..2. 1.000003: sched_switch: prev_comm=swapper/12 prev_pid=0 "
		"prev_prio=120 prev_state=R ==> next_comm=x y next_pid=77 next_prio=110\n"
		"a-5 [001] d..2. 1.000123456: sched_wakeup: comm=z pid=1234 prio=120 "
		"target_cpu=012\n";
	struct tb_file *f = *state;
	struct decode_run whole;
	size_t most = 0;

	decode_run_text(state, text, &whole);
	assert_int_equal(whole.nr, 5);
	for (size_t n = 1; n < sizeof(text) - 1; n++) {
		struct decode_run r;
		bool whole_line;

		tb_file_set(f, text, n);
		decode_run(&r, f->path);
		if (r.open_err) {
			/* Not yet a line that shows what it is. */
			assert_int_equal(r.open_err, -EBADMSG);
			assert_true(n < 15);
			continue;
		}
		assert_int_equal(r.next_err, 0);
		/* But for the newline there is nothing that could be missing. */
		whole_line = ends_with(text, n, "target_cpu=003") ||
			     ends_with(text, n, "target_cpu=012") ||
			     ends_with(text, n, "next_prio=110");
		assert_int_equal(r.info.truncated, text[n - 1] != '\n' && !whole_line);
		if (r.info.truncated) {
			size_t at = (size_t)r.info.truncated_at;

			assert_true(at < n && (!at || text[at - 1] == '\n'));
			assert_null(memchr(text + at, '\n', n - at));
		}
		/* A gap behind the last event of its CPU comes early. */
		for (size_t i = 0, k = 0; i < r.nr; i++, k++) {
			const struct rwk_event *got = &r.event[i], *want = &whole.event[k];

			if (got->kind == RWK_EV_LOST) {
				assert_int_equal(got->lost.count, 207);
				k--;
				continue;
			}
			if (want->kind == RWK_EV_LOST)
				want = &whole.event[++k];
			assert_int_equal(got->ts, want->ts);
			assert_int_equal(got->kind, want->kind);
			if (got->kind == RWK_EV_SWITCH)
				assert_memory_equal(&got->sw, &want->sw, sizeof(got->sw));
			else if (got->kind == RWK_EV_MIGRATE)
				assert_memory_equal(
					&got->migrate, &want->migrate, sizeof(got->migrate));
			else
				assert_memory_equal(&got->task, &want->task, sizeof(got->task));
		}
		most = r.nr > most ? r.nr : most;
		decode_run_finish(&r);
	}
	assert_int_equal(most, 5);
	decode_run_finish(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			kernel_text, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			queue_lengths, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			report_text, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			tolerant_of_columns, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			lost_markers, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(bad_lines, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			names_like_fields, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(disorder, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			more_than_the_window, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			others_until_the_first_switch, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(refused, decode_file_setup, decode_file_teardown),
		cmocka_unit_test(not_a_file),
		cmocka_unit_test_setup_teardown(no_events, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			cut_everywhere, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			last_line_without_newline, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(damaged, decode_file_setup, decode_file_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
