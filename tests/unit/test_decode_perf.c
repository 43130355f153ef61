/*
 * The decoder of perf.data files: both kinds of file, byte orders, layouts of
 * samples, the order that rounds allow, losses, what is refused and why.
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

/* Builds p and decodes it; r is to be finished. */
static void run(struct pb_perf *p, struct decode_run *r)
{
	struct tb_bytes bytes;
	struct tb_file file;

	pb_build(p, &bytes);
	tb_file_init(&file);
	tb_file_set(&file, bytes.data, bytes.len);
	decode_run(r, file.path);
	tb_file_finish(&file);
	free(bytes.data);
	pb_finish(p);
}

static void assert_clean(const struct decode_run *r)
{
	for (int kind = 0; kind < RWK_AN_COUNT; kind++) {
		if (r->info.anomalies.of[kind].count)
			fail_msg("%s: %lld", rwk_anomaly_name(kind),
				(long long)r->info.anomalies.of[kind].count);
	}
	assert_false(r->info.truncated);
}

static void assert_ok(const struct decode_run *r)
{
	if (r->open_err || r->next_err)
		fail_msg("%s", r->text);
}

/* Two CPUs in two rounds, each CPU's part of a round in one piece. */
static void put_two_rounds(struct pb_perf *p)
{
	if (!(p->without & PB_NO_ID_INDEX))
		pb_id_index(p);
	pb_switch(p, 0, 1000, 0, 0, 10);
	pb_task(p, 0, 1100, &tb_waking, 10, 20, 1);
	pb_task(p, 0, 1300, &tb_wakeup_new, 10, 30, 3);
	pb_switch(p, 3, 1050, 0, 0, 11);
	pb_migrate(p, 3, 1250, 20, 1, 3);
	pb_round(p);
	pb_switch(p, 0, 1400, 10, 1, 0);
	pb_task(p, 3, 1260, &tb_wakeup, 11, 20, 3);
	pb_switch(p, 3, 1500, 11, 2, 20);
	pb_round(p);
}

static void assert_two_rounds(const struct decode_run *r)
{
	static const struct {
		rwk_ns ts;
		int cpu, kind, tid;
	} want[] = {
		{1000, 0, RWK_EV_SWITCH, 0},
		{1050, 3, RWK_EV_SWITCH, 0},
		{1100, 0, RWK_EV_WAKING, 10},
		{1250, 3, RWK_EV_MIGRATE, 0},
		{1260, 3, RWK_EV_WAKEUP, 11},
		{1300, 0, RWK_EV_WAKEUP_NEW, 10},
		{1400, 0, RWK_EV_SWITCH, 10},
		{1500, 3, RWK_EV_SWITCH, 11},
	};

	assert_ok(r);
	assert_int_equal(r->nr, 8);
	for (size_t i = 0; i < 8; i++) {
		const struct rwk_event *ev = &r->event[i];

		assert_int_equal(ev->ts, want[i].ts);
		assert_int_equal(ev->cpu, want[i].cpu);
		assert_int_equal(ev->kind, want[i].kind);
		assert_int_equal(ev->tid, want[i].tid);
		assert_true(ev->offset > 0);
	}
	assert_int_equal(r->event[2].task.tid, 20);
	assert_int_equal(r->event[2].task.target_cpu, 1);
	assert_memory_equal(r->event[2].task.comm, "task-20", 8);
	assert_int_equal(r->event[3].migrate.dest_cpu, 3);
	assert_memory_equal(r->event[3].migrate.comm, "task-20", 8);
	assert_int_equal(r->event[6].sw.prev_state, RWK_END_SLEEPING);
	assert_int_equal(r->event[7].sw.prev_state, RWK_END_DISK);
	assert_int_equal(r->event[7].sw.next_tid, 20);
}

