/* Users' SQL: reads everything, writes nothing, whatever it looks like. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "store_build.h"

static void make_run(struct store_box *box)
{
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);

	store_box_finish(box, w);
}

static void refuses_to_write(void **state)
{
	static const char *const statements[] = {
		"INSERT INTO t_log VALUES (9, NULL, 'x')",
		"UPDATE t_run SET file = 'x'",
		"DELETE FROM t_run",
		"REPLACE INTO t_log VALUES (1, NULL, 'x')",
		"WITH a AS (SELECT 1) INSERT INTO t_log SELECT 9, NULL, 'x'",
		"CREATE TABLE x (a)",
		"CREATE TEMP TABLE x (a)",
		"CREATE VIRTUAL TABLE x USING fts5(a)",
		"CREATE VIEW x AS SELECT 1",
		"DROP TABLE t_run",
		"DROP VIEW run",
		"ALTER TABLE t_run RENAME TO x",
		"ATTACH 'other.db' AS other",
		"ATTACH ':memory:' AS other",
		"DETACH main",
		"VACUUM",
		"VACUUM INTO 'copy.db'",
		"REINDEX",
		"ANALYZE",
		"BEGIN",
		"BEGIN IMMEDIATE",
		"COMMIT",
		"SAVEPOINT a",
		"PRAGMA user_version = 5",
		"PRAGMA journal_mode = WAL",
		"PRAGMA journal_mode",
		"PRAGMA writable_schema = ON",
		"PRAGMA query_only = OFF",
		"PRAGMA temp_store_directory = '/'",
		"PRAGMA application_id(7)",
		"PRAGMA wal_checkpoint",
		"PRAGMA optimize",
		"PRAGMA incremental_vacuum",
		"EXPLAIN INSERT INTO t_log VALUES (9, NULL, 'x')",
		"/* comment */ -- and\nDELETE FROM t_run",
	};
	struct store_box *box = *state;
	struct stat before, after;

	make_run(box);
	assert_int_equal(stat(box->path, &before), 0);
	/* The refusal does not hang on how the file was opened. */
	for (int writable = 0; writable < 2; writable++) {
		struct rwk_store *store = store_box_open(box, writable);

		for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
			struct rwk_query *q = NULL;
			const char *tail;

			rwk_diag_clear(&box->diag);
			if (rwk_query_prepare(store, statements[i], &box->diag, &q, &tail) !=
				-EACCES)
				fail_msg("not refused: %s", statements[i]);
			assert_null(q);
			assert_int_equal(box->diag.nr, 1);
		}
		rwk_store_close(store);
	}
	assert_int_equal(stat(box->path, &after), 0);
	assert_int_equal(before.st_size, after.st_size);
	assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
	assert_false(store_box_has_other_files(box, "run.db", NULL));
}

static void allows_to_read(void **state)
{
	static const char *const statements[] = {
		"SELECT 1",
		"VALUES (1), (2)",
		"WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT * FROM n",
		"EXPLAIN QUERY PLAN SELECT * FROM wakeup",
		"PRAGMA table_info(t_run)",
		"PRAGMA user_version",
		"SELECT * FROM pragma_table_xinfo('wakeup')",
		"SELECT value FROM json_each('[1,2]')",
		"SELECT sql FROM sqlite_schema",
		"SELECT printf('%d', 1), strftime('%s', 0), abs(-1)",
		"SELECT * FROM run JOIN machine USING (machine_id)",
	};
	struct store_box *box = *state;
	struct rwk_store *store;

	make_run(box);
	store = store_box_open(box, false);
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		free(store_box_rows(box, store, statements[i]));
	rwk_store_close(store);
}

static void says_where_it_is_wrong(void **state)
{
	static const struct {
		const char *sql, *near, *why;
	} wrong[] = {
		{"SELEC 1", "SELEC 1", "syntax error"},
		{"SELECT missing FROM run", "missing FROM run", "no such column"},
		{"SELECT * FROM missing", "missing", "no such table"},
		{"SELECT 'open", "'open", "unrecognized token"},
	};
	struct store_box *box = *state;
	struct rwk_store *store;

	make_run(box);
	store = store_box_open(box, false);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct rwk_query *q;
		const char *tail;

		rwk_diag_clear(&box->diag);
		assert_int_equal(
			rwk_query_prepare(store, wrong[i].sql, &box->diag, &q, &tail), -EINVAL);
		if (!strstr(box->diag.cause[0], wrong[i].why))
			fail_msg("%s: %s", wrong[i].sql, box->diag.cause[0]);
	}
	rwk_store_close(store);
}

static void loads_nothing(void **state)
{
	struct store_box *box = *state;
	struct rwk_store *store;
	struct rwk_query *q = NULL;
	const char *tail;
	int err;

	make_run(box);
	store = store_box_open(box, false);
	err = rwk_query_prepare(store, "SELECT load_extension('x')", &box->diag, &q, &tail);
	if (!err)
		err = rwk_query_step(q, &box->diag);
	assert_true(err < 0);
	assert_non_null(strstr(box->diag.cause[0], "not authorized"));
	rwk_query_close(q);
	rwk_store_close(store);
}

static void statements_in_a_row(void **state)
{
	struct store_box *box = *state;
	const char *sql = "SELECT 1; -- one\n SELECT 2;; -- end\n";
	struct rwk_store *store;
	struct rwk_query *q;

	make_run(box);
	store = store_box_open(box, false);
	for (int i = 1; i <= 2; i++) {
		assert_int_equal(rwk_query_prepare(store, sql, &box->diag, &q, &sql), 0);
		assert_int_equal(rwk_query_step(q, &box->diag), 1);
		assert_int_equal(rwk_query_value(q, 0).i, i);
		assert_int_equal(rwk_query_step(q, &box->diag), 0);
		rwk_query_close(q);
	}
	assert_int_equal(rwk_query_prepare(store, sql, &box->diag, &q, &sql), 0);
	assert_null(q);
	rwk_query_close(NULL);
	rwk_store_close(store);
}

