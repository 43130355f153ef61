/* Packing a trace.dat: the decoder finds the same events in it, and what is laid out otherwise is
 * left alone. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode_run.h"
#include "record/tracedat.h"
#include "tracedat_build.h"

#define NR_EVENTS 40000 /* some 700 pages: more than a few chunks */

struct bench {
	struct tb_trace t;
	struct tb_file plain, packed;
	struct decode_run want, got;
	char why[128];
};

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	tb_init(&b->t);
	tb_file_init(&b->plain);
	tb_file_init(&b->packed);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	decode_run_finish(&b->want);
	decode_run_finish(&b->got);
	tb_finish(&b->t);
	tb_file_finish(&b->plain);
	tb_file_finish(&b->packed);
	free(b);
	return 0;
}

static int64_t size_of(const struct tb_file *f)
{
	struct stat st;

	assert_int_equal(fstat(f->fd, &st), 0);
	return st.st_size;
}

/* Two CPUs with much and with little, and one in between without anything. */
static void put_events(struct tb_trace *t)
{
	for (int i = 0; i < NR_EVENTS; i++)
		tb_put_switch(t, 0, 1000 + 10 * (uint64_t)i, i % 2 ? 7 : 0, i % 2, i % 2 ? 0 : 7);
	tb_put_task(t, 2, 5005, &tb_waking, 50, 60, 1);
	tb_put_switch(t, 2, 9005, 0, 0, 60);
}

static int pack(struct bench *b, int level)
{
	struct tb_bytes file;

	tb_build(&b->t, &file);
	tb_file_set(&b->plain, file.data, file.len);
	free(file.data);
	assert_int_equal(ftruncate(b->packed.fd, 0), 0);
	return rwk_tracedat_pack(b->plain.fd, b->packed.fd, level, b->why, sizeof(b->why));
}

static void decode(struct decode_run *r, const struct tb_file *f)
{
	decode_run_finish(r);
	decode_run(r, f->path);
	if (r->open_err || r->next_err)
		fail_msg("%s", r->text);
}

static void same_events_are_in_it(void **state)
{
	struct bench *b = *state;

	put_events(&b->t);
	for (int level = 1; level <= 9; level += 8) {
		assert_int_equal(pack(b, level), 0);
		assert_true(size_of(&b->packed) < size_of(&b->plain) / 4);
		decode(&b->want, &b->plain);
		decode(&b->got, &b->packed);
		assert_string_equal(b->want.info.format, "trace.dat v7");
		assert_string_equal(b->got.info.format, "trace.dat v7 (zstd)");
		assert_int_equal(b->got.nr, NR_EVENTS + 2);
		assert_int_equal(b->got.nr, b->want.nr);
		for (size_t i = 0; i < b->got.nr; i++) {
			assert_int_equal(b->got.event[i].ts, b->want.event[i].ts);
			assert_int_equal(b->got.event[i].cpu, b->want.event[i].cpu);
			assert_int_equal(b->got.event[i].kind, b->want.event[i].kind);
		}
		for (int i = 0; i < RWK_AN_COUNT; i++)
			assert_int_equal(b->got.info.anomalies.of[i].count,
				b->want.info.anomalies.of[i].count);
	}
}

static void what_is_packed_stays(void **state)
{
	struct bench *b = *state;

	put_events(&b->t);
	b->t.compression = TB_ZSTD;
	assert_int_equal(pack(b, 3), -EOPNOTSUPP);
}

static void version_6_stays(void **state)
{
	struct bench *b = *state;

	put_events(&b->t);
	b->t.version = 6;
	assert_int_equal(pack(b, 3), -EOPNOTSUPP);
}

static void what_follows_the_options_is_not_lost(void **state)
{
	struct bench *b = *state;
	int64_t size;

	put_events(&b->t);
	assert_int_equal(pack(b, 3), 0);
	size = size_of(&b->plain);
	assert_int_equal(pwrite(b->plain.fd, "more", 4, size), 4);
	assert_int_equal(rwk_tracedat_pack(b->plain.fd, b->packed.fd, 3, b->why, sizeof(b->why)),
		-EOPNOTSUPP);
}

/* However it is cut: an error, no crash. */
static void a_cut_file_is_refused(void **state)
{
	struct bench *b = *state;
	int64_t size;

	tb_put_switch(&b->t, 0, 1000, 0, 0, 7);
	assert_int_equal(pack(b, 3), 0);
	size = size_of(&b->plain);
	for (int64_t n = size - 1; n >= 0; n -= n > 9000 ? 97 : 7) {
		assert_int_equal(ftruncate(b->plain.fd, n), 0);
		assert_true(rwk_tracedat_pack(
				    b->plain.fd, b->packed.fd, 3, b->why, sizeof(b->why)) < 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(same_events_are_in_it, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_packed_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(version_6_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(
			what_follows_the_options_is_not_lost, setup, teardown),
		cmocka_unit_test_setup_teardown(a_cut_file_is_refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
