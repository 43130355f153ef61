/* How a run began, by what came later. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "events_build.h"
#include "model/picture.h"
#include "model/state.h"
#include "replay/prepass.h"

#define R RWK_END_RUNNABLE
#define S RWK_END_SLEEPING

struct list {
	const struct rwk_event *ev;
	size_t nr, at;
};

static int next(void *ctx, struct rwk_feed_item *ret, struct rwk_diag *diag)
{
	struct list *l = ctx;

	(void)diag;
	if (l->at == l->nr)
		return 0;
	*ret = (struct rwk_feed_item){.ev = l->ev[l->at++]};
	return 1;
}

static void first_event_tells_who_was_there(void **state)
{
	const struct rwk_event ev[] = {
		ev_switch(10, 0, 0, R, 100), ev_switch(11, 1, 200, S, 0),
		ev_wake(RWK_EV_WAKEUP, 12, 2, 0, 300, 2), ev_lost(13, 3, 4, RWK_NS_NONE),
		ev_switch(14, 3, 0, R, 400), ev_switch(15, 0, 100, S, 0),
		ev_switch(16, 1, 0, R, 200), ev_other(17, 4, -1),
		ev_switch(18, 9, 0, R, 1), /* no such CPU */
	};
	struct list list = {.ev = ev, .nr = sizeof(ev) / sizeof(ev[0])};
	struct rwk_feed feed = {.ctx = &list, .next = next};
	struct rwk_prepass pre;
	struct rwk_diag diag = {0};

	(void)state;
	assert_int_equal(rwk_prepass_run(&feed, 8, NULL, 0, &diag, &pre), 0);
	assert_true(rwk_first_look_idle(pre.look, 0));
	assert_false(rwk_first_look_idle(pre.look, 1)); /* a task was there */
	assert_true(rwk_first_look_idle(pre.look, 2)); /* interrupted while idle */
	assert_false(rwk_first_look_idle(pre.look, 3)); /* what was lost may have been a switch */
	assert_false(rwk_first_look_idle(pre.look, 4)); /* nobody knows whose event it is */
	assert_false(rwk_first_look_idle(pre.look, 5)); /* no event at all */
	assert_false(rwk_first_look_idle(pre.look, 9));
	assert_false(rwk_first_look_idle(pre.look, -1));
	rwk_prepass_finish(&pre);
}

static void assumed_idle_until_its_own_event(void **state)
{
	struct rwk_event waking = ev_wake(RWK_EV_WAKEUP, 10, 1, 200, 300, 0);
	struct rwk_event in = ev_switch(20, 0, 0, R, 300);
	struct rwk_event out = ev_switch(30, 0, 300, S, 0);
	struct rows r;
	struct rwk_model *m;
	struct rwk_diag diag = {0};

	(void)state;
	rows_begin(&r, "6.1.192", false, RWK_PROBE_NONE);
	assert_int_equal(
		rwk_model_create(&(struct rwk_model_options){.machine = &r.machine, .hidden = true},
			&diag, &m),
		0);
	assert_int_equal(m->view[0].source, RWK_UNKNOWN);
	assert_false(m->view[0].idle);
	rwk_model_assume_idle(m, 0);
	assert_true(m->view[0].idle);
	assert_int_equal(m->view[0].source, RWK_INFERRED);
	assert_int_equal(m->view[0].nr_running, 0);
	assert_int_equal(m->view[1].source, RWK_UNKNOWN);
	/* Somebody is queued there, but its first event has not come yet. */
	assert_int_equal(rwk_model_apply(m, &waking), 0);
	assert_false(m->view[0].idle);
	assert_int_equal(m->view[0].source, RWK_INFERRED);
	assert_int_equal(m->view[0].nr_running, 1);
	assert_int_equal(rwk_model_apply(m, &in), 0);
	assert_false(m->view[0].idle);
	assert_int_equal(m->view[0].source, RWK_REBUILT);
	assert_int_equal(m->view[0].nr_running, 1);
	assert_int_equal(rwk_model_apply(m, &out), 0);
	assert_true(m->view[0].idle);
	assert_int_equal(m->view[0].source, RWK_REBUILT);
	rwk_model_destroy(m);
	rows_end(&r);
	rows_free(&r);
}

/* Tasks came to a sleeping CPU before its first event: they wait there until it has run them. */
static void who_waits_is_not_forgotten(void **state)
{
	const struct rwk_event ev[] = {
		ev_wake(RWK_EV_WAKEUP, 10, 1, 200, 300, 0),
		ev_wake(RWK_EV_WAKEUP_NEW, 11, 1, 200, 301, 0),
		/* The feed shows first that the idle task is there, then that it leaves. */
		ev_other(20, 0, 0),
		ev_switch(20, 0, 0, R, 300),
	};
	struct rows r;
	struct rwk_model *m;
	struct rwk_diag diag = {0};

	(void)state;
	rows_begin(&r, "6.1.192", false, RWK_PROBE_NONE);
	assert_int_equal(
		rwk_model_create(&(struct rwk_model_options){.machine = &r.machine, .hidden = true},
			&diag, &m),
		0);
	rwk_model_assume_idle(m, 0);
	for (size_t i = 0; i < sizeof(ev) / sizeof(ev[0]); i++)
		assert_int_equal(rwk_model_apply(m, &ev[i]), 0);
	assert_int_equal(m->view[0].source, RWK_REBUILT);
	assert_int_equal(m->view[0].nr_running, 2);
	assert_int_equal(m->view[0].load_weight, 2048);
	rwk_model_destroy(m);
	rows_end(&r);
	rows_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_event_tells_who_was_there),
		cmocka_unit_test(assumed_idle_until_its_own_event),
		cmocka_unit_test(who_waits_is_not_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