/* X4, X7: whatever the samples look like, the events are the same. */
static void every_layout(void **state)
{
	static const struct {
		uint64_t type, read;
		int nr_attrs, without;
	} layouts[] = {
		{PB_USUAL, 0, 0, 0},
		{PB_USUAL, 0, 0, PB_NO_TRAILERS},
		{PB_TIME | PB_CPU | PB_RAW | PB_ID, 0, 0, 0},
		{PB_TIME | PB_CPU | PB_RAW | PB_ID | PB_STREAM_ID | PB_ADDR | PB_IP | PB_TID, 0, 0,
			0},
		{PB_USUAL | PB_READ | PB_ID, 0, 0, 0},
		{PB_USUAL | PB_READ | PB_CALLCHAIN, 31, 0, 0},
		{PB_USUAL | PB_READ | PB_CALLCHAIN | PB_ADDR | PB_STREAM_ID, 4 | 16, 0, 0},
		{PB_USUAL | PB_CALLCHAIN, 0, 0, PB_NO_CPUS | PB_NO_ID_INDEX},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]) * 12; i++) {
		size_t k = i / 12;
		struct pb_perf p;
		struct decode_run r;

		pb_init(&p, i & 1);
		p.pipe = i & 2;
		p.pack = i % 12 / 4 ? 83 : 0; /* less than any record has, but more than none */
		p.padded = i % 12 / 4 == 2;
		p.sample_type = layouts[k].type;
		p.read_format = layouts[k].read;
		p.without = layouts[k].without;
		put_two_rounds(&p);
		run(&p, &r);
		assert_two_rounds(&r);
		assert_clean(&r);
		assert_int_equal(r.info.nr_cpus, PB_CPUS);
		assert_string_equal(r.info.release, "6.1.0-13-amd64");
		assert_string_equal(r.info.clock, "perf");
		assert_int_equal(r.info.cpu[0].nr_events, 4);
		assert_int_equal(r.info.cpu[1].nr_events, 0);
		assert_false(r.info.cpu[1].present);
		assert_int_equal(r.info.cpu[3].first_ts, 1050);
		assert_int_equal(r.info.cpu[3].last_ts, 1500);
		assert_true(r.info.has_format[RWK_EV_WAKING] && r.info.has_format[RWK_EV_SEL]);
		decode_run_finish(&r);
	}
}

/* perf record -e one event: no ids at all. */
static void single_event(void **state)
{
	(void)state;
	for (int ids = 0; ids < 2; ids++) {
		struct pb_perf p;
		struct decode_run r;

		pb_init(&p, false);
		p.nr_attrs = 1;
		p.sample_type = PB_TIME | PB_CPU | PB_RAW | (ids ? PB_IDENTIFIER : 0);
		p.without = ids ? 0 : PB_NO_IDS;
		pb_switch(&p, 0, 1000, 0, 0, 10);
		pb_switch(&p, 0, 1100, 10, 1, 0);
		run(&p, &r);
		assert_ok(&r);
		assert_clean(&r);
		assert_int_equal(r.nr, 2);
		decode_run_finish(&r);
	}
}

static void named_formats(void **state)
{
	static const char *const names[] = {
		"perf.data", "perf.data (pipe)", "perf.data (zstd)", "perf.data (pipe, zstd)"};

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct pb_perf p;
		struct decode_run r;

		pb_init(&p, false);
		p.pipe = i & 1;
		p.pack = i & 2 ? 500 : 0;
		put_two_rounds(&p);
		run(&p, &r);
		assert_string_equal(r.info.format, names[i]);
		decode_run_finish(&r);
	}
}

/* rewake:sel, whose values an event only borrows, waits in the queues as well. */
static void probe_values(void **state)
{
	struct tb_record rec;
	struct pb_perf p;
	struct decode_run r;

	(void)state;
	pb_init(&p, false);
	for (int i = 0; i < 20; i++) {
		tb_record(&rec, &p.trace, &tb_sel);
		tb_set(&rec, "prev", 1);
		tb_set(&rec, "wf", 8);
		tb_set(&rec, "scan4", 100 + i);
		pb_sample(&p, i / 10, 1000 + (uint64_t)(i % 10) * 2 + (uint64_t)(i / 10), &rec);
	}
	run(&p, &r);
	assert_ok(&r);
	assert_int_equal(r.nr, 20);
	for (size_t i = 0; i < 20; i++) {
		assert_int_equal(r.probe[i].wake_flags, 8);
		assert_int_equal(r.probe[i].nr_llc, 3);
		assert_int_equal(
			r.probe[i].llc[1].nr_idle_scan, 100 + (int)i / 2 + (int)i % 2 * 10);
	}
	decode_run_finish(&r);
}

