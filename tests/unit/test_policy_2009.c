/*
 * The kernels of 2009 (wakeup-placement design §2.11, §5.2) on hand-made
 * pictures, with the loads worked out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "wakeup_build.h"

/* Two packages of 4 CPUs; T is 0, P is 1, each with one task of weight 1024. */
static void two_packages(struct picture *pic)
{
	picture_init(pic, 8, 4, 1, "6.1.192");
}

static void queue(struct picture *pic, int cpu, int nr, uint64_t weight)
{
	pic->cpu[cpu].nr_running = pic->cpu[cpu].nr_fair = (uint16_t)nr;
	pic->cpu[cpu].load_weight = weight;
}

/* balanced: 100·(T + w) ≤ 112·P outside the SMT level. */
static void balance(void **state)
{
	struct picture pic;

	(void)state;
	two_packages(&pic);
	assert_answer(&pic, "affine-on,base=r5", 1, "prev");
	assert_target(&pic, "affine-on,base=r5", 1, "imbalanced");
	queue(&pic, 1, 2, 1828); /* 204800 against 204736 */
	assert_answer(&pic, "affine-on,base=r5", 1, "prev");
	queue(&pic, 1, 2, 1829); /* … 204848 */
	assert_answer(&pic, "affine-on,base=r5", 0, "affine");
	assert_target(&pic, "affine-on,base=r5", 0, "balanced");
	/* p's own weight counts */
	pic.w.wakee.weight = 1025;
	assert_answer(&pic, "affine-on,base=r5", 1, "prev");
	/* an empty T attracts anything */
	queue(&pic, 0, 0, 0);
	queue(&pic, 1, 0, 0);
	assert_answer(&pic, "affine-on,base=r5", 0, "affine");
}

/* Low load: T ≤ P and T + P ≤ mean weight of a task on T. */
static void low_load(void **state)
{
	struct picture pic;

	(void)state;
	two_packages(&pic);
	pic.w.sync = true;
	queue(&pic, 0, 2, 1024 + 15); /* mean 519, without the waker 15 */
	queue(&pic, 1, 1, 504);
	assert_target(&pic, "affine-on,base=r5", 0, "low_load");
	queue(&pic, 1, 1, 505);
	assert_target(&pic, "affine-on,base=r5", 1, "imbalanced");
	queue(&pic, 1, 1, 14); /* lighter than T */
	assert_target(&pic, "affine-on,base=r5", 1, "imbalanced");
}

/* The hint takes the waker off T, unless SYNC_LESS says that one of them runs on for long. */
static void sync_hint(void **state)
{
	struct picture pic;

	(void)state;
	two_packages(&pic);
	pic.w.sync = true;
	assert_target(&pic, "affine-on,base=r5", 0, "balanced_sync");
	pic.w.waker.avg_overlap_ns = 500000;
	assert_target(&pic, "affine-on,base=r5", 0, "balanced_sync");
	pic.w.waker.avg_overlap_ns = 500001;
	assert_target(&pic, "affine-on,base=r5", 1, "imbalanced");
	assert_target(&pic, "affine-on,base=r5,sync_less=0", 0, "balanced_sync");
	assert_target(&pic, "affine-on,base=r5,migration_cost=1ms", 0, "balanced_sync");
	pic.w.waker.avg_overlap_ns = 0;
	pic.w.wakee.avg_overlap_ns = 500001;
	assert_target(&pic, "affine-on,base=r5", 1, "imbalanced");
	/* SYNC_MORE: strictly below, and without the hint */
	pic.w.sync = false;
	pic.w.wakee.avg_overlap_ns = 499999;
	assert_target(&pic, "affine-on,base=r5", 1, "imbalanced");
	assert_target(&pic, "affine-on,base=r5,sync_more=1", 0, "balanced_sync");
	pic.w.wakee.avg_overlap_ns = 500000;
	assert_target(&pic, "affine-on,base=r5,sync_more=1", 1, "imbalanced");
}

static void nowhere_to_go(void **state)
{
	struct picture pic;

	(void)state;
	two_packages(&pic);
	pic.w.sync = true;
	rwk_cpuset_del(&pic.w.allowed, 0);
	assert_target(&pic, "affine-on", 1, "noaff");
	assert_answer(&pic, "affine-on", 1, "prev");
	two_packages(&pic);
	pic.w.sync = true;
	pic.machine_cpu[0].nr_domains = 0;
	assert_target(&pic, "affine-on", 1, "nodomain");
	/* P forbidden since it slept: lowest of its node */
	two_packages(&pic);
	pic.w.prev_cpu = 5;
	rwk_cpuset_del(&pic.w.allowed, 5);
	assert_answer(&pic, "affine-on,base=r5", 4, "fallback_mask");
}

/* 2.6.32: in a package, P if no fair task is there, else the first such CPU. */
static void idle_candidate(void **state)
{
	struct picture pic;

	(void)state;
	two_packages(&pic);
	pic.w.sync = true;
	picture_idle(&pic, 1);
	assert_target(&pic, "affine-on", 1, "balanced_sync");
	assert_answer(&pic, "affine-on", 1, "affine");
	assert_answer(&pic, "affine-on,base=r5", 0, "affine");
	/* P busy: ascending, T and P included, allowed only */
	two_packages(&pic);
	pic.w.sync = true;
	picture_idle(&pic, 3);
	picture_idle(&pic, 2);
	assert_answer(&pic, "affine-on", 2, "affine");
	rwk_cpuset_del(&pic.w.allowed, 2);
	assert_answer(&pic, "affine-on", 3, "affine");
	/* loads of T and P decide even then */
	pic.w.sync = false;
	assert_answer(&pic, "affine-on", 1, "prev");
	queue(&pic, 1, 2, 2048);
	assert_answer(&pic, "affine-on", 3, "affine");
	/* an RT task is no fair one */
	two_packages(&pic);
	pic.w.sync = true;
	pic.cpu[2].nr_fair = 0;
	pic.cpu[2].load_weight = 0;
	assert_answer(&pic, "affine-on", 2, "affine");
	/* the same rules by the kernel's version */
	assert_answer(&pic, "linux,version=2.6.32", 2, "affine");
	assert_answer(&pic, "linux,version=2.6.32.9", 2, "affine");
	picture_init(&pic, 8, 4, 1, "2.6.32.9");
	pic.w.sync = true;
	picture_idle(&pic, 3);
	assert_answer(&pic, "linux", 3, "affine");
}

