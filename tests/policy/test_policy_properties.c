/*
 * The provable consequences of design §5.1, over random pictures on one base
 * kernel.  Pictures hold no SCHED_IDLE queue, no cluster and no asymmetric
 * capacity, which are the stated exceptions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_cpu_within_a_cache),
		cmocka_unit_test(across_caches),
		cmocka_unit_test(one_cache_no_difference),
		cmocka_unit_test(vagin_only_skips_the_search),
		cmocka_unit_test(affine_off_keeps_previous),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
