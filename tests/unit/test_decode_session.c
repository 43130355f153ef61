/* trace.dat files of a host and its guests: clocks and who is who (T13). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <trace-cmd.h>

#include "tracedat_bench.h"

#define HOST        UINT64_C(0x1122334455667788)
#define GUEST       UINT64_C(0x99aabbccddeeff00)
#define INTERPOLATE 1
#define FIRST       1000000
#define EVERY       1000 /* an event on both CPUs */
#define NR          100 /* of them on each */

struct shift {
	uint64_t time, scaling, fraction;
	int64_t offset;
};

static void begin(struct bench *b, int version, bool big_endian)
{
	tb_finish(&b->t);
	tb_init(&b->t);
	b->t.version = version;
	b->t.big_endian = big_endian;
	tb_u64(tb_option(&b->t, 11), GUEST);
}

/* The same events, whatever the clocks are. */
static void put_events(struct bench *b)
{
	for (int i = 0; i < NR; i++) {
		for (int cpu = 0; cpu < 2; cpu++)
			tb_put_task(&b->t, cpu, FIRST + (uint64_t)i * EVERY, &tb_waking, 5, i, cpu);
	}
}

static void put_table(struct tb_bytes *o, const struct shift *s, uint32_t nr)
{
	tb_u32(o, nr);
	for (uint32_t i = 0; i < nr; i++)
		tb_u64(o, s[i].time);
	for (uint32_t i = 0; i < nr; i++)
		tb_u64(o, (uint64_t)s[i].offset);
	for (uint32_t i = 0; i < nr; i++)
		tb_u64(o, s[i].scaling);
}

/* TIME_SHIFT with the same table for each of nr_cpus; fractions: as files have them since 2021. */
static struct tb_bytes *put_shifts(struct bench *b, uint32_t flags, uint32_t nr_cpus,
	const struct shift *s, uint32_t nr, bool fractions)
{
	struct tb_bytes *o = tb_option(&b->t, 12);

	tb_u64(o, HOST);
	tb_u32(o, flags);
	tb_u32(o, nr_cpus);
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
		put_table(o, s, nr);
	for (uint32_t cpu = 0; cpu < nr_cpus && fractions; cpu++) {
		for (uint32_t i = 0; i < nr; i++)
			tb_u64(o, s[i].fraction);
	}
	return o;
}

static void run(struct bench *b, bool host_clock)
{
	const struct rwk_decode_options options = {.host_clock = host_clock};
	struct tb_bytes file;

	tb_build(&b->t, &file);
	tb_file_set(&b->file, file.data, file.len);
	free(file.data);
	decode_run_finish(&b->r);
	decode_run_with(&b->r, b->file.path, &options);
}

/* The time of the i-th event of CPU 0. */
static rwk_ns time_of(const struct bench *b, int i)
{
	for (size_t k = 0; k < b->r.nr; k++) {
		if (b->r.event[k].cpu == 0 && b->r.event[k].task.tid == i)
			return b->r.event[k].ts;
	}
	return -1;
}

static rwk_ns recorded(int i)
{
	return FIRST + (rwk_ns)i * EVERY;
}

static void own_clock_unless_asked(void **state)
{
	static const struct shift s[] = {{0, 1, 0, 5000}, {2000000, 1, 0, 5000}};
	struct bench *b = *state;

	begin(b, 7, false);
	put_shifts(b, 0, 2, s, 2, true);
	put_events(b);
	run(b, false);
	assert_int_equal(b->r.nr, 2 * NR);
	assert_int_equal(time_of(b, 3), recorded(3));
	run(b, true);
	assert_int_equal(b->r.nr, 2 * NR);
	assert_int_equal(time_of(b, 3), recorded(3) + 5000);
}

