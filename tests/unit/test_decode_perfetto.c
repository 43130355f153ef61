/* The decoder of Perfetto traces. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

#include "decode_run.h"
#include "perfetto_build.h"

#define NR_CPUS 8

static void run_bytes(struct tb_file *f, const void *data, size_t size, struct decode_run *r)
{
	tb_file_set(f, data, size);
	decode_run(r, f->path);
	if (r->open_err || r->next_err)
		fail_msg("%s", r->text);
}

/* Empties the trace. */
static void run(struct tb_file *f, struct tb_bytes *trace, struct decode_run *r)
{
	run_bytes(f, trace->data, trace->len, r);
	free(trace->data);
	*trace = (struct tb_bytes){0};
}

static struct rwk_event waking(rwk_ns ts, int cpu, int tid, int wakee, int target)
{
	struct rwk_event ev = {.ts = ts,
		.cpu = cpu,
		.tid = tid,
		.kind = RWK_EV_WAKING,
		.task = {.tid = wakee, .prio = 120, .target_cpu = target}};

	snprintf(ev.task.comm, RWK_COMM_LEN, "t%d", wakee);
	return ev;
}

static struct rwk_event switched(rwk_ns ts, int cpu, int prev, int64_t raw, int next)
{
	struct rwk_event ev = {.ts = ts,
		.cpu = cpu,
		.tid = prev,
		.kind = RWK_EV_SWITCH,
		.sw = {.prev_tid = prev,
			.prev_prio = 120,
			.next_tid = next,
			.next_prio = 120,
			.prev_state_raw = raw}};

	snprintf(ev.sw.prev_comm, RWK_COMM_LEN, "t%d", prev);
	snprintf(ev.sw.next_comm, RWK_COMM_LEN, "t%d", next);
	return ev;
}

static void put_release(struct tb_bytes *trace, const char *release)
{
	struct tb_bytes uts = {0}, system = {0}, packet = {0};

	pb_text(&uts, 3, release);
	pb_message(&system, 1, &uts);
	pb_message(&packet, 45, &system);
	pb_message(trace, 1, &packet);
}

static void same_task(const struct rwk_event *a, const struct rwk_event *b)
{
	assert_int_equal(a->task.tid, b->task.tid);
	assert_int_equal(a->task.prio, b->task.prio);
	assert_int_equal(a->task.target_cpu, b->task.target_cpu);
	assert_memory_equal(a->task.comm, b->task.comm, RWK_COMM_LEN);
}

static void same(const struct rwk_event *a, const struct rwk_event *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->ts, b->ts);
	assert_int_equal(a->cpu, b->cpu);
	assert_int_equal(a->tid, b->tid);
	switch ((enum rwk_event_kind)a->kind) {
	case RWK_EV_MIGRATE:
		assert_int_equal(a->migrate.tid, b->migrate.tid);
		assert_int_equal(a->migrate.orig_cpu, b->migrate.orig_cpu);
		assert_int_equal(a->migrate.dest_cpu, b->migrate.dest_cpu);
		assert_memory_equal(a->migrate.comm, b->migrate.comm, RWK_COMM_LEN);
		return;
	case RWK_EV_SWITCH:
		assert_int_equal(a->sw.prev_tid, b->sw.prev_tid);
		assert_int_equal(a->sw.next_tid, b->sw.next_tid);
		assert_int_equal(a->sw.prev_prio, b->sw.prev_prio);
		assert_int_equal(a->sw.next_prio, b->sw.next_prio);
		assert_int_equal(a->sw.prev_state, b->sw.prev_state);
		assert_int_equal(a->sw.prev_state_raw, b->sw.prev_state_raw);
		assert_memory_equal(a->sw.prev_comm, b->sw.prev_comm, RWK_COMM_LEN);
		assert_memory_equal(a->sw.next_comm, b->sw.next_comm, RWK_COMM_LEN);
		return;
	default:
		same_task(a, b);
	}
}

/* What Perfetto does not keep is left out; the rest of the shipped recording, in order. */
static void read_sample(struct decode_run *r)
{
	char path[4096];
	size_t nr = 0;

	snprintf(path, sizeof(path), "%s/samples/oltp.dat", getenv("REWAKE_SOURCE_ROOT"));
	decode_run(r, path);
	assert_int_equal(r->open_err, 0);
	for (size_t i = 0; i < r->nr; i++) {
		if (r->event[i].kind != RWK_EV_SEL && r->event[i].kind != RWK_EV_SEL_RET)
			r->event[nr++] = r->event[i];
	}
	r->nr = nr;
}

