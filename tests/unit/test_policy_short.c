/*
 * Short tasks in their definitions of 2022 to 2024 (wakeup-placement design
 * §5.4) on hand-made pictures.  min_granularity is 3 ms, so that an eighth is
 * 375 µs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "wakeup_build.h"

#define MS ((rwk_ns)1000000)

/* 16 CPUs in one LLC, 9 idle; more than half in use, by nr_idle_scan. */
static void half_busy(struct picture *pic)
{
	picture_init(pic, 16, 16, 1, "6.1.192");
	picture_idle(pic, 9);
	pic->llc[0].nr_idle_scan = 8; /* 5·9 < 3·16 */
}

/* 10 sleeps: 30 ms are 3 ms each. */
static void life(struct picture *pic, int cpu, rwk_ns total)
{
	pic->cpu[cpu].curr_run_total_ns = total;
	pic->cpu[cpu].curr_nr_sleeps = 10;
}

/* v1, first half: a short current task of T attracts like a sync waker, whoever else is there. */
static void v1_attracts(void **state)
{
	struct picture pic;

	(void)state;
	half_busy(&pic);
	assert_target(&pic, "sis-short-v1", 1, "weight_prev");
	life(&pic, 0, 30 * MS);
	assert_target(&pic, "sis-short-v1", 0, "wai_short");
	life(&pic, 0, 30 * MS + 1);
	assert_target(&pic, "sis-short-v1", 1, "weight_prev");
	assert_target(&pic, "sis-short-v1,min_granularity=4ms", 0, "wai_short");
	/* what it ran since it was switched in counts */
	life(&pic, 0, 29 * MS);
	pic.cpu[0].curr_since_ns = pic.w.ts - MS;
	assert_target(&pic, "sis-short-v1", 0, "wai_short");
	pic.cpu[0].curr_since_ns--;
	assert_target(&pic, "sis-short-v1", 1, "weight_prev");
	/* before the previous-idle test, and however many are queued */
	life(&pic, 0, MS);
	picture_idle(&pic, 1);
	pic.cpu[0].nr_running = 3;
	assert_target(&pic, "sis-short-v1", 0, "wai_short");
}

/* v1, second half: in a half-busy LLC a short task joins the short task of the target. */
static void v1_joins(void **state)
{
	struct picture pic;

	(void)state;
	half_busy(&pic);
	life(&pic, 1, MS);
	pic.w.wakee.run_total_ns = 30 * MS;
	pic.w.wakee.nr_sleeps = 10;
	assert_answer(&pic, "sis-short-v1", 1, "short");
	pic.llc[0].nr_idle_scan = 9; /* 5·10 > 48 */
	assert_answer(&pic, "sis-short-v1", 9, "scan");
	pic.llc[0].nr_idle_scan = 8;
	pic.w.wakee.nr_sleeps = 9;
	assert_answer(&pic, "sis-short-v1", 9, "scan");
	pic.w.wakee.nr_sleeps = 10;
	life(&pic, 1, 31 * MS);
	assert_answer(&pic, "sis-short-v1", 9, "scan");
	life(&pic, 1, MS);
	/* it sits in the block of SIS_UTIL */
	assert_answer(&pic, "sis-short-v1,sis_util=0", 9, "scan");
	pic.llc[0].nr_idle_scan = 0;
	assert_answer(&pic, "sis-short-v1", 1, "util0");
	/* not while idle cores are expected */
	picture_init(&pic, 16, 16, 2, "6.1.192");
	pic.llc[0].nr_idle_scan = 8;
	pic.llc[0].has_idle_cores = true;
	pic.w.wakee.run_total_ns = 0;
	life(&pic, 1, MS);
	picture_idle(&pic, 8);
	picture_idle(&pic, 9);
	assert_answer(&pic, "sis-short-v1", 8, "core");
}

/* v6: the last of all tests for a target, recent average, steady partners. */
static void v6_attracts(void **state)
{
	struct picture pic;

	(void)state;
	half_busy(&pic);
	pic.w.waker.avg_run_ns = 374999;
	assert_target(&pic, "sis-short-v6", 0, "wai_short");
	pic.w.waker.avg_run_ns = 375000;
	assert_target(&pic, "sis-short-v6", 1, "weight_prev");
	pic.w.waker.avg_run_ns = 0; /* never slept: nothing is known of it */
	assert_target(&pic, "sis-short-v6", 1, "weight_prev");
	pic.w.waker.avg_run_ns = 1000;
	pic.w.waker.wakee_flips = 1;
	assert_target(&pic, "sis-short-v6", 1, "weight_prev");
	pic.w.waker.wakee_flips = 0;
	pic.cpu[0].nr_running = 2;
	assert_target(&pic, "sis-short-v6", 1, "weight_prev");
	pic.cpu[0].nr_running = 1;
	picture_idle(&pic, 1);
	assert_target(&pic, "sis-short-v6", 1, "wai_prev");
}