/* Each correction from its time on; the first also before it. */
static void T13_steps(void **state)
{
	static const struct shift s[] = {{FIRST + 10 * EVERY, 1, 0, 50000},
		{FIRST + 20 * EVERY, 1, 0, 50007}, {FIRST + 30 * EVERY, 1, 0, -70}};
	struct bench *b = *state;

	for (int kind = 0; kind < 4; kind++) {
		begin(b, 6 + (kind & 1), kind & 2);
		put_shifts(b, 0, 2, s, 3, kind & 1);
		put_events(b);
		run(b, true);
		assert_int_equal(time_of(b, 0), recorded(0) + 50000);
		assert_int_equal(time_of(b, 19), recorded(19) + 50000);
		assert_int_equal(time_of(b, 20), recorded(20) + 50007);
		assert_int_equal(time_of(b, 29), recorded(29) + 50007);
		/* The clock goes back there: what is behind is counted, not put in a wrong order.
		 */
		assert_int_equal(time_of(b, 99), recorded(99) - 70);
		assert_true(b->r.info.anomalies.of[RWK_AN_TIME_BACKWARDS].count > 0);
	}
}

static void T13_between_two(void **state)
{
	static const struct shift s[] = {{FIRST, 1, 0, 1000}, {FIRST + 50 * EVERY, 1, 0, 2000},
		{FIRST + 60 * EVERY, 1, 0, 1400}};
	struct bench *b = *state;

	begin(b, 7, false);
	put_shifts(b, INTERPOLATE, 2, s, 3, true);
	put_events(b);
	run(b, true);
	assert_int_equal(b->r.nr, 2 * NR);
	assert_int_equal(time_of(b, 0), recorded(0) + 1000);
	assert_int_equal(time_of(b, 25), recorded(25) + 1500);
	assert_int_equal(time_of(b, 50), recorded(50) + 2000);
	assert_int_equal(time_of(b, 55), recorded(55) + 1700);
	/* On as from the last two. */
	assert_int_equal(time_of(b, 70), recorded(70) + 800);
}

/* 3 / 2 of a guest's time is a host's; then ticks to ns, then what is added to all. */
static void T13_scaling(void **state)
{
	static const struct shift s[] = {{0, 3, 1, -500}, {INT64_MAX, 3, 1, -500}};
	static const struct shift fine[] = {{0, UINT64_C(3) << 47, 48, 7}};
	struct bench *b = *state;

	begin(b, 7, false);
	put_shifts(b, 0, 2, s, 2, true);
	put_events(b);
	run(b, true);
	assert_int_equal(time_of(b, 5), recorded(5) * 3 / 2 - 500);
	b->t.tsc_mult = 1;
	b->t.tsc_shift = 2;
	b->t.offset = "40";
	run(b, true);
	assert_int_equal(time_of(b, 5), (recorded(5) * 3 / 2 - 500) / 4 + 40);
	/* More bits than a product of 64 has; alone in its table. */
	begin(b, 7, true);
	put_shifts(b, INTERPOLATE, 2, fine, 1, true);
	put_events(b);
	run(b, true);
	assert_int_equal(time_of(b, 9), recorded(9) * 3 / 2 + 7);
}

/* ---- hostile tables ---- */

static void order_does_not_matter(void **state)
{
	static const struct shift s[] = {{FIRST + 60 * EVERY, 1, 0, 1400}, {FIRST, 1, 0, 1000},
		{FIRST + 50 * EVERY, 1, 0, 2000}, {FIRST, 1, 0, 1000}};
	struct bench *b = *state;

	begin(b, 7, false);
	put_shifts(b, INTERPOLATE, 2, s, 4, true);
	put_events(b);
	run(b, true);
	assert_int_equal(time_of(b, 25), recorded(25) + 1500);
	assert_int_equal(time_of(b, 55), recorded(55) + 1700);
}

static void nothing_for_a_cpu(void **state)
{
	static const struct shift s[] = {{0, 1, 0, 5}};
	struct bench *b = *state;

	/* A table of no corrections, of one CPU too few, no option at all. */
	for (int kind = 0; kind < 3; kind++) {
		begin(b, 7, false);
		if (kind < 2)
			put_shifts(b, 0, kind ? 1 : 2, s, kind ? 1 : 0, true);
		put_events(b);
		run(b, true);
		assert_int_equal(b->r.open_err, -ENOENT);
		assert_non_null(strstr(b->r.text, "TIME_SHIFT"));
		if (kind < 2)
			assert_non_null(strstr(b->r.text, kind ? "cpu=1" : "cpu=0"));
		run(b, false);
		assert_int_equal(b->r.nr, 2 * NR);
	}
}

