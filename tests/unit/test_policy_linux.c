/*
 * Each step of the kernel family on hand-made pictures, with the answer worked
 * out from the wakeup-placement design (section in each test).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "wakeup_build.h"

/* §2.4: a before b before c; version decides whether c exists. */
static void wake_affine_idle(void **state)
{
	struct picture pic;

	(void)state;
	/* a: T idle and cache shared: P if idle, else T. */
	picture_init(&pic, 8, 4, 1, "6.1.192");
	pic.w.context = RWK_CTX_HARDIRQ;
	picture_idle(&pic, 0);
	assert_target(&pic, "linux", 0, "wai_this");
	picture_idle(&pic, 1);
	assert_target(&pic, "linux", 1, "wai_prev");
	/* b: sync and the waker alone. */
	picture_init(&pic, 8, 4, 1, "6.1.192");
	pic.w.sync = true;
	assert_target(&pic, "linux", 0, "wai_sync");
	pic.cpu[0].nr_running = 2;
	assert_target(&pic, "linux", 1, "weight_prev");
	/* b with delayed dequeue: 6.12.y subtracts, 6.12.0 does not. */
	picture_init(&pic, 8, 4, 1, "6.12.117");
	pic.w.sync = true;
	pic.cpu[0].nr_running = 2;
	pic.cpu[0].nr_delayed = 1;
	assert_target(&pic, "linux", 0, "wai_sync");
	assert_target(&pic, "linux,delayed=raw", 1, "weight_prev");
	/* an exiting waker is not sync */
	pic.w.waker.is_exiting = true;
	assert_target(&pic, "linux", 1, "weight_prev");
	/* c: from 5.11 on, across caches too. */
	picture_init(&pic, 8, 4, 1, "6.1.192");
	pic.w.prev_cpu = 5;
	picture_idle(&pic, 5);
	assert_target(&pic, "linux", 5, "wai_prev");
	pic.cpu[5].load_avg = 4096;
	pic.cpu[0].load_avg = 0;
	assert_target(&pic, "linux,version=5.10", 0, "weight_this");
	/* features */
	pic.cpu[5].load_avg = 0;
	assert_target(&pic, "linux,wa_idle=0,wa_weight=0", 5, "undecided_prev");
}

/* §2.5 with numbers: MC domain, imbalance 117 → factor 108. */
static void wake_affine_weight(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 8, 4, 1, "6.1.192");
	pic.w.wakee.h_load = 100;
	pic.cpu[0].load_avg = 700; /* (700+100)·100 = 80000 */
	pic.cpu[1].load_avg = 841; /* (841−100)·108 = 80028 */
	assert_target(&pic, "linux", 0, "weight_this");
	pic.cpu[1].load_avg = 840; /* (840−100)·108 = 79920 */
	assert_target(&pic, "linux", 1, "weight_prev");
	/* 5.9's NUMA factor is 112, from the domain's own imbalance_pct */
	assert_target(&pic, "linux,wa_bias=0", 1, "weight_prev");
	/* sync: the waker's own load does not count against T, ties go to T */
	pic.w.sync = true;
	pic.cpu[0].nr_running = 2;
	pic.w.waker.h_load = 300;
	pic.cpu[0].load_avg = 300; /* (0+100)·100 = 10000 */
	pic.cpu[1].load_avg = 192; /* 92·108 = 9936, +1 */
	assert_target(&pic, "linux", 1, "weight_prev");
	pic.w.waker.h_load = 301; /* more than all of T's */
	assert_target(&pic, "linux", 0, "weight_this");
	/* negative: P's load without p */
	pic.w.sync = false;
	pic.cpu[1].load_avg = 10;
	assert_target(&pic, "linux", 1, "weight_prev");
}

/* §2.2: wide = not (s < f or m < s·f), f = LLC size. */
static void wake_wide(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 8, 4, 1, "6.1.192");
	picture_idle(&pic, 0);
	pic.w.wakee.wakee_flips = 4;
	pic.w.waker.wakee_flips = 15;
	assert_target(&pic, "linux", 0, "wai_this");
	pic.w.waker.wakee_flips = 16;
	assert_target(&pic, "linux", 1, "wide");
	pic.w.wakee.wakee_flips = 3;
	pic.w.waker.wakee_flips = 1000;
	assert_target(&pic, "linux", 0, "wai_this");
	/* and not symmetric in who is who */
	pic.w.wakee.wakee_flips = 16;
	pic.w.waker.wakee_flips = 4;
	assert_target(&pic, "linux", 1, "wide");
}

