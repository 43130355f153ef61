/*
 * The same rows as table, CSV and JSON: names of any bytes harm neither a
 * terminal nor a reader, numbers line up, and titles stay with their sections.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>

#include "report/report.h"
#include "report/text.h"
#include "store_build.h"

static struct rwk_store *make_run(struct store_box *box)
{
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);

	store_box_finish(box, w);
	return store_box_open(box, false);
}

/* Output of a query, or of a report if sql is NULL; free() it. */
static char *render(struct store_box *box, struct rwk_store *store, const struct rwk_report *report,
	const char *sql, enum rwk_format format, int expected)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int err;

	assert_non_null(out);
	rwk_diag_clear(&box->diag);
	err = report ? rwk_report_run(store, report, format, out, &box->diag)
		     : rwk_report_query(store, sql, format, out, &box->diag);
	if (err != expected && box->diag.nr)
		print_error("%s\n", box->diag.cause[0]);
	assert_int_equal(err, expected);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void expect(struct store_box *box, struct rwk_store *store, const char *sql,
	enum rwk_format format, const char *expected)
{
	char *text = render(box, store, NULL, sql, format, 0);

	assert_string_equal(text, expected);
	free(text);
}

static void tables(void **state)
{
	struct store_box *box = *state;
	struct rwk_store *store = make_run(box);

	expect(box, store,
		"SELECT 'a' AS name, 1 AS n, 10.5 AS r UNION ALL SELECT 'long', 1000, 2.25 "
		"UNION ALL SELECT NULL, NULL, NULL",
		RWK_FORMAT_TABLE,
		"name     n      r\n"
		"----  ----  -----\n"
		"a        1  10.50\n"
		"long  1000   2.25\n"
		"-        -      -\n");
	/* Text is on the left even with numbers in it; the last column leaves no blanks. */
	expect(box, store, "SELECT 1 AS mixed, 'x' AS t UNION ALL SELECT 'abc', 'yyy'",
		RWK_FORMAT_TABLE, "mixed  t\n-----  ---\n1      x\nabc    yyy\n");
	expect(box, store, "SELECT 1 AS x WHERE 0", RWK_FORMAT_TABLE, "(none)\n");
	expect(box, store, "SELECT NULL AS x", RWK_FORMAT_TABLE, "x\n-\n-\n");
	/* What has no decimals is as short as it can be. */
	expect(box, store, "SELECT CAST(4611686018427387904 AS REAL) AS big UNION ALL SELECT 0.5",
		RWK_FORMAT_TABLE,
		"                  big\n---------------------\n4.611686018427388e+18\n"
		"                  0.5\n");
	rwk_store_close(store);
}

static void numbers(void **state)
{
	struct store_box *box = *state;
	struct rwk_store *store = make_run(box);

	expect(box, store,
		"SELECT -9223372036854775808 AS a, 0.1 AS b, 100.0 AS c, 1.0 / 3 AS d, 9e999 AS e, "
		"NULL AS f",
		RWK_FORMAT_JSON,
		"[\n {\"a\": -9223372036854775808, \"b\": 0.1, \"c\": 100.0, \"d\": "
		"0.3333333333333333, "
		"\"e\": 1e999, \"f\": null}\n]\n");
	expect(box, store, "SELECT 0.1 AS b, 100.0 AS c, 1e20 AS d, NULL AS e, '' AS f",
		RWK_FORMAT_CSV, "b,c,d,e,f\r\n0.1,100.0,1e+20,,\"\"\r\n");
	expect(box, store, "SELECT 1 AS a, 2 AS a, 3 AS a, 4 AS a_2", RWK_FORMAT_JSON,
		"[\n {\"a\": 1, \"a_2\": 2, \"a_3\": 3, \"a_2_2\": 4}\n]\n");
	rwk_store_close(store);
}

#define EVIL                                                                                       \
	"'q\"uo,te' || char(10) || char(27) || '[31m' || char(9) || char(92) || char(8238) || "    \
	"CAST(x'ff' AS TEXT) || 'é<script>'"

