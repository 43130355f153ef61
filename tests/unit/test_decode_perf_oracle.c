/*
 * The decoder of perf.data files against perf script: on sound files both must
 * tell of the same records, at the same times, on the same CPUs, in one order.
 */
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

#define MAX_RECORDS 4096

struct record {
	int64_t ts;
	int cpu, tid;
	char name[32];
};

struct list {
	struct record record[MAX_RECORDS];
	int nr;
};

static bool have_perf(void)
{
	return !system("perf --version >/dev/null 2>&1");
}

/* "  10 [003]     0.000001250: sched:sched_switch: " */
static void read_with_perf(const char *path, struct list *list)
{
	char command[256], line[1024];
	FILE *f;

	snprintf(command, sizeof(command),
		"perf script --ns -F tid,cpu,time,event -i %s 2>/dev/null", path);
	f = popen(command, "r");
	assert_non_null(f);
	list->nr = 0;
	while (fgets(line, sizeof(line), f)) {
		struct record *r = &list->record[list->nr];
		long long s, ns;

		assert_true(list->nr < MAX_RECORDS);
		if (sscanf(line, " %d [%d] %lld.%lld: sched:%31[a-z_]", &r->tid, &r->cpu, &s, &ns,
			    r->name) != 5)
			continue;
		r->ts = s * 1000000000 + ns;
		list->nr++;
	}
	pclose(f);
}

/* Rounds of three CPUs, whose times differ between all records, so that orders can be compared. */
static void put_records(struct pb_perf *p)
{
	uint32_t seed = 7;
	uint64_t ts = 1000000000;

	pb_id_index(p);
	for (int round = 0; round < 20; round++) {
		for (int cpu = 0; cpu < 3; cpu++) {
			for (uint64_t i = 0; i < 25; i++) {
				uint64_t at = ts + i * 30 + (uint64_t)cpu * 7;

				seed = seed * 1664525 + 1013904223;
				if (seed >> 31)
					pb_switch(p, cpu, at, 1 + (int)i, 1, 0);
				else if (seed >> 30)
					pb_task(p, cpu, at, &tb_wakeup, 5, (int)i, cpu);
				else
					pb_migrate(p, cpu, at, (int)i, 1, 2);
			}
			if (seed >> 28 & 1)
				pb_lost(p, cpu, ts + 1000, 3);
		}
		pb_round(p);
		/* The next round begins before this one ends. */
		ts += 600;
	}
}

static void compare(struct pb_perf *p, const char *what)
{
	static struct list list;
	struct tb_bytes bytes;
	struct decode_run r;
	struct tb_file file;
	char path[64];
	int n = 0;

	pb_build(p, &bytes);
	tb_file_init(&file);
	tb_file_set(&file, bytes.data, bytes.len);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), file.fd);
	read_with_perf(path, &list);
	decode_run(&r, path);
	tb_file_finish(&file);
	assert_int_equal(r.open_err, 0);
	if (list.nr != 1500)
		fail_msg("%s: perf reads %d records", what, list.nr);
	for (size_t i = 0; i < r.nr; i++) {
		const struct rwk_event *ev = &r.event[i];
		const struct record *rec = &list.record[n];

		if (ev->kind == RWK_EV_LOST)
			continue;
		assert_true(n < list.nr);
		if (ev->ts != rec->ts || ev->cpu != rec->cpu || ev->tid != rec->tid ||
			strcmp(rwk_event_kind_name(ev->kind), rec->name))
			fail_msg("%s: record %d: %s of cpu %d at %lld, not %s of %d at %lld", what,
				n, rwk_event_kind_name(ev->kind), ev->cpu, (long long)ev->ts,
				rec->name, rec->cpu, (long long)rec->ts);
		n++;
	}
	assert_int_equal(n, list.nr);
	decode_run_finish(&r);
	free(bytes.data);
}

static void same_records(void **state)
{
	static const struct {
		const char *what;
		bool big_endian, pipe;
		int pack;
		uint64_t sample_type, read_format;
	} kinds[] = {
		{"file", false, false, 0, PB_USUAL, 0},
		{"big-endian file", true, false, 0, PB_USUAL, 0},
		{"packed file", false, false, 3000, PB_USUAL, 0},
		{"stream", false, true, 0, PB_USUAL, 0},
		/* Not the stream of the other byte order, of which perf 6.1 reads nothing. */
		{"packed stream", false, true, 700, PB_USUAL, 0},
		{"file with ids in the middle", false, false, 0,
			PB_TIME | PB_CPU | PB_TID | PB_RAW | PB_ID | PB_PERIOD, 0},
		{"file with call chains", false, false, 0,
			PB_USUAL | PB_CALLCHAIN | PB_ADDR | PB_STREAM_ID, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct pb_perf p;

		pb_init(&p, kinds[i].big_endian);
		p.pipe = kinds[i].pipe;
		p.pack = kinds[i].pack;
		p.sample_type = kinds[i].sample_type;
		p.read_format = kinds[i].read_format;
		put_records(&p);
		compare(&p, kinds[i].what);
		pb_finish(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_records),
	};

	if (!have_perf()) {
		puts("SKIP: no perf to compare with");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
