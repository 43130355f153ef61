/* Load tracking and the scan hint against numbers of the design (§2.7, §4.1, §4.3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "events_build.h"
#include "model/hints.h"
#include "model/load.h"
#include "model/pelt.h"
#include "model/picture.h"

#define PERIOD_NS ((rwk_ns)1024 * 1024)
#define S         RWK_END_SLEEPING

/* y^32 = ½, and what is older than 63 half-lives is nothing. */
static void decay(void **state)
{
	(void)state;
	assert_int_equal(rwk_pelt_decay(1024, 0), 1023); /* the table's 2^32 − 1 */
	assert_int_equal(rwk_pelt_decay(1 << 20, 32), (1 << 19) - 1);
	assert_int_equal(rwk_pelt_decay(1 << 20, 64), (1 << 18) - 1);
	assert_int_equal(rwk_pelt_decay(UINT64_MAX, 2017), 0);
	assert_int_equal(rwk_pelt_decay(47742, 1), 46718);
}

/* Running for ever: the sum of the whole series, 1023 or 1024 by rounding. */
static void saturates(void **state)
{
	struct rwk_pelt p = {0};
	struct rwk_pelt_input in = {.load = 1, .runnable = 1, .running = true};

	(void)state;
	for (int i = 1; i <= 1000; i++) {
		assert_true(rwk_pelt_update(&p, i * PERIOD_NS, &in));
		rwk_pelt_refresh(&p, 1024);
	}
	assert_in_range(p.util_avg, 1022, 1024);
	assert_in_range(p.load_avg, 1022, 1024);
	/* 32 periods asleep halve it */
	in = (struct rwk_pelt_input){0};
	assert_true(rwk_pelt_update(&p, 1032 * PERIOD_NS, &in));
	rwk_pelt_refresh(&p, 1024);
	assert_in_range(p.util_avg, 510, 512);
}

/* Averages are only due when a period boundary was crossed; less than a unit changes nothing. */
static void boundaries(void **state)
{
	struct rwk_pelt p = {0};
	struct rwk_pelt_input in = {.load = 1, .runnable = 1, .running = true};

	(void)state;
	assert_false(rwk_pelt_update(&p, 1023, &in));
	assert_int_equal(p.util_sum, 0);
	assert_false(rwk_pelt_update(&p, 1024 * 100, &in));
	assert_int_equal(p.util_sum, 100 << 10);
	assert_int_equal(p.period_contrib, 100);
	assert_true(rwk_pelt_update(&p, PERIOD_NS, &in));
	assert_int_equal(p.period_contrib, 0);
	/* time that runs backwards restarts the clock instead of wrapping */
	assert_false(rwk_pelt_update(&p, 5, &in));
	assert_int_equal(p.last, 5);
}

/* The examples of design §2.7, LLC of 16. */
static void idle_scan_examples(void **state)
{
	(void)state;
	assert_int_equal(rwk_nr_idle_scan(16 * 256, 16), 14);
	assert_int_equal(rwk_nr_idle_scan(16 * 512, 16), 10);
	assert_int_equal(rwk_nr_idle_scan(16 * 768, 16), 3);
	assert_int_equal(rwk_nr_idle_scan(16 * 876, 16), 0);
	assert_int_equal(rwk_nr_idle_scan(0, 16), 16);
	assert_int_equal(rwk_nr_idle_scan(16 * 1024, 16), 0);
}

/* Main line brought the limit with 6.0; what it was ported back to is 5.15 alone. */
static void idle_scan_versions(void **state)
{
	(void)state;
	assert_false(rwk_has_idle_scan((struct rwk_version){5, 10, 223}));
	assert_true(rwk_has_idle_scan((struct rwk_version){5, 15, 85}));
	assert_false(rwk_has_idle_scan((struct rwk_version){5, 16, 0}));
	assert_false(rwk_has_idle_scan((struct rwk_version){5, 19, 17}));
	assert_true(rwk_has_idle_scan((struct rwk_version){6, 0, 0}));
	assert_true(rwk_has_idle_scan((struct rwk_version){7, 3, 4}));
}

static void weights(void **state)
{
	(void)state;
	assert_int_equal(rwk_prio_weight(120), 1024);
	assert_int_equal(rwk_prio_weight(100), 88761);
	assert_int_equal(rwk_prio_weight(139), 15);
	assert_int_equal(rwk_prio_weight(99), 0);
	assert_int_equal(rwk_prio_weight(140), 0);
}

