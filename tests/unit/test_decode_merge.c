/* The merge of per-CPU streams: order, ties, steps backwards (T1, T2, T4, T7, W15). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decode/merge.h"

#define MAX_EVENTS 64

struct source {
	struct rwk_event event[MAX_EVENTS];
	int nr, at;
	int fail_at; /* pull of this event fails; 0: none does */
	int nr_pulls;
};

struct bench {
	struct source source[4];
	struct rwk_anomalies anomalies;
	struct rwk_merge *merge;
};

static int pull(void *ctx, int stream, struct rwk_event *ret, struct rwk_diag *diag)
{
	struct source *s = &((struct bench *)ctx)->source[stream];

	s->nr_pulls++;
	if (s->fail_at && s->at == s->fail_at)
		return rwk_diag_push(diag, -EIO, "cannot read stream %d", stream);
	if (s->at == s->nr)
		return 0;
	*ret = s->event[s->at++];
	return 1;
}

static void add(struct bench *b, int cpu, rwk_ns ts, enum rwk_event_kind kind, int64_t offset)
{
	struct source *s = &b->source[cpu];

	s->event[s->nr++] =
		(struct rwk_event){.ts = ts, .cpu = cpu, .kind = (uint8_t)kind, .offset = offset};
}

static int setup(void **state)
{
	static struct bench bench;

	memset(&bench, 0, sizeof(bench));
	*state = &bench;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	rwk_merge_destroy(b->merge);
	return 0;
}

static void start(struct bench *b)
{
	static const int32_t cpus[] = {0, 1, 2, 3};

	assert_int_equal(rwk_merge_create(4, cpus, pull, b, &b->anomalies, &b->merge), 0);
}

/* The offsets of all events in the order that they come in, RWK_NONE for what was made up. */
static int run(struct bench *b, int64_t *order)
{
	const struct rwk_event *ev;
	rwk_ns last = INT64_MIN;
	int n = 0;

	start(b);
	while (rwk_merge_next(b->merge, &ev, NULL) == 1) {
		assert_true(ev->ts >= last);
		last = ev->ts;
		order[n++] = ev->offset;
	}
	return n;
}

static void assert_order(struct bench *b, const int64_t *want, int nr)
{
	int64_t got[4 * MAX_EVENTS];

	assert_int_equal(run(b, got), nr);
	for (int i = 0; i < nr; i++)
		assert_int_equal(got[i], want[i]);
}

static void nothing_at_all(void **state)
{
	assert_order(*state, NULL, 0);
}

/* T1: the wakeup of another CPU that comes earlier in time is given earlier. */
static void by_time_across_cpus(void **state)
{
	struct bench *b = *state;

	add(b, 0, 100, RWK_EV_SWITCH, 1);
	add(b, 0, 400, RWK_EV_SWITCH, 4);
	add(b, 2, 200, RWK_EV_WAKING, 2);
	add(b, 2, 500, RWK_EV_WAKEUP, 5);
	add(b, 3, 300, RWK_EV_WAKEUP, 3);
	assert_order(b, (const int64_t[]){1, 2, 3, 4, 5}, 5);
}

/* T7, W15: waking < sel < sel_ret < migrate < wakeup < wakeup_new < switch at one time. */
static void ties_between_cpus_by_kind(void **state)
{
	struct bench *b = *state;

	add(b, 0, 100, RWK_EV_SWITCH, 4);
	add(b, 1, 100, RWK_EV_WAKEUP, 3);
	add(b, 2, 100, RWK_EV_MIGRATE, 2);
	add(b, 3, 100, RWK_EV_WAKING, 1);
	assert_order(b, (const int64_t[]){1, 2, 3, 4}, 4);
}

static void ties_of_one_kind_by_cpu(void **state)
{
	struct bench *b = *state;

	for (int cpu = 3; cpu >= 0; cpu--)
		add(b, cpu, 7, RWK_EV_WAKING, cpu);
	assert_order(b, (const int64_t[]){0, 1, 2, 3}, 4);
}

/* T4: equal times on one CPU keep the order that they were written in, whatever their kind. */
static void own_order_is_kept_at_ties(void **state)
{
	struct bench *b = *state;

	add(b, 1, 100, RWK_EV_SWITCH, 2);
	add(b, 1, 100, RWK_EV_WAKING, 3);
	add(b, 1, 100, RWK_EV_MIGRATE, 4);
	add(b, 0, 100, RWK_EV_MIGRATE, 1);
	assert_order(b, (const int64_t[]){1, 2, 3, 4}, 4);
	assert_int_equal(b->anomalies.of[RWK_AN_TIME_BACKWARDS].count, 0);
}

