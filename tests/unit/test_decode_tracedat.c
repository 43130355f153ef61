/* The decoder of trace.dat files: what a good file says, page by page and field by field. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tracedat_bench.h"

static void run(struct bench *b)
{
	struct tb_bytes file;

	tb_build(&b->t, &file);
	tb_file_set(&b->file, file.data, file.len);
	free(file.data);
	decode_run_finish(&b->r);
	decode_run(&b->r, b->file.path);
	if (b->r.open_err || b->r.next_err)
		fail_msg("%s", b->r.text);
}

static void assert_no_anomalies(const struct bench *b)
{
	for (int i = 0; i < RWK_AN_COUNT; i++) {
		if (b->r.info.anomalies.of[i].count)
			fail_msg("%s counted", rwk_anomaly_name((enum rwk_anomaly_kind)i));
	}
}

/* A little of everything on two CPUs. */
static void put_usual(struct tb_trace *t)
{
	struct tb_record r;

	tb_put_switch(t, 0, 1000, 0, 0, 50);
	tb_put_task(t, 0, 2000, &tb_waking, 50, 60, 1);
	tb_record(&r, t, &tb_sel);
	tb_set(&r, "common_pid", 50);
	tb_set(&r, "common_flags", RWK_FLAG_HARDIRQ | 0x01);
	tb_set(&r, "prev", 1);
	tb_set(&r, "wf", 0x18);
	tb_set(&r, "flips", 4000000000);
	tb_set(&r, "recent", -1);
	tb_set(&r, "nca", 8);
	tb_set(&r, "lastw", 61);
	tb_set(&r, "scan0", 10);
	tb_set(&r, "core0", 1);
	tb_set(&r, "scan4", 14);
	tb_set(&r, "scan12", 22);
	tb_set(&r, "core12", -5);
	tb_put_record(t, 0, 2100, &r);
	tb_record(&r, t, &tb_sel_ret);
	tb_set(&r, "common_pid", 50);
	tb_set(&r, "cpu", 0);
	tb_put_record(t, 0, 2200, &r);
	tb_put_migrate(t, 0, 2300, 60, 1, 0);
	tb_put_task(t, 0, 2400, &tb_wakeup, 50, 60, 0);
	tb_put_task(t, 1, 1500, &tb_wakeup_new, 7, 70, 1);
	tb_put_switch(t, 1, 2350, 7, 0x100, 70);
	tb_put_switch(t, 1, 9000, 70, 0x20, 0);
}

static void check_usual_events(const struct bench *b)
{
	const struct decode_run *r = &b->r;
	static const uint8_t kinds[] = {RWK_EV_SWITCH, RWK_EV_WAKEUP_NEW, RWK_EV_WAKING, RWK_EV_SEL,
		RWK_EV_SEL_RET, RWK_EV_MIGRATE, RWK_EV_SWITCH, RWK_EV_WAKEUP, RWK_EV_SWITCH};
	const struct rwk_event *ev;
	const struct rwk_ev_probe *p;

	assert_int_equal(r->nr, 9);
	for (size_t i = 0; i < 9; i++)
		assert_int_equal(r->event[i].kind, kinds[i]);
	ev = decode_run_find(r, RWK_EV_SWITCH, 0);
	assert_int_equal(ev->ts, 1000);
	assert_int_equal(ev->cpu, 0);
	assert_int_equal(ev->tid, 0);
	assert_int_equal(ev->sw.prev_tid, 0);
	assert_int_equal(ev->sw.prev_state, RWK_END_RUNNABLE);
	assert_int_equal(ev->sw.next_tid, 50);
	assert_int_equal(ev->sw.next_prio, 110);
	assert_comm(ev->sw.prev_comm, "swapper/0");
	assert_comm(ev->sw.next_comm, "task-50");
	ev = decode_run_find(r, RWK_EV_SWITCH, 1);
	assert_int_equal(ev->cpu, 1);
	assert_int_equal(ev->sw.prev_state, RWK_END_PREEMPTED);
	assert_int_equal(ev->sw.prev_state_raw, 0x100);
	assert_int_equal(ev->sw.prev_prio, 120);
	assert_int_equal(decode_run_find(r, RWK_EV_SWITCH, 2)->sw.prev_state, RWK_END_ZOMBIE);
	ev = decode_run_find(r, RWK_EV_WAKING, 0);
	assert_int_equal(ev->tid, 50);
	assert_int_equal(ev->task.tid, 60);
	assert_int_equal(ev->task.prio, 120);
	assert_int_equal(ev->task.target_cpu, 1);
	assert_comm(ev->task.comm, "task-60");
	ev = decode_run_find(r, RWK_EV_MIGRATE, 0);
	assert_int_equal(ev->migrate.tid, 60);
	assert_int_equal(ev->migrate.orig_cpu, 1);
	assert_int_equal(ev->migrate.dest_cpu, 0);
	assert_comm(ev->migrate.comm, "task-60");
	assert_int_equal(decode_run_find(r, RWK_EV_SEL_RET, 0)->sel_ret.cpu, 0);
	ev = decode_run_find(r, RWK_EV_SEL, 0);
	assert_int_equal(ev->flags, RWK_FLAG_HARDIRQ);
	p = &r->probe[ev - r->event];
	assert_int_equal(p->prev_cpu, 1);
	assert_int_equal(p->wake_flags, 0x18);
	assert_true(p->has_hidden);
	assert_int_equal((uint32_t)p->flips, 4000000000);
	assert_int_equal(p->recent_cpu, -1);
	assert_int_equal(p->nr_cpus_allowed, 8);
	assert_int_equal(p->last_wakee_tid, 61);
	/* In ascending order, the half pair scan99 left out. */
	assert_int_equal(p->nr_llc, 3);
	assert_int_equal(p->llc[0].first_cpu, 0);
	assert_int_equal(p->llc[0].nr_idle_scan, 10);
	assert_int_equal(p->llc[0].has_idle_cores, 1);
	assert_int_equal(p->llc[1].first_cpu, 4);
	assert_int_equal(p->llc[2].first_cpu, 12);
	assert_int_equal(p->llc[2].nr_idle_scan, 22);
	assert_int_equal(p->llc[2].has_idle_cores, -5);
	assert_no_anomalies(b);
}

