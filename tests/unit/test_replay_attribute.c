/* What a miss is blamed on: history, sources, and CPUs that changed state just then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "events_build.h"
#include "replay/attribute.h"
#include "wakeup_build.h"

#define US ((rwk_ns)1000)
#define T  (5000 * US) /* entry of the probe */
#define S  RWK_END_SLEEPING
#define R  RWK_END_RUNNABLE

static void histories(void **state)
{
	struct rwk_attribution *a;
	enum rwk_history h;

	(void)state;
	assert_int_equal(rwk_attribution_create(8, &a), 0);
	for (int i = 1; i <= 30; i++) {
		assert_int_equal(rwk_attribution_history(a, 700, &h), 0);
		assert_int_equal(h, i == 1    ? RWK_HISTORY_FIRST
				    : i <= 5  ? RWK_HISTORY_TO_5
				    : i <= 20 ? RWK_HISTORY_TO_20
					      : RWK_HISTORY_MORE);
	}
	assert_int_equal(rwk_attribution_history(a, 1, &h), 0);
	assert_int_equal(h, RWK_HISTORY_FIRST);
	rwk_attribution_destroy(a);
}

static void provenance_is_the_worst(void **state)
{
	struct picture pic;
	uint8_t p[RWK_PROVENANCE_COUNT];

	(void)state;
	picture_init(&pic, 8, 4, 1, "6.1.192");
	rwk_attribution_provenance(&pic.w, true, p);
	for (int i = 0; i < RWK_PROVENANCE_COUNT; i++)
		assert_int_equal(p[i], RWK_PROBED);
	pic.w.waker.flips_source = RWK_REBUILT;
	rwk_attribution_provenance(&pic.w, true, p);
	assert_int_equal(p[RWK_PROVENANCE_FLIPS], RWK_REBUILT);
	assert_int_equal(p[RWK_PROVENANCE_WORST], RWK_REBUILT);
	pic.w.sync_source = RWK_INFERRED;
	pic.w.prev_cpu = 5;
	pic.llc[1].nr_idle_scan_source = RWK_UNKNOWN;
	rwk_attribution_provenance(&pic.w, true, p);
	assert_int_equal(p[RWK_PROVENANCE_SYNC], RWK_INFERRED);
	assert_int_equal(p[RWK_PROVENANCE_SCAN], RWK_UNKNOWN);
	assert_int_equal(p[RWK_PROVENANCE_RECENT], RWK_PROBED);
	assert_int_equal(p[RWK_PROVENANCE_WORST], RWK_UNKNOWN);
	/* A kernel without the limit does not miss it. */
	rwk_attribution_provenance(&pic.w, false, p);
	assert_int_equal(p[RWK_PROVENANCE_SCAN], RWK_SOURCE_COUNT);
	assert_int_equal(p[RWK_PROVENANCE_WORST], RWK_INFERRED);
}

/*
 * CPUs 0 to 3 share a cache.  Task 10 on CPU 0 wakes task 20; the kernel took
 * CPU 1, the model said 2.
 */
struct scene {
	struct rows rows; /* for its machine */
	struct rwk_model *m;
	struct rwk_attribution *a;
};

static void happen(struct scene *s, struct rwk_event ev, int64_t wakeup_id, int target)
{
	const struct rwk_wakeup_row row = {.id = wakeup_id, .target_cpu = target};
	struct rwk_feed_item it = {.ev = ev, .wakeup = wakeup_id ? &row : NULL};

	assert_int_equal(rwk_model_apply(s->m, &ev), 0);
	rwk_attribution_apply(s->a, s->m, &it);
}

static void begin(struct scene *s)
{
	struct rwk_model_options opt = {.machine = &s->rows.machine, .hidden = true};

	rows_begin(&s->rows, "6.1.192", false, RWK_PROBE_ALL);
	assert_int_equal(rwk_model_create(&opt, NULL, &s->m), 0);
	assert_int_equal(rwk_attribution_create(8, &s->a), 0);
	happen(s, ev_switch(100, 0, 0, R, 10), 0, 0);
	for (int cpu = 1; cpu < 8; cpu++)
		happen(s, ev_switch(100 + cpu, cpu, 30 + cpu, S, 0), 0, 0);
	happen(s, ev_switch(200, 3, 0, R, 20), 0, 0);
	happen(s, ev_switch(300, 3, 20, S, 0), 0, 0);
}