/* rewake:nr comes before the wakeup that it is counted for, also at the same time. */
static void queue_lengths(void **state)
{
	struct tb_record rec;
	struct pb_perf p;
	struct decode_run r;

	(void)state;
	for (int big = 0; big < 2; big++) {
		pb_init(&p, big);
		tb_add_format(&p.trace, &tb_nr);
		pb_task(&p, 1, 2000, &tb_wakeup, 5, 10, 0);
		pb_round(&p);
		tb_record(&rec, &p.trace, &tb_nr);
		tb_set(&rec, "common_pid", 5);
		tb_set(&rec, "cpu", 3);
		tb_set(&rec, "nr", 2);
		tb_set(&rec, "change", -1);
		pb_sample(&p, 0, 2000, &rec);
		pb_round(&p);
		run(&p, &r);
		assert_ok(&r);
		assert_clean(&r);
		assert_int_equal(r.nr, 2);
		assert_int_equal(r.event[0].kind, RWK_EV_NR);
		assert_int_equal(r.event[0].cpu, 0);
		assert_int_equal(r.event[0].tid, 5);
		assert_int_equal(r.event[0].nr.cpu, 3);
		assert_int_equal(r.event[0].nr.nr, 2);
		assert_int_equal(r.event[0].nr.change, -1);
		assert_int_equal(r.event[1].kind, RWK_EV_WAKEUP);
		decode_run_finish(&r);
	}
}

/* T1, T7, W15: a wakeup in a later buffer comes before the switch that it made, ties by rank. */
static void order_between_buffers(void **state)
{
	struct pb_perf p;
	struct decode_run r;

	(void)state;
	pb_init(&p, false);
	pb_switch(&p, 0, 2000, 0, 0, 10);
	pb_switch(&p, 0, 3000, 10, 1, 0);
	pb_round(&p);
	pb_task(&p, 1, 1900, &tb_waking, 5, 10, 0);
	pb_task(&p, 1, 2000, &tb_wakeup, 5, 10, 0);
	pb_round(&p);
	run(&p, &r);
	assert_ok(&r);
	assert_clean(&r);
	assert_int_equal(r.nr, 4);
	assert_int_equal(r.event[0].kind, RWK_EV_WAKING);
	assert_int_equal(r.event[1].kind, RWK_EV_WAKEUP);
	assert_int_equal(r.event[2].kind, RWK_EV_SWITCH);
	decode_run_finish(&r);
}

/* Buffers of threads, or written backwards: one CPU's records in any order inside a round. */
static void order_inside_a_buffer(void **state)
{
	(void)state;
	for (int rounds = 0; rounds < 2; rounds++) {
		struct pb_perf p;
		struct decode_run r;

		pb_init(&p, false);
		for (int i = 0; i < 3000; i++) {
			/* Three threads that take turns; and one row backwards. */
			uint64_t ts = 10000 + (uint64_t)(i % 1000 * 3 + i / 1000);

			pb_task(&p, 0, ts, &tb_waking, 1, 100 + i / 1000, 0);
			pb_task(&p, 1, 20000 - (uint64_t)i, &tb_waking, 1, 200, 0);
		}
		if (rounds)
			pb_round(&p);
		run(&p, &r);
		assert_ok(&r);
		assert_clean(&r);
		assert_int_equal(r.nr, 6000);
		decode_run_finish(&r);
	}
}

/* T4: events of one CPU and one time stay as they are in the file. */
static void order_of_equal_times(void **state)
{
	struct pb_perf p;
	struct decode_run r;

	(void)state;
	pb_init(&p, false);
	for (int i = 0; i < 50; i++)
		pb_task(&p, 2, 1000, i % 3 ? &tb_wakeup : &tb_waking, 1, i, 0);
	run(&p, &r);
	assert_ok(&r);
	assert_int_equal(r.nr, 50);
	for (int i = 0; i < 50; i++)
		assert_int_equal(r.event[i].task.tid, i);
	decode_run_finish(&r);
}

