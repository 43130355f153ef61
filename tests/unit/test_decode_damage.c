/*
 * Damaged trace.dat files: cut at every byte, changed at random, and made to
 * hurt.  Nothing may crash; what is given must be part of what the whole file
 * holds, or be told as damage.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "decode_run.h"
#include "tracedat_build.h"

/*
 * A fork copies the tables of all memory in use.  AddressSanitizer holds back what
 * was freed, up to 256 MB, which makes each open ten times as slow as it is without.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=1";
}

static const struct {
	int version;
	enum tb_compression compression;
} kinds[] = {{6, TB_PLAIN}, {7, TB_PLAIN}, {7, TB_ZSTD}, {7, TB_ZLIB}};

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Few events on small pages, so that every byte of the file counts. */
static void build(size_t kind, struct tb_bytes *ret)
{
	struct tb_trace t;

	tb_init(&t);
	t.version = kinds[kind].version;
	t.compression = kinds[kind].compression;
	t.page_size = 256;
	t.chunk_pages = 1;
	/* CPU 1 of the machine has no events, so that numbers do not follow from the order. */
	t.cpu[1].id = 2;
	t.cpu[2].id = 3;
	t.cpu_count = 4;
	for (int cpu = 0; cpu < 3; cpu++) {
		for (uint64_t i = 0; i < 3; i++) {
			tb_put_switch(&t, cpu, 1000 + i * 100 + (uint64_t)cpu, 0, 0, 10 + cpu);
			tb_put_task(
				&t, cpu, 1010 + i * 100 + (uint64_t)cpu, &tb_waking, 10, 60, cpu);
			tb_put_switch(&t, cpu, 1050 + i * 100 + (uint64_t)cpu, 10 + cpu, 1, 0);
		}
	}
	if (t.version == 6) {
		/* Version 6 has no ids: the places in its list are the ids. */
		for (int cpu = 0; cpu < 3; cpu++)
			t.cpu[cpu].id = cpu;
	}
	tb_build(&t, ret);
	tb_finish(&t);
}

static bool same_event(const struct rwk_event *a, const struct rwk_event *b)
{
	return a->ts == b->ts && a->cpu == b->cpu && a->kind == b->kind && a->tid == b->tid;
}

/* Whether part's events of each CPU are the first ones that whole has of it. */
static void assert_beginning_of(const struct decode_run *part, const struct decode_run *whole)
{
	size_t at[8] = {0};

	for (size_t i = 0; i < part->nr; i++) {
		const struct rwk_event *ev = &part->event[i];
		size_t *k = &at[ev->cpu];

		assert_in_range(ev->cpu, 0, 7);
		while (*k < whole->nr && whole->event[*k].cpu != ev->cpu)
			++*k;
		assert_true(*k < whole->nr);
		assert_true(same_event(ev, &whole->event[(*k)++]));
	}
}

/*
 * X1, X2.  Cuts inside the headers are refused before anything is made of them.
 * Behind, every open takes one or two child processes, which would make up nearly
 * all of the time; a step prime to all sizes still meets every kind of place.
 */
static void cut_everywhere(void **state)
{
	struct tb_file file;

	(void)state;
	tb_file_init(&file);
	for (size_t kind = 0; kind < NR_KINDS; kind++) {
		struct decode_run whole, part;
		struct tb_bytes bytes;
		size_t nr_salvaged = 0, step = 1;

		build(kind, &bytes);
		tb_file_set(&file, bytes.data, bytes.len);
		decode_run(&whole, file.path);
		assert_int_equal(whole.open_err, 0);
		assert_int_equal(whole.nr, 27);
		assert_false(whole.info.truncated);
		for (size_t n = 1; n < bytes.len; n += step) {
			tb_file_set(&file, bytes.data, n);
			decode_run(&part, file.path);
			if (part.open_err) {
				assert_int_equal(part.open_err, -EBADMSG);
				assert_true(n < 11 || strstr(part.text, "offset="));
			} else {
				assert_int_equal(part.next_err, 0);
				assert_true(part.info.truncated);
				assert_true(part.info.anomalies.of[RWK_AN_TRUNCATED].count > 0);
				assert_beginning_of(&part, &whole);
				step = 13;
				nr_salvaged += step * part.nr;
			}
			decode_run_finish(&part);
		}
		/* Most of a file is data, and of data most is salvaged. */
		assert_true(nr_salvaged > 10 * bytes.len / 8);
		decode_run_finish(&whole);
		free(bytes.data);
	}
	tb_file_finish(&file);
}

