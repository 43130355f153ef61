/* Strict parsing: what is not wholly understood is refused and leaves the output alone. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/map.h"
#include "base/parse.h"

static void cpulist(void **state)
{
	struct rwk_cpuset set;
	char buf[64];

	(void)state;
	assert_int_equal(rwk_parse_cpulist("0-3,8,10-11\n", &set), 0);
	assert_int_equal(rwk_cpuset_weight(&set), 7);
	assert_true(rwk_cpuset_has(&set, 10));
	assert_false(rwk_cpuset_has(&set, 9));
	assert_int_equal(rwk_format_cpulist(&set, buf, sizeof(buf)), 11);
	assert_string_equal(buf, "0-3,8,10-11");
	assert_int_equal(rwk_parse_cpulist("", &set), 0);
	assert_true(rwk_cpuset_empty(&set));

	rwk_cpuset_add(&set, 5);
	static const char *const bad[] = {"3-1", "1,", ",1", "a", "1-", "-1", "1 2", "0x1", "1\n2"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(rwk_parse_cpulist(bad[i], &set), -EINVAL);
		assert_true(rwk_cpuset_has(&set, 5));
	}
	assert_int_equal(rwk_parse_cpulist("1024", &set), -ERANGE);
	assert_int_equal(rwk_parse_cpulist("0-99999999999999999999", &set), -ERANGE);
	assert_int_equal(rwk_parse_cpulist("1023", &set), 0);
}

static void numbers(void **state)
{
	int64_t v = 7;
	rwk_ns ns = 7;
	bool b = true;

	(void)state;
	assert_int_equal(rwk_parse_i64("-5", -10, 10, &v), 0);
	assert_int_equal(v, -5);
	assert_int_equal(rwk_parse_i64("11", -10, 10, &v), -ERANGE);
	assert_int_equal(rwk_parse_i64(" 1", -10, 10, &v), -EINVAL);
	assert_int_equal(rwk_parse_i64("1x", -10, 10, &v), -EINVAL);
	assert_int_equal(rwk_parse_i64("", -10, 10, &v), -EINVAL);
	assert_int_equal(v, -5);
	assert_int_equal(rwk_parse_ns("0.5ms", &ns), 0);
	assert_int_equal(ns, 500000);
	assert_int_equal(rwk_parse_ns("2s", &ns), 0);
	assert_int_equal(ns, 2000000000);
	assert_int_equal(rwk_parse_ns("2h", &ns), -EINVAL);
	assert_int_equal(rwk_parse_ns("1e300", &ns), -ERANGE);
	assert_int_equal(rwk_parse_ns("nan", &ns), -EINVAL);
	assert_int_equal(rwk_parse_ns("-1ms", &ns), -EINVAL);
	assert_int_equal(ns, 2000000000);
	assert_int_equal(rwk_parse_bool("off", &b), 0);
	assert_false(b);
	assert_int_equal(rwk_parse_bool("maybe", &b), -EINVAL);
}

static void versions(void **state)
{
	struct rwk_version v;

	(void)state;
	assert_int_equal(rwk_parse_version("6.12.117+deb13-cloud-amd64", &v), 0);
	assert_int_equal(v.major, 6);
	assert_int_equal(v.minor, 12);
	assert_int_equal(v.patch, 117);
	assert_int_equal(rwk_parse_version("7.3-rc1", &v), 0);
	assert_int_equal(v.patch, 0);
	assert_int_equal(rwk_parse_version("linux", &v), -EINVAL);
	assert_int_equal(rwk_parse_version("9999999999", &v), -ERANGE);
}

static void map_survives_growth(void **state)
{
	struct rwk_map map = {0};

	(void)state;
	assert_null(rwk_map_find(&map, 1));
	for (int i = 0; i < 10000; i++)
		assert_int_equal(rwk_map_set(&map, (uint64_t)i << 32, i), 0);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(*rwk_map_find(&map, (uint64_t)i << 32), i);
	assert_null(rwk_map_find(&map, 1));
	rwk_map_finish(&map);
}

static void diag_chain(void **state)
{
	struct rwk_diag diag = {0};
	char buf[128];

	(void)state;
	assert_int_equal(rwk_diag_push(&diag, -EBADMSG, "bad page: cpu=%d", 3), -EBADMSG);
	rwk_diag_push(&diag, -EBADMSG, "cannot import x.dat");
	rwk_diag_format(&diag, buf, sizeof(buf));
	assert_string_equal(buf, "cannot import x.dat: bad page: cpu=3");
	for (int i = 0; i < 20; i++)
		rwk_diag_push(&diag, -1, "more");
	rwk_diag_format(&diag, buf, 10);
	assert_int_equal(buf[9], 0);
}

static void sizes(void **state)
{
	int64_t n = -1;

	(void)state;
	assert_int_equal(rwk_parse_size("1048576", &n), 0);
	assert_int_equal(n, 1048576);
	assert_int_equal(rwk_parse_size("64K", &n), 0);
	assert_int_equal(n, 64 << 10);
	assert_int_equal(rwk_parse_size("3MB", &n), 0);
	assert_int_equal(n, 3 << 20);
	assert_int_equal(rwk_parse_size("2G", &n), 0);
	assert_true(n == INT64_C(2) << 30);
	assert_int_equal(rwk_parse_size("8388607T", &n), 0);
	assert_true(n == INT64_C(8388607) << 40);
	n = -1;
	assert_int_equal(rwk_parse_size("8388608T", &n), -ERANGE);
	assert_int_equal(rwk_parse_size("99999999999999999999999999999999", &n), -ERANGE);
	assert_int_equal(rwk_parse_size("0M", &n), -ERANGE);
	assert_int_equal(rwk_parse_size("", &n), -EINVAL);
	assert_int_equal(rwk_parse_size("M", &n), -EINVAL);
	assert_int_equal(rwk_parse_size("-1M", &n), -EINVAL);
	assert_int_equal(rwk_parse_size("1.5G", &n), -EINVAL);
	assert_int_equal(rwk_parse_size("1X", &n), -EINVAL);
	assert_int_equal(rwk_parse_size("1MiB", &n), -EINVAL);
	assert_int_equal(rwk_parse_size("1B", &n), -EINVAL);
	assert_int_equal(n, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpulist),
		cmocka_unit_test(numbers),
		cmocka_unit_test(sizes),
		cmocka_unit_test(versions),
		cmocka_unit_test(map_survives_growth),
		cmocka_unit_test(diag_chain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