/* T2: behind two rounds it is too late: counted, and a gap stands for it. */
static void too_late(void **state)
{
	struct pb_perf p;
	struct decode_run r;
	const struct rwk_event *lost;

	(void)state;
	pb_init(&p, false);
	for (uint64_t i = 1; i <= 3; i++) {
		pb_task(&p, 0, i * 1000, &tb_waking, 1, 2, 0);
		pb_task(&p, 1, i * 1000, &tb_waking, 1, 3, 0);
		pb_round(&p);
	}
	pb_task(&p, 1, 500, &tb_waking, 1, 4, 0);
	pb_task(&p, 1, 5000, &tb_waking, 1, 5, 0);
	run(&p, &r);
	assert_ok(&r);
	assert_int_equal(r.nr, 8);
	assert_int_equal(r.info.anomalies.of[RWK_AN_TIME_BACKWARDS].count, 1);
	lost = decode_run_find(&r, RWK_EV_LOST, 0);
	assert_int_equal(lost->cpu, 1);
	assert_int_equal(lost->lost.count, 1);
	decode_run_finish(&r);
}

/* L1, L4: a gap stands in front of the record that found room again. */
static void losses(void **state)
{
	(void)state;
	for (int i = 0; i < 8; i++) {
		struct pb_perf p;
		struct decode_run r;
		const struct rwk_event *lost;

		pb_init(&p, i & 1);
		p.pipe = i & 2;
		p.without = i & 4 ? PB_NO_TRAILERS : 0;
		pb_task(&p, 1, 900, &tb_waking, 1, 2, 0);
		pb_task(&p, 2, 1000, &tb_waking, 1, 2, 0);
		/* Its time is later than that of the record which found room. */
		pb_lost(&p, 2, 1201, 7);
		pb_lost(&p, 2, 1202, 5);
		pb_task(&p, 2, 1200, &tb_waking, 1, 2, 0);
		pb_round(&p);
		run(&p, &r);
		assert_ok(&r);
		assert_clean(&r);
		assert_int_equal(r.nr, 4);
		lost = &r.event[2];
		assert_int_equal(lost->kind, RWK_EV_LOST);
		assert_int_equal(lost->cpu, 2);
		assert_int_equal(lost->ts, 1200);
		assert_int_equal(lost->lost.count, 12);
		assert_int_equal(lost->lost.from_ts, 1000);
		assert_int_equal(r.info.cpu[2].nr_lost, 12);
		assert_int_equal(r.info.cpu[1].nr_lost, 0);
		decode_run_finish(&r);
	}
}

/* perf's sums tell of the same losses; what left no gap was lost at the end. */
static void lost_samples(void **state)
{
	(void)state;
	for (int index = 0; index < 2; index++) {
		struct pb_perf p;
		struct decode_run r;

		pb_init(&p, false);
		if (index)
			pb_id_index(&p);
		pb_task(&p, 1, 1000, &tb_waking, 1, 2, 0);
		pb_lost(&p, 1, 1100, 10);
		pb_task(&p, 1, 1100, &tb_waking, 1, 2, 0);
		pb_task(&p, 2, 1300, &tb_waking, 1, 2, 0);
		pb_lost_samples(&p, &tb_waking, 1, 10);
		pb_lost_samples(&p, &tb_waking, 2, 3);
		pb_lost_samples(&p, &tb_switch, 2, 4); /* of an id without a sample */
		run(&p, &r);
		assert_ok(&r);
		assert_int_equal(r.info.cpu[1].dropped, 10);
		assert_int_equal(r.info.cpu[1].nr_lost, 10);
		assert_int_equal(r.info.cpu[2].dropped, index ? 7 : 3);
		assert_int_equal(r.info.cpu[2].nr_lost, index ? 7 : 3);
		assert_int_equal(r.nr, 5);
		assert_int_equal(r.event[4].kind, RWK_EV_LOST);
		assert_int_equal(r.event[4].cpu, 2);
		assert_int_equal(r.event[4].lost.count, index ? 7 : 3);
		/* Without an index nothing tells its CPU: it is not forgotten. */
		assert_int_equal(r.info.anomalies.of[RWK_AN_BAD_RECORD].count, index ? 0 : 1);
		decode_run_finish(&r);
	}
}

