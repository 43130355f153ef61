/* The functions for ad-hoc SQL: exact values, NULLs, and arguments that make no sense. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "store_build.h"

static struct rwk_store *make_run(struct store_box *box)
{
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	struct rwk_store *store;

	store_box_finish(box, w);
	store = store_box_open(box, false);
	assert_int_equal(rwk_store_add_functions(store, &box->diag), 0);
	return store;
}

struct expectation {
	const char *sql;
	const char *rows; /* NULL: fails, with this in its cause: */
	const char *why;
};

static void expect(struct store_box *box, const struct expectation *e, size_t nr)
{
	struct rwk_store *store = make_run(box);

	for (size_t i = 0; i < nr; i++) {
		struct rwk_query *q;
		const char *tail;
		char *rows;

		if (e[i].rows) {
			rows = store_box_rows(box, store, e[i].sql);
			if (strcmp(rows, e[i].rows))
				fail_msg("%s: %s, not %s", e[i].sql, rows, e[i].rows);
			free(rows);
			continue;
		}
		rwk_diag_clear(&box->diag);
		assert_int_equal(rwk_query_prepare(store, e[i].sql, &box->diag, &q, &tail), 0);
		if (rwk_query_step(q, &box->diag) >= 0)
			fail_msg("%s: does not fail", e[i].sql);
		rwk_query_close(q);
		if (!strstr(box->diag.cause[0], e[i].why))
			fail_msg("%s: %s, not %s", e[i].sql, box->diag.cause[0], e[i].why);
	}
	rwk_store_close(store);
}

#define EXPECT(...)                                                                                \
	const struct expectation expectations[] = {__VA_ARGS__};                                   \
	expect(*state, expectations, sizeof(expectations) / sizeof(expectations[0]))

#define VALUES(list) "WITH v(x) AS (VALUES " list ") "

static void percentile(void **state)
{
	EXPECT({VALUES("(30),(10),(20)") "SELECT percentile(x, 50) FROM v", "20\n"},
		{VALUES("(40),(10),(20),(30)") "SELECT percentile(x, 50) FROM v", "20\n"},
		{VALUES("(40),(10),(20),(30)") "SELECT percentile(x, 50.1) FROM v", "30\n"},
		{VALUES("(40),(10),(20),(30)") "SELECT percentile(x, 0), percentile(x, 100) FROM v",
			"10|40\n"},
		{VALUES("(7),(NULL),(9)") "SELECT percentile(x, 99) FROM v", "9\n"},
		{VALUES("(NULL)") "SELECT percentile(x, 99) FROM v", "-\n"},
		{"SELECT percentile(1, 50) WHERE 0", "-\n"},
		{VALUES("(1.5),(2),(-3)") "SELECT percentile(x, 40) FROM v", "1.5\n"},
		/* Neighbours that are one number as a double. */
		{VALUES("(9007199254740993),(9007199254740992)") "SELECT percentile(x, 50) FROM v",
			"9007199254740992\n"},
		{VALUES("(9007199254740992.0),(9007199254740993)") "SELECT percentile(x, 100) FROM "
								   "v",
			"9007199254740993\n"},
		/* 99.9 % of 1000 is 999, not 1000. */
		{"WITH RECURSIVE v(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM v WHERE x < 1000) "
		 "SELECT percentile(x, 99.9), percentile(x, 99.91), percentile(x, 29), "
		 "percentile(x, 0.1) FROM v",
			"999|1000|290|1\n"},
		{"WITH v(g, x) AS (VALUES (1, 5), (2, 8), (1, 6)) SELECT g, percentile(x, 50) FROM "
		 "v "
		 "GROUP BY g",
			"1|5\n2|8\n"},
		{VALUES("('7')") "SELECT percentile(x, 50) FROM v", NULL, "x is not a number"},
		{VALUES("(7),(x'00')") "SELECT percentile(x, 50) FROM v", NULL,
			"x is not a number"},
		{"SELECT percentile(1, 100.5)", NULL, "from 0 to 100"},
		{"SELECT percentile(1, -1)", NULL, "from 0 to 100"},
		{"SELECT percentile(1, 9e999)", NULL, "from 0 to 100"},
		{"SELECT percentile(1, NULL)", NULL, "p is not a number"},
		{"SELECT percentile(1, 'half')", NULL, "p is not a number"},
		{VALUES("(7),(8)") "SELECT percentile(x, x) FROM v", NULL,
			"p is not one number"}, );
}

