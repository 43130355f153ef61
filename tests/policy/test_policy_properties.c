/*
 * The provable consequences of design §5, over random pictures on one base
 * kernel.  Those of §5.1 hold for pictures without SCHED_IDLE queues, clusters
 * and asymmetric capacity, which are the stated exceptions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "random_picture.h"

#define NR_SEEDS 20000

static const char *const bases[] = {"5.15.85", "6.1.192", "6.12.117", "7.3.4"};

static bool sync_alone(const struct picture *pic)
{
	return pic->w.sync && !pic->w.waker.is_exiting && pic->cpu[pic->w.this_cpu].nr_running == 1;
}

/* A shared cache: all three end on the same CPU. */
static void same_cpu_within_a_cache(void **state)
{
	struct picture pic;
	int met = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		int cpu;

		random_picture(&pic, seed, bases[seed % 4], true);
		if (!rwk_machine_share_llc(&pic.machine, pic.w.this_cpu, pic.w.prev_cpu))
			continue;
		met++;
		cpu = picture_ask(&pic, "v5.9").cpu;
		assert_int_equal(picture_ask(&pic, "lawall").cpu, cpu);
		assert_int_equal(picture_ask(&pic, "gorman").cpu, cpu);
	}
	assert_true(met > 1000);
}

/*
 * No shared cache: gorman is v5.9; lawall differs exactly when P is idle, the
 * sync test does not hold and the weights would have said T.
 */
static void across_caches(void **state)
{
	struct picture pic;
	int met = 0, differs = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct rwk_verdict old, lawall, gorman;
		bool expect;

		random_picture(&pic, seed, bases[seed % 4], true);
		if (rwk_machine_share_llc(&pic.machine, pic.w.this_cpu, pic.w.prev_cpu))
			continue;
		met++;
		old = picture_ask(&pic, "v5.9");
		lawall = picture_ask(&pic, "lawall");
		gorman = picture_ask(&pic, "gorman");
		assert_int_equal(gorman.cpu, old.cpu);
		assert_int_equal(gorman.target, old.target);
		expect = pic.cpu[pic.w.prev_cpu].idle && !sync_alone(&pic) &&
			 old.target == pic.w.this_cpu;
		assert_int_equal(lawall.target != old.target, expect);
		differs += expect;
	}
	assert_true(met > 1000);
	assert_true(differs > 50);
}

/* One LLC for the whole machine: no difference at all. */
static void one_cache_no_difference(void **state)
{
	struct picture pic;

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		random_picture(&pic, seed, bases[seed % 4], true);
		if (pic.machine.nr_llc != 1)
			continue;
		assert_int_equal(picture_ask(&pic, "v5.9").cpu, picture_ask(&pic, "lawall").cpu);
	}
}

/* §5.3: differs from the base only where the base found another idle CPU, and then says T. */
static void vagin_only_skips_the_search(void **state)
{
	struct picture pic;
	int differs = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct rwk_verdict base, vagin;

		random_picture(&pic, seed, bases[seed % 4], true);
		base = picture_ask(&pic, "linux");
		vagin = picture_ask(&pic, "vagin");
		if (base.cpu == vagin.cpu)
			continue;
		differs++;
		assert_true(sync_alone(&pic));
		assert_int_equal(base.target, pic.w.this_cpu);
		if (rwk_cpuset_has(&pic.w.allowed, pic.w.this_cpu))
			assert_int_equal(vagin.cpu, pic.w.this_cpu);
	}
	assert_true(differs > 50);
}

/* §5.2: without affine wakeups the target is always P. */
static void affine_off_keeps_previous(void **state)
{
	struct picture pic;

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		random_picture(&pic, seed, bases[seed % 4], true);
		assert_int_equal(picture_ask(&pic, "affine-off").target, pic.w.prev_cpu);
	}
}

static bool reason_is(const char *spec, const struct rwk_verdict *v, const char *reason)
{
	return !strcmp(picture_reason(spec, v), reason);
}

/* The scan gave up before it had seen everything; or may have, before the answer was repaired. */
static bool gave_up(const char *spec, const struct rwk_verdict *v)
{
	return reason_is(spec, v, "scan_limit") || reason_is(spec, v, "util0") ||
	       reason_is(spec, v, "fallback_mask");
}

/* §5.2: the same answers as without affine wakeups, by other switches. */
static void prev_target_is_affine_off(void **state)
{
	struct picture pic;

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct rwk_verdict v;

		random_picture(&pic, seed, bases[seed % 4], true);
		if (seed % 2)
			random_oddities(&pic, seed);
		pic.w.current_cpu = false;
		v = picture_ask(&pic, "prev-target");
		assert_int_equal(v.target, pic.w.prev_cpu);
		assert_int_equal(v.cpu, picture_ask(&pic, "affine-off").cpu);
	}
}