static struct rwk_model *model(struct rows *r)
{
	struct rwk_model_options opt = {.machine = &r->machine, .hidden = true};
	struct rwk_model *m;

	rows_begin(r, "6.1.0", false, RWK_PROBE_ALL);
	assert_int_equal(rwk_model_create(&opt, NULL, &m), 0);
	return m;
}

static void apply(struct rwk_model *m, struct rwk_event ev)
{
	assert_int_equal(rwk_model_apply(m, &ev), 0);
}

/* Recorded values count, but a recorder that says "none here" leaves nr_idle_scan as it was. */
static void recorded_hints(void **state)
{
	const struct rwk_ev_probe probe = {.nr_llc = 2,
		.llc = {{.first_cpu = 0, .nr_idle_scan = 3, .has_idle_cores = 1},
			{.first_cpu = 4, .nr_idle_scan = RWK_NONE, .has_idle_cores = 1}}};
	struct rows r;
	struct rwk_model *m = model(&r);
	int32_t before = m->llc[1].nr_idle_scan;

	(void)state;
	rwk_model_hint_probe(m, &probe, true);
	assert_int_equal(m->llc[0].nr_idle_scan, 3);
	assert_int_equal(m->llc[0].nr_idle_scan_source, RWK_PROBED);
	assert_int_equal(m->llc[1].nr_idle_scan, before);
	assert_int_not_equal(m->llc[1].nr_idle_scan_source, RWK_PROBED);
	for (int i = 0; i < 2; i++) {
		assert_true(m->llc[i].has_idle_cores);
		assert_int_equal(m->llc[i].has_idle_cores_source, RWK_PROBED);
	}
	rwk_model_destroy(m);
	rows_free(&r);
}

/* A new task brings its full load; when it dies its queue loses it again. */
static void birth_and_death(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r);

	(void)state;
	apply(m, ev_switch(1000, 0, 0, RWK_END_RUNNABLE, 10));
	apply(m, ev_wake(RWK_EV_WAKEUP_NEW, 2000, 0, 10, 50, 1));
	assert_int_equal(m->view[1].load_avg, 1024);
	assert_int_equal(m->view[1].nr_running, 1);
	apply(m, ev_switch(3000, 1, 0, RWK_END_RUNNABLE, 50));
	apply(m, ev_switch(4000, 1, 50, RWK_END_DEAD, 0));
	apply(m, ev_wake(RWK_EV_WAKEUP_NEW, 5 * PERIOD_NS, 0, 10, 51, 1));
	assert_int_equal(m->view[1].load_avg, 1024); /* the new one's alone */
	rwk_model_destroy(m);
	rows_free(&r);
}

/* Who dies is taken off only after the switch: an idle CPU keeps that load until its next update.
 */
static void the_dead_linger(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r);

	(void)state;
	apply(m, ev_switch(1000, 1, 0, RWK_END_RUNNABLE, 20));
	apply(m, ev_switch(40 * PERIOD_NS, 1, 20, RWK_END_DEAD, 0));
	assert_in_range(m->view[1].util_avg, 550, 620);
	assert_in_range(m->view[1].runnable_avg, 550, 620);
	apply(m, ev_wake(RWK_EV_WAKEUP, 41 * PERIOD_NS, 0, 0, 21, 1));
	assert_in_range(m->view[1].util_avg, 0, 20);
	assert_in_range(m->view[1].runnable_avg, 0, 20);
	rwk_model_destroy(m);
	rows_free(&r);
}

/* An idle CPU's load decays every 32 ms while another CPU is busy, and else not at all. */
static void idle_decay(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r);
	uint32_t left;

	(void)state;
	apply(m, ev_switch(PERIOD_NS, 1, 0, RWK_END_RUNNABLE, 20));
	apply(m, ev_switch(41 * PERIOD_NS, 1, 20, S, 0));
	rwk_load_ticks(m);
	left = m->view[1].util_avg;
	assert_in_range(left, 550, 620);
	apply(m, ev_other(200 * PERIOD_NS, 0, 0)); /* nobody runs */
	rwk_load_ticks(m);
	assert_int_equal(m->view[1].util_avg, left);
	apply(m, ev_switch(201 * PERIOD_NS, 0, 0, RWK_END_RUNNABLE, 30));
	apply(m, ev_other(206 * PERIOD_NS, 0, 30)); /* a tick of its later */
	rwk_load_ticks(m);
	assert_in_range(m->view[1].util_avg, left * 2 / 100, left * 4 / 100); /* y^160 = 1/32 */
	left = m->view[1].util_avg;
	apply(m, ev_other(211 * PERIOD_NS, 0, 30)); /* the next tick is no reason */
	rwk_load_ticks(m);
	assert_int_equal(m->view[1].util_avg, left);
	rwk_model_destroy(m);
	rows_free(&r);
}