static void check_usual(const struct bench *b)
{
	const struct decode_run *r = &b->r;

	check_usual_events(b);
	assert_string_equal(r->info.release, "6.1.0-13-amd64");
	assert_string_equal(r->info.clock, "local");
	assert_int_equal(r->info.nr_cpus, 2);
	for (int i = RWK_EV_WAKING; i <= RWK_EV_OTHER; i++)
		assert_int_equal(r->info.has_format[i], i != RWK_EV_SEL_STATE && i != RWK_EV_NR);
	assert_int_equal(r->info.cpu[0].nr_events, 6);
	assert_int_equal(r->info.cpu[0].entries, 6);
	assert_int_equal(r->info.cpu[0].dropped, 3);
	assert_int_equal(r->info.cpu[1].first_ts, 1500);
	assert_int_equal(r->info.cpu[1].last_ts, 9000);
	assert_false(r->info.truncated);
}

/* X4, X7: both versions, byte orders, sizes of a long and compressions. */
static void all_file_kinds(void **state)
{
	struct bench *b = *state;
	static const struct {
		int version, big_endian, long_size;
		enum tb_compression compression;
		const char *format;
	} kinds[] = {
		{6, 0, 8, TB_PLAIN, "trace.dat v6"},
		{6, 1, 8, TB_PLAIN, "trace.dat v6"},
		{6, 0, 4, TB_PLAIN, "trace.dat v6"},
		{6, 1, 4, TB_PLAIN, "trace.dat v6"},
		{7, 0, 8, TB_PLAIN, "trace.dat v7"},
		{7, 1, 4, TB_PLAIN, "trace.dat v7"},
		{7, 0, 8, TB_ZSTD, "trace.dat v7 (zstd)"},
		{7, 1, 8, TB_ZSTD, "trace.dat v7 (zstd)"},
		{7, 0, 4, TB_ZLIB, "trace.dat v7 (zlib)"},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		tb_finish(&b->t);
		tb_init(&b->t);
		b->t.version = kinds[i].version;
		b->t.big_endian = kinds[i].big_endian;
		b->t.long_size = kinds[i].long_size;
		b->t.compression = kinds[i].compression;
		put_usual(&b->t);
		run(b);
		assert_string_equal(b->r.info.format, kinds[i].format);
		check_usual(b);
	}
}

/* X9: the options, which name the recorder's version, came later than the rest of version 6. */
static void old_file_without_options(void **state)
{
	struct bench *b = *state;

	for (int big_endian = 0; big_endian < 2; big_endian++) {
		tb_finish(&b->t);
		tb_init(&b->t);
		b->t.version = 6;
		b->t.big_endian = big_endian;
		b->t.no_options = true;
		put_usual(&b->t);
		run(b);
		check_usual_events(b);
		assert_string_equal(b->r.info.format, "trace.dat v6");
		assert_string_equal(b->r.info.release, "");
		assert_string_equal(b->r.info.clock, "");
		assert_int_equal(b->r.info.cpu[0].entries, RWK_NONE);
		assert_false(b->r.info.truncated);
	}
}

/* Sub-buffers larger than a page, as kernels from 6.8 on can have them. */
static void large_pages(void **state)
{
	struct bench *b = *state;

	for (int version = 6; version <= 7; version++) {
		for (uint32_t size = 16384; size <= 65536; size *= 4) {
			tb_finish(&b->t);
			tb_init(&b->t);
			b->t.version = version;
			b->t.page_size = size;
			/* Only the kernel's own description tells of it in version 6. */
			b->t.machine_page = 4096;
			put_usual(&b->t);
			run(b);
			check_usual(b);
		}
	}
}

/* Offsets in a plain file point to the record: its id stands there. */
static void offsets_point_to_records(void **state)
{
	struct bench *b = *state;
	struct tb_bytes file;

	put_usual(&b->t);
	run(b);
	tb_build(&b->t, &file);
	for (size_t i = 0; i < b->r.nr; i++) {
		const unsigned char *p = file.data + b->r.event[i].offset;
		int id = b->r.event[i].kind == RWK_EV_WAKING ? tb_waking.id : 0;

		assert_in_range(b->r.event[i].offset, 0, file.len - 2);
		if (id)
			assert_int_equal(p[0] | p[1] << 8, id);
	}
	free(file.data);
}

/* X4, W11: fields that a kernel lacks stay absent; fields found at any place and size. */
static void fields_missing_and_moved(void **state)
{
	static const struct tb_format wakeup = {"sched", "sched_wakeup", 303,
		{{"unsigned short common_type", 4, 2, 0}, {"pid_t pid", 6, 2, 1},
			{"char comm[20]", 20, 20, 0}, {"s8 prio", 19, 1, 1}},
		"\"\""};
	static const struct tb_format waking = {"sched", "sched_waking", 302,
		{{"unsigned short common_type", 4, 2, 0}, {"s64 pid", 8, 8, 1},
			{"int success", 16, 4, 1}, {"__rel_loc char[] comm", 20, 4, 0},
			{"u16 target_cpu", 24, 2, 0}},
		"\"\""};
	static const struct tb_format sel = {"rewake", "sel", 306,
		{{"unsigned short common_type", 4, 2, 0}, {"s32 prev", 8, 4, 1},
			{"u32 wf", 12, 4, 0}, {"s32 recent", 16, 4, 1}},
		"\"\""};
	struct bench *b = *state;
	const struct rwk_event *ev;
	struct tb_record r;

	b->t.nr_formats = 0;
	tb_add_format(&b->t, &wakeup);
	tb_add_format(&b->t, &waking);
	tb_add_format(&b->t, &sel);
	tb_record(&r, &b->t, &wakeup);
	tb_set(&r, "pid", 77);
	tb_set(&r, "prio", -1);
	tb_set_text(&r, "comm", "12345678901234567890");
	tb_put_record(&b->t, 0, 10, &r);
	tb_record(&r, &b->t, &waking);
	tb_set(&r, "pid", 78);
	tb_set(&r, "success", 1);
	tb_set(&r, "target_cpu", 513);
	tb_set_text(&r, "comm", "relative");
	tb_put_record(&b->t, 0, 20, &r);
	tb_record(&r, &b->t, &waking);
	tb_set(&r, "pid", 79);
	tb_set(&r, "success", 0);
	tb_put_record(&b->t, 0, 30, &r);
	tb_record(&r, &b->t, &sel);
	tb_set(&r, "prev", 3);
	tb_set(&r, "recent", 5);
	tb_put_record(&b->t, 0, 40, &r);
	run(b);
	ev = decode_run_find(&b->r, RWK_EV_WAKEUP, 0);
	assert_int_equal(ev->tid, RWK_NONE);
	assert_int_equal(ev->flags, 0);
	assert_int_equal(ev->task.tid, 77);
	assert_int_equal(ev->task.prio, -1);
	assert_int_equal(ev->task.target_cpu, RWK_NONE);
	assert_memory_equal(ev->task.comm, "1234567890123456", 16);
	ev = decode_run_find(&b->r, RWK_EV_WAKING, 0);
	assert_int_equal(ev->task.tid, 78);
	assert_int_equal(ev->task.prio, RWK_PRIO_UNKNOWN);
	assert_int_equal(ev->task.target_cpu, 513);
	assert_comm(ev->task.comm, "relative");
	assert_int_equal(b->r.info.nr_events[RWK_EV_WAKING], 1); /* not the one without success */
	ev = decode_run_find(&b->r, RWK_EV_SEL, 0);
	assert_false(b->r.probe[ev - b->r.event].has_hidden);
	assert_int_equal(b->r.probe[ev - b->r.event].nr_llc, 0);
	assert_false(b->r.info.has_format[RWK_EV_SWITCH]);
	assert_no_anomalies(b);
}

