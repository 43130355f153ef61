/* Prices of other answers on hand-made stays: exact waits, and every reason for having none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "replay/price.h"
#include "wakeup_build.h"

#define US    ((rwk_ns)1000)
#define T     (5000 * US) /* instant of the decision */
#define NEVER RWK_NS_NONE

/* 8 CPUs, two LLCs of 4; the waker runs on 0, the kernel chose 1. */
struct scene {
	struct picture pic;
	struct rwk_prices *prices;
};

static void begin(struct scene *s)
{
	picture_init(&s->pic, 8, 4, 1, "6.1.192");
	s->pic.w.ts = T;
	assert_int_equal(rwk_prices_create(8, &s->prices), 0);
}

static void stay(struct scene *s, int cpu, rwk_ns from, rwk_ns to, enum rwk_end_state end, bool cut)
{
	const struct rwk_slice_row row = {.id = 1,
		.ts = from,
		.dur = to == NEVER ? RWK_NS_NONE : to - from,
		.cpu = cpu,
		.end_state = (uint8_t)end,
		.cut = cut};
	const struct rwk_feed_item it = {
		.ev = {.ts = from, .cpu = cpu, .kind = RWK_EV_SWITCH}, .slice = &row};

	rwk_prices_apply(s->prices, &it);
}

static void lose(struct scene *s, int cpu)
{
	const struct rwk_feed_item it = {.ev = {.ts = T - US, .cpu = cpu, .kind = RWK_EV_LOST}};

	rwk_prices_apply(s->prices, &it);
}

static struct rwk_price get(struct scene *s, int cpu)
{
	struct rwk_price p;

	rwk_prices_get(s->prices, &s->pic.w, cpu, &p);
	return p;
}

/* A busy CPU costs what its task still stays, on both sides alike. */
static void busy_until_its_task_left(void **state)
{
	struct scene s;
	struct rwk_price p;

	(void)state;
	begin(&s);
	stay(&s, 2, T - 900 * US, T - 100 * US, RWK_END_SLEEPING, false);
	stay(&s, 2, T - 100 * US, T + 70 * US, RWK_END_PREEMPTED, false);
	stay(&s, 1, T - 10 * US, T + 250 * US, RWK_END_SLEEPING, false);
	p = get(&s, 2);
	assert_int_equal(p.kind, RWK_PRICE_BUSY);
	assert_int_equal(p.wait_ns, 70 * US);
	assert_int_equal(p.kernel_kind, RWK_PRICE_BUSY);
	assert_int_equal(p.kernel_wait_ns, 250 * US);
	/* It leaves at this very instant. */
	stay(&s, 2, T - 100 * US, T, RWK_END_SLEEPING, false);
	p = get(&s, 2);
	assert_int_equal(p.kind, RWK_PRICE_BUSY);
	assert_int_equal(p.wait_ns, 0);
	rwk_prices_destroy(s.prices);
}

static void idle_has_no_wait_of_its_own(void **state)
{
	struct scene s;
	struct rwk_price p;

	(void)state;
	begin(&s);
	stay(&s, 2, T - 100 * US, T + 70 * US, RWK_END_RUNNABLE, false);
	stay(&s, 1, T - 100 * US, T + 30 * US, RWK_END_RUNNABLE, false);
	picture_idle(&s.pic, 2);
	p = get(&s, 2);
	assert_int_equal(p.kind, RWK_PRICE_IDLE);
	assert_int_equal(p.wait_ns, RWK_NS_NONE);
	assert_int_equal(p.kernel_kind, RWK_PRICE_BUSY);
	assert_int_equal(p.kernel_wait_ns, 30 * US);
	/* The idle task is there, but a wakeup is on its way: busy until that arrives. */
	s.pic.cpu[2].idle = false;
	s.pic.cpu[2].pending = true;
	p = get(&s, 2);
	assert_int_equal(p.kind, RWK_PRICE_BUSY);
	assert_int_equal(p.wait_ns, 70 * US);
	rwk_prices_destroy(s.prices);
}

