/*
 * Machines whose CPUs are not alike: capacities (wakeup-placement design §2.8),
 * clusters (§2.6), SCHED_IDLE queues (§0, fd54d81c2c0e).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "wakeup_build.h"

/* CPUs 0-3 of capacity 512, 4-7 of 1024, one LLC; target is P = 1. */
static void big_little(struct picture *pic, const char *kernel)
{
	picture_init(pic, 8, 8, 1, kernel);
	picture_asym(pic, 4);
	pic->w.wakee.util_avg = 100;
}

/* u·1280 < 512·1024: up to 409. */
static void fits(void **state)
{
	struct picture pic;

	(void)state;
	big_little(&pic, "6.1.192");
	picture_idle(&pic, 1);
	picture_idle(&pic, 5);
	pic.w.wakee.util_avg = 409;
	assert_answer(&pic, "linux", 1, "target_idle");
	pic.w.wakee.util_avg = 410;
	assert_answer(&pic, "linux", 5, "asym");
	/* what the queue expects counts as much */
	pic.w.wakee.util_avg = 0;
	pic.w.wakee.util_est = 410;
	assert_answer(&pic, "linux", 5, "asym");
	/* pressure on the big one: 410·1280 against 512·1024 again, then the first as good */
	pic.cpu[5].capacity = 512;
	assert_answer(&pic, "linux", 1, "asym");
	/* no CPU idle at all */
	big_little(&pic, "6.1.192");
	assert_answer(&pic, "linux", 1, "none");
	/* capacities differ, but not where the target is */
	big_little(&pic, "6.1.192");
	pic.w.wakee.util_avg = 1024;
	pic.machine_cpu[1].domain[0].flags &= ~(uint32_t)RWK_SD_ASYM_CPUCAPACITY;
	picture_idle(&pic, 2);
	assert_answer(&pic, "linux", 2, "scan");
}

/* From the target itself on, around; none fits: the largest, first among equals. */
static void scan_order(void **state)
{
	struct picture pic;

	(void)state;
	big_little(&pic, "6.1.192");
	pic.w.prev_cpu = 3;
	picture_idle(&pic, 1);
	picture_idle(&pic, 2);
	pic.w.wakee.recent_cpu = 3;
	assert_answer(&pic, "linux", 1, "asym"); /* 3 … 7 0 1: fits there */
	pic.w.wakee.util_avg = 900;
	assert_answer(&pic, "linux", 1, "asym"); /* nowhere: equal, so the first */
	picture_idle(&pic, 6);
	assert_answer(&pic, "linux", 6, "asym"); /* not there either, but larger */
	rwk_cpuset_del(&pic.w.allowed, 6);
	assert_answer(&pic, "linux", 1, "asym");
}

/* P idle but too small is no answer of step 2, nor recent of step 4. */
static void steps_ask(void **state)
{
	struct picture pic;

	(void)state;
	big_little(&pic, "6.1.192");
	pic.w.sync = true; /* target 0 */
	picture_idle(&pic, 1);
	picture_idle(&pic, 2);
	pic.w.wakee.recent_cpu = 2;
	picture_idle(&pic, 7);
	assert_answer(&pic, "linux", 1, "prev_idle");
	pic.w.wakee.util_avg = 500;
	assert_answer(&pic, "linux", 7, "asym");
	pic.cpu[1].idle = false;
	pic.w.wakee.util_avg = 100;
	assert_answer(&pic, "linux", 2, "recent");
	/* 5.9 scans before anything else and finds its first fit */
	assert_answer(&pic, "linux,version=5.9", 2, "asym");
	pic.w.wakee.util_avg = 500;
	assert_answer(&pic, "linux,version=5.9", 7, "asym");
}

/* uclamp: since 6.1 (and in 5.10.y) a limit to fit under, else a clamped utilisation. */
static void uclamp(void **state)
{
	struct picture pic;

	(void)state;
	big_little(&pic, "6.1.192");
	picture_idle(&pic, 1);
	picture_idle(&pic, 5);
	/* asks for 600: little ones fit but for that */
	pic.w.wakee.uclamp_min = 600;
	assert_answer(&pic, "linux", 5, "asym");
	assert_answer(&pic, "linux,version=5.15", 5, "asym");
	pic.cpu[5].idle = false;
	picture_idle(&pic, 2);
	assert_answer(&pic, "linux", 1, "asym");
	/* is kept below 512: fits on little ones however much it runs */
	big_little(&pic, "6.1.192");
	picture_idle(&pic, 1);
	picture_idle(&pic, 5);
	pic.w.wakee.util_avg = 900;
	pic.w.wakee.uclamp_max = 512;
	assert_answer(&pic, "linux", 1, "target_idle");
	assert_answer(&pic, "linux,version=5.10", 1, "target_idle");
	assert_answer(&pic, "linux,version=5.15", 5, "asym");
}