/* An event whose format lacks what it is nothing without is not described by the file. */
static void format_without_its_pid(void **state)
{
	static const struct tb_format waking = {"sched", "sched_waking", 302,
		{{"unsigned short common_type", 0, 2, 0}, {"int prio", 8, 4, 1}}, "\"\""};
	struct bench *b = *state;

	tb_add_format(&b->t, &waking);
	tb_put_switch(&b->t, 0, 10, 1, 1, 2);
	tb_write(&b->t, 0, 20, "\x2e\x01\0\0\0\0\0\0\0\0\0\0", 12);
	run(b);
	assert_false(b->r.info.has_format[RWK_EV_WAKING]);
	assert_int_equal(b->r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 1);
}

/* A place that no record reaches is no place. */
static void field_out_of_all_records(void **state)
{
	static const struct tb_format waking = {"sched", "sched_waking", 302,
		{{"unsigned short common_type", 0, 2, 0}, {"pid_t pid", 65536 + 4, 4, 1}}, "\"\""};
	struct bench *b = *state;

	tb_add_format(&b->t, &waking);
	tb_page(&b->t, 0, 10);
	tb_write(&b->t, 0, 20, "\x2e\x01\0\0\7\0\0\0\0\0\0\0", 12);
	run(b);
	assert_false(b->r.info.has_format[RWK_EV_WAKING]);
	assert_int_equal(b->r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 1);
}

/* T4, T9, T10: equal times, long waits, absolute stamps, pages that begin with none of them. */
static void times_in_pages(void **state)
{
	struct bench *b = *state;
	struct tb_trace *t = &b->t;
	static const rwk_ns want[] = {1000, 1000, 1000, 1000 + (1 << 27), 5000000000, 5000000001,
		6000000000, 6000000005, 90000000000, 90000000007};

	tb_page(t, 0, 1000);
	for (int i = 0; i < 3; i++)
		tb_put_task(t, 0, 1000, &tb_waking, 1, i, 0);
	tb_put_task(t, 0, want[3], &tb_waking, 1, 3, 0);
	tb_stamp(t, 0, (uint64_t)want[4]);
	tb_put_task(t, 0, (uint64_t)want[4], &tb_waking, 1, 4, 0);
	tb_put_task(t, 0, (uint64_t)want[5], &tb_waking, 1, 5, 0);
	tb_page(t, 0, 5999999000);
	tb_extend(t, 0, 500);
	tb_padding(t, 0, 32);
	tb_extend(t, 0, 500);
	tb_put_task(t, 0, (uint64_t)want[6], &tb_waking, 1, 6, 0);
	tb_padding(t, 0, 8);
	tb_put_task(t, 0, (uint64_t)want[7], &tb_waking, 1, 7, 0);
	tb_page(t, 0, 7000000000);
	tb_stamp(t, 0, (uint64_t)want[8]);
	tb_put_task(t, 0, (uint64_t)want[8], &tb_waking, 1, 8, 0);
	tb_put_task(t, 0, (uint64_t)want[9], &tb_waking, 1, 9, 0);
	run(b);
	assert_int_equal(b->r.nr, 10);
	for (int i = 0; i < 10; i++) {
		assert_int_equal(b->r.event[i].ts, want[i]);
		assert_int_equal(b->r.event[i].task.tid, i);
	}
	assert_no_anomalies(b);
}

/* T8: a record's absolute stamp has 59 bits; the page says the rest. */
static void clock_of_64_bits(void **state)
{
	const uint64_t top = UINT64_C(3) << 60, ts = top + 123456789012345;
	struct bench *b = *state;

	tb_page(&b->t, 0, top + 1000);
	tb_stamp(&b->t, 0, ts);
	tb_put_task(&b->t, 0, ts + 1, &tb_waking, 1, 2, 0);
	run(b);
	assert_int_equal(b->r.event[0].ts, ts + 1);
}

/* A time that no signed nanosecond holds is no event. */
static void impossible_time(void **state)
{
	struct bench *b = *state;

	tb_page(&b->t, 0, UINT64_C(1) << 63);
	tb_put_task(&b->t, 0, UINT64_C(1) << 63, &tb_waking, 1, 2, 0);
	run(b);
	assert_int_equal(b->r.nr, 0);
	assert_int_equal(b->r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 1);
}