static void values(void **state)
{
	struct store_box *box = *state;
	struct rwk_store *store;
	struct rwk_query *q;
	const char *tail;
	struct rwk_value v;

	make_run(box);
	store = store_box_open(box, false);
	assert_int_equal(
		rwk_query_prepare(store,
			"SELECT NULL AS a, -9223372036854775808, 1.5, 'x' || char(0) || 'y', "
			"x'00ff', '', x''",
			&box->diag, &q, &tail),
		0);
	assert_int_equal(rwk_query_nr_columns(q), 7);
	assert_string_equal(rwk_query_column_name(q, 0), "a");
	assert_int_equal(rwk_query_step(q, &box->diag), 1);
	assert_int_equal(rwk_query_value(q, 0).type, RWK_VALUE_NULL);
	assert_true(rwk_query_value(q, 1).i == INT64_MIN);
	v = rwk_query_value(q, 2);
	assert_int_equal(v.type, RWK_VALUE_REAL);
	assert_true(v.r == 1.5);
	v = rwk_query_value(q, 3);
	assert_int_equal(v.type, RWK_VALUE_TEXT);
	assert_int_equal(v.size, 3);
	assert_memory_equal(v.text, "x\0y", 3);
	v = rwk_query_value(q, 4);
	assert_int_equal(v.type, RWK_VALUE_BLOB);
	assert_int_equal(v.size, 2);
	v = rwk_query_value(q, 5);
	assert_int_equal(v.type, RWK_VALUE_TEXT);
	assert_int_equal(v.size, 0);
	assert_non_null(v.text);
	assert_int_equal(rwk_query_value(q, 6).type, RWK_VALUE_BLOB);
	rwk_query_close(q);
	rwk_store_close(store);
}

/* Shipped SQL has temporary tables of its own, and no more than that. */
static void shipped(void **state)
{
	static const char *const refused[] = {"DELETE FROM t_run", "UPDATE t_run SET file = ''",
		"INSERT INTO t_log VALUES (9, 'x', 'y')", "CREATE TABLE x (a)",
		"CREATE VIEW v AS SELECT 1", "CREATE TEMP VIEW v AS SELECT 1",
		"CREATE TEMP TRIGGER t DELETE ON t_run BEGIN SELECT 1; END", "DROP VIEW run",
		"ATTACH 'x' AS y", "BEGIN", "PRAGMA user_version = 1",
		"CREATE TABLE main.x AS SELECT 1", "ALTER TABLE t_run RENAME TO x", "REINDEX",
		"ANALYZE", "CREATE TEMP VIEW x AS SELECT 1"};
	static const char *const allowed[] = {"DROP TABLE IF EXISTS temp.x",
		"CREATE TEMP TABLE x (a INTEGER PRIMARY KEY, b)",
		"INSERT INTO x SELECT run_id, :b FROM run",
		"CREATE TEMP TABLE y (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID",
		"DROP TABLE IF EXISTS temp.y"};
	const struct rwk_value b = {.type = RWK_VALUE_TEXT, .text = "'\";--\0x", .size = 7};
	struct store_box *box = *state;
	struct rwk_store *store;
	struct rwk_query *q;
	const char *tail;

	make_run(box);
	store = store_box_open(box, false);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_int_equal(
			rwk_query_prepare_shipped(store, refused[i], &box->diag, &q, &tail),
			-EACCES);
		rwk_diag_clear(&box->diag);
	}
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
		assert_int_equal(
			rwk_query_prepare(store, allowed[i], &box->diag, &q, &tail), -EACCES);
		rwk_diag_clear(&box->diag);
		assert_int_equal(
			rwk_query_prepare_shipped(store, allowed[i], &box->diag, &q, &tail), 0);
		assert_int_equal(rwk_query_nr_columns(q), 0);
		assert_int_equal(rwk_query_bind_value(q, ":b", &b, &box->diag), 0);
		assert_int_equal(rwk_query_step(q, &box->diag), 0);
		rwk_query_close(q);
	}
	assert_int_equal(
		rwk_query_prepare_shipped(store, "SELECT b FROM x", &box->diag, &q, &tail), 0);
	assert_int_equal(rwk_query_step(q, &box->diag), 1);
	assert_int_equal(rwk_query_value(q, 0).size, 7);
	assert_memory_equal(rwk_query_value(q, 0).text, "'\";--\0x", 7);
	rwk_query_close(q);
	rwk_store_close(store);
}

/* A file can be read where nothing may be written. */
static void read_only_file(void **state)
{
	struct store_box *box = *state;
	struct rwk_store *store;

	make_run(box);
	assert_int_equal(chmod(box->path, 0444), 0);
	assert_int_equal(chmod(box->dir, 0555), 0);
	store = store_box_open(box, false);
	assert_int_equal(store_box_int(box, store, "SELECT COUNT(*) FROM run"), 1);
	rwk_store_close(store);
	assert_int_equal(chmod(box->dir, 0755), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_box_setup, store_box_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(refuses_to_write),
		TEST(allows_to_read),
		TEST(says_where_it_is_wrong),
		TEST(loads_nothing),
		TEST(statements_in_a_row),
		TEST(values),
		TEST(shipped),
		TEST(read_only_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