/* Whole events of every kind, bundles of some hundred, come back as they were. */
static void whole_events(void **state)
{
	struct tb_bytes trace = {0}, bundle[NR_CPUS] = {0};
	struct decode_run want, r;
	int nr[NR_CPUS] = {0};

	read_sample(&want);
	put_release(&trace, want.info.release);
	for (size_t i = 0; i <= want.nr; i++) {
		for (int cpu = 0; cpu < NR_CPUS; cpu++) {
			if (nr[cpu] < 300 && i < want.nr)
				continue;
			pb_bundle(&trace, 7, &bundle[cpu]);
			nr[cpu] = 0;
		}
		if (i == want.nr)
			break;
		if (!nr[want.event[i].cpu]++)
			pb_number(&bundle[want.event[i].cpu], 1, (uint64_t)want.event[i].cpu);
		pb_event(&bundle[want.event[i].cpu], &want.event[i]);
	}
	run(*state, &trace, &r);
	assert_string_equal(r.info.format, "Perfetto");
	assert_string_equal(r.info.release, want.info.release);
	assert_string_equal(r.info.clock, "boot");
	assert_int_equal(r.nr, want.nr);
	for (size_t i = 0; i < r.nr; i++)
		same(&r.event[i], &want.event[i]);
	for (int i = 0; i < RWK_AN_COUNT; i++)
		assert_int_equal(r.info.anomalies.of[i].count, 0);
	decode_run_finish(&want);
	decode_run_finish(&r);
}

/* Packed switches and wakings, others whole: equal, but for whom the first switch of a CPU ends. */
static void packed_events(void **state)
{
	struct tb_bytes trace = {0}, bundle[NR_CPUS] = {0};
	struct pb_compact compact[NR_CPUS] = {0};
	bool seen_switch[NR_CPUS] = {0};
	struct decode_run want, r;
	size_t nr_first = 0;

	read_sample(&want);
	put_release(&trace, want.info.release);
	for (int cpu = 0; cpu < NR_CPUS; cpu++)
		pb_number(&bundle[cpu], 1, (uint64_t)cpu);
	for (size_t i = 0; i < want.nr; i++) {
		const struct rwk_event *ev = &want.event[i];

		if (ev->kind == RWK_EV_SWITCH || ev->kind == RWK_EV_WAKING)
			pb_compact_event(&compact[ev->cpu], ev);
		else
			pb_event(&bundle[ev->cpu], ev);
	}
	for (int cpu = 0; cpu < NR_CPUS; cpu++) {
		pb_compact_end(&bundle[cpu], &compact[cpu]);
		pb_bundle(&trace, 1, &bundle[cpu]);
	}
	run(*state, &trace, &r);
	assert_int_equal(r.nr, want.nr);
	for (size_t i = 0; i < r.nr; i++) {
		struct rwk_event *ev = &want.event[i];
		bool first = ev->kind == RWK_EV_SWITCH && !seen_switch[ev->cpu];

		if (first) {
			seen_switch[ev->cpu] = true;
			nr_first++;
			assert_int_equal(r.event[i].kind, RWK_EV_OTHER);
			assert_int_equal(r.event[i].ts, ev->ts);
			assert_int_equal(r.event[i].tid, ev->sw.next_tid);
			continue;
		}
		/* Nobody knows who woke before that. */
		if (ev->kind == RWK_EV_WAKING && !seen_switch[ev->cpu])
			ev->tid = RWK_NONE;
		if (ev->kind == RWK_EV_SWITCH) {
			/* What the switch before had of it. */
			memcpy(ev->sw.prev_comm, r.event[i].sw.prev_comm, RWK_COMM_LEN);
			ev->sw.prev_prio = r.event[i].sw.prev_prio;
		}
		same(&r.event[i], ev);
	}
	assert_true(nr_first > 4);
	decode_run_finish(&want);
	decode_run_finish(&r);
}

static void small_trace(struct tb_bytes *trace, int sequence)
{
	const struct rwk_event events[] = {
		switched(100, 2, 0, 0, 10), waking(110, 2, 10, 20, 3), switched(120, 2, 10, 1, 0)};
	struct tb_bytes bundle = {0};

	pb_number(&bundle, 1, 2);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		pb_event(&bundle, &events[i]);
	pb_bundle(trace, sequence, &bundle);
}

/* Packets that would fill the disk with next to nothing. */
static void packets_that_burst(void **state)
{
	static unsigned char zeros[20 << 20], packed[64 << 10];
	struct tb_bytes packet = {0}, trace = {0};
	struct tb_file *f = *state;
	size_t size = ZSTD_compress(packed, sizeof(packed), zeros, sizeof(zeros), 1);
	struct decode_run r;

	assert_false(ZSTD_isError(size));
	small_trace(&trace, 1);
	for (int i = 0; i < 4; i++) {
		pb_data(&packet, 133, packed, size);
		pb_message(&trace, 1, &packet);
	}
	tb_file_set(f, trace.data, trace.len);
	decode_run(&r, f->path);
	free(trace.data);
	assert_int_equal(r.open_err, -EFBIG);
	assert_non_null(strstr(r.text, "far more than a trace of its size"));
	decode_run_finish(&r);
}