/* T1, T7: the streams of several CPUs are one, by time and at ties by kind. */
static void merged_order(void **state)
{
	struct bench *b = *state;

	tb_put_switch(&b->t, 0, 500, 0, 0, 60);
	tb_put_task(&b->t, 1, 500, &tb_wakeup, 9, 60, 0);
	tb_put_migrate(&b->t, 2, 500, 60, 1, 0);
	tb_put_task(&b->t, 3, 500, &tb_waking, 9, 60, 1);
	tb_put_task(&b->t, 3, 499, &tb_waking, 9, 61, 1);
	b->t.cpu[3].pages.len = 0; /* once more, in order */
	b->t.cpu[3].open = false;
	tb_put_task(&b->t, 3, 499, &tb_waking, 9, 61, 1);
	tb_put_task(&b->t, 3, 500, &tb_waking, 9, 60, 1);
	run(b);
	assert_int_equal(b->r.nr, 5);
	assert_int_equal(b->r.event[0].task.tid, 61);
	assert_int_equal(b->r.event[1].kind, RWK_EV_WAKING);
	assert_int_equal(b->r.event[2].kind, RWK_EV_MIGRATE);
	assert_int_equal(b->r.event[3].kind, RWK_EV_WAKEUP);
	assert_int_equal(b->r.event[4].kind, RWK_EV_SWITCH);
}

/* T2 */
static void time_steps_back(void **state)
{
	struct bench *b = *state;

	tb_put_task(&b->t, 0, 5000, &tb_waking, 1, 1, 0);
	tb_put_task(&b->t, 0, 3000, &tb_waking, 1, 2, 0);
	tb_put_task(&b->t, 0, 4000, &tb_waking, 1, 3, 0);
	tb_put_task(&b->t, 0, 6000, &tb_waking, 1, 4, 0);
	run(b);
	assert_int_equal(b->r.nr, 3);
	assert_int_equal(b->r.event[1].kind, RWK_EV_LOST);
	assert_int_equal(b->r.event[1].lost.count, 2);
	assert_int_equal(b->r.event[1].lost.from_ts, 5000);
	assert_int_equal(b->r.event[1].ts, 6000);
	assert_int_equal(b->r.info.anomalies.of[RWK_AN_TIME_BACKWARDS].count, 2);
}

/* L1, L2, L4: each gap in its place, with its length where the page has it. */
static void lost_events(void **state)
{
	for (int long_size = 4; long_size <= 8; long_size += 4) {
		struct bench *b = *state;
		struct tb_trace *t = &b->t;
		const struct rwk_event *ev;

		tb_finish(t);
		tb_init(t);
		t->long_size = long_size;
		t->overrun[0] = 21;
		tb_put_task(t, 0, 100, &tb_waking, 1, 1, 0);
		tb_page(t, 0, 200);
		tb_put_task(t, 0, 200, &tb_waking, 1, 2, 0);
		tb_missed(t, 0, 21);
		tb_page(t, 0, 300);
		tb_put_task(t, 0, 300, &tb_waking, 1, 3, 0);
		tb_missed(t, 0, -1);
		tb_page(t, 0, 400); /* nothing on it but the mark */
		tb_missed(t, 0, 4);
		tb_page(t, 0, 410);
		tb_put_task(t, 0, 410, &tb_waking, 1, 4, 0);
		tb_missed(t, 0, 5);
		tb_page(t, 0, 500);
		tb_missed(t, 0, 6);
		run(b);
		ev = b->r.event;
		assert_int_equal(b->r.nr, 8);
		assert_int_equal(ev[1].kind, RWK_EV_LOST);
		assert_int_equal(ev[1].lost.count, 21);
		assert_int_equal(ev[1].lost.from_ts, 100);
		assert_int_equal(ev[1].ts, 200);
		assert_int_equal(ev[2].task.tid, 2);
		assert_int_equal(ev[3].kind, RWK_EV_LOST);
		assert_int_equal(ev[3].lost.count, RWK_NONE);
		assert_int_equal(ev[3].lost.from_ts, 200);
		assert_int_equal(ev[5].kind, RWK_EV_LOST);
		assert_int_equal(ev[5].lost.count, 9);
		assert_int_equal(ev[5].ts, 410);
		/* At the end: no time but the last one known. */
		assert_int_equal(ev[7].kind, RWK_EV_LOST);
		assert_int_equal(ev[7].lost.count, 6);
		assert_int_equal(ev[7].ts, 410);
		assert_int_equal(b->r.info.cpu[0].nr_lost, 36);
		assert_int_equal(b->r.info.cpu[0].overrun, 21);
		assert_int_equal(b->r.info.nr_events[RWK_EV_LOST], 4);
		assert_no_anomalies(b);
	}
}

/* The page was full: no room for the count, whatever its flag says. */
static void lost_without_room_for_the_count(void **state)
{
	struct bench *b = *state;
	struct tb_trace *t = &b->t;
	uint32_t left;

	tb_page(t, 0, 100);
	tb_put_task(t, 0, 100, &tb_waking, 1, 1, 0);
	left = tb_data_size(t) - t->cpu[0].used;
	tb_padding(t, 0, left);
	tb_missed(t, 0, -1);
	t->cpu[0].pages.data[8 + 3] |= 0x40;
	/* What stands where the count would is the time of the next page. */
	tb_put_task(t, 0, 200, &tb_waking, 1, 2, 0);
	run(b);
	assert_int_equal(b->r.event[0].kind, RWK_EV_LOST);
	assert_int_equal(b->r.event[0].lost.count, RWK_NONE);
	assert_int_equal(b->r.event[0].lost.from_ts, RWK_NS_NONE);
	assert_int_equal(b->r.event[1].task.tid, 1);
}

/* L7, X10, X11: CPUs without data, without records, with ids that skip. */
static void cpus_without_events(void **state)
{
	struct bench *b = *state;

	b->t.cpu_count = 12;
	b->t.cpu[2].id = 9;
	tb_put_task(&b->t, 0, 100, &tb_waking, 1, 1, 0);
	tb_page(&b->t, 1, 0); /* a page, and nothing on it */
	tb_put_task(&b->t, 2, 300, &tb_waking, 1, 2, 0);
	run(b);
	assert_int_equal(b->r.nr, 2);
	assert_int_equal(b->r.event[1].cpu, 9);
	assert_int_equal(b->r.info.nr_cpus, 12);
	assert_true(b->r.info.cpu[0].present);
	assert_true(b->r.info.cpu[1].present);
	assert_false(b->r.info.cpu[2].present);
	assert_true(b->r.info.cpu[9].present);
	assert_int_equal(b->r.info.cpu[1].nr_events, 0);
	assert_int_equal(b->r.info.cpu[1].first_ts, RWK_NS_NONE);
	assert_int_equal(b->r.info.cpu[9].nr_events, 1);
	assert_int_equal(b->r.info.cpu[11].entries, RWK_NONE);
	assert_no_anomalies(b);
}

