/* Walking CPU sets within bounds, against looking at every CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <rewake/types.h>

static const int members[] = {0, 1, 62, 63, 64, 65, 127, 128, 300, 511, 960, 1022, 1023};
static const int bounds[] = {
	0, 1, 2, 15, 16, 63, 64, 65, 127, 128, 129, 256, 300, 301, 959, 961, 1022, 1023, 1024};

#define NR_BOUNDS (sizeof(bounds) / sizeof(bounds[0]))

static struct rwk_cpuset scattered(void)
{
	struct rwk_cpuset set;

	rwk_cpuset_zero(&set);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		rwk_cpuset_add(&set, members[i]);
	return set;
}

static int first_member(const struct rwk_cpuset *set, int from, int end)
{
	for (int cpu = from; cpu < end; cpu++) {
		if (rwk_cpuset_has(set, cpu))
			return cpu;
	}
	return RWK_NONE;
}

static void next_below(void **state)
{
	struct rwk_cpuset set = scattered();

	(void)state;
	for (size_t i = 0; i < NR_BOUNDS; i++) {
		for (size_t k = 0; k < NR_BOUNDS; k++)
			assert_int_equal(rwk_cpuset_next_below(&set, bounds[i], bounds[k]),
				first_member(&set, bounds[i], bounds[k]));
		assert_int_equal(rwk_cpuset_next(&set, bounds[i]),
			first_member(&set, bounds[i], RWK_MAX_CPUS));
	}
}

static void foreach_below(void **state)
{
	struct rwk_cpuset set = scattered();

	(void)state;
	for (size_t k = 0; k < NR_BOUNDS; k++) {
		int expect = first_member(&set, 0, bounds[k]);

		rwk_cpuset_foreach_below (cpu, &set, bounds[k]) {
			assert_int_equal(cpu, expect);
			expect = first_member(&set, cpu + 1, bounds[k]);
		}
		assert_int_equal(expect, RWK_NONE);
	}
}

static void intersects(void **state)
{
	struct rwk_cpuset set = scattered(), one;

	(void)state;
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++) {
		rwk_cpuset_zero(&one);
		assert_false(rwk_cpuset_intersects(&set, &one));
		rwk_cpuset_add(&one, cpu);
		assert_int_equal(rwk_cpuset_intersects(&set, &one), rwk_cpuset_has(&set, cpu));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(next_below),
		cmocka_unit_test(foreach_below),
		cmocka_unit_test(intersects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