/* §2.2: T not allowed, or no domain spans both. */
static void no_affine(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 8, 4, 1, "6.1.192");
	picture_idle(&pic, 0);
	rwk_cpuset_del(&pic.w.allowed, 0);
	assert_target(&pic, "linux", 1, "noaff");
	picture_init(&pic, 8, 4, 1, "6.1.192");
	picture_idle(&pic, 0);
	pic.machine_cpu[0].nr_domains = 0;
	assert_target(&pic, "linux", 1, "nodomain");
	picture_init(&pic, 8, 4, 1, "6.1.192");
	assert_target(&pic, "affine-off", 1, "noaff");
}

/* §2.6 steps 1, 2, 4, 9 in order. */
static void sibling_steps(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 16, 16, 1, "6.1.192");
	pic.llc[0].nr_idle_scan = 0;
	assert_answer(&pic, "linux", 1, "util0");
	pic.llc[0].nr_idle_scan = 16;
	assert_answer(&pic, "linux", 1, "none");
	picture_idle(&pic, 9);
	assert_answer(&pic, "linux", 9, "scan");
	picture_idle(&pic, 7);
	pic.w.wakee.recent_cpu = 9;
	assert_answer(&pic, "linux", 9, "recent");
	rwk_cpuset_del(&pic.w.allowed, 9);
	assert_answer(&pic, "linux", 7, "scan");
	pic.w.sync = true; /* target T, busy; P idle shares its cache */
	picture_idle(&pic, 1);
	assert_answer(&pic, "linux", 1, "prev_idle");
	pic.w.sync = false;
	assert_answer(&pic, "linux", 1, "target_idle");
}

/* §2.6 step 4: who is written, by version. */
static void recent_effects(void **state)
{
	struct picture pic;
	struct rwk_verdict v;

	(void)state;
	picture_init(&pic, 16, 16, 1, "6.1.192");
	v = picture_ask(&pic, "linux");
	assert_true(v.effects & RWK_EFFECT_RECENT_PREV);
	assert_false(v.effects & RWK_EFFECT_RECENT_THIS);
	v = picture_ask(&pic, "linux,version=5.10");
	assert_false(v.effects & RWK_EFFECT_RECENT_PREV);
	assert_true(v.effects & RWK_EFFECT_RECENT_THIS);
	picture_idle(&pic, 1); /* step 1 returns before */
	v = picture_ask(&pic, "linux");
	assert_false(v.effects & RWK_EFFECT_RECENT_PREV);
}

/* §2.6 step 3: only in task context, only where the waker is alone and P is T. */
static void pcpu_kthread(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 16, 16, 1, "6.1.192");
	picture_idle(&pic, 9);
	pic.w.prev_cpu = 0;
	pic.w.waker.is_pcpu_kthread = true;
	assert_answer(&pic, "linux", 0, "pcpu_kthread");
	pic.w.context = RWK_CTX_SOFTIRQ;
	assert_answer(&pic, "linux", 9, "scan");
	assert_answer(&pic, "linux,version=5.9", 0, "pcpu_kthread");
	pic.w.context = RWK_CTX_TASK;
	pic.cpu[0].nr_running = 2;
	assert_answer(&pic, "linux", 9, "scan");
}

/* §2.7: at most nr_idle_scan CPUs, from target+1 (5.15+), wrapping. */
static void scan_limit(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 16, 16, 1, "6.1.192");
	picture_idle(&pic, 5); /* target 1: order 2 3 4 5 */
	pic.llc[0].nr_idle_scan = 3;
	assert_answer(&pic, "linux", 1, "scan_limit");
	pic.llc[0].nr_idle_scan = 4;
	assert_answer(&pic, "linux", 5, "scan");
	assert_answer(&pic, "linux,scan=full", 5, "scan");
	/* started at the target, 5 is one further away */
	assert_answer(&pic, "linux,start=0", 1, "scan_limit");
	/* wraps to CPUs below the target */
	picture_init(&pic, 16, 16, 1, "6.1.192");
	pic.w.prev_cpu = 14;
	picture_idle(&pic, 2); /* order 15 0 1 2 */
	pic.llc[0].nr_idle_scan = 4;
	assert_answer(&pic, "linux", 2, "scan");
	pic.llc[0].nr_idle_scan = 3;
	assert_answer(&pic, "linux", 14, "scan_limit");
	/* forbidden CPUs are not counted */
	rwk_cpuset_del(&pic.w.allowed, 15);
	assert_answer(&pic, "linux", 2, "scan");
}