/* An idle CPU of T's package counts even when P is in another one. */
static void candidate_without_previous(void **state)
{
	struct picture pic;

	(void)state;
	two_packages(&pic);
	pic.w.sync = true;
	pic.w.prev_cpu = 5;
	picture_idle(&pic, 3);
	assert_answer(&pic, "affine-on", 3, "affine");
	assert_answer(&pic, "affine-on,base=r5", 0, "affine");
	/* none idle: NODE joins them, and knows no siblings to prefer */
	two_packages(&pic);
	pic.w.sync = true;
	pic.w.prev_cpu = 5;
	picture_idle(&pic, 6);
	assert_answer(&pic, "affine-on", 0, "affine");
}

/* Within a core there is no idle candidate, and the factor is 105. */
static void smt_level(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 8, 8, 2, "6.1.192");
	picture_idle(&pic, 4);
	pic.w.sync = true;
	assert_answer(&pic, "affine-on", 0, "affine");
	pic.w.sync = false;
	queue(&pic, 1, 2, 1950); /* 204800 against 204750 */
	assert_answer(&pic, "affine-on", 1, "prev");
	queue(&pic, 1, 2, 1951); /* … 204855 */
	assert_answer(&pic, "affine-on", 0, "affine");
	/* another core: MC */
	pic.w.prev_cpu = 6;
	pic.w.sync = true;
	assert_answer(&pic, "affine-on", 4, "affine");
}

/* §5.2 (d): every wakeup stays. */
static void affine_off(void **state)
{
	struct picture pic;

	(void)state;
	two_packages(&pic);
	picture_idle(&pic, 2);
	queue(&pic, 1, 3, 9000);
	pic.w.sync = true;
	assert_answer(&pic, "affine-off,base=r5", 1, "prev");
	assert_target(&pic, "affine-off,base=r5", 1, "noaff");
	/* on the recorded base the idle search around P remains */
	assert_answer(&pic, "affine-off", 2, "scan");
	/* which is not needed to know the 2009 one */
	memset(&pic.machine.kernel, 0, sizeof(pic.machine.kernel));
	assert_answer(&pic, "affine-off,base=r5", 1, "prev");
}

/* Patch 1/3: the core balances instead; another thread must be clearly idler than T. */
static void affine_off_smt(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 8, 8, 2, "6.1.192");
	picture_idle(&pic, 1);
	assert_answer(&pic, "affine-off-smt", 1, "idlest");
	/* not P's core but T's: balancing starts from T */
	pic.w.prev_cpu = 4;
	assert_answer(&pic, "affine-off-smt", 1, "idlest");
	rwk_cpuset_del(&pic.w.allowed, 1);
	assert_answer(&pic, "affine-off-smt", 4, "prev");
	rwk_cpuset_add(&pic.w.allowed, 1);
	/* 100·1024 against 105·load of the other thread */
	queue(&pic, 1, 1, 975); /* 102375 */
	assert_answer(&pic, "affine-off-smt", 1, "idlest");
	queue(&pic, 1, 1, 976); /* 102480 */
	assert_answer(&pic, "affine-off-smt", 4, "prev");
	/* the wider domain is still affine, and asked first */
	queue(&pic, 4, 2, 2048);
	assert_answer(&pic, "affine-off-smt", 0, "affine");
	/* no SMT: nothing changed */
	two_packages(&pic);
	assert_answer(&pic, "affine-off-smt", 1, "prev");
	pic.w.sync = true;
	assert_answer(&pic, "affine-off-smt", 0, "affine");
}

/* What a recording lacks is said. */
static void unknown_inputs(void **state)
{
	struct picture pic;
	struct rwk_verdict v;

	(void)state;
	two_packages(&pic);
	pic.cpu[1].queue_source = RWK_UNKNOWN;
	v = picture_ask(&pic, "affine-on");
	assert_int_equal(v.unknown, 1u << RWK_IN_QUEUE);
	assert_int_equal(v.effects, 0);
	pic.cpu[1].queue_source = RWK_REBUILT;
	pic.w.wakee.avg_overlap_source = RWK_UNKNOWN;
	assert_int_equal(picture_ask(&pic, "affine-on").unknown, 0);
	pic.w.sync = true;
	assert_int_equal(picture_ask(&pic, "affine-on").unknown, 1u << RWK_IN_AVG_OVERLAP);
	pic.w.sync_source = RWK_UNKNOWN;
	assert_int_equal(picture_ask(&pic, "affine-on,sync_less=0").unknown, 1u << RWK_IN_SYNC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(balance),
		cmocka_unit_test(low_load),
		cmocka_unit_test(sync_hint),
		cmocka_unit_test(nowhere_to_go),
		cmocka_unit_test(idle_candidate),
		cmocka_unit_test(candidate_without_previous),
		cmocka_unit_test(smt_level),
		cmocka_unit_test(affine_off),
		cmocka_unit_test(affine_off_smt),
		cmocka_unit_test(unknown_inputs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