static void no_price_and_why(void **state)
{
	struct scene s;

	(void)state;
	begin(&s);
	/* Nothing was ever seen there. */
	assert_int_equal(get(&s, 2).kind, RWK_PRICE_NO_TASK);
	assert_int_equal(get(&s, 2).kernel_kind, RWK_PRICE_NO_TASK);
	/* The model does not know either. */
	stay(&s, 2, T - US, T + US, RWK_END_SLEEPING, false);
	assert_int_equal(get(&s, 2).kind, RWK_PRICE_BUSY);
	s.pic.cpu[2].source = RWK_UNKNOWN;
	assert_int_equal(get(&s, 2).kind, RWK_PRICE_NO_TASK);
	/* Events were lost before: unknown; before it left: its end is no end. */
	stay(&s, 3, T - 2 * US, T + US, RWK_END_SLEEPING, false);
	lose(&s, 3);
	assert_int_equal(get(&s, 3).kind, RWK_PRICE_NO_TASK);
	stay(&s, 3, T - US, T + 5 * US, RWK_END_UNKNOWN, true);
	assert_int_equal(get(&s, 3).kind, RWK_PRICE_LOST);
	/* Still there when the trace ended. */
	stay(&s, 4, T - US, NEVER, RWK_END_UNKNOWN, false);
	assert_int_equal(get(&s, 4).kind, RWK_PRICE_END);
	/* One second is a price, more is none. */
	stay(&s, 5, T - US, T + RWK_PRICE_HORIZON_NS, RWK_END_SLEEPING, false);
	assert_int_equal(get(&s, 5).kind, RWK_PRICE_BUSY);
	assert_int_equal(get(&s, 5).wait_ns, RWK_PRICE_HORIZON_NS);
	stay(&s, 5, T - US, T + RWK_PRICE_HORIZON_NS + 1, RWK_END_SLEEPING, false);
	assert_int_equal(get(&s, 5).kind, RWK_PRICE_HORIZON);
	/* What a plugin may answer, and what a damaged file may hold. */
	assert_int_equal(get(&s, 8).kind, RWK_PRICE_NO_TASK);
	assert_int_equal(get(&s, 1023).kind, RWK_PRICE_NO_TASK);
	stay(&s, 6, INT64_MAX - 5, INT64_MAX, RWK_END_SLEEPING, false);
	assert_int_equal(get(&s, 6).kind, RWK_PRICE_HORIZON);
	stay(&s, 6, T - 9 * US, T - 8 * US, RWK_END_SLEEPING, false);
	assert_int_equal(get(&s, 6).kind, RWK_PRICE_NO_TASK);
	stay(&s, 99, T, T, RWK_END_SLEEPING, false);
	rwk_prices_destroy(s.prices);
}

static void idle_cpu_passed_over(void **state)
{
	struct scene s;

	(void)state;
	begin(&s);
	assert_false(get(&s, 2).passed_idle);
	picture_idle(&s.pic, 3);
	assert_true(get(&s, 2).passed_idle);
	assert_false(get(&s, 3).passed_idle); /* that one is idle itself */
	assert_false(get(&s, 5).passed_idle); /* the idle one is in the other cache */
	rwk_cpuset_del(&s.pic.w.allowed, 3);
	assert_false(get(&s, 2).passed_idle);
	picture_idle(&s.pic, 0);
	s.pic.cpu[0].source = RWK_UNKNOWN;
	assert_false(get(&s, 2).passed_idle);
	s.pic.machine_cpu[2].llc = RWK_NONE;
	assert_false(get(&s, 2).passed_idle);
	rwk_prices_destroy(s.prices);
}