/* Packets in a packet, by both methods. */
static void compressed_packets(void **state)
{
	for (int zstd = 0; zstd < 2; zstd++) {
		struct tb_bytes inner = {0}, packet = {0}, trace = {0};
		unsigned char packed[4096];
		size_t size = sizeof(packed);
		struct decode_run r;

		small_trace(&inner, 1);
		put_release(&inner, "6.1.0");
		if (zstd) {
			size = ZSTD_compress(packed, sizeof(packed), inner.data, inner.len, 1);
			assert_false(ZSTD_isError(size));
		} else {
			assert_int_equal(
				compress(packed, (uLongf *)&size, inner.data, inner.len), Z_OK);
		}
		pb_data(&packet, zstd ? 133 : 50, packed, size);
		pb_message(&trace, 1, &packet);
		/* A damaged one beside it costs itself only. */
		packed[size / 2] ^= 0x55;
		packed[size / 2 + 1] ^= 0x55;
		pb_data(&packet, zstd ? 133 : 50, packed, size / 2);
		pb_message(&trace, 1, &packet);
		run(*state, &trace, &r);
		assert_int_equal(r.nr, 3);
		assert_string_equal(r.info.release, "6.1.0");
		assert_int_equal(decode_run_find(&r, RWK_EV_WAKING, 0)->task.tid, 20);
		assert_int_equal(r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 1);
		decode_run_finish(&r);
		free(inner.data);
	}
}

/* L-kinds: a gap in front of a bundle, with and without a number; who ran is forgotten. */
static void lost_events(void **state)
{
	struct tb_bytes trace = {0}, bundle = {0};
	struct pb_compact c = {0};
	struct decode_run r;
	const struct rwk_event *ev;
	const struct rwk_event before = switched(100, 0, 0, 0, 10),
			       after = switched(200, 0, 10, 1, 11),
			       last = switched(300, 0, 11, 1, 0);

	pb_number(&bundle, 1, 0);
	pb_event(&bundle, &before);
	pb_bundle(&trace, 1, &bundle);
	pb_number(&bundle, 1, 0);
	pb_number(&bundle, 3, 1);
	pb_compact_event(&c, &after);
	pb_compact_event(&c, &last);
	pb_compact_end(&bundle, &c);
	pb_bundle(&trace, 1, &bundle);
	pb_number(&bundle, 1, 0);
	pb_number(&bundle, 3, 77);
	pb_bundle(&trace, 1, &bundle);
	run(*state, &trace, &r);
	assert_int_equal(r.nr, 5);
	ev = decode_run_find(&r, RWK_EV_LOST, 0);
	assert_int_equal(ev->ts, 200);
	assert_int_equal(ev->lost.from_ts, 100);
	assert_int_equal(ev->lost.count, RWK_NONE);
	assert_int_equal(decode_run_find(&r, RWK_EV_OTHER, 0)->tid, 11);
	ev = decode_run_find(&r, RWK_EV_SWITCH, 1);
	assert_int_equal(ev->sw.prev_tid, 11);
	assert_int_equal(ev->sw.prev_state, RWK_END_SLEEPING);
	ev = decode_run_find(&r, RWK_EV_LOST, 1);
	assert_int_equal(ev->ts, 300);
	assert_int_equal(ev->lost.count, 77);
	assert_int_equal(r.info.cpu[0].nr_lost, 77);
	decode_run_finish(&r);
}

/* The recorder's own counters, as they were at the end. */
static void counters(void **state)
{
	struct tb_bytes trace = {0}, cpu = {0}, stats = {0}, packet = {0};
	struct decode_run r;

	small_trace(&trace, 1);
	for (uint64_t phase = 2; phase >= 1; phase--) {
		pb_number(&cpu, 1, 2);
		pb_number(&cpu, 3, phase == 2 ? 5 : 999);
		pb_number(&cpu, 8, 6);
		pb_number(&cpu, 9, 7);
		pb_number(&stats, 1, phase);
		pb_message(&stats, 2, &cpu);
		pb_message(&packet, 34, &stats);
		pb_message(&trace, 1, &packet);
	}
	run(*state, &trace, &r);
	assert_int_equal(r.info.cpu[2].overrun, 5);
	assert_int_equal(r.info.cpu[2].dropped, 6);
	assert_int_equal(r.info.cpu[2].entries, 7);
	assert_int_equal(r.info.cpu[2].nr_events, 3);
	decode_run_finish(&r);
}

