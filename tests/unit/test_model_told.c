/* Lengths of run queues as the kernel told them, on hand-made runs: what a policy then sees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "events_build.h"
#include "model/picture.h"
#include "model/state.h"

#define S      RWK_END_SLEEPING
#define R      RWK_END_RUNNABLE
#define WAKEUP RWK_EV_WAKEUP

static struct rwk_model *model(struct rows *r)
{
	struct rwk_model_options opt = {.machine = &r->machine, .hidden = true};
	struct rwk_model *m;

	rows_begin(r, "6.12.117", false, RWK_PROBE_ALL);
	assert_int_equal(rwk_model_create(&opt, NULL, &m), 0);
	return m;
}

static void apply(struct rwk_model *m, struct rwk_event ev)
{
	assert_int_equal(rwk_model_apply(m, &ev), 0);
}

static const struct rwk_cpu_view *view(struct rwk_model *m, int cpu)
{
	struct rwk_wakeup w = {0};

	rwk_eevdf_publish(m);
	rwk_model_picture(m, &w);
	return &w.cpu[cpu];
}

/* One that blocks and is not taken off counts as delayed until it is, or until it is woken. */
static void delayed_is_what_is_left(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r);

	(void)state;
	apply(m, ev_switch(1000, 0, 9, S, 0));
	apply(m, ev_nr(2000, 0, 0, 0, 1, 1));
	/* Counted, but not yet told of: the CPU is not idle. */
	assert_false(view(m, 0)->idle);
	assert_int_equal(view(m, 0)->nr_running, 1);
	assert_int_equal(view(m, 0)->nr_delayed, 0);
	apply(m, ev_wake(WAKEUP, 2010, 0, 0, 10, 0));
	apply(m, ev_nr(2020, 1, 5, 0, 2, 1));
	apply(m, ev_wake(WAKEUP, 2030, 1, 5, 20, 0));
	apply(m, ev_switch(2040, 0, 0, R, 10));
	assert_int_equal(view(m, 0)->nr_running, 2);
	assert_int_equal(view(m, 0)->nr_delayed, 0);
	/* 10 blocks and stays. */
	apply(m, ev_switch(3000, 0, 10, S, 20));
	assert_int_equal(view(m, 0)->nr_running, 2);
	assert_int_equal(view(m, 0)->nr_delayed, 1);
	/* Woken where it is. */
	apply(m, ev_wake(WAKEUP, 4000, 0, 20, 10, 0));
	assert_int_equal(view(m, 0)->nr_running, 2);
	assert_int_equal(view(m, 0)->nr_delayed, 0);
	/* Both block; the first is taken off with the second. */
	apply(m, ev_switch(5000, 0, 20, S, 10));
	assert_int_equal(view(m, 0)->nr_delayed, 1);
	apply(m, ev_nr(6000, 0, 10, 0, 1, -1));
	apply(m, ev_nr(6001, 0, 10, 0, 0, -1));
	assert_int_equal(view(m, 0)->nr_running, 0);
	assert_int_equal(view(m, 0)->nr_delayed, 0);
	assert_false(view(m, 0)->idle);
	apply(m, ev_switch(6002, 0, 10, S, 0));
	assert_true(view(m, 0)->idle);
	rwk_model_destroy(m);
	rows_free(&r);
}

/* It leaves its old queue before the event of its move, and joins the new one after that. */
static void moves(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r);

	(void)state;
	apply(m, ev_switch(1000, 0, 9, S, 0));
	apply(m, ev_switch(1000, 1, 8, S, 0));
	apply(m, ev_nr(2000, 0, 0, 0, 1, 1));
	apply(m, ev_wake(WAKEUP, 2010, 0, 0, 10, 0));
	apply(m, ev_nr(2020, 0, 0, 0, 2, 1));
	apply(m, ev_wake(WAKEUP, 2030, 0, 0, 20, 0));
	apply(m, ev_switch(2040, 0, 0, R, 10));
	apply(m, ev_nr(3000, 1, 0, 0, 1, -1));
	apply(m, ev_migrate(3010, 1, 0, 20, 0, 1));
	assert_int_equal(view(m, 0)->nr_running, 1);
	assert_int_equal(view(m, 0)->nr_delayed, 0);
	apply(m, ev_nr(3020, 1, 0, 1, 1, 1));
	assert_int_equal(view(m, 1)->nr_running, 1);
	assert_int_equal(view(m, 1)->nr_delayed, 0);
	rwk_model_destroy(m);
	rows_free(&r);
}

/* A CPU of which only others have told: idle or not is known, and marked as less than rebuilt. */
static void told_by_others(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r);

	(void)state;
	assert_int_equal(view(m, 5)->source, RWK_UNKNOWN);
	apply(m, ev_nr(1000, 0, 9, 5, 2, 1));
	assert_int_equal(view(m, 5)->source, RWK_INFERRED);
	assert_false(view(m, 5)->idle);
	assert_int_equal(view(m, 5)->nr_running, 2);
	apply(m, ev_nr(2000, 0, 9, 5, 0, -2));
	assert_true(view(m, 5)->idle);
	assert_int_equal(view(m, 5)->curr, RWK_NONE);
	/* Any loss may hide a change of any queue. */
	apply(m, ev_lost(3000, 0, 1, RWK_NS_NONE));
	assert_int_equal(view(m, 5)->source, RWK_UNKNOWN);
	/* More than a view holds, and a CPU that there is not. */
	apply(m, ev_nr(4000, 0, 9, 5, INT32_MAX, 1));
	assert_int_equal(view(m, 5)->nr_running, UINT16_MAX);
	apply(m, ev_nr(4000, 0, 9, 800, 1, 1));
	rwk_model_destroy(m);
	rows_free(&r);
}

/* What the kernel told stands above what its events let one rebuild. */
static void told_beats_rebuilt(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r);

	(void)state;
	apply(m, ev_switch(1000, 0, 9, S, 0));
	apply(m, ev_wake(WAKEUP, 2000, 0, 0, 10, 0));
	apply(m, ev_switch(2010, 0, 0, R, 10));
	assert_int_equal(view(m, 0)->nr_running, 1);
	assert_int_equal(view(m, 0)->source, RWK_REBUILT);
	apply(m, ev_nr(2020, 1, 5, 0, 3, 1));
	assert_int_equal(view(m, 0)->nr_running, 3);
	assert_int_equal(view(m, 0)->source, RWK_REBUILT);
	rwk_model_destroy(m);
	rows_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(delayed_is_what_is_left),
		cmocka_unit_test(moves),
		cmocka_unit_test(told_by_others),
		cmocka_unit_test(told_beats_rebuilt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