static void any_bytes(void **state)
{
	struct store_box *box = *state;
	struct rwk_store *store = make_run(box);

	expect(box, store, "SELECT " EVIL " AS name", RWK_FORMAT_TABLE,
		"name\n"
		"------------------------------------------\n"
		"q\"uo,te\\n\\x1b[31m\\t\\\\\\u{202e}\\xff\xc3\xa9<script>\n");
	expect(box, store, "SELECT " EVIL " AS name", RWK_FORMAT_CSV,
		"name\r\n\"q\"\"uo,te\n\x1b[31m\t\\\xe2\x80\xae\xef\xbf\xbd\xc3\xa9<script>\"\r\n");
	expect(box, store, "SELECT " EVIL " AS name", RWK_FORMAT_JSON,
		"[\n {\"name\": "
		"\"q\\\"uo,te\\u000a\\u001b[31m\\u0009\\\\\xe2\x80\xae\\ufffd\xc3\xa9<script>\"}\n]"
		"\n");
	expect(box, store, "SELECT 'a' || char(0) || 'b' AS nul, x'00ff' AS blob", RWK_FORMAT_TABLE,
		"nul     blob\n------  -------\na\\x00b  x'00ff'\n");
	expect(box, store, "SELECT 'a' || char(0) || 'b' AS nul, x'00ff' AS blob", RWK_FORMAT_CSV,
		"nul,blob\r\na\xef\xbf\xbd"
		"b,x'00ff'\r\n");
	expect(box, store, "SELECT 'a' || char(0) || 'b' AS nul, x'00ff' AS blob", RWK_FORMAT_JSON,
		"[\n {\"nul\": \"a\\u0000b\", \"blob\": \"x'00ff'\"}\n]\n");
	/* Column names come from the user, too. */
	expect(box, store, "SELECT 1 AS \"a\"\"b\x1b\"", RWK_FORMAT_TABLE,
		"a\"b\\x1b\n-------\n      1\n");
	expect(box, store, "SELECT 1 AS \"a,\"\"b\"", RWK_FORMAT_CSV, "\"a,\"\"b\"\r\n1\r\n");
	expect(box, store, "SELECT 1 AS \"a\"\"b\"", RWK_FORMAT_JSON, "[\n {\"a\\\"b\": 1}\n]\n");
	rwk_store_close(store);
}

static void utf8(void **state)
{
	static const struct {
		const char *bytes;
		int len;
	} cases[] = {{"A", 1}, {"\x7f", 1}, {"\x80", 0}, {"\xc0\x80", 0}, {"\xc1\xbf", 0},
		{"\xc2\x80", 2}, {"\xdf\xbf", 2}, {"\xe0\x80\x80", 0}, {"\xe0\xa0\x80", 3},
		{"\xed\xa0\x80", 0}, {"\xed\x9f\xbf", 3}, {"\xef\xbf\xbf", 3},
		{"\xf0\x8f\xbf\xbf", 0}, {"\xf0\x90\x80\x80", 4}, {"\xf4\x8f\xbf\xbf", 4},
		{"\xf4\x90\x80\x80", 0}, {"\xf5\x80\x80\x80", 0}, {"\xff", 0}, {"\xe2\x82", 0},
		{"\xe2\x28\xa1", 0}};
	uint32_t c;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int len = rwk_text_decode(cases[i].bytes, strlen(cases[i].bytes), &c);

		if (len != cases[i].len)
			fail_msg("case %zu: %d, not %d", i, len, cases[i].len);
	}
	assert_int_equal(rwk_text_decode("\0", 1, &c), 1);
	assert_int_equal(c, 0);
	assert_int_equal(rwk_text_decode("\xf4\x8f\xbf\xbf", 4, &c), 4);
	assert_int_equal(c, 0x10ffff);
}

/* More rows than are laid out at once. */
static void long_results(void **state)
{
	struct store_box *box = *state;
	struct rwk_store *store = make_run(box);
	char *text = render(box, store, NULL,
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) "
		"SELECT i, 'name' || i AS name FROM n",
		RWK_FORMAT_TABLE, 0);
	size_t lines = 0;

	for (const char *p = text; (p = strchr(p, '\n')); p++)
		lines++;
	assert_int_equal(lines, 10002);
	assert_non_null(strstr(text, "\n   1  name1\n"));
	assert_non_null(strstr(text, "\n10000  name10000\n"));
	free(text);
	rwk_store_close(store);
}

static void errors(void **state)
{
	struct store_box *box = *state;
	struct rwk_store *store = make_run(box);
	char *text;

	text = render(box, store, NULL, "SELECT 1; SELECT 2", RWK_FORMAT_TABLE, -EINVAL);
	assert_string_equal(text, "");
	free(text);
	text = render(box, store, NULL, " -- nothing\n", RWK_FORMAT_TABLE, -EINVAL);
	free(text);
	text = render(box, store, NULL, "DELETE FROM t_run", RWK_FORMAT_JSON, -EACCES);
	assert_string_equal(text, "");
	free(text);
	text = render(box, store, NULL, "SELECT 1; -- the end\n", RWK_FORMAT_TABLE, 0);
	free(text);
	/* An error in the middle: the number of rows that came before is not hidden. */
	text = render(box, store, NULL,
		"SELECT abs(i) FROM (SELECT 1 AS i UNION ALL SELECT -9223372036854775808)",
		RWK_FORMAT_CSV, -EINVAL);
	assert_string_equal(text, "abs(i)\r\n1\r\n");
	free(text);
	rwk_store_close(store);
}