/* Two data sources record the same twice: one of them counts. */
/* I9: the tree of processes and threads; one that is told of as of two is of none. */
static void processes(void **state)
{
	static const struct {
		uint64_t tid, tgid; /* tgid 0: a process */
	} tree[] = {{10, 0}, {11, 10}, {12, 10}, {20, 0}, {12, 20}, {13, UINT64_MAX}, {0, 10}};
	struct tb_bytes trace = {0}, one = {0}, all = {0}, packet = {0};
	struct decode_run r;

	small_trace(&trace, 1);
	for (size_t i = 0; i < sizeof(tree) / sizeof(tree[0]); i++) {
		pb_number(&one, 1, tree[i].tid);
		if (tree[i].tgid)
			pb_number(&one, 3, tree[i].tgid);
		pb_message(&all, tree[i].tgid ? 2 : 1, &one);
	}
	pb_message(&packet, 2, &all);
	pb_message(&trace, 1, &packet);
	run(*state, &trace, &r);
	assert_int_equal(rwk_processes_find(&r.info.processes, 10), 10);
	assert_int_equal(rwk_processes_find(&r.info.processes, 11), 10);
	assert_int_equal(rwk_processes_find(&r.info.processes, 12), RWK_NONE);
	assert_int_equal(rwk_processes_find(&r.info.processes, 20), 20);
	assert_int_equal(rwk_processes_find(&r.info.processes, 13), RWK_NONE);
	assert_int_equal(rwk_processes_find(&r.info.processes, 0), RWK_NONE);
	decode_run_finish(&r);
}

static void two_sources(void **state)
{
	struct tb_bytes trace = {0};
	struct decode_run r;

	small_trace(&trace, 1);
	small_trace(&trace, 2);
	run(*state, &trace, &r);
	assert_int_equal(r.nr, 3);
	assert_int_equal(r.info.nr_other_buffers, 1);
	decode_run_finish(&r);
}

/* What is impossible is counted, and what is behind it is read. */
static void bad_events(void **state)
{
	struct tb_bytes trace = {0}, bundle = {0}, e = {0};
	struct pb_compact c = {0};
	struct rwk_event far = waking(110, 1, 10, 20, 5000), good = waking(130, 1, 10, 21, 3);
	struct rwk_event no_tid = waking(120, 1, 10, -1, 3), column = waking(140, 1, 10, 22, 3);
	struct decode_run r;

	pb_number(&bundle, 1, 1);
	pb_event(&bundle, &far);
	pb_event(&bundle, &no_tid);
	pb_number(&e, 2, 5); /* no time */
	pb_message(&bundle, 2, &e);
	pb_event(&bundle, &good);
	pb_compact_event(&c, &column);
	pb_varint(&c.column[8], 99); /* one wakee more than times */
	pb_compact_end(&bundle, &c);
	pb_bundle(&trace, 1, &bundle);
	pb_number(&bundle, 1, RWK_MAX_CPUS);
	pb_bundle(&trace, 1, &bundle);
	run(*state, &trace, &r);
	assert_int_equal(decode_run_find(&r, RWK_EV_WAKING, 0)->task.tid, 21);
	assert_int_equal(decode_run_find(&r, RWK_EV_WAKING, 1)->task.tid, 22);
	assert_int_equal(r.event[r.nr - 1].kind, RWK_EV_LOST);
	assert_int_equal(r.nr, 3);
	assert_int_equal(r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 3);
	assert_int_equal(r.info.anomalies.of[RWK_AN_CPU_OUT_OF_RANGE].count, 2);
	decode_run_finish(&r);
}

/* X1: cut at any byte, it reads up to the last packet that is whole, and says where that ends. */
static void cut_anywhere(void **state)
{
	struct tb_bytes trace = {0};
	size_t ends[4] = {0};

	for (size_t i = 1; i < 4; i++) {
		small_trace(&trace, 1);
		ends[i] = trace.len;
	}
	for (size_t size = ends[1]; size <= trace.len; size++) {
		struct decode_run r;
		size_t whole = 0;

		while (whole < 3 && ends[whole + 1] <= size)
			whole++;
		run_bytes(*state, trace.data, size, &r);
		assert_int_equal(r.info.truncated, size != ends[whole]);
		if (r.info.truncated)
			assert_int_equal(r.info.truncated_at, ends[whole]);
		/* The same times again are out of order for their CPU, and counted. */
		assert_int_equal(r.info.nr_cpus, 3);
		assert_int_equal(r.info.cpu[2].nr_events, 3 * whole);
		decode_run_finish(&r);
	}
	free(trace.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			whole_events, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			packed_events, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			packets_that_burst, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			compressed_packets, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			lost_events, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(counters, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(processes, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			two_sources, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			bad_events, decode_file_setup, decode_file_teardown),
		cmocka_unit_test_setup_teardown(
			cut_anywhere, decode_file_setup, decode_file_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