/* A CPU id beyond what we hold is refused, never wrapped. */
static void cpu_id_too_large(void **state)
{
	struct bench *b = *state;
	struct tb_bytes file;

	b->t.cpu[0].id = 1024;
	tb_put_task(&b->t, 0, 100, &tb_waking, 1, 1, 0);
	tb_build(&b->t, &file);
	tb_file_set(&b->file, file.data, file.len);
	free(file.data);
	decode_run(&b->r, b->file.path);
	assert_int_equal(b->r.open_err, -ERANGE);
	assert_non_null(strstr(b->r.text, "cpu=1024"));
}

static void cpu_listed_twice(void **state)
{
	struct bench *b = *state;
	struct tb_bytes file;

	b->t.cpu[1].id = 0;
	tb_put_task(&b->t, 0, 100, &tb_waking, 1, 1, 0);
	tb_put_task(&b->t, 1, 100, &tb_waking, 1, 1, 0);
	tb_build(&b->t, &file);
	tb_file_set(&b->file, file.data, file.len);
	free(file.data);
	decode_run(&b->r, b->file.path);
	assert_int_equal(b->r.open_err, -EBADMSG);
	assert_non_null(strstr(b->r.text, "twice"));
}

/* L9: others are given until a switch tells who runs, and again behind a gap. */
static void others_until_the_first_switch(void **state)
{
	struct bench *b = *state;
	struct tb_record r;

	for (int i = 0; i < 4; i++) {
		tb_record(&r, &b->t, &tb_other);
		tb_set(&r, "common_pid", 40 + i);
		if (i == 3) {
			tb_page(&b->t, 0, 400);
			tb_put_record(&b->t, 0, 400, &r);
			tb_missed(&b->t, 0, 1);
			continue;
		}
		tb_put_record(&b->t, 0, 100 + (uint64_t)i * 10, &r);
		if (i == 1)
			tb_put_switch(&b->t, 0, 115, 41, 1, 42);
	}
	run(b);
	assert_int_equal(b->r.info.nr_events[RWK_EV_OTHER], 3);
	assert_int_equal(decode_run_find(&b->r, RWK_EV_OTHER, 0)->tid, 40);
	assert_int_equal(decode_run_find(&b->r, RWK_EV_OTHER, 1)->tid, 41);
	assert_int_equal(decode_run_find(&b->r, RWK_EV_OTHER, 2)->tid, 43);
	assert_int_equal(b->r.info.cpu[0].nr_events, 5);
}

/* clang-format off */
/* Not one of them. */
static const struct tb_format sel_states = {
	"rewake", "sel_states", 311,
	{
		{"unsigned short common_type", 0, 2, 0},
		{"unsigned char common_flags", 2, 1, 0},
		{"int common_pid", 4, 4, 1},
		{"u32 nr5", 12, 4, 0},
		{"s32 curr5", 16, 4, 1},
	},
	"\"\"",
};
/* clang-format on */

static void assert_probe_cpu(const struct rwk_probe_cpu *c, int cpu, int nr_running, int pending,
	int curr_tid, int64_t load)
{
	assert_int_equal(c->cpu, cpu);
	assert_int_equal(c->nr_running, nr_running);
	assert_int_equal(c->pending, pending);
	assert_int_equal(c->curr_tid, curr_tid);
	assert_int_equal(c->load, load);
}

static void states_of_cpus(void **state)
{
	struct bench *b = *state;

	for (int kind = 0; kind < 4; kind++) {
		const struct rwk_event *ev;
		const struct rwk_ev_probe *p;
		struct tb_record r;

		tb_finish(&b->t);
		tb_init(&b->t);
		b->t.version = kind & 1 ? 6 : 7;
		b->t.big_endian = kind & 2;
		tb_add_format(&b->t, &tb_sel_state0);
		tb_add_format(&b->t, &tb_sel_state12);
		tb_add_format(&b->t, &sel_states);
		tb_put_switch(&b->t, 0, 100, 0, 0, 50);
		tb_record(&r, &b->t, &tb_sel_state12);
		tb_set(&r, "common_pid", 50);
		tb_set(&r, "common_flags", RWK_FLAG_SOFTIRQ);
		tb_set(&r, "nr5", 3);
		tb_set(&r, "pend5", 1);
		tb_set(&r, "curr5", 77);
		tb_set(&r, "load5", 5000000000);
		tb_put_record(&b->t, 0, 200, &r);
		tb_record(&r, &b->t, &tb_sel_state0);
		tb_set(&r, "common_pid", 50);
		tb_set(&r, "nr3", 2);
		tb_set(&r, "curr3", -4);
		tb_set(&r, "load1", -1);
		tb_set(&r, "pend1", 255);
		tb_set(&r, "nr1", 4000000000);
		tb_put_record(&b->t, 0, 210, &r);
		tb_record(&r, &b->t, &sel_states);
		tb_put_record(&b->t, 0, 220, &r);
		run(b);
		assert_int_equal(b->r.nr, 3);
		assert_int_equal(b->r.info.nr_events[RWK_EV_SEL_STATE], 2);
		assert_true(b->r.info.has_format[RWK_EV_SEL_STATE]);
		ev = decode_run_find(&b->r, RWK_EV_SEL_STATE, 0);
		assert_int_equal(ev->ts, 200);
		assert_int_equal(ev->tid, 50);
		assert_int_equal(ev->flags, RWK_FLAG_SOFTIRQ);
		p = &b->r.probe[ev - b->r.event];
		assert_int_equal(p->nr_cpus, 1);
		assert_probe_cpu(&p->cpu[0], 5, 3, 1, 77, 5000000000);
		ev = decode_run_find(&b->r, RWK_EV_SEL_STATE, 1);
		p = &b->r.probe[ev - b->r.event];
		assert_int_equal(p->nr_cpus, 2);
		/* What is no count and no thread id is none. */
		assert_probe_cpu(&p->cpu[0], 1, RWK_NONE, 255, 0, RWK_NONE);
		assert_probe_cpu(&p->cpu[1], 3, 2, RWK_NONE, RWK_NONE, RWK_NONE);
		assert_no_anomalies(b);
	}
}