/* §2.7 SIS_PROP of 5.10: never fewer than 4, of which one less is looked at; starts at target. */
static void prop_limit(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 16, 16, 1, "5.10.223");
	picture_idle(&pic, 3); /* order 1 2 3: the third */
	assert_answer(&pic, "linux", 3, "scan");
	picture_init(&pic, 16, 16, 1, "5.10.223");
	picture_idle(&pic, 4);
	assert_answer(&pic, "linux", 1, "scan_limit");
	pic.w.avg_idle_source = pic.w.avg_scan_cost_source = RWK_PROBED;
	pic.w.avg_idle_ns = 512 * 1000; /* a = 1000, k = 3200: span 16000, n = 5 */
	pic.w.avg_scan_cost_ns = 3199;
	assert_answer(&pic, "linux", 4, "scan");
}

/* §2.6 step 7: siblings of P before the scan from 5.13, of target after it before. */
static void smt_step(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 16, 16, 2, "6.1.192");
	pic.w.prev_cpu = 4;
	picture_idle(&pic, 5);
	picture_idle(&pic, 6);
	assert_answer(&pic, "linux", 5, "smt");
	pic.llc[0].has_idle_cores =
		true; /* then cores first: 6's is not whole, 5 is the fallback */
	assert_answer(&pic, "linux", 5, "core_fallback");
	picture_idle(&pic, 7);
	assert_answer(&pic, "linux", 6, "core");
	pic.llc[0].has_idle_cores = false;
	assert_answer(&pic, "linux,version=5.10", 5, "scan");
}

/* The sibling is the last resort up to 5.11, none in 5.12, and the first from 5.13 on. */
static void smt_step_by_version(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 16, 16, 2, "5.10.223");
	pic.w.prev_cpu = 5;
	picture_idle(&pic, 4);
	assert_answer(&pic, "linux", 4, "smt");
	assert_answer(&pic, "linux,version=5.11", 4, "smt");
	assert_answer(&pic, "linux,version=5.12", 5, "scan_limit");
	assert_answer(&pic, "linux,version=5.12,smt=target", 4, "smt");
	assert_answer(&pic, "linux,version=5.13", 4, "smt");
}

/* §2.7 core test: first CPU met of a whole core, busy cores leave, hint cleared when none. */
static void core_scan(void **state)
{
	struct picture pic;
	struct rwk_verdict v;

	(void)state;
	picture_init(&pic, 8, 8, 2, "6.1.192");
	pic.llc[0].has_idle_cores = true;
	pic.w.prev_cpu = 2;
	picture_idle(&pic, 6);
	picture_idle(&pic, 7);
	assert_answer(&pic, "linux", 6, "core");
	/* met at the second thread when the scan starts inside the core */
	pic.w.prev_cpu = 6;
	pic.cpu[6].idle = false;
	picture_idle(&pic, 7);
	pic.w.prev_cpu = 2;
	v = picture_ask(&pic, "linux");
	assert_int_equal(v.cpu, 7);
	assert_string_equal(picture_reason("linux", &v), "core_fallback");
	assert_true(v.effects & RWK_EFFECT_NO_IDLE_CORES);
	/* nr_idle_scan 0 fails even then, and leaves the hint */
	pic.llc[0].nr_idle_scan = 0;
	v = picture_ask(&pic, "linux");
	assert_string_equal(picture_reason("linux", &v), "util0");
	assert_false(v.effects & RWK_EFFECT_NO_IDLE_CORES);
	/* the fallback must be allowed, membership is of the scan's mask */
	pic.llc[0].nr_idle_scan = 8;
	rwk_cpuset_del(&pic.w.allowed, 7);
	assert_answer(&pic, "linux", 2, "none");
}

/* §1.1 row 8: a forbidden answer is repaired to the node of P first. */
static void repair(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 8, 4, 1, "6.1.192");
	pic.w.prev_cpu = 5;
	rwk_cpuset_zero(&pic.w.allowed);
	rwk_cpuset_add(&pic.w.allowed, 2);
	rwk_cpuset_add(&pic.w.allowed, 7);
	assert_answer(&pic, "linux", 7, "fallback_mask");
	rwk_cpuset_del(&pic.w.allowed, 7);
	assert_answer(&pic, "linux", 2, "fallback_mask");
}

static void sync_hint_to_current_cpu(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 8, 4, 1, "6.6.57");
	pic.w.current_cpu = true;
	assert_answer(&pic, "linux", 0, "current_cpu");
	assert_answer(&pic, "linux,version=6.1", 1, "none");
}