static void formats(void **state)
{
	enum rwk_format format = RWK_FORMAT_TABLE;

	(void)state;
	assert_int_equal(rwk_format_parse("json", &format), 0);
	assert_int_equal(format, RWK_FORMAT_JSON);
	assert_int_equal(rwk_format_parse("csv", &format), 0);
	assert_int_equal(rwk_format_parse("table", &format), 0);
	assert_int_equal(rwk_format_parse("xml", &format), -EINVAL);
	assert_int_equal(format, RWK_FORMAT_TABLE);
}

/* Every shipped report on a run with evil names and losses, in every format. */
static void every_report(void **state)
{
	struct store_box *box = *state;
	const struct rwk_edge edge = {
		.waker_utid = 9, .wakee_utid = 10, .count = 1, .waker_fanout = 1};
	const struct rwk_report *report;
	struct rwk_store *store;
	size_t nr = 0;

	memcpy(box->task[8].comm, "\x1b]0;\xff\",\n", 9);
	box->run.edge = &edge;
	box->run.nr_edge = 1;
	box->cpu[3].observed = false;
	box->cpu[4].overrun = 12;
	rwk_anomaly_add(&box->anomalies, RWK_AN_TRUNCATED, RWK_NS_NONE, 3, 4711);
	store = make_run(box);
	assert_null(rwk_report_find("nothing"));
	for (; (report = rwk_report_at(nr)); nr++) {
		char *text;
		json_error_t error;
		json_t *root, *section;
		const char *title;

		assert_ptr_equal(rwk_report_find(report->name), report);
		assert_true(strlen(report->about) > 10);
		text = render(box, store, report, NULL, RWK_FORMAT_TABLE, 0);
		assert_null(strchr(text, '\x1b'));
		/* The footer of every report; a narrow one for mails. */
		if (!strcmp(report->name, "mail")) {
			assert_non_null(strstr(text, "\nLosses and doubts\nwhat "));
			assert_non_null(strstr(text, "CPUs not observed"));
			assert_non_null(strstr(text, "truncated"));
		} else {
			assert_non_null(strstr(text, "\nLost events\nrun  cpu"));
			assert_non_null(strstr(text, "not observed: neither idle nor busy"));
			assert_non_null(strstr(text, "\nAnomalies\n"));
			assert_non_null(strstr(text, "read up to there"));
		}
		free(text);
		text = render(box, store, report, NULL, RWK_FORMAT_CSV, 0);
		assert_int_equal(strncmp(text, "section,", 8), 0);
		assert_non_null(strstr(text, "\r\n\r\nsection,"));
		free(text);
		text = render(box, store, report, NULL, RWK_FORMAT_JSON, 0);
		root = json_loads(text, 0, &error);
		if (!root)
			fail_msg("%s: %s at %d:%d", report->name, error.text, error.line,
				error.column);
		json_object_foreach (root, title, section)
			assert_true(json_is_array(section));
		if (strcmp(report->name, "mail"))
			assert_int_equal(json_array_size(json_object_get(root, "Anomalies")), 1);
		json_decref(root);
		free(text);
	}
	assert_true(nr >= 2);
	rwk_store_close(store);
}

/* A disk that is full shows. */
static void output_that_cannot_be_written(void **state)
{
	struct store_box *box = *state;
	struct rwk_store *store = make_run(box);
	FILE *full = fopen("/dev/full", "w");

	if (!full) {
		print_message("skipped: no /dev/full\n");
		rwk_store_close(store);
		skip();
	}
	assert_int_equal(
		rwk_report_query(store, "SELECT 1", RWK_FORMAT_TABLE, full, &box->diag), -EIO);
	assert_int_equal(box->diag.nr, 1);
	fclose(full);
	rwk_store_close(store);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_box_setup, store_box_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(tables),
		TEST(numbers),
		TEST(any_bytes),
		cmocka_unit_test(utf8),
		TEST(long_results),
		TEST(errors),
		cmocka_unit_test(formats),
		TEST(every_report),
		TEST(output_that_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