/* Since when a CPU idles is known from the switch that made it so. */
static void idle_since(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r);

	(void)state;
	apply(m, ev_other(1000, 2, 0));
	assert_true(m->view[2].idle);
	assert_int_equal(m->view[2].idle_since_source, RWK_UNKNOWN);
	apply(m, ev_switch(2000, 2, 0, RWK_END_RUNNABLE, 20));
	apply(m, ev_switch(3000, 2, 20, S, 0));
	assert_int_equal(m->view[2].idle_since_ns, 3000);
	assert_int_equal(m->view[2].idle_since_source, RWK_REBUILT);
	rwk_model_destroy(m);
	rows_free(&r);
}

/* A sleeper's load stays behind, frozen while its CPU idles, and moves with it to another queue. */
static void blocked_load_moves(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r);
	uint32_t left;

	(void)state;
	apply(m, ev_switch(1000, 1, 0, RWK_END_RUNNABLE, 20));
	apply(m, ev_switch(40 * PERIOD_NS, 1, 20, S, 0));
	left = m->view[1].load_avg;
	assert_in_range(left, 550, 620); /* 1 − y^40 of a full CPU */
	apply(m, ev_wake(RWK_EV_WAKING, 41 * PERIOD_NS, 0, 0, 20, 1));
	assert_int_equal(m->view[1].load_avg, left);
	apply(m, ev_migrate(41 * PERIOD_NS, 0, 0, 20, 1, 2));
	apply(m, ev_wake(RWK_EV_WAKEUP, 41 * PERIOD_NS, 2, 0, 20, 2));
	assert_in_range(m->view[2].load_avg, left - 30, left);
	/* its old queue lets go at its next update */
	apply(m, ev_switch(42 * PERIOD_NS, 1, 0, RWK_END_RUNNABLE, 21));
	assert_in_range(m->view[1].load_avg, 0, 20);
	rwk_model_destroy(m);
	rows_free(&r);
}

/* H(t) of the only task of a queue is one less than its load (§4.5). */
static void h_load(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r);

	(void)state;
	apply(m, ev_wake(RWK_EV_WAKEUP_NEW, 2000, 0, 10, 50, 1));
	assert_int_equal(rwk_load_h(m, rwk_tasks_find(&m->tasks, 50, RWK_NONE)), 1023);
	rwk_model_destroy(m);
	rows_free(&r);
}

/* nr and idle over a sleep, a remote wakeup in flight, and the arrival. */
static void idle_and_pending(void **state)
{
	struct rows r;
	struct rwk_model *m = model(&r);

	(void)state;
	assert_int_equal(m->view[3].source, RWK_UNKNOWN); /* never seen: neither idle nor busy */
	assert_false(m->view[3].idle);
	apply(m, ev_switch(1000, 3, 20, S, 0));
	assert_true(m->view[3].idle);
	rwk_model_pending_add(m, 3);
	assert_false(m->view[3].idle);
	assert_true(m->view[3].pending);
	rwk_model_pending_del(m, 3);
	assert_true(m->view[3].idle);
	apply(m, ev_wake(RWK_EV_WAKEUP, 2000, 0, 10, 20, 3));
	assert_false(m->view[3].idle);
	assert_int_equal(m->view[3].nr_running, 1);
	apply(m, ev_migrate(2500, 4, 44, 20, 3, 5)); /* pulled away while it waited */
	assert_true(m->view[3].idle);
	assert_int_equal(m->view[5].nr_running, 1);
	rwk_model_destroy(m);
	rows_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decay),
		cmocka_unit_test(saturates),
		cmocka_unit_test(boundaries),
		cmocka_unit_test(idle_scan_examples),
		cmocka_unit_test(idle_scan_versions),
		cmocka_unit_test(weights),
		cmocka_unit_test(recorded_hints),
		cmocka_unit_test(birth_and_death),
		cmocka_unit_test(the_dead_linger),
		cmocka_unit_test(idle_decay),
		cmocka_unit_test(idle_since),
		cmocka_unit_test(blocked_load_moves),
		cmocka_unit_test(h_load),
		cmocka_unit_test(idle_and_pending),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
