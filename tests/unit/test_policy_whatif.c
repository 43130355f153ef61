/*
 * Policies that ask "what if" of kernels of today (wakeup-placement design
 * §5.2 modern equivalents, §5.5) on hand-made pictures.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "wakeup_build.h"

static void prev_target(void **state)
{
	struct picture pic;

	(void)state;
	/* T idle in an interrupt, and by load too: nothing moves the target */
	picture_init(&pic, 8, 4, 1, "6.1.192");
	pic.w.context = RWK_CTX_HARDIRQ;
	picture_idle(&pic, 0);
	assert_target(&pic, "linux", 0, "wai_this");
	assert_target(&pic, "prev-target", 1, "undecided_prev");
	/* the search around P is as ever */
	assert_answer(&pic, "prev-target", 0, "scan");
}

static void no_affine_smt(void **state)
{
	struct picture pic;

	(void)state;
	/* P is T's sibling: 1070·100 against 1000·105 or 1000·108 */
	picture_init(&pic, 8, 8, 2, "6.1.192");
	pic.cpu[0].load_avg = 1070;
	pic.cpu[1].load_avg = 1000;
	assert_target(&pic, "linux", 1, "weight_prev");
	assert_target(&pic, "no-affine-smt", 0, "weight_this");
	/* the core is all there is */
	picture_init(&pic, 2, 2, 2, "6.1.192");
	pic.w.sync = true;
	assert_target(&pic, "linux", 0, "wai_sync");
	assert_target(&pic, "no-affine-smt", 1, "nodomain");
}

static void no_wa_weight(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 8, 4, 1, "6.1.192");
	pic.cpu[0].load_avg = 0;
	assert_target(&pic, "linux", 0, "weight_this");
	assert_target(&pic, "no-wa-weight", 1, "undecided_prev");
}

/* L'(c) = L(c) + H of the tasks that wake in sync, but for the waker. */
static void sync_as_two(void **state)
{
	struct picture pic;
	struct rwk_wake_mix_bucket *b;
	struct rwk_verdict v;

	(void)state;
	picture_init(&pic, 8, 4, 1, "6.1.192");
	pic.cpu[0].load_avg = pic.cpu[1].load_avg = 1000; /* 100000 against 108000 */
	assert_target(&pic, "sync-as-two", 0, "weight_this");
	pic.queued[0][1] = (struct rwk_queued_view){
		.utid = 300, .h_load = 300, .load_source = RWK_PROBED, .mix = &pic.mix};
	pic.w.this_queue.nr = 2;
	pic.mix.newest = 200; /* 1 s in buckets of 5 ms */
	b = &pic.mix.bucket[200 % RWK_WAKE_MIX_BUCKETS];
	*b = (struct rwk_wake_mix_bucket){.all = 10, .sync = 5};
	assert_target(&pic, "sync-as-two", 1, "weight_prev"); /* 130000 */
	assert_target(&pic, "linux", 0, "weight_this");
	assert_target(&pic, "sync-as-two,share=51", 0, "weight_this");
	/* on P it makes P heavier */
	pic.cpu[0].load_avg = 1200; /* 120000 against 108000, then 140400 */
	pic.w.this_queue.nr = 1;
	pic.queued[1][1] = pic.queued[0][1];
	assert_target(&pic, "sync-as-two", 1, "weight_prev");
	pic.w.prev_queue.nr = 2;
	assert_target(&pic, "sync-as-two", 0, "weight_this");
	/* the waker is p's own partner */
	pic.queued[1][1].utid = pic.w.waker.utid;
	assert_target(&pic, "sync-as-two", 1, "weight_prev");
	pic.queued[1][1].utid = 300;
	/* the last 100 ms: buckets 181 to 200 */
	*b = (struct rwk_wake_mix_bucket){0};
	pic.mix.bucket[180 % RWK_WAKE_MIX_BUCKETS] =
		(struct rwk_wake_mix_bucket){.all = 10, .sync = 10};
	assert_target(&pic, "sync-as-two", 1, "weight_prev");
	assert_target(&pic, "sync-as-two,window=105ms", 0, "weight_this");
	/* what nobody knows is said */
	pic.mix.bucket[190 % RWK_WAKE_MIX_BUCKETS] =
		(struct rwk_wake_mix_bucket){.all = 3, .unknown = 3};
	v = picture_ask(&pic, "sync-as-two");
	assert_int_equal(v.unknown, 1u << RWK_IN_SYNC_SHARE);
	pic.w.prev_queue.source = RWK_UNKNOWN;
	v = picture_ask(&pic, "sync-as-two");
	assert_int_equal(v.unknown, 1u << RWK_IN_SYNC_SHARE | 1u << RWK_IN_QUEUE);
}