static void impossible_tables(void **state)
{
	static const struct shift s[] = {{0, 0, 0, 5}, /* no scaling */
		{0, 1, 64, 5}, {0, 1, UINT64_MAX, 5}, /* fractions of nothing */
		{UINT64_MAX, 1, 0, 5}, /* no time */
		{0, 1, 0, INT64_MAX}, {0, 1, 0, INT64_MIN}};
	struct bench *b = *state;

	for (size_t i = 0; i < sizeof(s) / sizeof(s[0]); i++) {
		begin(b, 7, false);
		put_shifts(b, INTERPOLATE, 2, &s[i], 1, true);
		put_events(b);
		run(b, true);
		assert_int_equal(b->r.open_err, -ENOENT);
		run(b, false);
		assert_int_equal(b->r.nr, 2 * NR);
		assert_int_equal(b->r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 1);
	}
}

/* Tables that are possible, but lead out of what times can be. */
static void extreme_tables(void **state)
{
	static const struct shift s[][2] = {
		{{0, UINT64_MAX, 0, 0}, {1, UINT64_MAX, 0, 0}},
		{{0, 1, 0, -(INT64_C(1) << 62)}, {INT64_MAX, 1, 0, INT64_C(1) << 62}},
		{{0, 1, 0, INT64_C(1) << 62}, {1, 1, 0, -(INT64_C(1) << 62)}},
		{{INT64_MAX - 1, 1, 0, INT64_C(1) << 62}, {INT64_MAX, 1, 0, -(INT64_C(1) << 62)}},
		{{0, 1, 63, 0}, {INT64_MAX, 1, 63, 0}},
	};
	struct bench *b = *state;

	for (size_t i = 0; i < sizeof(s) / sizeof(s[0]); i++) {
		for (uint32_t flags = 0; flags < 2; flags++) {
			begin(b, 7, false);
			put_shifts(b, flags, 2, s[i], 2, true);
			put_events(b);
			run(b, true);
			assert_int_equal(b->r.open_err, 0);
			/* Each is given out, or counted. */
			assert_int_equal(
				(int64_t)b->r.info.nr_events[RWK_EV_WAKING] +
					b->r.info.anomalies.of[RWK_AN_BAD_RECORD].count +
					b->r.info.anomalies.of[RWK_AN_TIME_BACKWARDS].count,
				2 * NR);
		}
	}
}

/* Numbers of tables that are not there, and an option that ends anywhere. */
static void more_than_is_there(void **state)
{
	static const struct shift s[] = {{0, 1, 0, 5}, {1, 1, 0, 6}};
	static const uint32_t numbers[] = {1000, 1025, INT32_MAX, UINT32_MAX};
	struct bench *b = *state;
	size_t size;

	for (size_t i = 0; i < 2 * sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct tb_bytes *o;

		begin(b, 7, false);
		o = put_shifts(b, 0, 2, s, 2, true);
		/* Of CPUs, or of corrections of the first. */
		tb_store(o->data + (i % 2 ? 12 : 16), numbers[i / 2], 4, false);
		put_events(b);
		run(b, true);
		assert_int_equal(b->r.open_err, -ENOENT);
	}
	begin(b, 7, false);
	size = put_shifts(b, 0, 2, s, 2, true)->len;
	for (size_t cut = 0; cut < size; cut++) {
		struct tb_bytes *o;

		begin(b, 7, false);
		o = put_shifts(b, 0, 2, s, 2, true);
		o->len = cut;
		put_events(b);
		run(b, true);
		/* Whole without its fractions, as in older files. */
		assert_int_equal(b->r.open_err, cut == size - 32 ? 0 : -ENOENT);
	}
}

/* ---- the host's side ---- */

static const char *note(const struct bench *b, const char *name)
{
	static char text[4096];
	struct rwk_decode *dec;
	const struct rwk_trace_info *info;

	text[0] = '\0';
	assert_int_equal(rwk_decode_open(b->file.path, NULL, &dec), 0);
	info = rwk_decode_info(dec);
	for (size_t i = 0; i < info->nr_notes; i++) {
		if (!strcmp(info->note[i].path, name))
			snprintf(text, sizeof(text), "%s", info->note[i].content);
	}
	rwk_decode_close(dec);
	return text;
}