static void lost_at_the_end(void **state)
{
	struct pb_perf p;
	struct decode_run r;

	(void)state;
	pb_init(&p, false);
	pb_task(&p, 1, 1000, &tb_waking, 1, 2, 0);
	pb_lost(&p, 1, 1100, UINT64_MAX); /* no number that can be */
	run(&p, &r);
	assert_ok(&r);
	assert_int_equal(r.nr, 2);
	assert_int_equal(r.event[1].kind, RWK_EV_LOST);
	assert_int_equal(r.event[1].lost.count, RWK_NONE);
	decode_run_finish(&r);
}

/* L9: who runs is known from any event until a switch tells. */
static void other_events(void **state)
{
	struct tb_record rec;
	struct pb_perf p;
	struct decode_run r;

	(void)state;
	pb_init(&p, false);
	tb_record(&rec, &p.trace, &tb_other);
	tb_set(&rec, "common_pid", 44);
	pb_sample(&p, 1, 900, &rec);
	pb_switch(&p, 1, 1000, 44, 0, 10);
	pb_sample(&p, 1, 1100, &rec);
	pb_lost(&p, 1, 1200, 1);
	pb_sample(&p, 1, 1200, &rec);
	run(&p, &r);
	assert_ok(&r);
	assert_int_equal(r.nr, 4);
	assert_int_equal(r.event[0].kind, RWK_EV_OTHER);
	assert_int_equal(r.event[0].tid, 44);
	assert_int_equal(r.event[3].kind, RWK_EV_OTHER);
	assert_int_equal(r.event[3].ts, 1200);
	decode_run_finish(&r);
}

/* X3: newer kinds of records and headers are passed over, and counted. */
static void unknown_parts(void **state)
{
	(void)state;
	for (int pipe = 0; pipe < 2; pipe++) {
		struct pb_perf p;
		struct decode_run r;

		pb_init(&p, false);
		p.pipe = pipe;
		p.without = PB_ODD_FEATURE;
		pb_record(&p, 40, 0, "abcdefgh", 8);
		pb_record(&p, 1, 0, "abcdefgh", 8); /* known, of no interest */
		pb_record(&p, 99, 0, "", 0);
		pb_record(&p, 70000, 0, "", 0);
		put_two_rounds(&p);
		run(&p, &r);
		assert_two_rounds(&r);
		assert_int_equal(r.info.anomalies.of[RWK_AN_UNKNOWN_RECORD].count, 4);
		decode_run_finish(&r);
	}
}