/* Three limits on one base: 4 is the third CPU after target 1. */
static void scan_limits(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 16, 16, 1, "6.1.192");
	picture_idle(&pic, 4);
	pic.llc[0].nr_idle_scan = 2;
	assert_answer(&pic, "sis-util", 1, "scan_limit");
	assert_answer(&pic, "sis-prop", 4, "scan");
	assert_answer(&pic, "sis-full", 4, "scan");
	assert_answer(&pic, "linux,sis_util=0", 4, "scan");
	picture_init(&pic, 16, 16, 1, "6.1.192");
	picture_idle(&pic, 5);
	pic.llc[0].nr_idle_scan = 0;
	assert_answer(&pic, "sis-util", 1, "util0");
	assert_answer(&pic, "sis-prop", 1, "scan_limit");
	assert_answer(&pic, "linux,sis_util=0,sis_prop=1", 1, "scan_limit");
	assert_answer(&pic, "sis-full", 5, "scan");
	/* a recorded switch counts */
	pic.machine.feature_known[RWK_FEAT_SIS_UTIL] = true;
	assert_answer(&pic, "linux", 5, "scan");
	assert_answer(&pic, "linux,sis_util=1", 1, "util0");
	/* in front of 5.10's separate scan, which starts at the target itself */
	picture_init(&pic, 16, 16, 1, "5.10.223");
	picture_idle(&pic, 3);
	pic.llc[0].nr_idle_scan = 2;
	assert_answer(&pic, "sis-util", 1, "scan_limit");
	pic.llc[0].nr_idle_scan = 3;
	assert_answer(&pic, "sis-util", 3, "scan");
}

/* Other LLCs of the node in group order, each from its first CPU and with its own limit. */
static void sis_node(void **state)
{
	struct picture pic;
	struct rwk_verdict v;

	(void)state;
	picture_init(&pic, 16, 4, 1, "6.1.192");
	picture_nodes(&pic, 2);
	picture_idle(&pic, 9); /* the other node */
	assert_answer(&pic, "sis-node", 1, "none");
	picture_idle(&pic, 6); /* order 5 6 7 4 */
	picture_idle(&pic, 4);
	assert_answer(&pic, "linux", 1, "none");
	assert_answer(&pic, "sis-node", 6, "node");
	pic.llc[1].nr_idle_scan = 1;
	assert_answer(&pic, "sis-node", 1, "none");
	/* the LLC of the target first */
	picture_idle(&pic, 3);
	assert_answer(&pic, "sis-node", 3, "scan");
	/* one node of four: from LLC 2 on, then around */
	picture_init(&pic, 16, 4, 1, "6.1.192");
	picture_nodes(&pic, 4);
	pic.w.prev_cpu = 9;
	picture_idle(&pic, 2);
	picture_idle(&pic, 13);
	assert_answer(&pic, "sis-node", 13, "node");
	pic.cpu[13].idle = false;
	assert_answer(&pic, "sis-node", 2, "node");
	/* hints: used and cleared per LLC */
	picture_init(&pic, 16, 4, 2, "6.1.192");
	picture_nodes(&pic, 2);
	pic.llc[1].has_idle_cores = true;
	picture_idle(&pic, 7);
	v = picture_ask(&pic, "sis-node");
	assert_int_equal(v.cpu, 7);
	assert_int_equal(v.effects & RWK_EFFECT_NO_IDLE_CORES, 0);
	assert_int_equal(v.more_no_idle_cores, 1 << 1);
	picture_idle(&pic, 6);
	assert_answer(&pic, "sis-node", 6, "node_core");
	assert_int_equal(picture_ask(&pic, "sis-node").more_no_idle_cores, 0);
}

