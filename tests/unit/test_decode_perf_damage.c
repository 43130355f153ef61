/*
 * Damaged perf.data files: cut at every byte, changed at random, and made to
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
#include <zstd.h>

#include "decode_run.h"
#include "perf_build.h"

/* As in test_decode_damage.c: what AddressSanitizer holds back makes each fork slow. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=1";
}

static const struct {
	bool pipe, big_endian;
	int pack;
} kinds[] = {{true, false, 0}, {true, true, 0}, {true, false, 150}, {false, false, 0},
	{false, true, 150}};

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void build(size_t kind, struct tb_bytes *ret)
{
	struct pb_perf p;

	pb_init(&p, kinds[kind].big_endian);
	p.pipe = kinds[kind].pipe;
	p.pack = kinds[kind].pack;
	pb_id_index(&p);
	for (uint64_t round = 0; round < 3; round++) {
		for (int cpu = 0; cpu < 3; cpu++) {
			uint64_t ts = 1000 + round * 1000 + (uint64_t)cpu;

			pb_switch(&p, cpu, ts, 0, 0, 10 + cpu);
			pb_task(&p, cpu, ts + 10, &tb_waking, 10, 60, cpu);
			pb_switch(&p, cpu, ts + 50, 10 + cpu, 1, 0);
		}
		pb_round(&p);
	}
	pb_build(&p, ret);
	pb_finish(&p);
}

/*
 * Whether part's events of each CPU are among those that whole has of it, in
 * their order; strict: the first ones, none left out.
 */
static void assert_part_of(
	const struct decode_run *part, const struct decode_run *whole, bool strict)
{
	size_t at[PB_CPUS] = {0};

	for (size_t i = 0; i < part->nr; i++) {
		const struct rwk_event *ev = &part->event[i];
		size_t *k = &at[ev->cpu];

		for (; *k < whole->nr; ++*k) {
			const struct rwk_event *w = &whole->event[*k];

			if (w->cpu == ev->cpu && w->ts == ev->ts && w->kind == ev->kind)
				break;
			assert_true(!strict || w->cpu != ev->cpu);
		}
		assert_true(*k < whole->nr);
		++*k;
	}
}

/* Where the records of a stream begin: behind its last header. */
static size_t records_of(const struct tb_bytes *bytes)
{
	const unsigned char *p = memmem(bytes->data, bytes->len, "1 foo", 5);

	assert_non_null(p);
	return (size_t)(p - bytes->data) + 5;
}

/*
 * X1.  A stream is read up to the cut.  A file has its event formats behind its
 * records: without them nothing is known of these, and the message says so.
 * Once there are formats, each open takes a child process: then in steps prime
 * to all sizes.
 */
static void cut_everywhere(void **state)
{
	struct tb_file file;

	(void)state;
	tb_file_init(&file);
	for (size_t kind = 0; kind < NR_KINDS; kind++) {
		struct decode_run whole, part;
		struct tb_bytes bytes;
		size_t records, most = 0, step = 1;

		build(kind, &bytes);
		tb_file_set(&file, bytes.data, bytes.len);
		decode_run(&whole, file.path);
		assert_int_equal(whole.open_err, 0);
		assert_int_equal(whole.nr, 27);
		assert_false(whole.info.truncated);
		records = records_of(&bytes);
		for (size_t n = 1; n < bytes.len; n += step) {
			tb_file_set(&file, bytes.data, n);
			decode_run(&part, file.path);
			if (part.open_err) {
				assert_int_equal(part.open_err, -EBADMSG);
				assert_true(n < 8 || strstr(part.text, "offset="));
				assert_true(n < records);
				step = strstr(part.text, "event formats: ") ? 13 : step;
			} else {
				assert_int_equal(part.next_err, 0);
				assert_true(part.nr >= most);
				most = part.nr;
				step = 13;
			}
			if (!part.open_err && !kinds[kind].pipe)
				assert_true(part.info.truncated);
			if (part.info.truncated) {
				assert_true(part.info.anomalies.of[RWK_AN_TRUNCATED].count > 0);
				assert_in_range(part.info.truncated_at, 8, n);
			}
			assert_part_of(&part, &whole, kinds[kind].pipe && n >= records);
			decode_run_finish(&part);
		}
		assert_true(most >= 25);
		decode_run_finish(&whole);
		free(bytes.data);
	}
	tb_file_finish(&file);
}