/* T2: what steps back is dropped, counted with its place, and leaves a gap of known size. */
static void steps_back_become_a_gap(void **state)
{
	struct bench *b = *state;
	const struct rwk_event *ev;

	add(b, 2, 1000, RWK_EV_SWITCH, 1);
	add(b, 2, 400, RWK_EV_WAKING, 2);
	add(b, 2, 999, RWK_EV_SWITCH, 3);
	add(b, 2, 1000, RWK_EV_SWITCH, 4);
	add(b, 2, 1001, RWK_EV_SWITCH, 5);
	start(b);
	assert_int_equal(rwk_merge_next(b->merge, &ev, NULL), 1);
	assert_int_equal(ev->offset, 1);
	assert_int_equal(rwk_merge_next(b->merge, &ev, NULL), 1);
	assert_int_equal(ev->kind, RWK_EV_LOST);
	assert_int_equal(ev->cpu, 2);
	assert_int_equal(ev->ts, 1000);
	assert_int_equal(ev->lost.count, 2);
	assert_int_equal(ev->lost.from_ts, 1000);
	for (int want = 4; want <= 5; want++) {
		assert_int_equal(rwk_merge_next(b->merge, &ev, NULL), 1);
		assert_int_equal(ev->offset, want);
	}
	assert_int_equal(rwk_merge_next(b->merge, &ev, NULL), 0);
	assert_int_equal(b->anomalies.of[RWK_AN_TIME_BACKWARDS].count, 2);
	assert_int_equal(b->anomalies.of[RWK_AN_TIME_BACKWARDS].first_ts, 400);
	assert_int_equal(b->anomalies.of[RWK_AN_TIME_BACKWARDS].first_cpu, 2);
	assert_int_equal(b->anomalies.of[RWK_AN_TIME_BACKWARDS].first_offset, 2);
}

static void steps_back_until_the_end(void **state)
{
	struct bench *b = *state;
	const struct rwk_event *ev;

	add(b, 0, 1000, RWK_EV_SWITCH, 1);
	add(b, 0, 10, RWK_EV_SWITCH, 2);
	add(b, 1, 5000, RWK_EV_SWITCH, 3);
	start(b);
	assert_int_equal(rwk_merge_next(b->merge, &ev, NULL), 1);
	assert_int_equal(rwk_merge_next(b->merge, &ev, NULL), 1);
	assert_int_equal(ev->kind, RWK_EV_LOST);
	assert_int_equal(ev->ts, 1000);
	assert_int_equal(ev->lost.count, 1);
	assert_int_equal(rwk_merge_next(b->merge, &ev, NULL), 1);
	assert_int_equal(ev->offset, 3);
	assert_int_equal(rwk_merge_next(b->merge, &ev, NULL), 0);
	assert_int_equal(rwk_merge_next(b->merge, &ev, NULL), 0);
}

/* A gap of the decoder's own inside such a stretch is passed on, at a time that fits. */
static void gap_while_stepping_back(void **state)
{
	struct bench *b = *state;
	const struct rwk_event *ev;

	add(b, 0, 1000, RWK_EV_SWITCH, 1);
	add(b, 0, 10, RWK_EV_SWITCH, 2);
	add(b, 0, 20, RWK_EV_LOST, 3);
	b->source[0].event[2].lost.count = 77;
	add(b, 0, 30, RWK_EV_SWITCH, 4);
	add(b, 0, 2000, RWK_EV_SWITCH, 5);
	start(b);
	assert_int_equal(rwk_merge_next(b->merge, &ev, NULL), 1);
	for (int i = 0; i < 3; i++) {
		static const int64_t counts[] = {1, 77, 1};

		assert_int_equal(rwk_merge_next(b->merge, &ev, NULL), 1);
		assert_int_equal(ev->kind, RWK_EV_LOST);
		assert_int_equal(ev->lost.count, counts[i]);
		assert_int_equal(ev->ts, i < 2 ? 1000 : 2000);
	}
	assert_int_equal(rwk_merge_next(b->merge, &ev, NULL), 1);
	assert_int_equal(ev->offset, 5);
	assert_int_equal(rwk_merge_next(b->merge, &ev, NULL), 0);
}

/* An event may borrow from its stream, which is not asked before the next call. */
static void stream_is_asked_late(void **state)
{
	struct bench *b = *state;
	const struct rwk_event *ev;

	add(b, 0, 1, RWK_EV_SEL, 1);
	add(b, 0, 2, RWK_EV_SEL, 2);
	start(b);
	assert_int_equal(rwk_merge_next(b->merge, &ev, NULL), 1);
	assert_int_equal(b->source[0].nr_pulls, 1);
	assert_int_equal(rwk_merge_next(b->merge, &ev, NULL), 1);
	assert_int_equal(b->source[0].nr_pulls, 2);
}

