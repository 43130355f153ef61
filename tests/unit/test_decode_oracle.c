/*
 * The decoder of trace.dat files against libtracecmd: on sound files both must
 * tell of the same records, at the same times, on the same CPUs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <trace-cmd.h>

#include "decode_run.h"
#include "tracedat_build.h"

#define MAX_RECORDS 4096

struct record {
	int64_t ts;
	int cpu, id, tid;
	int64_t missed; /* as libtracecmd says it: 0 none, -1 unknown */
};

struct list {
	struct record record[MAX_RECORDS];
	int nr;
};

static int add_record(struct tracecmd_input *in, struct tep_record *rec, int cpu, void *data)
{
	struct tep_handle *tep = tracecmd_get_tep(in);
	struct list *list = data;

	assert_true(list->nr < MAX_RECORDS);
	list->record[list->nr++] = (struct record){
		.ts = (int64_t)rec->ts,
		.cpu = cpu,
		.id = tep_data_type(tep, rec),
		.tid = tep_data_pid(tep, rec),
		.missed = rec->missed_events,
	};
	return 0;
}

static void read_with_libtracecmd(const char *path, struct list *list)
{
	struct tracecmd_input *in;

	tracecmd_set_loglevel(TEP_LOG_NONE);
	in = tracecmd_open(path, TRACECMD_FL_LOAD_NO_PLUGINS);
	assert_non_null(in);
	assert_int_equal(tracecmd_iterate_events(in, NULL, 0, add_record, list), 0);
	tracecmd_close(in);
}

static int id_of(const struct rwk_event *ev)
{
	static const int ids[RWK_EV_COUNT] = {[RWK_EV_WAKING] = 302,
		[RWK_EV_WAKEUP] = 303,
		[RWK_EV_WAKEUP_NEW] = 304,
		[RWK_EV_MIGRATE] = 305,
		[RWK_EV_SWITCH] = 301};

	return ids[ev->kind];
}

/* Times differ between all records, so that both orders are the same. */
static void put_records(struct tb_trace *t)
{
	uint32_t seed = 99;

	for (uint64_t i = 0, ts = 1000000000; i < 1500; i++) {
		int cpu = (int)(i * 7 % 3);

		seed = seed * 1664525 + 1013904223;
		ts += 1 + (i % 50 ? seed >> 20 : (uint64_t)seed << 2);
		if (i % 97 == 50) {
			tb_page(t, cpu, ts);
			tb_put_task(t, cpu, ts, &tb_waking, 5, (int)i, cpu);
			tb_missed(t, cpu, i % 2 ? -1 : (int64_t)i);
			tb_page(t, cpu, ts);
			continue;
		}
		switch (seed >> 28 & 3) {
		case 0:
			tb_put_switch(t, cpu, ts, 1 + (int)i, 1, 0);
			break;
		case 1:
			tb_put_migrate(t, cpu, ts, (int)i, 1, 2);
			break;
		default:
			tb_put_task(t, cpu, ts, seed >> 27 & 1 ? &tb_wakeup : &tb_waking, 5, (int)i,
				cpu);
		}
	}
}

static void compare(struct tb_trace *t, const char *what)
{
	static struct list list;
	struct tb_bytes bytes;
	struct decode_run r;
	struct tb_file file;
	int n = 0;

	tb_build(t, &bytes);
	tb_file_init(&file);
	tb_file_set(&file, bytes.data, bytes.len);
	list.nr = 0;
	read_with_libtracecmd(file.path, &list);
	decode_run(&r, file.path);
	assert_int_equal(r.open_err, 0);
	assert_true(list.nr == 1500);
	for (size_t i = 0; i < r.nr; i++) {
		const struct record *rec = &list.record[n];
		const struct rwk_event *ev = &r.event[i];

		assert_true(n < list.nr);
		if (ev->ts != rec->ts || ev->cpu != rec->cpu)
			fail_msg("%s: record %d: cpu %d at %lld, not %d at %lld", what, n, ev->cpu,
				(long long)ev->ts, rec->cpu, (long long)rec->ts);
		if (ev->kind == RWK_EV_LOST) {
			assert_int_equal(ev->lost.count, rec->missed);
			continue;
		}
		if (rec->missed)
			assert_int_equal(r.event[i - 1].kind, RWK_EV_LOST);
		assert_int_equal(id_of(ev), rec->id);
		assert_int_equal(ev->tid, rec->tid);
		n++;
	}
	assert_int_equal(n, list.nr);
	decode_run_finish(&r);
	tb_file_finish(&file);
	free(bytes.data);
}

static void same_records(void **state)
{
	static const struct {
		const char *what;
		int version, big_endian, long_size;
		enum tb_compression compression;
	} kinds[] = {
		{"v6", 6, 0, 8, TB_PLAIN},
		{"v6 big-endian", 6, 1, 8, TB_PLAIN},
		{"v6 32-bit", 6, 0, 4, TB_PLAIN},
		{"v6 big-endian 32-bit", 6, 1, 4, TB_PLAIN},
		{"v7", 7, 0, 8, TB_PLAIN},
		{"v7 big-endian", 7, 1, 8, TB_PLAIN},
		{"v7 zstd", 7, 0, 8, TB_ZSTD},
		{"v7 zstd big-endian 32-bit", 7, 1, 4, TB_ZSTD},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct tb_trace t;

		tb_init(&t);
		t.version = kinds[i].version;
		t.big_endian = kinds[i].big_endian;
		t.long_size = kinds[i].long_size;
		t.compression = kinds[i].compression;
		put_records(&t);
		compare(&t, kinds[i].what);
		tb_finish(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