/* A file that lost only what comes behind its event formats lost no event. */
static void cut_behind_the_formats(void **state)
{
	struct tb_bytes bytes;
	struct decode_run r;
	struct tb_file file;

	(void)state;
	build(3, &bytes);
	tb_file_init(&file);
	tb_file_set(&file, bytes.data, records_of(&bytes));
	decode_run(&r, file.path);
	assert_int_equal(r.open_err, 0);
	assert_int_equal(r.nr, 27);
	assert_true(r.info.truncated);
	assert_int_equal(r.info.truncated_at, records_of(&bytes));
	/* The CPUs were counted, since the header that tells them is lost. */
	assert_int_equal(r.info.nr_cpus, 3);
	decode_run_finish(&r);
	tb_file_finish(&file);
	free(bytes.data);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* X2: decode_run() checks that time never steps back. */
static void changed_at_random(void **state)
{
	struct tb_file file;
	uint32_t seed = 815;

	(void)state;
	tb_file_init(&file);
	for (size_t i = 0; i < 1000; i++) {
		struct tb_bytes bytes;
		struct decode_run r;
		size_t from;

		build(i % NR_KINDS, &bytes);
		/* Now and then anywhere, but mostly where the formats are not. */
		from = kinds[i % NR_KINDS].pipe && i % 8 ? records_of(&bytes) : 0;
		for (uint32_t k = 0; k < 1 + i % 7; k++)
			bytes.data[from + next_random(&seed) % (bytes.len - from)] =
				(unsigned char)next_random(&seed);
		tb_file_set(&file, bytes.data, bytes.len);
		decode_run(&r, file.path);
		assert_true(!r.open_err || r.diag.nr > 0);
		decode_run_finish(&r);
		free(bytes.data);
	}
	tb_file_finish(&file);
}

/* Decodes bytes that claim the impossible; what is said of it must have these words. */
static void assert_refused(const struct tb_bytes *bytes, const char *words)
{
	struct decode_run r;
	struct tb_file file;

	tb_file_init(&file);
	tb_file_set(&file, bytes->data, bytes->len);
	decode_run(&r, file.path);
	assert_int_equal(r.open_err, -EBADMSG);
	if (!strstr(r.text, words) || !strstr(r.text, "offset="))
		fail_msg("%s", r.text);
	decode_run_finish(&r);
	tb_file_finish(&file);
}

/* Numbers of the header, each changed to what cannot be. */
static void impossible_headers(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
		const char *words;
	} changes[] = {
		{8, 20, "impossible size of the headers"},
		{16, 4, "impossible size of an attribute"},
		{16, 1 << 20, "impossible size of an attribute"},
		{16, 72, "an attribute is damaged"},
		{24, UINT64_MAX - 8, "ends inside its attributes"},
		{32, UINT64_MAX, "ends inside its attributes"},
		{40, UINT64_MAX - 100, "impossible place of the data"},
		{48, UINT64_MAX, "impossible place of the data"},
	};
	struct tb_bytes bytes;

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		build(3, &bytes);
		tb_store(bytes.data + changes[i].at, changes[i].value, 8, false);
		assert_refused(&bytes, changes[i].words);
		free(bytes.data);
	}
}

/* All attributes' ids in one place would be many more than the file has bytes. */
static void too_many_ids(void **state)
{
	struct tb_bytes bytes;
	uint64_t attrs;

	(void)state;
	build(3, &bytes);
	memcpy(&attrs, bytes.data + 24, 8);
	tb_store(bytes.data + attrs + 128, 1, 8, false);
	tb_store(bytes.data + attrs + 136, UINT64_MAX - 7, 8, false);
	assert_refused(&bytes, "impossible place of an attribute's ids");
	free(bytes.data);
}