static void T13_who_is_who(void **state)
{
	struct bench *b = *state;

	for (int kind = 0; kind < 4; kind++) {
		struct tb_bytes *o;
		struct rwk_trace_session s;

		begin(b, 6 + (kind & 1), kind & 2);
		o = tb_option(&b->t, 13);
		tb_string(o, "vm\tone");
		tb_u64(o, 0xabc);
		tb_u32(o, 2);
		tb_u32(o, 0);
		tb_u32(o, 4711);
		tb_u32(o, 1);
		tb_u32(o, 4712);
		put_events(b);
		run(b, false);
		assert_string_equal(
			note(b, "rewake/guest/0xabc"), "name: vm?one\n0: 4711\n1: 4712");
		assert_string_equal(note(b, "rewake/session"),
			"id: 0x99aabbccddeeff00\nhost: 0\nclock: own\ncorrections: 0");
		s = rwk_decode_session(b->file.path);
		assert_true(s.id == GUEST && !s.host_id);
		/* More CPUs than are told. */
		tb_store(o->data + 7 + 8, 3, 4, b->t.big_endian);
		run(b, false);
		assert_int_equal(b->r.nr, 2 * NR);
		assert_int_equal(b->r.info.anomalies.of[RWK_AN_BAD_RECORD].count, 1);
		assert_string_equal(note(b, "rewake/guest/0xabc"), "");
	}
}

static void sessions_of_files(void **state)
{
	static const struct shift s[] = {{0, 1, 0, 5}};
	struct bench *b = *state;
	struct rwk_trace_session found;

	begin(b, 7, false);
	put_shifts(b, 0, 2, s, 1, true);
	put_events(b);
	run(b, false);
	found = rwk_decode_session(b->file.path);
	assert_true(found.id == GUEST && found.host_id == HOST);
	found = rwk_decode_session("/dev/null");
	assert_true(!found.id && !found.host_id);
	found = rwk_decode_session("/nowhere");
	assert_true(!found.id && !found.host_id);
}

/* ---- libtracecmd, where it does the same ---- */

struct list {
	int64_t ts[2 * NR];
	int nr;
};

static int add_record(struct tracecmd_input *in, struct tep_record *rec, int cpu, void *data)
{
	struct list *list = data;

	(void)in;
	(void)cpu;
	assert_true(list->nr < 2 * NR);
	list->ts[list->nr++] = (int64_t)rec->ts;
	return 0;
}

static void as_libtracecmd(void **state)
{
	static const struct shift steps[] = {{0, 1, 0, 1000}, {FIRST + 30 * EVERY, 1, 0, 1333},
		{FIRST + 200 * EVERY, 1, 0, 9999}};
	static const struct shift slope[] = {{FIRST - 3, 1, 0, -900}, {FIRST + 33333, 1, 0, 77777},
		{FIRST + 77777, 1, 0, 80001}};
	static const struct shift scaled[] = {{0, 1000003, 20, 500}, {1, 1000003, 20, 500}};
	static const struct {
		const struct shift *s;
		uint32_t nr, flags;
	} tables[] = {
		{steps, 3, 0}, {slope, 3, INTERPOLATE}, {slope, 2, INTERPOLATE}, {scaled, 2, 0}};
	struct bench *b = *state;

	tracecmd_set_loglevel(TEP_LOG_NONE);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		struct tracecmd_input *in;
		struct list list = {.nr = 0};

		begin(b, 6 + (int)(i & 1), false);
		put_shifts(b, tables[i].flags, 2, tables[i].s, tables[i].nr, true);
		put_events(b);
		run(b, true);
		in = tracecmd_open(b->file.path, TRACECMD_FL_LOAD_NO_PLUGINS);
		assert_non_null(in);
		assert_int_equal(tracecmd_iterate_events(in, NULL, 0, add_record, &list), 0);
		tracecmd_close(in);
		assert_int_equal(list.nr, 2 * NR);
		assert_int_equal(b->r.nr, 2 * NR);
		for (int k = 0; k < list.nr; k++)
			assert_int_equal(b->r.event[k].ts, list.ts[k]);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			own_clock_unless_asked, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(T13_steps, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(T13_between_two, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(T13_scaling, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(order_does_not_matter, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(nothing_for_a_cpu, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(impossible_tables, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(extreme_tables, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(more_than_is_there, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(T13_who_is_who, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(sessions_of_files, bench_setup, bench_teardown),
		cmocka_unit_test_setup_teardown(as_libtracecmd, bench_setup, bench_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
