/* Shifting the clocks of CPUs: order, ties, what events borrow, bounds. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decode/shift.h"

struct source {
	struct rwk_event ev[16];
	int nr, at, fail_at;
	rwk_ns endless; /* > 0: events of CPU 0, that far apart, without end */
	struct rwk_ev_probe probe; /* the last one's, which the next overwrites */
};

static int pull(void *ctx, struct rwk_event *ret, struct rwk_diag *diag)
{
	struct source *s = ctx;

	if (s->fail_at && s->at == s->fail_at)
		return rwk_diag_push(diag, -EIO, "cannot read");
	if (s->endless) {
		*ret = (struct rwk_event){.ts = s->at++ * s->endless, .kind = RWK_EV_OTHER};
		return 1;
	}
	if (s->at == s->nr)
		return 0;
	*ret = s->ev[s->at++];
	if (ret->kind == RWK_EV_SEL) {
		s->probe.prev_cpu = (int32_t)ret->offset;
		ret->probe = &s->probe;
	}
	return 1;
}

static void add(struct source *s, rwk_ns ts, int cpu, enum rwk_event_kind kind)
{
	s->ev[s->nr] = (struct rwk_event){
		.ts = ts, .cpu = cpu, .kind = (uint8_t)kind, .offset = s->nr, .tid = RWK_NONE};
	if (kind == RWK_EV_LOST)
		s->ev[s->nr].lost = (struct rwk_ev_lost){.count = 1, .from_ts = ts - 10};
	s->nr++;
}

static struct rwk_shift *start(struct source *s, int cpu, rwk_ns ns)
{
	static rwk_ns skew[RWK_MAX_CPUS];
	struct rwk_shift *shift;

	memset(skew, 0, sizeof(skew));
	skew[cpu] = ns;
	assert_int_equal(rwk_shift_create(skew, pull, s, &shift), 0);
	return shift;
}

static void next_is(struct rwk_shift *shift, rwk_ns ts, int64_t offset)
{
	struct rwk_event ev;

	assert_int_equal(rwk_shift_next(shift, &ev, NULL), 1);
	assert_int_equal(ev.ts, ts);
	assert_int_equal(ev.offset, offset);
	if (ev.kind == RWK_EV_SEL)
		assert_int_equal(ev.probe->prev_cpu, offset);
	if (ev.kind == RWK_EV_LOST)
		assert_int_equal(ev.lost.from_ts, ts - 10);
}

static void ends(struct rwk_shift *shift)
{
	struct rwk_event ev;

	assert_int_equal(rwk_shift_next(shift, &ev, NULL), 0);
	assert_int_equal(rwk_shift_next(shift, &ev, NULL), 0);
	rwk_shift_destroy(shift);
}

static void moves_backwards_and_forwards(void **state)
{
	struct source s = {0};
	struct rwk_shift *shift;

	(void)state;
	add(&s, 100, 0, RWK_EV_SWITCH);
	add(&s, 200, 1, RWK_EV_SEL);
	add(&s, 300, 0, RWK_EV_SEL);
	add(&s, 400, 1, RWK_EV_LOST);
	add(&s, 500, 0, RWK_EV_SEL);
	shift = start(&s, 1, -150);
	next_is(shift, 50, 1);
	next_is(shift, 100, 0);
	next_is(shift, 250, 3);
	next_is(shift, 300, 2);
	next_is(shift, 500, 4);
	ends(shift);
	s.at = 0;
	shift = start(&s, 1, 150);
	next_is(shift, 100, 0);
	next_is(shift, 300, 2);
	next_is(shift, 350, 1);
	next_is(shift, 500, 4);
	next_is(shift, 550, 3);
	ends(shift);
}

/* At one time a wakeup comes before the switch that it ends in; a CPU keeps its own order. */
static void ties_are_ordered_anew(void **state)
{
	struct source s = {0};
	struct rwk_shift *shift;

	(void)state;
	add(&s, 100, 0, RWK_EV_SWITCH);
	add(&s, 100, 0, RWK_EV_WAKING);
	add(&s, 160, 1, RWK_EV_WAKING);
	add(&s, 160, 2, RWK_EV_SWITCH);
	shift = start(&s, 1, -60);
	next_is(shift, 100, 2);
	next_is(shift, 100, 0);
	next_is(shift, 100, 1);
	next_is(shift, 160, 3);
	ends(shift);
}

/* Shifted to where no time can be: refused, since any other time would be a wrong one. */
static void times_have_ends(void **state)
{
	static const struct {
		rwk_ns ts, shift;
	} bad[] = {{INT64_MAX - 5, 100}, {50, -100}, {INT64_MAX / 2, -INT64_MAX / 2 - 1}};
	struct rwk_event ev;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct source s = {0};
		struct rwk_shift *shift;

		add(&s, bad[i].ts, 1, RWK_EV_SWITCH);
		shift = start(&s, 1, bad[i].shift);
		assert_int_equal(rwk_shift_next(shift, &ev, NULL), -ERANGE);
		rwk_shift_destroy(shift);
		s.at = 0;
		shift = start(&s, 2, bad[i].shift);
		next_is(shift, bad[i].ts, 0);
		ends(shift);
	}
}

static void failures_go_through(void **state)
{
	struct source s = {.fail_at = 1};
	struct rwk_diag diag = {0};
	struct rwk_shift *shift;
	struct rwk_event ev;

	(void)state;
	add(&s, 100, 0, RWK_EV_SWITCH);
	shift = start(&s, 1, -60);
	assert_int_equal(rwk_shift_next(shift, &ev, &diag), -EIO);
	assert_int_equal(diag.nr, 1);
	rwk_shift_destroy(shift);
}

/* Sorting what lies years apart would take all memory. */
static void memory_is_bounded(void **state)
{
	struct source s = {.endless = 10};
	struct rwk_diag diag = {0};
	struct rwk_shift *shift;
	struct rwk_event ev;

	(void)state;
	shift = start(&s, 1, INT64_MIN / 2);
	assert_int_equal(rwk_shift_next(shift, &ev, &diag), -E2BIG);
	assert_int_equal(diag.nr, 1);
	assert_true(s.at <= RWK_SHIFT_WAITING + 1);
	rwk_shift_destroy(shift);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(moves_backwards_and_forwards),
		cmocka_unit_test(ties_are_ordered_anew),
		cmocka_unit_test(times_have_ends),
		cmocka_unit_test(failures_go_through),
		cmocka_unit_test(memory_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