static void v6_joins(void **state)
{
	struct picture pic;

	(void)state;
	half_busy(&pic);
	pic.w.waker.avg_run_ns = pic.w.wakee.avg_run_ns = 1000;
	assert_answer(&pic, "sis-short-v6", 0, "short");
	pic.llc[0].nr_idle_scan = 9;
	assert_answer(&pic, "sis-short-v6", 9, "scan");
	pic.llc[0].nr_idle_scan = 8;
	pic.w.wakee.wakee_flips = 1;
	assert_answer(&pic, "sis-short-v6", 0, "scan_limit");
	pic.w.wakee.wakee_flips = 0;
	/* only on the waker's CPU: P is the target here */
	pic.cpu[0].nr_running = 2;
	assert_answer(&pic, "sis-short-v6", 9, "scan");
}

/* SIS_CURRENT: no search at all, sync or not, idle CPUs or not. */
static void current(void **state)
{
	struct picture pic;

	(void)state;
	half_busy(&pic);
	picture_idle(&pic, 1);
	pic.w.waker.avg_run_ns = pic.w.wakee.avg_run_ns = 1000;
	pic.w.waker.last_wakee = pic.w.wakee.utid;
	pic.w.wakee.last_wakee = pic.w.waker.utid;
	assert_answer(&pic, "sis-current", 0, "short");
	assert_int_equal(picture_ask(&pic, "sis-current").effects, 0);
	pic.w.wakee.last_wakee = 77;
	assert_answer(&pic, "sis-current", 1, "target_idle");
	pic.w.wakee.last_wakee = pic.w.waker.utid;
	pic.w.wakee.wakee_flips = 1;
	assert_answer(&pic, "sis-current", 1, "target_idle");
	pic.w.wakee.wakee_flips = 0;
	pic.cpu[0].nr_running = 2;
	assert_answer(&pic, "sis-current", 1, "target_idle");
	pic.cpu[0].nr_running = 1;
	/* v7 against min_granularity, v8 against migration_cost */
	pic.w.wakee.avg_run_ns = 62500; /* · 8 = 0.5 ms */
	assert_answer(&pic, "sis-current", 0, "short");
	assert_answer(&pic, "sis-current,limit=v8", 1, "target_idle");
	pic.w.wakee.avg_run_ns = 62499;
	assert_answer(&pic, "sis-current,limit=v8", 0, "short");
	rwk_cpuset_del(&pic.w.allowed, 0);
	assert_answer(&pic, "sis-current", 1, "target_idle");
}

/* The May 2024 posting: no mutual test, but slices that users shortened. */
static void sync_slice(void **state)
{
	struct picture pic;
	struct rwk_verdict v;

	(void)state;
	picture_init(&pic, 16, 16, 1, "6.12.117");
	picture_idle(&pic, 9);
	pic.w.sync = true;
	pic.w.waker.avg_run_ns = pic.w.wakee.avg_run_ns = 1953;
	assert_answer(&pic, "sis-sync-slice", 9, "scan");
	pic.w.waker.short_slice = pic.w.wakee.short_slice = true;
	assert_answer(&pic, "sis-sync-slice", 0, "sis_sync");
	pic.w.waker.short_slice = false;
	assert_answer(&pic, "sis-sync-slice", 9, "scan");
	pic.w.waker.short_slice = true;
	pic.w.waker.avg_run_ns = 1954;
	assert_answer(&pic, "sis-sync-slice", 9, "scan");
	/* nobody knows: the base, and said so; or as if all were shortened */
	pic.w.waker.avg_run_ns = 1953;
	pic.w.waker.short_slice_source = pic.w.wakee.short_slice_source = RWK_UNKNOWN;
	v = picture_ask(&pic, "sis-sync-slice");
	assert_int_equal(v.cpu, 9);
	assert_int_equal(v.unknown, 1u << RWK_IN_SLICE);
	assert_answer(&pic, "sis-sync-slice,shortened=1", 0, "sis_sync");
}

/* 0.75 ms · (1 + log2(min(CPUs, 8))) where it was not recorded. */
static void default_granularity(void **state)
{
	struct picture pic;

	(void)state;
	half_busy(&pic);
	pic.machine.min_granularity_ns = RWK_NS_NONE;
	pic.w.waker.avg_run_ns = 374999; /* 8 and more CPUs: 3 ms */
	assert_target(&pic, "sis-short-v6", 0, "wai_short");
	pic.w.waker.avg_run_ns = 375000;
	assert_target(&pic, "sis-short-v6", 1, "weight_prev");
	picture_init(&pic, 4, 4, 1, "6.1.192");
	pic.machine.min_granularity_ns = RWK_NS_NONE;
	pic.w.waker.avg_run_ns = 281249; /* 4 CPUs: 2.25 ms */
	assert_target(&pic, "sis-short-v6", 0, "wai_short");
	pic.w.waker.avg_run_ns = 281250;
	assert_target(&pic, "sis-short-v6", 1, "weight_prev");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(v1_attracts),
		cmocka_unit_test(v1_joins),
		cmocka_unit_test(v6_attracts),
		cmocka_unit_test(v6_joins),
		cmocka_unit_test(current),
		cmocka_unit_test(sync_slice),
		cmocka_unit_test(default_granularity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