static void waker_that_slept(void **state)
{
	struct scene s;

	(void)state;
	begin(&s);
	assert_false(get(&s, 2).waker_slept);
	stay(&s, 0, T - US, T + 200 * US, RWK_END_SLEEPING, false);
	assert_true(get(&s, 2).waker_slept);
	stay(&s, 0, T - US, T + 200 * US, RWK_END_DISK, false);
	assert_true(get(&s, 2).waker_slept);
	stay(&s, 0, T - US, T + 200 * US + 1, RWK_END_SLEEPING, false);
	assert_false(get(&s, 2).waker_slept);
	stay(&s, 0, T - US, T + US, RWK_END_PREEMPTED, false);
	assert_false(get(&s, 2).waker_slept);
	stay(&s, 0, T - US, T + US, RWK_END_RUNNABLE, false);
	assert_false(get(&s, 2).waker_slept);
	stay(&s, 0, T - US, T + US, RWK_END_SLEEPING, true);
	assert_false(get(&s, 2).waker_slept);
	stay(&s, 0, T - US, T + US, RWK_END_SLEEPING, false);
	s.pic.w.waker.is_idle = true;
	assert_false(get(&s, 2).waker_slept);
	rwk_prices_destroy(s.prices);
}

static void observe(struct scene *s, rwk_ns latency)
{
	const struct rwk_wakeup_row row = {.run_dur = latency};

	rwk_prices_observe(s->prices, &s->pic.w, &row);
}

static void idle_wait_is_the_median(void **state)
{
	struct scene s;
	int64_t nr;

	(void)state;
	begin(&s);
	assert_int_equal(rwk_prices_idle_wait(s.prices, &nr), RWK_NS_NONE);
	assert_int_equal(nr, 0);
	observe(&s, 7); /* the kernel's CPU is busy */
	picture_idle(&s.pic, 1);
	observe(&s, RWK_NS_NONE); /* it never ran */
	s.pic.w.this_cpu = 1;
	observe(&s, 7); /* not remote */
	s.pic.w.this_cpu = 0;
	s.pic.w.recorded_source = RWK_UNKNOWN;
	observe(&s, 7);
	s.pic.w.recorded_source = RWK_PROBED;
	assert_int_equal(rwk_prices_idle_wait(s.prices, &nr), RWK_NS_NONE);
	observe(&s, 30);
	observe(&s, 10);
	observe(&s, 20);
	assert_int_equal(rwk_prices_idle_wait(s.prices, &nr), 20);
	assert_int_equal(nr, 3);
	observe(&s, 25); /* of four the lower middle */
	assert_int_equal(rwk_prices_idle_wait(s.prices, &nr), 20);
	observe(&s, 26);
	assert_int_equal(rwk_prices_idle_wait(s.prices, &nr), 25);
	rwk_prices_destroy(s.prices);
}

/* Never above the true value, and less than a thousandth below. */
static void median_of_any_size(void **state)
{
	(void)state;
	for (int64_t v = 1; v > 0 && v < INT64_MAX / 3; v = v * 2 + v / 3 + 1) {
		const int64_t try[] = {v - 1, v, v + 1};

		for (int i = 0; i < 3; i++) {
			struct scene s;
			int64_t nr, got;

			begin(&s);
			picture_idle(&s.pic, 1);
			observe(&s, try[i]);
			got = rwk_prices_idle_wait(s.prices, &nr);
			assert_true(got <= try[i] && try[i] - got <= try[i] / 1000);
			rwk_prices_destroy(s.prices);
		}
	}
	struct scene s;
	int64_t nr;

	begin(&s);
	picture_idle(&s.pic, 1);
	observe(&s, INT64_MAX);
	assert_true(rwk_prices_idle_wait(s.prices, &nr) > INT64_MAX / 1001 * 1000);
	rwk_prices_destroy(s.prices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(busy_until_its_task_left),
		cmocka_unit_test(idle_has_no_wait_of_its_own),
		cmocka_unit_test(no_price_and_why),
		cmocka_unit_test(idle_cpu_passed_over),
		cmocka_unit_test(waker_that_slept),
		cmocka_unit_test(idle_wait_is_the_median),
		cmocka_unit_test(median_of_any_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
