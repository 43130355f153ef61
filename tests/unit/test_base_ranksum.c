/* The Mann-Whitney test against what is worked out on paper, and published. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/ranksum.h"

#define COUNT(v) (sizeof(v) / sizeof((v)[0]))

static void assert_near(double got, double want, double within)
{
	if (!(fabs(got - want) <= within))
		fail_msg("%.12g, not %.12g", got, want);
}

static double p_of(const double *a, size_t nr_a, const double *b, size_t nr_b)
{
	struct rwk_ranksum_value v[256];
	bool known = false;
	double p = -1;

	assert_true(nr_a + nr_b <= COUNT(v));
	/* The order in which they come must not matter. */
	for (size_t i = 0; i < nr_b; i++)
		v[i] = (struct rwk_ranksum_value){b[i], true};
	for (size_t i = 0; i < nr_a; i++)
		v[nr_b + i] = (struct rwk_ranksum_value){a[i], false};
	assert_int_equal(rwk_ranksum_p(v, nr_a + nr_b, &known, &p), 0);
	assert_true(known);
	return p;
}

/* Two samples of n different values, b's greater but for u pairs. */
static double p_of_u(size_t n, size_t u)
{
	double a[16], b[16];

	assert_true(n <= COUNT(a) && u <= n * n);
	for (size_t i = 0; i < n; i++) {
		a[i] = (double)i;
		b[i] = 1000 + (double)i;
	}
	/* Each value of a, from the last, goes past as many of b as are left to go. */
	for (size_t i = n; i-- > 0 && u;) {
		size_t past = u < n ? u : n;

		a[i] = 1000 + (double)past - 0.5 + (double)i / 100;
		u -= past;
	}
	return p_of(a, n, b, n);
}

/*
 * The ages of scipy's manual page of mannwhitneyu: U of the first is 17 of 20.
 * Of the C(9,4) = 126 ways 7 are as far out on that side: 14 / 126.  Normal: mean 10,
 * variance 20 · 10 / 12, z = (7 - 0.5) / 4.0825 = 1.5922.
 */
static void example_of_scipy(void **state)
{
	static const double male[] = {19, 22, 16, 29, 24}, female[] = {20, 11, 17, 12};
	double z;

	(void)state;
	assert_near(p_of(male, 5, female, 4), 14.0 / 126, 1e-15);
	assert_near(p_of(female, 4, male, 5), 14.0 / 126, 1e-15);
	assert_true(rwk_ranksum_z(17, 5, 4, 0, &z));
	assert_near(z, 6.5 / sqrt(20 * 10 / 12.0), 1e-15);
	assert_near(rwk_ranksum_normal_p(z), 0.11134688653314041, 1e-15);
	assert_true(rwk_ranksum_z(3, 5, 4, 0, &z));
	assert_near(z, -6.5 / sqrt(20 * 10 / 12.0), 1e-15);
}

/*
 * Ways of U = 0, 1, 2, 3 for 5 and 5 of C(10,5) = 252: 1, 1, 2, 3.  Critical values
 * of the published tables, 5 % two-sided: 2 for 5 and 5, 13 for 8 and 8, 23 for 10 and 10.
 */
static void published_tables(void **state)
{
	static const struct {
		size_t n, critical;
	} table[] = {{4, 0}, {5, 2}, {6, 5}, {7, 8}, {8, 13}, {9, 17}, {10, 23}, {12, 37}};

	(void)state;
	assert_near(p_of_u(3, 0), 2.0 / 20, 1e-15);
	assert_near(p_of_u(4, 0), 2.0 / 70, 1e-15);
	assert_near(p_of_u(5, 0), 2.0 / 252, 1e-15);
	assert_near(p_of_u(5, 2), 8.0 / 252, 1e-15);
	assert_near(p_of_u(5, 3), 14.0 / 252, 1e-15);
	for (size_t i = 0; i < COUNT(table); i++) {
		assert_true(p_of_u(table[i].n, table[i].critical) <= 0.05);
		assert_true(p_of_u(table[i].n, table[i].critical + 1) > 0.05);
		/* The other tail is as far. */
		assert_near(p_of_u(table[i].n, table[i].n * table[i].n - table[i].critical),
			p_of_u(table[i].n, table[i].critical), 1e-12);
	}
	assert_near(p_of_u(4, 8), 1, 0);
	assert_near(rwk_ranksum_least_p(3, 3), 0.1, 1e-15);
	assert_near(rwk_ranksum_least_p(4, 4), 2.0 / 70, 1e-15);
	assert_near(rwk_ranksum_least_p(1, 1), 1, 0);
	assert_near(rwk_ranksum_least_p(0, 9), 1, 0);
}

/*
 * 1 2 2 and 2 3 3: mean ranks 1, 3 3 3, 5.5 5.5.  The sum of b is 14, the most that there
 * is, in 3 of 20 ways.  Normal: U = 14 - 6 = 8, mean 4.5, Σ t³ - t = 24 + 6, variance
 * 9 / 12 · (7 - 30 / 30) = 4.5, z = 3 / √4.5 = √2, p = erfc(1).
 */
static void ties(void **state)
{
	static const double a[] = {2, 1, 2}, b[] = {3, 2, 3};
	double z;

	(void)state;
	assert_near(p_of(a, 3, b, 3), 6.0 / 20, 1e-15);
	assert_true(rwk_ranksum_z(8, 3, 3, 30, &z));
	assert_near(z, sqrt(2), 1e-15);
	assert_near(rwk_ranksum_normal_p(z), 0.15729920705028513, 1e-15);
	/* Half a pair is less than the correction: no difference at all. */
	assert_true(rwk_ranksum_z(5, 3, 3, 0, &z));
	assert_near(z, 0, 0);
	assert_near(rwk_ranksum_normal_p(z), 1, 0);
}

/* 60 values: the normal approximation, here 1 to 30 and 31 to 60. */
static void many(void **state)
{
	double a[30], b[30];

	(void)state;
	for (int i = 0; i < 30; i++) {
		a[i] = i;
		b[i] = 30 + i;
	}
	/* z = (450 - 0.5) / √(900 · 61 / 12) */
	assert_near(p_of(a, 30, b, 30), erfc(449.5 / sqrt(900 * 61 / 12.0) / sqrt(2)), 1e-18);
}

static void nothing_to_test(void **state)
{
	struct rwk_ranksum_value equal[] = {{5, false}, {5, true}, {5, true}};
	struct rwk_ranksum_value one_side[] = {{5, true}, {6, true}};
	bool known = true;
	double p = 7, z = 7;

	(void)state;
	assert_int_equal(rwk_ranksum_p(equal, 3, &known, &p), 0);
	assert_false(known);
	assert_int_equal(rwk_ranksum_p(one_side, 2, &known, &p), 0);
	assert_false(known);
	assert_int_equal(rwk_ranksum_p(NULL, 0, &known, &p), 0);
	assert_false(known);
	assert_false(rwk_ranksum_z(0, 0, 5, 0, &z));
	assert_false(rwk_ranksum_z(0, 5, 0, 0, &z));
	/* 1 and 2 equal values: 3³ - 3. */
	assert_false(rwk_ranksum_z(1, 1, 2, 24, &z));
	assert_true(p == 7 && z == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(example_of_scipy),
		cmocka_unit_test(published_tables), cmocka_unit_test(ties), cmocka_unit_test(many),
		cmocka_unit_test(nothing_to_test)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