/* §5.1: who wins among idle T, idle P, with and without a shared cache. */
static void dispute_of_2020(void **state)
{
	struct picture pic;

	(void)state;
	/* T busy, P idle elsewhere, T's load lower: only lawall stays. */
	picture_init(&pic, 8, 4, 1, "6.1.192");
	pic.w.prev_cpu = 5;
	picture_idle(&pic, 5);
	pic.cpu[5].load_avg = 4096;
	pic.cpu[0].load_avg = 0;
	assert_target(&pic, "lawall", 5, "wai_prev");
	assert_target(&pic, "v5.9", 0, "weight_this");
	assert_target(&pic, "gorman", 0, "weight_this");
	/* shared cache, both idle */
	picture_init(&pic, 8, 4, 1, "6.1.192");
	picture_idle(&pic, 0);
	picture_idle(&pic, 1);
	assert_target(&pic, "gorman", 1, "wai_prev");
	assert_target(&pic, "v5.9", 1, "wai_prev");
	/* shared cache, P idle, T busy, sync: gorman keeps P, the others follow the hint */
	picture_init(&pic, 8, 4, 1, "6.1.192");
	picture_idle(&pic, 1);
	pic.w.sync = true;
	assert_target(&pic, "gorman", 1, "wai_prev");
	assert_target(&pic, "lawall", 0, "wai_sync");
}

/* §5.3: before any search, T, if the waker is alone there. */
static void vagin(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 8, 8, 1, "6.1.192");
	picture_idle(&pic, 6);
	pic.w.sync = true;
	assert_answer(&pic, "vagin", 0, "sync_idle");
	assert_answer(&pic, "linux", 6, "scan");
	pic.cpu[0].nr_running = 2;
	assert_answer(&pic, "vagin", 6, "scan");
	pic.cpu[0].nr_running = 1;
	pic.w.sync = false;
	assert_answer(&pic, "vagin", 6, "scan");
	/* also when P is T after a failed want_affine */
	pic.w.sync = true;
	pic.w.prev_cpu = 0;
	assert_answer(&pic, "vagin", 0, "sync_idle");
}

/* §5.4: threshold, mutual test, hint, and what comes before. */
static void sis_sync(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 16, 16, 1, "6.12.117");
	picture_idle(&pic, 9);
	pic.w.sync = true;
	pic.w.waker.last_wakee = pic.w.wakee.utid;
	pic.w.wakee.last_wakee = pic.w.waker.utid;
	pic.w.waker.avg_run_ns = pic.w.wakee.avg_run_ns = 1953; /* limit 1953.125 ns at 16 CPUs */
	assert_answer(&pic, "sis-sync", 0, "sis_sync");
	pic.w.wakee.avg_run_ns = 1954;
	assert_answer(&pic, "sis-sync", 9, "scan");
	assert_answer(&pic, "sis-sync,migration_cost=1ms", 0, "sis_sync");
	pic.w.wakee.avg_run_ns = 0;
	assert_answer(&pic, "sis-sync", 0, "sis_sync");
	assert_answer(&pic, "sis-sync,zero_is_short=0", 9, "scan");
	pic.w.wakee.last_wakee = 77;
	assert_answer(&pic, "sis-sync", 9, "scan");
	pic.w.wakee.last_wakee = pic.w.waker.utid;
	pic.cpu[0].nr_running = 2;
	assert_answer(&pic, "sis-sync", 9, "scan");
	pic.cpu[0].nr_running = 1;
	pic.llc[0].nr_idle_scan = 0;
	assert_answer(&pic, "sis-sync", 0, "util0");
}

/* What nobody knows is said, not guessed. */
static void unknown_inputs(void **state)
{
	struct picture pic;
	struct rwk_verdict v;

	(void)state;
	picture_init(&pic, 16, 16, 1, "6.1.192");
	pic.llc[0].nr_idle_scan_source = RWK_UNKNOWN;
	pic.w.sync_source = RWK_UNKNOWN;
	v = picture_ask(&pic, "linux");
	assert_int_equal(v.unknown, 1u << RWK_IN_NR_IDLE_SCAN | 1u << RWK_IN_SYNC);
	pic.machine.topology_known = false;
	v = picture_ask(&pic, "linux");
	assert_int_equal(v.cpu, RWK_NONE);
	assert_int_equal(v.unknown, 1u << RWK_IN_TOPOLOGY);
	assert_string_equal(picture_reason("linux", &v), "unanswered");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wake_affine_idle),
		cmocka_unit_test(wake_affine_weight),
		cmocka_unit_test(wake_wide),
		cmocka_unit_test(no_affine),
		cmocka_unit_test(sibling_steps),
		cmocka_unit_test(recent_effects),
		cmocka_unit_test(pcpu_kthread),
		cmocka_unit_test(scan_limit),
		cmocka_unit_test(prop_limit),
		cmocka_unit_test(smt_step),
		cmocka_unit_test(smt_step_by_version),
		cmocka_unit_test(core_scan),
		cmocka_unit_test(repair),
		cmocka_unit_test(sync_hint_to_current_cpu),
		cmocka_unit_test(dispute_of_2020),
		cmocka_unit_test(vagin),
		cmocka_unit_test(sis_sync),
		cmocka_unit_test(unknown_inputs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