static void miss(struct scene *s, rwk_ns ret)
{
	const struct rwk_probe_row probe = {.ret_seq = ret != RWK_NS_NONE, .ret_ts = ret};
	struct rwk_wakeup w = {.id = 1,
		.ts = T,
		.machine = &s->rows.machine,
		.recorded_cpu = 1,
		.wakee.utid = rwk_tasks_find(&s->m->tasks, 20, RWK_NONE)->utid};

	assert_int_equal(rwk_attribution_miss(s->a, &w, 2, &probe), 0);
}

static void end(struct scene *s, int in_call, int near_entry, int either)
{
	struct rwk_races r = rwk_attribution_races(s->a);

	assert_int_equal(r.misses, 1);
	assert_int_equal(r.in_call, in_call);
	assert_int_equal(r.near_entry, near_entry);
	assert_int_equal(r.either, either);
	rwk_attribution_destroy(s->a);
	rwk_model_destroy(s->m);
	rows_free(&s->rows);
}

static void change_before_the_entry(void **state)
{
	struct scene s;

	(void)state;
	begin(&s);
	happen(&s, ev_switch(T - 5 * US, 2, 0, R, 40), 0, 0);
	miss(&s, T + US);
	happen(&s, ev_other(T + 9 * US, 0, 10), 0, 0);
	end(&s, 0, 1, 1);
	begin(&s);
	happen(&s, ev_switch(T - 5 * US - 1, 2, 0, R, 40), 0, 0);
	miss(&s, T + US);
	happen(&s, ev_other(T + 9 * US, 0, 10), 0, 0);
	end(&s, 0, 0, 0);
}

static void change_in_the_call(void **state)
{
	struct scene s;

	(void)state;
	begin(&s);
	miss(&s, T + 40 * US);
	happen(&s, ev_switch(T + 40 * US, 2, 0, R, 40), 0, 0);
	end(&s, 1, 0, 1);
	begin(&s);
	miss(&s, T + 2 * US);
	happen(&s, ev_switch(T + 2 * US, 2, 0, R, 40), 0, 0);
	end(&s, 1, 1, 1);
	/* After the return, but near the entry. */
	begin(&s);
	miss(&s, T + 2 * US);
	happen(&s, ev_switch(T + 5 * US, 2, 0, R, 40), 0, 0);
	end(&s, 0, 1, 1);
	/* Too late for both. */
	begin(&s);
	miss(&s, T + 2 * US);
	happen(&s, ev_switch(T + 5 * US + 1, 2, 0, R, 40), 0, 0);
	end(&s, 0, 0, 0);
	/* The return was not seen. */
	begin(&s);
	miss(&s, RWK_NS_NONE);
	happen(&s, ev_switch(T + 3 * US, 2, 0, R, 40), 0, 0);
	end(&s, 0, 1, 1);
}

static void no_race(void **state)
{
	struct scene s;

	(void)state;
	/* Another cache. */
	begin(&s);
	miss(&s, T + 40 * US);
	happen(&s, ev_switch(T + US, 5, 0, R, 40), 0, 0);
	end(&s, 0, 0, 0);
	/* From one task to another: still busy. */
	begin(&s);
	miss(&s, T + 40 * US);
	happen(&s, ev_switch(T + US, 0, 10, R, 40), 0, 0);
	end(&s, 0, 0, 0);
	/* The wakee itself. */
	begin(&s);
	miss(&s, T + 40 * US);
	happen(&s, ev_switch(T + US, 1, 0, R, 20), 0, 0);
	end(&s, 0, 0, 0);
	/* Its own wakeup on its way; then another one's. */
	begin(&s);
	miss(&s, T + 40 * US);
	rwk_model_pending_add(s.m, 1);
	happen(&s, ev_other(T + US, 0, 10), 1, 1);
	rwk_model_pending_add(s.m, 2);
	happen(&s, ev_other(T + 2 * US, 0, 10), 2, 2);
	end(&s, 1, 1, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(histories),
		cmocka_unit_test(provenance_is_the_worst),
		cmocka_unit_test(change_before_the_entry),
		cmocka_unit_test(change_in_the_call),
		cmocka_unit_test(no_race),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