/* A cut that misses only the list at the end costs no event, and no CPU its number. */
static void cut_of_the_list(void **state)
{
	struct tb_file file;

	(void)state;
	tb_file_init(&file);
	for (size_t kind = 1; kind < NR_KINDS; kind++) {
		struct decode_run r;
		struct tb_bytes bytes;

		build(kind, &bytes);
		tb_file_set(&file, bytes.data, bytes.len - 5);
		decode_run(&r, file.path);
		assert_int_equal(r.open_err, 0);
		assert_int_equal(r.info.cpu[0].nr_events, 9);
		assert_int_equal(r.info.cpu[1].nr_events, 0);
		assert_int_equal(r.info.cpu[2].nr_events, 9);
		assert_int_equal(r.info.cpu[3].nr_events, 9);
		decode_run_finish(&r);
		free(bytes.data);
	}
	tb_file_finish(&file);
}

/* CPUs that were never idle are numbered by what the recorder counted: none on CPU 1. */
static void cut_of_the_list_while_busy(void **state)
{
	struct tb_bytes bytes;
	struct decode_run r;
	struct tb_file file;
	struct tb_trace t;

	(void)state;
	tb_init(&t);
	for (uint64_t i = 0; i < 3; i++) {
		tb_put_task(&t, 0, 1000 + i * 100, &tb_waking, 10, 60, 0);
		tb_put_task(&t, 2, 1000 + i * 100, &tb_waking, 12, 62, 0);
	}
	tb_build(&t, &bytes);
	tb_file_init(&file);
	tb_file_set(&file, bytes.data, bytes.len - 5);
	decode_run(&r, file.path);
	assert_int_equal(r.open_err, 0);
	assert_int_equal(r.nr, 6);
	assert_int_equal(r.info.cpu[1].nr_events, 0);
	for (size_t i = 0; i < r.nr; i++)
		assert_int_equal(r.event[i].tid, 10 + r.event[i].cpu);
	decode_run_finish(&r);
	tb_file_finish(&file);
	free(bytes.data);
	tb_finish(&t);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static void changed_at_random(void **state)
{
	struct tb_file file;
	uint32_t seed = 4711;

	(void)state;
	tb_file_init(&file);
	for (size_t kind = 0; kind < NR_KINDS; kind++) {
		struct tb_bytes good;
		unsigned char *bad;

		build(kind, &good);
		bad = malloc(good.len);
		assert_non_null(bad);
		/* Each is an open, which takes a child process or two. */
		for (int i = 0; i < 300; i++) {
			struct decode_run r;
			/* Headers are a small part, and the interesting one. */
			size_t range = i % 3 ? good.len : good.len / 8;

			memcpy(bad, good.data, good.len);
			for (int k = 0; k < 1 + i % 10; k++) {
				size_t at = next_random(&seed) % range;

				bad[at] =
					i % 2 ? (unsigned char)next_random(&seed)
					      : bad[at] ^ (unsigned char)(1 << (next_random(&seed) %
										  8));
			}
			tb_file_set(&file, bad, good.len);
			decode_run(&r, file.path);
			decode_run_finish(&r);
		}
		free(bad);
		free(good.data);
	}
	tb_file_finish(&file);
}

/* Pages that would lead a reader astray, each between two good ones. */
static void hostile_pages(void **state)
{
	static const struct {
		uint32_t commit, word[3];
	} pages[] = {
		{0x7ffffff, {0}}, /* more than a page holds */
		{4096, {0}}, /* by its header too much */
		{4088, {29, 4084}}, /* the same, and its record fits */
		{24, {29, 0xfffffffc}}, /* padding that leads back to itself */
		{24, {29, 0xfffffff8}}, /* and before itself */
		{24, {29, 0}}, /* no length at all */
		{12, {29, 6}}, /* not of whole words */
		{24, {0, 0x80000000}}, /* a record of 2 GB */
		{24, {0, 3}}, /* shorter than its length */
		{24, {0, 100}}, /* past what the page holds */
		{24, {28, 0, 0}}, /* the same, by its head */
		{10, {2, 0, 0}}, /* half a word left */
		{4, {30, 0, 0}}, /* a time without its second word */
		{8, {1, 0, 0}},
	};
	struct tb_file file;

	(void)state;
	tb_file_init(&file);
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		bool good = i == sizeof(pages) / sizeof(pages[0]) - 1;
		struct tb_bytes bytes;
		struct decode_run r;
		struct tb_trace t;

		tb_init(&t);
		tb_put_task(&t, 0, 100, &tb_waking, 1, 1, 0);
		tb_page(&t, 0, 200);
		tb_store(t.cpu[0].pages.data + t.cpu[0].page + 8, pages[i].commit, 8, false);
		for (int k = 0; k < 3; k++)
			tb_store(t.cpu[0].pages.data + t.cpu[0].page + 16 + 4 * k, pages[i].word[k],
				4, false);
		tb_page(&t, 0, 300);
		tb_put_task(&t, 0, 300, &tb_waking, 1, 2, 0);
		tb_build(&t, &bytes);
		tb_file_set(&file, bytes.data, bytes.len);
		decode_run(&r, file.path);
		assert_int_equal(r.next_err, 0);
		assert_int_equal(r.info.anomalies.of[RWK_AN_BAD_PAGE].count, good ? 0 : 1);
		assert_int_equal(r.nr, good ? 2 : 3);
		if (!good) {
			assert_int_equal(r.event[1].kind, RWK_EV_LOST);
			assert_int_equal(r.event[1].lost.count, RWK_NONE);
			assert_int_equal(r.event[1].lost.from_ts, 100);
			assert_int_equal(r.event[1].ts, 300);
			assert_true(r.info.anomalies.of[RWK_AN_BAD_PAGE].first_offset % 4096 == 0);
			assert_int_equal(r.event[2].task.tid, 2);
		}
		decode_run_finish(&r);
		free(bytes.data);
		tb_finish(&t);
	}
	tb_file_finish(&file);
}