/* Only siblings are joined by an SMT domain; without the weight test only its answers change. */
static void switches_change_what_they_switch(void **state)
{
	struct picture pic;
	int smt = 0, weight = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct rwk_verdict base, v;

		random_picture(&pic, seed, bases[seed % 4], true);
		if (pic.machine.smt_active && seed % 2) {
			/* where the factors 105 and 108 differ */
			pic.w.prev_cpu = pic.w.this_cpu ^ 1;
			pic.cpu[pic.w.prev_cpu].load_avg = 1000;
			pic.cpu[pic.w.this_cpu].load_avg = 1030 + (uint32_t)(seed / 2 % 60);
			pic.w.wakee.h_load = 0;
		}
		base = picture_ask(&pic, "linux");
		v = picture_ask(&pic, "no-affine-smt");
		assert_true(v.target == pic.w.this_cpu || v.target == pic.w.prev_cpu);
		if (v.target != base.target) {
			assert_true(rwk_cpuset_has(
				&pic.machine.cpu[pic.w.this_cpu].smt, pic.w.prev_cpu));
			smt++;
		}
		v = picture_ask(&pic, "no-wa-weight");
		if (v.target != base.target) {
			assert_string_equal(picture_detail("linux", &base), "weight_this");
			assert_int_equal(v.target, pic.w.prev_cpu);
			weight++;
		}
		v = picture_ask(&pic, "sync-as-two");
		if (v.target != base.target)
			assert_int_equal(strncmp(picture_detail("linux", &base), "weight_", 7), 0);
		assert_int_equal(picture_ask(&pic, "sync-as-two,share=0").unknown, 0);
	}
	assert_true(smt > 10);
	assert_true(weight > 50);
}

/* A limit only ever makes the scan give up; what it finds before, every wider one finds. */
static void limits_only_cut(void **state)
{
	static const char *const limited[] = {"sis-util", "sis-prop"};
	struct picture pic;
	int cut = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct rwk_verdict full, v;

		random_picture(&pic, seed, bases[seed % 4], true);
		if (seed % 2)
			random_oddities(&pic, seed);
		/* the capacity scan of 7.0 knows another end than giving up */
		pic.machine.asym_capacity = false;
		full = picture_ask(&pic, "sis-full");
		assert_false(gave_up("sis-full", &full) &&
			     !reason_is("sis-full", &full, "fallback_mask"));
		for (int i = 0; i < 2; i++) {
			v = picture_ask(&pic, limited[i]);
			assert_int_equal(v.target, full.target);
			if (!gave_up(limited[i], &v) && !reason_is(limited[i], &v, "cluster_prev"))
				assert_int_equal(v.cpu, full.cpu);
			cut += v.cpu != full.cpu;
		}
		/* one CPU more to see never loses one that was seen */
		v = picture_ask(&pic, "sis-util");
		if (!reason_is("sis-util", &v, "scan"))
			continue;
		for (int i = 0; i < pic.machine.nr_llc; i++)
			pic.llc[i].nr_idle_scan++;
		assert_int_equal(picture_ask(&pic, "sis-util").cpu, v.cpu);
	}
	assert_true(cut > 100);
}

/* §5.5: another LLC of the node, and only where the target's gave nothing. */
static void node_search_is_a_last_resort(void **state)
{
	struct picture pic;
	int met = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		const struct rwk_machine_cpu *cpu = pic.machine_cpu;
		struct rwk_verdict base, v;

		random_picture(&pic, seed, bases[seed % 4], true);
		random_oddities(&pic, seed);
		base = picture_ask(&pic, "linux");
		v = picture_ask(&pic, "sis-node");
		assert_int_equal(v.target, base.target);
		if (v.cpu == base.cpu)
			continue;
		assert_true(gave_up("linux", &base) || reason_is("linux", &base, "none"));
		assert_int_equal(cpu[v.cpu].node, cpu[v.target].node);
		assert_int_not_equal(cpu[v.cpu].llc, cpu[v.target].llc);
		assert_true(pic.cpu[v.cpu].idle || pic.cpu[v.cpu].sched_idle);
		met++;
	}
	assert_true(met > 50);
}

static bool idle_core(const struct picture *pic, int cpu)
{
	rwk_cpuset_foreach (c, &pic->machine.cpu[cpu].smt) {
		if (!pic->cpu[c].idle)
			return false;
	}
	return rwk_cpuset_has(&pic->w.allowed, cpu);
}