/* Since 7.0 with SMT: the sibling must be idle too, the scan is limited and wants cores. */
static void whole_cores(void **state)
{
	struct picture pic;
	struct rwk_verdict v;

	(void)state;
	picture_init(&pic, 8, 8, 2, "7.3.4");
	picture_asym(&pic, 4);
	pic.w.wakee.util_avg = 100;
	picture_idle(&pic, 1);
	assert_answer(&pic, "linux,version=6.18", 1, "target_idle");
	picture_idle(&pic, 4);
	picture_idle(&pic, 5);
	/* without the hint any idle thread will do in the scan */
	assert_answer(&pic, "linux", 1, "asym");
	pic.llc[0].has_idle_cores = true;
	v = picture_ask(&pic, "linux");
	assert_int_equal(v.cpu, 4);
	assert_int_equal(v.effects & RWK_EFFECT_NO_IDLE_CORES, 0);
	pic.cpu[5].idle = false;
	v = picture_ask(&pic, "linux");
	assert_int_equal(v.cpu, 4); /* threads only: the larger one */
	assert_int_not_equal(v.effects & RWK_EFFECT_NO_IDLE_CORES, 0);
	pic.llc[0].nr_idle_scan = 0;
	assert_answer(&pic, "linux", 1, "util0");
	/* without the hint the limit counts CPUs: 1 2 3, then 4 */
	pic.llc[0].has_idle_cores = false;
	pic.cpu[1].idle = false;
	pic.llc[0].nr_idle_scan = 3;
	assert_answer(&pic, "linux", 1, "none");
	pic.llc[0].nr_idle_scan = 4;
	assert_answer(&pic, "linux", 4, "asym");
}

/* §2.6 with clusters of 2 in one LLC: P and recent return at once only from target's own. */
static void clusters(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 8, 8, 1, "6.12.117");
	picture_clusters(&pic, 2);
	pic.w.prev_cpu = 4;
	pic.w.sync = true; /* target 0, in cluster 0-1 */
	pic.w.wakee.recent_cpu = 0;
	picture_idle(&pic, 4);
	assert_answer(&pic, "linux", 4, "scan"); /* order 1, then 2 3 4 */
	assert_answer(&pic, "linux,cluster=0", 4, "prev_idle");
	picture_idle(&pic, 1);
	assert_answer(&pic, "linux", 1, "scan"); /* own cluster first */
	pic.w.prev_cpu = 1;
	assert_answer(&pic, "linux", 1, "prev_idle");
	/* the scan fails at its limit: remembered P */
	pic.cpu[1].idle = false;
	pic.w.prev_cpu = 4;
	pic.llc[0].nr_idle_scan = 1;
	assert_answer(&pic, "linux", 4, "cluster_prev");
	/* or remembered recent */
	pic.cpu[4].idle = false;
	picture_idle(&pic, 6);
	pic.w.wakee.recent_cpu = 6;
	assert_answer(&pic, "linux", 6, "cluster_prev");
	rwk_cpuset_del(&pic.w.allowed, 6);
	assert_answer(&pic, "linux", 0, "scan_limit");
}

/* A queue of SCHED_IDLE tasks is available, since 7.0 not to a wakee of that kind. */
static void sched_idle(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 8, 8, 1, "6.18.2");
	pic.cpu[1].sched_idle = true;
	assert_answer(&pic, "linux", 1, "target_idle");
	pic.w.wakee.is_sched_idle = true;
	assert_answer(&pic, "linux", 1, "target_idle");
	assert_answer(&pic, "linux,idlepolicy=1", 1, "none");
	picture_idle(&pic, 6);
	assert_answer(&pic, "linux,version=7.3", 6, "scan");
	assert_answer(&pic, "linux,version=7.3,idlepolicy=0", 1, "target_idle");
	pic.w.wakee.is_sched_idle = false;
	assert_answer(&pic, "linux,version=7.3", 1, "target_idle");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fits),
		cmocka_unit_test(scan_order),
		cmocka_unit_test(steps_ask),
		cmocka_unit_test(uclamp),
		cmocka_unit_test(whole_cores),
		cmocka_unit_test(clusters),
		cmocka_unit_test(sched_idle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