static void put_count(struct bench *b, rwk_ns ts, int64_t cpu, int64_t nr, int64_t change)
{
	struct tb_record r;

	tb_record(&r, &b->t, &tb_nr);
	tb_set(&r, "common_pid", 50);
	tb_set(&r, "cpu", cpu);
	tb_set(&r, "nr", nr);
	tb_set(&r, "change", change);
	tb_put_record(&b->t, 0, ts, &r);
}

static void queue_lengths(void **state)
{
	struct bench *b = *state;

	for (int kind = 0; kind < 4; kind++) {
		const struct rwk_event *ev;

		tb_finish(&b->t);
		tb_init(&b->t);
		b->t.version = kind & 1 ? 6 : 7;
		b->t.big_endian = kind & 2;
		tb_add_format(&b->t, &tb_nr);
		tb_put_switch(&b->t, 0, 100, 0, 0, 50);
		put_count(b, 110, 1, 3, -2);
		put_count(b, 120, RWK_MAX_CPUS, 3, 1);
		put_count(b, 130, -1, 3, 1);
		put_count(b, 140, 0, 4000000000, 1);
		put_count(b, 150, 0, 1, 1);
		run(b);
		assert_int_equal(b->r.info.nr_events[RWK_EV_NR], 2);
		assert_true(b->r.info.has_format[RWK_EV_NR]);
		ev = decode_run_find(&b->r, RWK_EV_NR, 0);
		assert_int_equal(ev->ts, 110);
		assert_int_equal(ev->cpu, 0);
		assert_int_equal(ev->tid, 50);
		assert_int_equal(ev->nr.cpu, 1);
		assert_int_equal(ev->nr.nr, 3);
		assert_int_equal(ev->nr.change, -2);
		assert_int_equal(decode_run_find(&b->r, RWK_EV_NR, 1)->nr.change, 1);
		assert_int_equal(b->r.info.anomalies.of[RWK_AN_CPU_OUT_OF_RANGE].count, 2);
		assert_int_equal(b->r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 1);
	}
}