/* Idle but soon wanted: passed over, half the limit of them, the first as last resort. */
static void sis_cache(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 16, 16, 1, "6.1.192");
	picture_idle(&pic, 3);
	picture_idle(&pic, 7);
	pic.cpu[3].hot_until_ns = pic.w.ts + 1;
	assert_answer(&pic, "linux", 3, "scan");
	assert_answer(&pic, "sis-cache", 7, "scan");
	pic.cpu[3].hot_until_ns = pic.w.ts;
	assert_answer(&pic, "sis-cache", 3, "scan");
	pic.cpu[3].hot_until_ns = pic.cpu[7].hot_until_ns = pic.w.ts + 1;
	assert_answer(&pic, "sis-cache", 3, "cache_hot");
	/* at the limit there is no last resort */
	pic.llc[0].nr_idle_scan = 8;
	assert_answer(&pic, "sis-cache", 1, "scan_limit");
	/* (3 + 1) / 2 may be passed over */
	picture_idle(&pic, 2);
	picture_idle(&pic, 4);
	pic.cpu[2].hot_until_ns = pic.cpu[4].hot_until_ns = pic.w.ts + 1;
	pic.llc[0].nr_idle_scan = 3;
	assert_answer(&pic, "sis-cache", 4, "scan");
	/* the steps before the scan do not care */
	picture_idle(&pic, 1);
	pic.cpu[1].hot_until_ns = pic.w.ts + 1;
	assert_answer(&pic, "sis-cache", 1, "target_idle");
	/* whole cores too */
	picture_init(&pic, 8, 8, 2, "6.1.192");
	pic.llc[0].has_idle_cores = true;
	for (int cpu = 4; cpu < 8; cpu++)
		picture_idle(&pic, cpu);
	pic.cpu[4].hot_until_ns = pic.cpu[5].hot_until_ns = pic.w.ts + 1;
	assert_answer(&pic, "linux", 4, "core");
	assert_answer(&pic, "sis-cache", 6, "core");
}

static void wf_current(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 8, 4, 1, "6.1.192");
	picture_idle(&pic, 1);
	pic.w.sync = true;
	assert_answer(&pic, "wf-current", 1, "prev_idle");
	assert_answer(&pic, "wf-current,on=sync", 0, "current_cpu");
	pic.w.waker.is_exiting = true;
	assert_answer(&pic, "wf-current,on=sync", 1, "target_idle");
	/* the flag itself, on kernels that do not have it */
	pic.w.current_cpu = true;
	assert_answer(&pic, "wf-current", 0, "current_cpu");
	assert_answer(&pic, "linux", 1, "target_idle");
	pic.w.current_cpu = false;
	/* the waker has thread id 1000, the wakee 500 */
	assert_answer(&pic, "wf-current,on=pair,waker=1000,wakee=500", 0, "current_cpu");
	assert_answer(&pic, "wf-current,on=pair,wakee=500", 0, "current_cpu");
	assert_answer(&pic, "wf-current,on=pair,waker=1001,wakee=500", 1, "target_idle");
	rwk_cpuset_del(&pic.w.allowed, 0);
	assert_answer(&pic, "wf-current,on=pair,waker=1000,wakee=500", 1, "target_idle");
}

static void core_first(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 8, 4, 2, "6.1.192");
	picture_nodes(&pic, 2);
	pic.w.prev_cpu = 2;
	picture_idle(&pic, 2);
	assert_answer(&pic, "core-first", 2, "target_idle");
	picture_idle(&pic, 6);
	picture_idle(&pic, 7);
	assert_answer(&pic, "core-first", 6, "node_core");
	picture_idle(&pic, 0);
	picture_idle(&pic, 1);
	pic.w.context = RWK_CTX_HARDIRQ;
	assert_target(&pic, "core-first", 2, "wai_prev");
	assert_answer(&pic, "core-first", 0, "core");
	/* the target's own core, from the target on */
	picture_idle(&pic, 3);
	assert_answer(&pic, "core-first", 2, "core");
	rwk_cpuset_del(&pic.w.allowed, 2);
	assert_answer(&pic, "core-first", 3, "core");
}

static void shortcuts(void **state)
{
	struct picture pic;

	(void)state;
	/* across caches, against a sync hint */
	picture_init(&pic, 8, 4, 1, "6.1.192");
	pic.w.sync = true;
	pic.w.prev_cpu = 5;
	assert_answer(&pic, "prev-idle-else-base", 0, "none");
	picture_idle(&pic, 5);
	assert_answer(&pic, "linux", 0, "none");
	assert_answer(&pic, "prev-idle-else-base", 5, "prev_idle");
	assert_target(&pic, "prev-idle-else-base", 5, "shortcut");
	rwk_cpuset_del(&pic.w.allowed, 5);
	assert_answer(&pic, "prev-idle-else-base", 0, "none");
	/* a wide wakeup from an interrupt */
	picture_init(&pic, 8, 4, 1, "6.1.192");
	pic.w.context = RWK_CTX_HARDIRQ;
	pic.w.waker.wakee_flips = 100;
	pic.w.wakee.wakee_flips = 10;
	picture_idle(&pic, 1);
	assert_answer(&pic, "waker-idle-else-base", 1, "target_idle");
	picture_idle(&pic, 0);
	assert_answer(&pic, "linux", 1, "target_idle");
	assert_answer(&pic, "waker-idle-else-base", 0, "waker_idle");
}