/* Nor may each of very many attributes name the same part of the file as its ids. */
static void ids_many_times(void **state)
{
	enum { NR = 60000, EACH = 144, IDS = 4000 };
	struct tb_bytes bytes = {0};

	(void)state;
	tb_put(&bytes, "PERFILE2", 8);
	tb_u64(&bytes, 104);
	tb_u64(&bytes, EACH);
	tb_u64(&bytes, 104);
	tb_u64(&bytes, (uint64_t)NR * EACH);
	tb_zeros(&bytes, 104 - bytes.len);
	for (int i = 0; i < NR; i++) {
		tb_u32(&bytes, 2);
		tb_u32(&bytes, 128);
		tb_zeros(&bytes, 120);
		tb_u64(&bytes, 104);
		tb_u64(&bytes, IDS * 8);
	}
	assert_refused(&bytes, "ids are damaged");
	free(bytes.data);
}

/* A record of no size ends the file there; what comes before it stays. */
static void record_of_no_size(void **state)
{
	struct pb_perf p;
	struct tb_bytes bytes;
	struct decode_run r;
	struct tb_file file;

	(void)state;
	pb_init(&p, false);
	p.pipe = true;
	pb_switch(&p, 0, 1000, 0, 0, 10);
	pb_bytes(&p, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	pb_switch(&p, 0, 1100, 10, 0, 0);
	pb_build(&p, &bytes);
	tb_file_init(&file);
	tb_file_set(&file, bytes.data, bytes.len);
	decode_run(&r, file.path);
	assert_int_equal(r.open_err, 0);
	assert_int_equal(r.nr, 1);
	assert_true(r.info.truncated);
	assert_true(r.info.truncated_at > r.event[0].offset);
	decode_run_finish(&r);
	tb_file_finish(&file);
	free(bytes.data);
	pb_finish(&p);
}

/* X13: 64 KB can unpack to gigabytes, which must pass in pieces. */
static void bomb(void **state)
{
	enum { SIZE = 64 << 20 };
	unsigned char *plain = calloc(1, SIZE), *packed = malloc(SIZE);
	struct rusage before, after;
	struct pb_perf p;
	struct tb_bytes bytes;
	struct decode_run r;
	struct tb_file file;
	size_t n;

	(void)state;
	assert_non_null(plain);
	assert_non_null(packed);
	/* Records of no interest, 8 KB each. */
	for (size_t at = 0; at < SIZE; at += 8192) {
		tb_store(plain + at, 1, 4, false);
		tb_store(plain + at + 6, 8192, 2, false);
	}
	n = ZSTD_compress(packed, SIZE, plain, SIZE, 19);
	assert_in_range(n, 1, 65000);
	free(plain);
	pb_init(&p, false);
	p.pipe = true;
	pb_switch(&p, 0, 1000, 0, 0, 10);
	for (int i = 0; i < 4; i++)
		pb_record(&p, 81, 0, packed, n);
	pb_build(&p, &bytes);
	free(packed);
	tb_file_init(&file);
	tb_file_set(&file, bytes.data, bytes.len);
	getrusage(RUSAGE_SELF, &before);
	decode_run(&r, file.path);
	getrusage(RUSAGE_SELF, &after);
	assert_int_equal(r.open_err, 0);
	assert_int_equal(r.nr, 1);
	assert_false(r.info.truncated);
	assert_true(after.ru_maxrss - before.ru_maxrss < 64 << 10);
	decode_run_finish(&r);
	tb_file_finish(&file);
	free(bytes.data);
	pb_finish(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_everywhere),
		cmocka_unit_test(cut_behind_the_formats),
		cmocka_unit_test(changed_at_random),
		cmocka_unit_test(impossible_headers),
		cmocka_unit_test(too_many_ids),
		cmocka_unit_test(ids_many_times),
		cmocka_unit_test(record_of_no_size),
		cmocka_unit_test(bomb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