/* Where the first chunk of the first CPU starts, behind its number of chunks. */
static size_t first_chunk(const struct tb_bytes *b)
{
	/* The data section's header is the last thing before the first page boundary of data. */
	for (size_t at = 256; at + 12 < b->len; at += 256) {
		if (b->data[at] == 3 && !b->data[at + 1] &&
			!memcmp(b->data + at + 12, "\x28\xb5\x2f\xfd", 4))
			return at + 4;
	}
	fail_msg("no chunk found");
	return 0;
}

/* A damaged chunk costs its pages; sizes that lie cost no memory. */
static void hostile_chunks(void **state)
{
	static const struct {
		size_t at;
		int size;
		uint64_t value;
		int nr_bad, nr_events;
		bool truncated;
	} cases[] = {
		{4, 4, 0xffffff00, 1, 24, false}, /* 4 GB when unpacked */
		{4, 4, 0x101, 1, 24, false}, /* no whole pages */
		{4, 4, 0, 1, 24, false}, {4, 4, 512, 1, 24, false}, /* not what it holds */
		{20, 4, 0xdeadbeef, 1, 24, false}, /* damaged inside */
		{0, 4, 0xfffffff0, 0, 18, true}, /* past the end of the file */
	};
	struct rusage usage;
	struct tb_file file;

	(void)state;
	tb_file_init(&file);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tb_bytes bytes;
		struct decode_run r;

		build(2, &bytes);
		tb_store(bytes.data + first_chunk(&bytes) + cases[i].at, cases[i].value,
			cases[i].size, false);
		tb_file_set(&file, bytes.data, bytes.len);
		decode_run(&r, file.path);
		assert_int_equal(r.next_err, 0);
		assert_int_equal(r.info.anomalies.of[RWK_AN_BAD_PAGE].count, cases[i].nr_bad);
		assert_int_equal(r.nr - (size_t)r.info.nr_events[RWK_EV_LOST], cases[i].nr_events);
		assert_int_equal(r.info.nr_events[RWK_EV_LOST], cases[i].nr_bad);
		assert_int_equal(r.info.truncated, cases[i].truncated);
		decode_run_finish(&r);
		free(bytes.data);
		assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
		assert_true(usage.ru_maxrss < 2 << 20);
	}
	tb_file_finish(&file);
}

/* Options of version 7 that point to themselves, to nothing, or far away. */
static void hostile_options(void **state)
{
	static const struct {
		uint64_t place;
		bool absolute;
	} cases[] = {
		{0, false}, /* the section itself: a loop */
		{UINT64_MAX, true}, {INT64_MAX, true}, {10, true}, /* inside the first bytes */
	};
	struct tb_file file;

	(void)state;
	tb_file_init(&file);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tb_bytes bytes;
		struct decode_run r;
		uint64_t first = 0;
		size_t size = 0;

		build(1, &bytes);
		for (int k = 7; k >= 0; k--)
			first = first << 8 | bytes.data[10 + 2 + 2 + 4 + 5 + 1 + k];
		for (int k = 1; k >= 0; k--)
			size = size << 8 | bytes.data[first + 8 + (size_t)k];
		/* The place of the next section is the last thing of the first. */
		tb_store(bytes.data + first + 16 + size - 8,
			cases[i].absolute ? cases[i].place : first, 8, false);
		tb_file_set(&file, bytes.data, bytes.len);
		decode_run(&r, file.path);
		/* Without the list the data is still found; a loop is an error. */
		assert_int_equal(r.open_err, cases[i].absolute ? 0 : -EBADMSG);
		decode_run_finish(&r);
		free(bytes.data);
	}
	tb_file_finish(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_everywhere),
		cmocka_unit_test(cut_of_the_list),
		cmocka_unit_test(cut_of_the_list_while_busy),
		cmocka_unit_test(changed_at_random),
		cmocka_unit_test(hostile_pages),
		cmocka_unit_test(hostile_chunks),
		cmocka_unit_test(hostile_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