static void buckets(void **state)
{
	EXPECT({"SELECT log2_bucket(0), log2_bucket(1), log2_bucket(2), log2_bucket(3), "
		"log2_bucket(4), log2_bucket(1023), log2_bucket(1024)",
		       "0|1|2|2|4|512|1024\n"},
		{"SELECT log2_bucket(-1), log2_bucket(-7), log2_bucket(0.9), log2_bucket(-0.9), "
		 "log2_bucket(5.99), log2_bucket(NULL)",
			"-1|-4|0|0|4|-\n"},
		{"SELECT log2_bucket(9223372036854775807), log2_bucket(-9223372036854775807 - 1), "
		 "log2_bucket(-1e300)",
			"4611686018427387904|-9223372036854775808|-9223372036854775808\n"},
		{"SELECT log2_bucket(1e300) = 9223372036854775808.0", "1\n"},
		{"SELECT log2_bucket('8')", NULL, "log2_bucket(x): x is not a number"},
		{VALUES("(3),(0),(17),(2),(NULL),(-5),(16),(0.5)") "SELECT histogram(x) FROM v",
			"-4:1 0:2 2:2 16:2\n"},
		{VALUES("(1e300),(-1e300)") "SELECT histogram(x) FROM v",
			"-9223372036854775808:1 9223372036854775808:1\n"},
		{VALUES("(NULL)") "SELECT histogram(x) FROM v", "-\n"},
		{"SELECT histogram(1) WHERE 0", "-\n"},
		{VALUES("(1),('x')") "SELECT histogram(x) FROM v", NULL,
			"histogram(x): x is not a number"}, );
}

static void cpu_lists(void **state)
{
	EXPECT({VALUES("(3),(1),(8),(2),(0),(NULL),(1)") "SELECT cpu_list(x) FROM v", "0-3,8\n"},
		{VALUES("(1023)") "SELECT cpu_list(x) FROM v", "1023\n"},
		{"SELECT cpu_list(1) WHERE 0", "-\n"},
		{VALUES("(NULL)") "SELECT cpu_list(x) FROM v", "-\n"},
		/* As long as it can be. */
		{"WITH RECURSIVE v(x) AS (SELECT 0 UNION ALL SELECT x + 2 FROM v WHERE x < 1022) "
		 "SELECT length(cpu_list(x)), substr(cpu_list(x), -9) FROM v",
			"2004|1020,1022\n"},
		{"SELECT cpu_list(1024)", NULL, "not a CPU"},
		{"SELECT cpu_list(-1)", NULL, "not a CPU"},
		{"SELECT cpu_list('0-3')", NULL, "not a CPU"},
		{"SELECT cpu_list(1.0)", NULL, "not a CPU"}, );
}

/* The box: cores of 2, caches and nodes of 4. */
static void distances(void **state)
{
	EXPECT({"SELECT cpu_distance(1, 2, 2), cpu_distance(1, 0, 1), cpu_distance(1, 0, 2), "
		"cpu_distance(1, 3, 4)",
		       "same_cpu|smt|llc|remote\n"},
		{"SELECT cpu_distance(1, 0, 8), cpu_distance(1, -1, 0), cpu_distance(1, 1 << 40, "
		 "0)",
			"-|-|-\n"},
		{"SELECT cpu_distance(NULL, 0, 1), cpu_distance(1, NULL, 1), cpu_distance(1, 0, "
		 "NULL)",
			"-|-|-\n"},
		{"SELECT cpu_distance(2, 0, 1)", NULL, "run"},
		{"SELECT cpu_distance(0, 0, 1)", NULL, "the file has no run 0"},
		{"SELECT cpu_distance(1 << 40, 0, 1)", NULL, "the file has no run"},
		{"SELECT cpu_distance('1', 0, 1)", NULL, "not an integer"},
		{"SELECT cpu_distance(1, 0, 1.5)", NULL, "not an integer"}, );
}

/* Who did not ask for them does not have them, and a file's views never do. */
static void only_where_asked_for(void **state)
{
	struct store_box *box = *state;
	struct rwk_store *store = make_run(box);
	struct rwk_query *q;
	const char *tail;

	rwk_store_close(store);
	store_box_damage(box, "CREATE VIEW mine AS SELECT percentile(1, 50), cpu_list(1)");
	store = store_box_open(box, false);
	rwk_diag_clear(&box->diag);
	assert_int_equal(
		rwk_query_prepare(store, "SELECT cpu_list(1)", &box->diag, &q, &tail), -EINVAL);
	assert_non_null(strstr(box->diag.cause[0], "no such function"));
	assert_int_equal(rwk_store_add_functions(store, &box->diag), 0);
	rwk_diag_clear(&box->diag);
	assert_int_equal(
		rwk_query_prepare(store, "SELECT * FROM mine", &box->diag, &q, &tail), -EINVAL);
	assert_non_null(strstr(box->diag.cause[0], "unsafe use"));
	rwk_store_close(store);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_box_setup, store_box_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(percentile),
		TEST(buckets),
		TEST(cpu_lists),
		TEST(distances),
		TEST(only_where_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