/* X6, X10: records that cannot be cost themselves only. */
static void bad_records(void **state)
{
	struct tb_record rec;
	struct pb_perf p;
	struct decode_run r;

	(void)state;
	pb_init(&p, false);
	put_two_rounds(&p);
	pb_record(&p, 9, 0, "short", 5);
	pb_record(&p, 2, 0, "short", 5);
	pb_record(&p, 13, 0, "", 0);
	pb_record(&p, 69, 0, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
	pb_task(&p, 4, 2000, &tb_waking, 1, 2, 0); /* a CPU that the machine does not have */
	tb_record(&rec, &p.trace, &tb_switch);
	tb_set(&rec, "common_type", 302); /* of another event than its attribute */
	pb_sample(&p, 0, 2100, &rec);
	tb_record(&rec, &p.trace, &tb_switch);
	rec.len = 20;
	pb_sample(&p, 0, 2200, &rec);
	run(&p, &r);
	assert_two_rounds(&r);
	assert_int_equal(r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 6);
	assert_int_equal(r.info.anomalies.of[RWK_AN_CPU_OUT_OF_RANGE].count, 1);
	decode_run_finish(&r);
}

/* perf record without -a: what other tasks did is not in the file, and nothing else tells. */
static void of_some_tasks(void **state)
{
	struct pb_perf p;
	struct decode_run r;

	(void)state;
	pb_init(&p, false);
	p.of_task = true;
	put_two_rounds(&p);
	run(&p, &r);
	assert_two_rounds(&r);
	assert_int_equal(r.info.anomalies.of[RWK_AN_SOME_TASKS_ONLY].count, 8 * PB_CPUS);
	decode_run_finish(&r);
}

/* S5: perf has no thread id for a task that is gone; the record itself has. */
static void exiting_task(void **state)
{
	struct pb_perf p;
	struct decode_run r;

	(void)state;
	pb_init(&p, false);
	p.exiting = true;
	put_two_rounds(&p);
	run(&p, &r);
	assert_two_rounds(&r);
	assert_clean(&r);
	decode_run_finish(&r);
}

/* X5: what crashes libtraceevent costs a child process, and no event of a perf.data either. */
static void deadly_print_fmt(void **state)
{
	struct tb_format damaged = tb_switch;
	char *fmt = strdup(tb_switch.print_fmt), *at;
	struct pb_perf p;
	struct decode_run r;

	(void)state;
	assert_non_null(fmt);
	at = strstr(fmt, "__print_flags(REC->prev_state");
	assert_non_null(at);
	at[strlen("__print_flags(REC->")] = 't';
	damaged.print_fmt = fmt;
	pb_init(&p, false);
	tb_add_format(&p.trace, &damaged);
	put_two_rounds(&p);
	run(&p, &r);
	assert_two_rounds(&r);
	assert_clean(&r);
	decode_run_finish(&r);
	free(fmt);
}

/* X3, X12: an event without a format; each of its records is counted, and no more. */
static void event_without_format(void **state)
{
	static const struct tb_format odd = {
		"odd", "event", 400, {{"unsigned short common_type", 0, 2, 0}}, "\"\""};
	struct tb_record rec;
	struct pb_perf p;
	struct decode_run r;

	(void)state;
	pb_init(&p, false);
	/* Of a system that the builder writes no formats of. */
	tb_add_format(&p.trace, &odd);
	put_two_rounds(&p);
	tb_record(&rec, &p.trace, &odd);
	for (uint64_t i = 0; i < 5000; i++)
		pb_sample(&p, 1, 2000 + i, &rec);
	run(&p, &r);
	assert_two_rounds(&r);
	assert_int_equal(r.info.nr_unknown_ids, 1);
	assert_int_equal(r.info.anomalies.of[RWK_AN_UNKNOWN_EVENT].count, 5000);
	assert_int_equal(r.info.anomalies.of[RWK_AN_UNKNOWN_EVENT].first_ts, 2000);
	assert_int_equal(r.info.anomalies.of[RWK_AN_UNKNOWN_EVENT].first_cpu, 1);
	assert_true(r.info.anomalies.of[RWK_AN_UNKNOWN_EVENT].first_offset > 0);
	decode_run_finish(&r);
}

/* X8: records behind five gigabytes of something else, which take no space here. */
static void behind_four_gigabytes(void **state)
{
	const int64_t far = INT64_C(5) << 30;
	unsigned char aux[40] = {0};
	struct tb_bytes bytes;
	struct pb_perf p, rest;
	struct decode_run r;
	struct tb_file file;

	(void)state;
	pb_init(&p, false);
	pb_init(&rest, false);
	p.pipe = true;
	tb_store(aux, (uint64_t)far, 8, false);
	pb_record(&p, 71, 0, aux, sizeof(aux));
	pb_build(&p, &bytes);
	put_two_rounds(&rest);
	tb_file_init(&file);
	tb_file_set(&file, bytes.data, bytes.len);
	assert_int_equal(
		pwrite(file.fd, rest.records.data, rest.records.len, (off_t)bytes.len + far),
		(ssize_t)rest.records.len);
	decode_run(&r, file.path);
	assert_two_rounds(&r);
	assert_true(r.event[0].offset > far);
	decode_run_finish(&r);
	tb_file_finish(&file);
	free(bytes.data);
	pb_finish(&p);
	pb_finish(&rest);
}

/* As simpleperf writes them: a file without the section, but a record among the others. */
static void formats_among_the_records(void **state)
{
	struct tb_bytes formats, body = {0};
	struct pb_perf p;
	struct decode_run r;

	(void)state;
	pb_init(&p, false);
	p.without = PB_NO_FORMATS;
	tb_build_formats(&p.trace, &formats);
	tb_u32(&body, (uint32_t)formats.len);
	tb_put(&body, formats.data, formats.len);
	tb_zeros(&body, 20);
	pb_record(&p, 66, 0, body.data, body.len);
	put_two_rounds(&p);
	run(&p, &r);
	assert_two_rounds(&r);
	assert_clean(&r);
	decode_run_finish(&r);
	free(formats.data);
	free(body.data);
}

static void data_behind_a_record(void **state)
{
	unsigned char aux[40] = {0};
	struct pb_perf p;
	struct decode_run r;

	(void)state;
	pb_init(&p, false);
	tb_store(aux, 24, 8, false);
	pb_record(&p, 71, 0, aux, sizeof(aux));
	pb_bytes(&p, "any bytes, and no record", 24);
	put_two_rounds(&p);
	run(&p, &r);
	assert_two_rounds(&r);
	decode_run_finish(&r);
}

/* What cannot be read is refused in words. */
static void refused(void **state)
{
	static const struct {
		uint64_t type;
		int without;
		int err;
		const char *why;
	} kinds[] = {
		{PB_USUAL & ~PB_TIME, 0, -EBADMSG, "no times"},
		{PB_USUAL & ~PB_CPU, 0, -EBADMSG, "no CPUs"},
		{PB_USUAL & ~PB_RAW, 0, -EBADMSG, "no fields"},
		{PB_USUAL, PB_NO_FORMATS, -EBADMSG, "no event formats"},
		{PB_USUAL, PB_NO_SIZE, -EBADMSG, "ends before its event formats"},
		{PB_USUAL, PB_DIRECTORY, -EINVAL, "--threads"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct pb_perf p;
		struct decode_run r;

		pb_init(&p, false);
		p.sample_type = kinds[i].type;
		p.without = kinds[i].without;
		put_two_rounds(&p);
		run(&p, &r);
		assert_int_equal(r.open_err, kinds[i].err);
		if (!strstr(r.text, kinds[i].why) || !strstr(r.text, "offset="))
			fail_msg("%s", r.text);
		decode_run_finish(&r);
	}
}

/* I9: samples tell of both; not where they count threads otherwise than records do. */
static void processes(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct decode_run r;
		struct pb_perf p;

		pb_init(&p, i & 1);
		p.pipe = i & 1;
		p.shifted = i & 2;
		put_two_rounds(&p);
		run(&p, &r);
		assert_two_rounds(&r);
		/* perf_build.c takes the next number for each process. */
		assert_int_equal(rwk_processes_find(&r.info.processes, 10), i & 2 ? RWK_NONE : 11);
		assert_int_equal(rwk_processes_find(&r.info.processes, 11), i & 2 ? RWK_NONE : 12);
		assert_int_equal(rwk_processes_find(&r.info.processes, 20), RWK_NONE);
		assert_int_equal(rwk_processes_find(&r.info.processes, 0), RWK_NONE);
		decode_run_finish(&r);
	}
}

static void write_file(const char *folder, const char *name, const void *data, size_t size)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

/* perf record --threads: headers in one file, a CPU's records in each of the others. */
static void folder_of_threads(void **state)
{
	static const char *const names[] = {"data", "data.0", "data.1"};
	char folder[] = "/tmp/rewake-perf-XXXXXX", path[128];
	struct tb_bytes bytes;
	struct decode_run r;

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (int file = 0; file < 3; file++) {
		struct pb_perf p;

		pb_init(&p, false);
		p.without = PB_DIRECTORY;
		if (!file)
			pb_id_index(&p);
		/* Rounds of one CPU, which the other's times lie in the middle of. */
		for (int i = 0; i < 20 && file; i++) {
			pb_switch(&p, file, 1000 + (uint64_t)i * 10 + (uint64_t)file, i, 1, i + 1);
			if (i % 5 == 4)
				pb_round(&p);
		}
		if (!file)
			pb_build(&p, &bytes);
		write_file(folder, names[file], file ? p.records.data : bytes.data,
			file ? p.records.len : bytes.len);
		if (!file)
			free(bytes.data);
		pb_finish(&p);
	}
	for (int cut = 0; cut < 2; cut++) {
		snprintf(path, sizeof(path), "%s/data.1", folder);
		if (cut)
			assert_int_equal(truncate(path, 300), 0);
		decode_run(&r, folder);
		assert_ok(&r);
		assert_int_equal(r.info.truncated, cut);
		assert_int_equal(r.info.nr_events[RWK_EV_SWITCH], cut ? 22 : 40);
		if (!cut)
			assert_clean(&r);
		for (size_t i = 0; i < r.nr && !cut; i++) {
			assert_int_equal(r.event[i].ts, 1000 + (int)i / 2 * 10 + 1 + (int)i % 2);
			assert_int_equal(r.event[i].cpu, 1 + (int)i % 2);
		}
		decode_run_finish(&r);
	}
	for (int file = 0; file < 3; file++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[file]);
		unlink(path);
	}
	decode_run(&r, folder);
	assert_int_equal(r.open_err, -EISDIR);
	decode_run_finish(&r);
	rmdir(folder);
}

