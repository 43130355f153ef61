/* One spec with a range stands for several. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy/sweep.h"

static void expands(void **state)
{
	struct rwk_sweep s;

	(void)state;
	assert_int_equal(rwk_sweep_init(&s, "sis-sync,migration_cost=0.5ms..50ms/3", NULL), 0);
	assert_int_equal(s.nr, 3);
	assert_string_equal(s.spec[0], "sis-sync,migration_cost=500000");
	assert_string_equal(s.spec[1], "sis-sync,migration_cost=5000000");
	assert_string_equal(s.spec[2], "sis-sync,migration_cost=50000000");
	rwk_sweep_finish(&s);
	assert_int_equal(rwk_sweep_init(&s, "x,a=0..100/5,b=keep", NULL), 0);
	assert_int_equal(s.nr, 5);
	assert_string_equal(s.spec[1], "x,a=25,b=keep");
	assert_string_equal(s.spec[4], "x,a=100,b=keep");
	rwk_sweep_finish(&s);
}

static void leaves_the_rest(void **state)
{
	static const char *const plain[] = {
		"linux", "linux,version=6.1", "../mine.so,prefer=prev", "../../a..b/x"};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct rwk_sweep s;

		assert_int_equal(rwk_sweep_init(&s, plain[i], NULL), 0);
		assert_int_equal(s.nr, 1);
		assert_string_equal(s.spec[0], plain[i]);
		rwk_sweep_finish(&s);
	}
}

static void refuses(void **state)
{
	static const char *const bad[] = {"x,a=1..2", "x,a=2..1/3", "x,a=1..2/1", "x,a=1..2/65",
		"x,a=1..b/3", "x,..", "x,a=1..2/3,b=1..2/3", "x,a=1..2/999999999999999999999"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct rwk_diag diag = {0};
		struct rwk_sweep s;

		assert_int_equal(rwk_sweep_init(&s, bad[i], &diag), -22);
		assert_int_equal(diag.nr, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expands),
		cmocka_unit_test(leaves_the_rest),
		cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