/* A record that is too short for its CPUs. */
static void short_state(void **state)
{
	struct bench *b = *state;

	tb_add_format(&b->t, &tb_sel_state12);
	tb_page(&b->t, 0, 100);
	tb_write(&b->t, 0, 100, "\x35\x01\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	tb_put_task(&b->t, 0, 120, &tb_waking, 1, 1, 0);
	run(b);
	assert_int_equal(b->r.nr, 1);
	assert_int_equal(b->r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 1);
}

/* X3: ids without a format are counted, by id and by record. */
static void unknown_ids(void **state)
{
	struct bench *b = *state;

	tb_page(&b->t, 0, 100);
	tb_write(&b->t, 0, 100, "\x07\x00\0\0\0\0\0\0", 8);
	tb_write(&b->t, 0, 110, "\xff\xff\0\0\0\0\0\0", 8);
	tb_put_task(&b->t, 0, 120, &tb_waking, 1, 1, 0);
	tb_write(&b->t, 0, 130, "\x07\x00\0\0\0\0\0\0", 8);
	run(b);
	assert_int_equal(b->r.nr, 1);
	assert_int_equal(b->r.info.nr_unknown_ids, 2);
	assert_int_equal(b->r.info.anomalies.of[RWK_AN_UNKNOWN_EVENT].count, 3);
	assert_int_equal(b->r.info.anomalies.of[RWK_AN_UNKNOWN_EVENT].first_ts, 100);
	assert_int_equal(b->r.info.cpu[0].nr_events, 4);
}

/* X6: a record shorter than its format, and values that cannot be. */
static void bad_records(void **state)
{
	struct bench *b = *state;
	struct tb_record r;

	tb_page(&b->t, 0, 100);
	tb_record(&r, &b->t, &tb_waking);
	tb_write(&b->t, 0, 100, r.data, 36); /* comm is cut */
	tb_write(&b->t, 0, 101, r.data, 4);
	tb_put_task(&b->t, 0, 110, &tb_waking, 1, -1, 0);
	tb_put_switch(&b->t, 0, 120, -2, 0, 5);
	tb_record(&r, &b->t, &tb_migrate);
	tb_set(&r, "comm", 0xffff0000 | 30); /* a name that goes past the record */
	tb_put_record(&b->t, 0, 130, &r);
	tb_put_task(&b->t, 0, 140, &tb_waking, 1, 7, 0);
	tb_put_task(&b->t, 0, 150, &tb_waking, 1, 8, 1024);
	tb_put_task(&b->t, 0, 160, &tb_wakeup, 1, 9, -1);
	tb_put_migrate(&b->t, 0, 170, 9, 0, 5000);
	run(b);
	assert_int_equal(b->r.nr, 1);
	assert_int_equal(b->r.event[0].task.tid, 7);
	assert_int_equal(b->r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 5);
	assert_int_equal(b->r.info.anomalies.of[RWK_AN_CPU_OUT_OF_RANGE].count, 3);
	assert_int_equal(b->r.info.cpu[0].nr_events, 9);
}

/* Names are bytes up to their NUL; what the kernel left behind it is not part of them. */
static void names_are_bytes(void **state)
{
	struct bench *b = *state;
	struct tb_record r;

	tb_record(&r, &b->t, &tb_waking);
	tb_set(&r, "pid", 5);
	memcpy(r.data + 24, "a\n\xff \0garbage....", 16);
	tb_put_record(&b->t, 0, 100, &r);
	run(b);
	assert_memory_equal(b->r.event[0].task.comm, "a\n\xff \0\0\0\0\0\0\0\0\0\0\0\0", 16);
}

/* The record of more than 112 bytes has its length in a word of its own. */
static void long_records(void **state)
{
	struct bench *b = *state;
	struct tb_record r;

	tb_record(&r, &b->t, &tb_waking);
	tb_set(&r, "pid", 5);
	tb_page(&b->t, 0, 100);
	tb_write(&b->t, 0, 100, r.data, 301);
	tb_put_task(&b->t, 0, 110, &tb_waking, 1, 6, 0);
	run(b);
	assert_int_equal(b->r.nr, 2);
	assert_int_equal(b->r.event[0].task.tid, 5);
	assert_int_equal(b->r.event[1].task.tid, 6);
}

/* Many pages: more than a block, more than a chunk. */
static void many_pages(void **state)
{
	for (int compression = TB_PLAIN; compression <= TB_ZLIB; compression++) {
		struct bench *b = *state;
		const int nr = 30000;

		tb_finish(&b->t);
		tb_init(&b->t);
		b->t.compression = (enum tb_compression)compression;
		b->t.chunk_pages = 10;
		for (int i = 0; i < nr; i++)
			tb_put_task(&b->t, i % 3, 1000 + (uint64_t)i * 7, &tb_waking, 1, i, 0);
		run(b);
		assert_int_equal(b->r.nr, nr);
		for (int i = 0; i < nr; i++)
			assert_int_equal(b->r.event[i].task.tid, i);
		assert_no_anomalies(b);
	}
}

/* X14: chunks are taken one after the other, whatever their number. */
static void very_many_chunks(void **state)
{
	struct bench *b = *state;
	const int nr = 12000;

	b->t.compression = TB_ZLIB;
	b->t.chunk_pages = 1;
	for (int i = 0; i < nr; i++) {
		tb_page(&b->t, i & 1, 1000 + (uint64_t)i * 7);
		tb_put_task(&b->t, i & 1, 1000 + (uint64_t)i * 7, &tb_waking, 1, i, 0);
	}
	run(b);
	assert_int_equal(b->r.nr, nr);
	for (int i = 0; i < nr; i++)
		assert_int_equal(b->r.event[i].task.tid, i);
	assert_no_anomalies(b);
}

/* Zero events is no failure: formats and CPUs are still told. */
static void no_events(void **state)
{
	struct bench *b = *state;

	run(b);
	assert_int_equal(b->r.nr, 0);
	assert_true(b->r.info.has_format[RWK_EV_SWITCH]);
	assert_no_anomalies(b);
}

/* X15: further buffers are told of, not mixed in. */
static void further_buffers(void **state)
{
	struct bench *b = *state;

	for (int version = 6; version <= 7; version++) {
		tb_finish(&b->t);
		tb_init(&b->t);
		b->t.version = version;
		b->t.instance = "second";
		put_usual(&b->t);
		run(b);
		check_usual(b);
		assert_int_equal(b->r.info.nr_other_buffers, 1);
	}
}

static void run_with(struct bench *b, const char *buffer, rwk_ns ts_offset)
{
	const struct rwk_decode_options options = {.buffer = buffer, .ts_offset = ts_offset};
	struct tb_bytes file;

	tb_build(&b->t, &file);
	tb_file_set(&b->file, file.data, file.len);
	free(file.data);
	decode_run_finish(&b->r);
	decode_run_with(&b->r, b->file.path, &options);
}

/* Switches in the first buffer; wakings, and fewer of the same switches, in the second. */
static void fill_two(struct bench *b, struct tb_trace *second)
{
	b->t.instance = "second";
	b->t.second = second;
	for (int i = 0; i < 20; i++) {
		uint64_t ts = 1000 + (uint64_t)i * 100;

		tb_put_switch(&b->t, i % 2, ts, 5, 1, 6);
		if (i < 10)
			tb_put_switch(second, i % 2, ts + 3, 5, 1, 6);
		tb_put_task(second, i % 2, ts + 50, &tb_waking, 5, 6, 1);
	}
	tb_missed(&b->t, 0, 7);
	b->t.overrun[0] = 100;
	second->overrun[0] = 10;
}

static void check_two(struct bench *b)
{
	assert_int_equal(b->r.open_err, 0);
	assert_int_equal(b->r.info.nr_events[RWK_EV_SWITCH], 20);
	assert_int_equal(b->r.info.nr_events[RWK_EV_WAKING], 20);
	assert_int_equal(b->r.info.nr_left_out, 10);
	assert_int_equal(b->r.info.nr_other_buffers, 0);
	assert_int_equal(b->r.info.cpu[0].overrun, 110);
	assert_int_equal(b->r.info.cpu[0].nr_events, 25);
	for (size_t i = 1; i < b->r.nr; i++)
		assert_true(b->r.event[i].ts >= b->r.event[i - 1].ts);
}

/* X15: each kind from the buffer that has the most of it, in the order of time. */
static void several_buffers(void **state)
{
	static const struct {
		int version, big_endian, long_size;
		enum tb_compression compression;
		uint32_t page_of_second;
	} kinds[] = {
		{6, 0, 8, TB_PLAIN, 4096},
		{6, 1, 4, TB_PLAIN, 4096},
		{7, 0, 8, TB_PLAIN, 4096},
		{7, 1, 4, TB_ZSTD, 16384},
		{7, 0, 8, TB_ZLIB, 65536},
	};
	struct bench *b = *state;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct tb_trace second;

		tb_finish(&b->t);
		tb_init(&b->t);
		tb_init(&second);
		b->t.version = kinds[i].version;
		b->t.big_endian = second.big_endian = kinds[i].big_endian;
		b->t.long_size = second.long_size = kinds[i].long_size;
		b->t.compression = second.compression = kinds[i].compression;
		second.page_size = kinds[i].page_of_second;
		fill_two(b, &second);
		run_with(b, NULL, 0);
		check_two(b);
		run_with(b, "second", 0);
		assert_int_equal(b->r.info.nr_events[RWK_EV_SWITCH], 10);
		assert_int_equal(b->r.info.nr_events[RWK_EV_WAKING], 20);
		assert_int_equal(b->r.info.nr_events[RWK_EV_LOST], 0);
		assert_int_equal(b->r.info.nr_left_out, 0);
		assert_int_equal(b->r.info.cpu[0].overrun, 10);
		run_with(b, "top", 0);
		assert_int_equal(b->r.info.nr_events[RWK_EV_SWITCH], 20);
		assert_int_equal(b->r.info.nr_events[RWK_EV_WAKING], 0);
		assert_int_equal(b->r.info.cpu[0].overrun, 100);
		run_with(b, "third", 0);
		assert_int_equal(b->r.open_err, -ENOENT);
		assert_non_null(strstr(b->r.text, "it has top,second"));
		/* Times of another clock cannot be put in between. */
		second.clock = "mono";
		run_with(b, NULL, 0);
		assert_int_equal(b->r.info.nr_events[RWK_EV_WAKING], 20);
		assert_int_equal(b->r.info.nr_events[RWK_EV_SWITCH], 10);
		assert_int_equal(b->r.info.nr_other_buffers, 1);
		assert_string_equal(b->r.info.clock, "mono");
		tb_finish(&second);
	}
}

