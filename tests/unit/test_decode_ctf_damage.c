/*
 * Damaged CTF traces: cut, changed at random, pieces missing.  Nothing may
 * crash or hang; what is given in spite of it must be what the whole trace has.
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

#include "ctf_build.h"
#include "decode/ctf_wire.h"
#include "decode_run.h"

#define MAX_FILE (64 << 10)

/* As in test_decode_damage.c: what AddressSanitizer holds back makes each fork slow. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=1";
}

struct place {
	char folder[256];
	unsigned char good[MAX_FILE], bad[MAX_FILE];
};

static int setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	cb_folder_make(p->folder, sizeof(p->folder));
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct place *p = *state;

	cb_folder_remove(p->folder);
	free(p);
	return 0;
}

static void add_switch(struct cb_trace *t, int stream, rwk_ns ts, int prev, int next)
{
	struct rwk_event ev = {.ts = ts,
		.kind = RWK_EV_SWITCH,
		.sw = {.prev_tid = prev, .prev_state_raw = 1, .next_tid = next}};

	cb_event(t, stream, &ev);
}

/* Two CPUs, four packets each of three switches. */
static void build(const struct place *p, bool packed)
{
	struct cb_trace t;

	cb_init(&t);
	t.packed_metadata = packed;
	for (int i = 0; i < 12; i++) {
		for (int cpu = 0; cpu < 2; cpu++) {
			add_switch(&t, cpu, 100 * i + cpu, i, i + 1);
			if (i % 3 == 2)
				cb_packet(&t, cpu, 0);
		}
	}
	cb_write(&t, p->folder);
	cb_finish(&t);
}

static void decode(const struct place *p, struct decode_run *r)
{
	decode_run(r, p->folder);
	assert_true(r->open_err <= 0 && r->next_err <= 0);
	if (r->open_err || r->next_err)
		assert_true(strlen(r->text) > 0);
}

/* The first ones of the CPU, none left out. */
static void assert_first_of(const struct decode_run *r, int cpu, int at_least)
{
	int n = 0;

	for (size_t i = 0; i < r->nr; i++) {
		const struct rwk_event *ev = &r->event[i];

		if (ev->cpu != cpu || ev->kind != RWK_EV_SWITCH)
			continue;
		assert_int_equal(ev->ts, 100 * n + cpu);
		assert_int_equal(ev->sw.prev_tid, n);
		n++;
	}
	if (n < at_least)
		fail_msg("%d events of CPU %d: %s", n, cpu, r->text);
}

static void cut_streams(void **state)
{
	struct place *p = *state;
	int64_t size;

	build(p, false);
	size = cb_read_file(p->folder, "channel0_1", p->good, MAX_FILE);
	assert_in_range(size, 1000, MAX_FILE - 1);
	for (int64_t cut = 1; cut < size; cut += 97) {
		int whole = (int)(cut / (size / 4));
		struct decode_run r;

		cb_write_file(p->folder, "channel0_1", p->good, (size_t)cut);
		decode(p, &r);
		assert_int_equal(r.open_err | r.next_err, 0);
		assert_first_of(&r, 0, 12);
		assert_first_of(&r, 1, 3 * whole);
		assert_int_equal(r.info.truncated, cut % (size / 4) != 0);
		if (r.info.truncated) {
			assert_int_equal(r.info.truncated_at, whole * (size / 4));
			assert_int_equal(r.info.anomalies.of[RWK_AN_TRUNCATED].count, 1);
		}
		decode_run_finish(&r);
	}
}

static void cut_metadata(void **state)
{
	for (int packed = 0; packed < 2; packed++) {
		struct place *p = *state;
		int64_t size;

		build(p, packed);
		size = cb_read_file(p->folder, "metadata", p->good, MAX_FILE);
		assert_in_range(size, 1000, MAX_FILE - 1);
		for (int64_t cut = 8; cut < size - 4; cut += 311) {
			struct decode_run r;

			cb_write_file(p->folder, "metadata", p->good, (size_t)cut);
			decode(p, &r);
			/* Whole packets, or lines, may be fewer descriptions, never other ones. */
			assert_true(r.open_err || r.next_err || r.info.truncated || r.nr);
			assert_first_of(&r, 0, 0);
			assert_first_of(&r, 1, 0);
			decode_run_finish(&r);
		}
	}
}

static void missing_pieces(void **state)
{
	struct place *p = *state;
	char path[512];
	struct decode_run r;

	build(p, false);
	snprintf(path, sizeof(path), "%s/channel0_1", p->folder);
	assert_int_equal(unlink(path), 0);
	decode(p, &r);
	assert_int_equal(r.open_err | r.next_err, 0);
	assert_first_of(&r, 0, 12);
	assert_int_equal(r.nr, 12);
	assert_int_equal(r.info.nr_cpus, 1);
	decode_run_finish(&r);

	/* As the recorder leaves a CPU that had nothing to tell. */
	cb_write_file(p->folder, "channel0_1", "", 0);
	decode(p, &r);
	assert_int_equal(r.open_err | r.next_err, 0);
	assert_int_equal(r.nr, 12);
	decode_run_finish(&r);

	snprintf(path, sizeof(path), "%s/channel0_0", p->folder);
	assert_int_equal(unlink(path), 0);
	decode(p, &r);
	assert_int_equal(r.open_err, -EBADMSG);
	assert_non_null(strstr(r.text, "nothing in its streams"));
	decode_run_finish(&r);

	cb_write_file(p->folder, "channel0_0", "garbage, and more of it, 32 bytes", 33);
	decode(p, &r);
	assert_int_equal(r.open_err, -EBADMSG);
	decode_run_finish(&r);
}

static uint32_t next_random(uint32_t *x)
{
	*x = *x * 1664525 + 1013904223;
	return *x >> 8;
}

/* A few bytes anywhere in one of the files. */
static void changed_bytes(void **state)
{
	static const char *const names[] = {"channel0_0", "channel0_1", "metadata"};
	struct place *p = *state;
	uint32_t x = 1;
	int nr_given = 0;

	build(p, true);
	for (int i = 0; i < 120; i++) {
		const char *name = names[i % 3];
		int64_t size = cb_read_file(p->folder, name, p->good, MAX_FILE);
		struct decode_run r;

		memcpy(p->bad, p->good, (size_t)size);
		for (uint32_t n = 1 + next_random(&x) % 3; n; n--)
			p->bad[next_random(&x) % (uint32_t)size] = (unsigned char)next_random(&x);
		cb_write_file(p->folder, name, p->bad, (size_t)size);
		decode(p, &r);
		nr_given += (int)r.nr;
		decode_run_finish(&r);
		cb_write_file(p->folder, name, p->good, (size_t)size);
	}
	/* Most of them leave most of it readable. */
	assert_true(nr_given > 120 * 24 / 4);
}

static void skipped(void **state)
{
	(void)state;
	skip();
}

int main(void)
{
	const struct CMUnitTest with[] = {
		cmocka_unit_test_setup_teardown(cut_streams, setup, teardown),
		cmocka_unit_test_setup_teardown(cut_metadata, setup, teardown),
		cmocka_unit_test_setup_teardown(missing_pieces, setup, teardown),
		cmocka_unit_test_setup_teardown(changed_bytes, setup, teardown),
	};
	const struct CMUnitTest without[] = {cmocka_unit_test(skipped)};

	return rwk_ctf_built ? cmocka_run_group_tests(with, NULL, NULL)
			     : cmocka_run_group_tests(without, NULL, NULL);
}