/* Room: utilisation with the task below 80 % of capacity, 819 of 1024. */
static void pack(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 8, 4, 2, "6.1.192");
	pic.w.wakee.util_avg = 200;
	assert_answer(&pic, "pack", 1, "prev");
	pic.cpu[2].util_avg = 620; /* 820 */
	assert_answer(&pic, "pack", 1, "prev");
	pic.cpu[2].util_avg = 619;
	assert_answer(&pic, "pack", 2, "used_core");
	/* an idle core only where no used one has room */
	picture_idle(&pic, 2);
	picture_idle(&pic, 3);
	pic.cpu[3].util_avg = 0;
	assert_answer(&pic, "pack", 2, "new_core");
	pic.cpu[0].util_avg = 500;
	assert_answer(&pic, "pack", 0, "used_core");
	/* on P the task's own share is not counted twice */
	pic.cpu[0].util_avg = 1024;
	pic.cpu[1].util_avg = 800;
	assert_answer(&pic, "pack", 1, "used_core");
	/* other LLCs are out of reach */
	rwk_cpuset_zero(&pic.w.allowed);
	rwk_cpuset_add(&pic.w.allowed, 6);
	assert_answer(&pic, "pack", 6, "fallback_mask");
}

static void spread(void **state)
{
	struct picture pic;

	(void)state;
	picture_init(&pic, 16, 4, 2, "6.1.192");
	picture_nodes(&pic, 2);
	/* all LLCs alike: another node, its first LLC, first CPU */
	assert_answer(&pic, "spread", 8, "least_busy");
	/* fewest tasks per CPU wins */
	pic.cpu[5].nr_running = 0;
	pic.cpu[5].idle = true;
	assert_answer(&pic, "spread", 5, "idle_thread");
	picture_idle(&pic, 2);
	picture_idle(&pic, 3);
	assert_answer(&pic, "spread", 2, "idle_core");
	/* a wakeup on its way counts */
	pic.cpu[2].idle = false;
	pic.cpu[2].pending = true;
	assert_answer(&pic, "spread", 5, "idle_thread");
	rwk_cpuset_zero(&pic.w.allowed);
	rwk_cpuset_add(&pic.w.allowed, 13);
	assert_answer(&pic, "spread", 13, "least_busy");
}

/* §1.1 row 8 with a CPU that is gone: not usable, whatever the mask says. */
static void repair_offline(void **state)
{
	struct picture pic;
	struct rwk_verdict v;

	(void)state;
	picture_init(&pic, 8, 4, 1, "6.1.192");
	pic.w.prev_cpu = 5;
	rwk_cpuset_del(&pic.machine.online, 5);
	rwk_cpuset_del(&pic.machine.active, 5);
	assert_answer(&pic, "prev-target", 4, "fallback_mask");
	rwk_cpuset_del(&pic.machine.online, 4);
	rwk_cpuset_del(&pic.machine.active, 4);
	assert_answer(&pic, "prev-target", 6, "fallback_mask");
	rwk_cpuset_del(&pic.w.allowed, 5);
	assert_answer(&pic, "prev", 6, "fallback_mask");
	rwk_cpuset_del(&pic.w.allowed, 0);
	assert_answer(&pic, "waker", 6, "fallback_mask");
	rwk_cpuset_zero(&pic.w.allowed);
	rwk_cpuset_add(&pic.w.allowed, 4);
	v = picture_ask(&pic, "prev-target");
	assert_int_equal(v.cpu, RWK_NONE);
	assert_int_equal(v.unknown, 1u << RWK_IN_AFFINITY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prev_target),
		cmocka_unit_test(no_affine_smt),
		cmocka_unit_test(no_wa_weight),
		cmocka_unit_test(sync_as_two),
		cmocka_unit_test(scan_limits),
		cmocka_unit_test(sis_node),
		cmocka_unit_test(sis_cache),
		cmocka_unit_test(wf_current),
		cmocka_unit_test(core_first),
		cmocka_unit_test(shortcuts),
		cmocka_unit_test(pack),
		cmocka_unit_test(spread),
		cmocka_unit_test(repair_offline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