/* X1, X15: cut behind the first buffer, of which all is there but its list of CPUs. */
static void cut_behind_first_buffer(void **state)
{
	struct bench *b = *state;

	for (int packed = 0; packed < 2; packed++) {
		struct tb_trace second;
		struct tb_bytes file;

		tb_finish(&b->t);
		tb_init(&b->t);
		tb_init(&second);
		b->t.compression = second.compression = packed ? TB_ZSTD : TB_PLAIN;
		for (int i = 0; i < 200; i++) {
			uint64_t ts = 1000 + (uint64_t)i * 100;

			tb_put_switch(&b->t, i % 2, ts, i % 4 < 2 ? 0 : 5, 1, i % 4 < 2 ? 5 : 0);
			tb_put_task(&second, i % 2, ts + 50, &tb_waking, 5, 6, 1);
		}
		b->t.instance = "second";
		b->t.second = &second;
		tb_build(&b->t, &file);
		/* The options at the end take about 200 bytes. */
		tb_file_set(&b->file, file.data, file.len - 300);
		free(file.data);
		decode_run_finish(&b->r);
		decode_run(&b->r, b->file.path);
		assert_int_equal(b->r.open_err, 0);
		assert_true(b->r.info.truncated);
		assert_int_equal(b->r.info.nr_events[RWK_EV_SWITCH], 200);
		assert_int_equal(b->r.info.nr_events[RWK_EV_WAKING], 0);
		assert_int_equal(b->r.info.nr_events[RWK_EV_LOST], 0);
		tb_finish(&second);
	}
}

/* T13, T12: what is asked for, and what the file says itself, in ticks or not. */
static void offsets_of_times(void **state)
{
	struct bench *b = *state;

	for (int version = 6; version <= 7; version++) {
		tb_finish(&b->t);
		tb_init(&b->t);
		b->t.version = version;
		tb_put_task(&b->t, 0, 1000, &tb_waking, 5, 6, 1);
		tb_put_task(&b->t, 0, 5000, &tb_waking, 5, 6, 1);
		tb_missed(&b->t, 0, 7);
		run_with(b, NULL, 500);
		assert_int_equal(decode_run_find(&b->r, RWK_EV_WAKING, 0)->ts, 1500);
		run_with(b, NULL, -1000);
		assert_int_equal(decode_run_find(&b->r, RWK_EV_WAKING, 1)->ts, 4000);
		run_with(b, NULL, -1001);
		assert_int_equal(b->r.next_err, -ERANGE);
		run_with(b, NULL, INT64_MAX);
		assert_int_equal(b->r.next_err, -ERANGE);
		b->t.offset = "300";
		run_with(b, NULL, 0);
		assert_int_equal(decode_run_find(&b->r, RWK_EV_WAKING, 0)->ts, 1300);
		/* Two ticks are a nanosecond. */
		b->t.offset = "-100";
		b->t.tsc_mult = 2;
		b->t.tsc_shift = 2;
		run_with(b, NULL, 0);
		assert_int_equal(decode_run_find(&b->r, RWK_EV_WAKING, 0)->ts, 400);
		assert_int_equal(decode_run_find(&b->r, RWK_EV_WAKING, 1)->ts, 2400);
		b->t.tsc_shift = 200;
		b->t.tsc_mult = UINT32_MAX;
		run_with(b, NULL, 0);
		assert_int_equal(b->r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 2);
	}
}

static void unsupported_versions(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		int err;
		const char *word;
	} cases[] = {
		{"\x17\x08\x44tracing8\0\0\10\0\x10\0\0", 18, -ENOTSUP, "version=8"},
		{"\x17\x08\x44tracing5\0\0\10\0\x10\0\0", 18, -ENOTSUP, "version=5"},
		{"\x17\x08\x44tracing0.6\0\0\10\0\x10\0\0", 20, -ENOTSUP, "version=0.6"},
		/* None at all: what should be one is the byte order. */
		{"\x17\x08\x44tracing\0\10\0\x10\0\0", 16, -ENOTSUP, "version= why="},
		{"\x17\x08\x44tracing\1\10\0\x10\0\0", 16, -ENOTSUP, "only versions 6 and 7"},
		{"\x17\x08\x44tracing7\0\0\10\0\x10\0\0lzo\0001\0........", 32, -ENOTSUP, "lzo"},
		{"\x17\x08\x44tracing6\0\2\10\0\x10\0\0", 18, -EBADMSG, "offset="},
	};
	struct bench *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tb_file_set(&b->file, cases[i].bytes, cases[i].size);
		decode_run(&b->r, b->file.path);
		assert_int_equal(b->r.open_err, cases[i].err);
		assert_non_null(strstr(b->r.text, cases[i].word));
		decode_run_finish(&b->r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_file_kinds, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(
			old_file_without_options, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(large_pages, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(
			offsets_point_to_records, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(
			fields_missing_and_moved, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(
			format_without_its_pid, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(
			field_out_of_all_records, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(times_in_pages, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(clock_of_64_bits, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(impossible_time, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(merged_order, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(time_steps_back, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(lost_events, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(
			lost_without_room_for_the_count, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(cpus_without_events, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(cpu_id_too_large, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(cpu_listed_twice, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(
			others_until_the_first_switch, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(states_of_cpus, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(queue_lengths, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(short_state, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(unknown_ids, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(bad_records, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(names_are_bytes, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(long_records, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(many_pages, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(very_many_chunks, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(no_events, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(further_buffers, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(several_buffers, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(
			cut_behind_first_buffer, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(offsets_of_times, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(unsupported_versions, bench_setup, bench_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