static void failure_of_a_stream(void **state)
{
	struct bench *b = *state;
	struct rwk_diag diag = {0};
	const struct rwk_event *ev;

	add(b, 0, 1, RWK_EV_SWITCH, 1);
	add(b, 0, 2, RWK_EV_SWITCH, 2);
	b->source[0].fail_at = 1;
	start(b);
	assert_int_equal(rwk_merge_next(b->merge, &ev, &diag), 1);
	assert_int_equal(rwk_merge_next(b->merge, &ev, &diag), -EIO);
	assert_string_equal(diag.cause[0], "cannot read stream 0");
}

/* A stream that had none left and is woken: too late for the output counts as a step back. */
static void woken_stream(void **state)
{
	struct bench *b = *state;
	const struct rwk_event *ev;

	add(b, 0, 100, RWK_EV_SWITCH, 1);
	add(b, 0, 300, RWK_EV_SWITCH, 5);
	start(b);
	assert_int_equal(rwk_merge_next(b->merge, &ev, NULL), 1);
	add(b, 1, 50, RWK_EV_SWITCH, 2);
	add(b, 1, 200, RWK_EV_SWITCH, 3);
	assert_int_equal(rwk_merge_wake(b->merge, 1, NULL), 0);
	assert_int_equal(rwk_merge_wake(b->merge, 1, NULL), 0);
	assert_int_equal(rwk_merge_next(b->merge, &ev, NULL), 1);
	assert_int_equal(ev->kind, RWK_EV_LOST);
	assert_int_equal(ev->cpu, 1);
	assert_int_equal(ev->lost.from_ts, RWK_NS_NONE);
	assert_int_equal(rwk_merge_next(b->merge, &ev, NULL), 1);
	assert_int_equal(ev->offset, 3);
	assert_int_equal(rwk_merge_next(b->merge, &ev, NULL), 1);
	assert_int_equal(ev->offset, 5);
	assert_int_equal(rwk_merge_next(b->merge, &ev, NULL), 0);
	assert_int_equal(b->anomalies.of[RWK_AN_TIME_BACKWARDS].count, 1);
}

/* Many events with few different times: sorted, each CPU's own order kept, none lost. */
static void many_random(void **state)
{
	struct bench *b = *state;
	const struct rwk_event *ev;
	int64_t last_of[4] = {0};
	struct rwk_event last = {.ts = INT64_MIN};
	uint32_t seed = 12345;
	int n = 0;

	for (int cpu = 0; cpu < 4; cpu++) {
		rwk_ns ts = 0;

		for (int i = 1; i <= MAX_EVENTS; i++) {
			seed = seed * 1103515245 + 12345;
			ts += seed >> 16 & 3;
			add(b, cpu, ts, (enum rwk_event_kind)(1 + (seed >> 20) % 7), i);
		}
	}
	start(b);
	while (rwk_merge_next(b->merge, &ev, NULL) == 1) {
		assert_true(ev->ts >= last.ts);
		/* Out of the order of kinds only where a CPU's own order asks for it. */
		if (n && ev->ts == last.ts && ev->cpu != last.cpu && rwk_event_before(ev, &last)) {
			const struct source *s = &b->source[ev->cpu];

			assert_true(ev->offset > 1);
			assert_int_equal(s->event[ev->offset - 2].ts, ev->ts);
		}
		assert_int_equal(ev->offset, last_of[ev->cpu] + 1);
		last_of[ev->cpu] = ev->offset;
		last = *ev;
		n++;
	}
	assert_int_equal(n, 4 * MAX_EVENTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_at_all, setup, teardown),
		cmocka_unit_test_setup_teardown(by_time_across_cpus, setup, teardown),
		cmocka_unit_test_setup_teardown(ties_between_cpus_by_kind, setup, teardown),
		cmocka_unit_test_setup_teardown(ties_of_one_kind_by_cpu, setup, teardown),
		cmocka_unit_test_setup_teardown(own_order_is_kept_at_ties, setup, teardown),
		cmocka_unit_test_setup_teardown(steps_back_become_a_gap, setup, teardown),
		cmocka_unit_test_setup_teardown(steps_back_until_the_end, setup, teardown),
		cmocka_unit_test_setup_teardown(gap_while_stepping_back, setup, teardown),
		cmocka_unit_test_setup_teardown(stream_is_asked_late, setup, teardown),
		cmocka_unit_test_setup_teardown(failure_of_a_stream, setup, teardown),
		cmocka_unit_test_setup_teardown(woken_stream, setup, teardown),
		cmocka_unit_test_setup_teardown(many_random, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