static const char *find_fact(const struct rwk_trace_info *info, const char *path)
{
	for (size_t i = 0; i < info->nr_facts; i++) {
		if (!strcmp(info->fact[i].path, path))
			return info->fact[i].content;
	}
	return NULL;
}

/* What the headers tell of the machine, as the files that it was read from. */
static void machine_facts(void **state)
{
	static const struct {
		const char *path, *content;
	} want[] = {
		{"proc/sys/kernel/osrelease", "6.1.0-13-amd64"},
		{"sys/devices/system/cpu/online", "0-3"},
		{"sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "2-3"},
		{"sys/devices/system/cpu/cpu0/topology/core_siblings_list", "0-3"},
		{"sys/devices/system/cpu/cpu2/topology/core_id", "1"},
		{"sys/devices/system/cpu/cpu2/topology/physical_package_id", "0"},
		{"sys/devices/system/node/online", "0-1"},
		{"sys/devices/system/node/node1/cpulist", "2-3"},
		{"sys/devices/system/cpu/cpu1/cache/index0/level", "1"},
		{"sys/devices/system/cpu/cpu1/cache/index1/type", "Instruction"},
		{"sys/devices/system/cpu/cpu1/cache/index2/level", "3"},
		{"sys/devices/system/cpu/cpu3/cache/index1/shared_cpu_list", "2-3"},
		{"sys/devices/system/cpu/cpu3/cache/index1/size", "4M"},
	};

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct rwk_diag diag = {0};
		struct rwk_decode *dec;
		struct tb_bytes bytes;
		struct tb_file file;
		struct pb_perf p;

		pb_init(&p, i & 1);
		p.pipe = i & 2;
		put_two_rounds(&p);
		pb_build(&p, &bytes);
		tb_file_init(&file);
		tb_file_set(&file, bytes.data, bytes.len);
		assert_int_equal(rwk_decode_open(file.path, &diag, &dec), 0);
		for (size_t k = 0; k < sizeof(want) / sizeof(want[0]); k++) {
			const char *content = find_fact(rwk_decode_info(dec), want[k].path);

			if (!content || strcmp(content, want[k].content))
				fail_msg("%s: %s", want[k].path, content ? content : "absent");
		}
		rwk_decode_close(dec);
		tb_file_finish(&file);
		free(bytes.data);
		pb_finish(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_layout),
		cmocka_unit_test(single_event),
		cmocka_unit_test(named_formats),
		cmocka_unit_test(queue_lengths),
		cmocka_unit_test(probe_values),
		cmocka_unit_test(order_between_buffers),
		cmocka_unit_test(order_inside_a_buffer),
		cmocka_unit_test(order_of_equal_times),
		cmocka_unit_test(too_late),
		cmocka_unit_test(losses),
		cmocka_unit_test(lost_samples),
		cmocka_unit_test(lost_at_the_end),
		cmocka_unit_test(other_events),
		cmocka_unit_test(unknown_parts),
		cmocka_unit_test(bad_records),
		cmocka_unit_test(of_some_tasks),
		cmocka_unit_test(exiting_task),
		cmocka_unit_test(deadly_print_fmt),
		cmocka_unit_test(event_without_format),
		cmocka_unit_test(behind_four_gigabytes),
		cmocka_unit_test(formats_among_the_records),
		cmocka_unit_test(data_behind_a_record),
		cmocka_unit_test(refused),
		cmocka_unit_test(processes),
		cmocka_unit_test(folder_of_threads),
		cmocka_unit_test(machine_facts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