static void core_first_leaves_no_core(void **state)
{
	struct picture pic;
	int met = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct rwk_verdict v;
		bool any = false;

		random_picture(&pic, seed, bases[seed % 4], true);
		v = picture_ask(&pic, "core-first");
		rwk_cpuset_foreach (c, &pic.machine.llc[pic.machine.cpu[v.target].llc].cpus)
			any |= idle_core(&pic, c);
		if (!any)
			continue;
		assert_true(idle_core(&pic, v.cpu));
		assert_int_equal(pic.machine.cpu[v.cpu].llc, pic.machine.cpu[v.target].llc);
		met++;
	}
	assert_true(met > 1000);
}

/* The precursors of sis-sync either do what the base does, or keep the target or T. */
static void short_tasks_stay(void **state)
{
	static const char *const specs[] = {
		"sis-sync", "sis-sync-slice", "sis-current", "sis-short-v1", "sis-short-v6"};
	struct picture pic;
	int differs[5] = {0};

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct rwk_verdict base;

		random_picture(&pic, seed, bases[seed % 4], true);
		pic.w.waker.avg_run_ns %= 40; /* below the limit of small LLCs */
		pic.w.wakee.avg_run_ns %= 40;
		if (seed % 2)
			pic.w.waker.wakee_flips = pic.w.wakee.wakee_flips = 0;
		base = picture_ask(&pic, "linux");
		for (int i = 0; i < 5; i++) {
			struct rwk_verdict v = picture_ask(&pic, specs[i]);

			if (v.cpu == base.cpu || v.target != base.target)
				continue;
			differs[i]++;
			if (reason_is(specs[i], &v, "fallback_mask"))
				continue;
			assert_true(reason_is(specs[i], &v, "short") ||
				    reason_is(specs[i], &v, "sis_sync"));
			assert_true(v.cpu == v.target || v.cpu == pic.w.this_cpu);
		}
	}
	for (int i = 0; i < 5; i++)
		assert_true(differs[i] > 10);
}

/* A shortcut is taken when it can be, else nothing changed. */
static void shortcuts_are_only_that(void **state)
{
	struct picture pic;

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		int base, t, p;

		random_picture(&pic, seed, bases[seed % 4], true);
		t = pic.w.this_cpu;
		p = pic.w.prev_cpu;
		base = picture_ask(&pic, "linux").cpu;
		assert_int_equal(picture_ask(&pic, "prev-idle-else-base").cpu,
			pic.cpu[p].idle && rwk_cpuset_has(&pic.w.allowed, p) ? p : base);
		assert_int_equal(picture_ask(&pic, "waker-idle-else-base").cpu,
			pic.cpu[t].idle && rwk_cpuset_has(&pic.w.allowed, t) ? t : base);
		assert_int_equal(picture_ask(&pic, "wf-current").cpu, base);
		if (pic.w.sync && !pic.w.waker.is_exiting && rwk_cpuset_has(&pic.w.allowed, t))
			assert_int_equal(picture_ask(&pic, "wf-current,on=sync").cpu, t);
	}
}

/* §5.2, 2009: without affine wakeups everything stays; without SMT a core has nobody to balance. */
static void the_2009_bases(void **state)
{
	struct picture pic;
	int affine = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
		struct rwk_verdict r5;
		int t, p;

		random_picture(&pic, seed, bases[seed % 4], true);
		t = pic.w.this_cpu;
		p = pic.w.prev_cpu;
		r5 = picture_ask(&pic, "affine-on,base=r5");
		assert_true(r5.target == t || r5.target == p);
		if (rwk_cpuset_has(&pic.w.allowed, p)) {
			assert_int_equal(picture_ask(&pic, "affine-off,base=r5").cpu, p);
			assert_true(r5.cpu == t || r5.cpu == p);
		}
		if (!pic.machine.smt_active)
			assert_int_equal(picture_ask(&pic, "affine-off-smt").cpu, r5.cpu);
		assert_int_equal(picture_ask(&pic, "affine-on").cpu,
			picture_ask(&pic, "linux,version=2.6.32").cpu);
		affine += r5.cpu == t && t != p;
	}
	assert_true(affine > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_cpu_within_a_cache),
		cmocka_unit_test(across_caches),
		cmocka_unit_test(one_cache_no_difference),
		cmocka_unit_test(vagin_only_skips_the_search),
		cmocka_unit_test(affine_off_keeps_previous),
		cmocka_unit_test(prev_target_is_affine_off),
		cmocka_unit_test(switches_change_what_they_switch),
		cmocka_unit_test(limits_only_cut),
		cmocka_unit_test(node_search_is_a_last_resort),
		cmocka_unit_test(core_first_leaves_no_core),
		cmocka_unit_test(short_tasks_stay),
		cmocka_unit_test(shortcuts_are_only_that),
		cmocka_unit_test(the_2009_bases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
