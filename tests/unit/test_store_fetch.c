/* fetch() against asking for every column, and whom it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "store/fetch.h"

static struct rwk_db memory_open(void)
{
	struct rwk_db db = {0};
	struct rwk_diag diag = {0};

	assert_int_equal(sqlite3_open(":memory:", &db.handle), SQLITE_OK);
	assert_int_equal(rwk_fetch_register(&db, &diag), 0);
	assert_int_equal(
		sqlite3_exec(db.handle,
			"CREATE TABLE t (id INTEGER PRIMARY KEY, a, b);"
			"INSERT INTO t VALUES (3, 7, NULL), (1, NULL, -9223372036854775807 - 1),"
			" (2, 0, 'x'), (9, 9223372036854775807, 2.9), (4, '12', x'31')",
			NULL, NULL, NULL),
		SQLITE_OK);
	return db;
}

static sqlite3_stmt *prepare(struct rwk_db *db, const char *sql, struct rwk_fetch *f)
{
	sqlite3_stmt *st;
	struct rwk_bind b;

	assert_int_equal(sqlite3_prepare_v2(db->handle, sql, -1, &st, NULL), SQLITE_OK);
	b = rwk_bind_begin(st);
	if (f)
		rwk_fetch_bind(&b, f);
	assert_int_equal(b.rc, SQLITE_OK);
	return st;
}

static void same_as_columns(void **state)
{
	struct rwk_db db = memory_open();
	struct rwk_fetch f, sorted;
	sqlite3_stmt *fetched = prepare(&db, "SELECT fetch(?1, id, a, b) FROM t ORDER BY id", &f);
	sqlite3_stmt *plain = prepare(&db, "SELECT id, a, b FROM t ORDER BY id", NULL);
	int rows = 0;

	(void)state;
	while (sqlite3_step(plain) == SQLITE_ROW) {
		rows++;
		assert_int_equal(sqlite3_step(fetched), SQLITE_ROW);
		rwk_fetch_sorted(&sorted, plain);
		for (int i = 0; i < 3; i++) {
			bool null = sqlite3_column_type(plain, i) == SQLITE_NULL;

			assert_int_equal(f.value[i], sqlite3_column_int64(plain, i));
			assert_int_equal(sorted.value[i], sqlite3_column_int64(plain, i));
			assert_int_equal(rwk_fetch_null(&f, i), null);
			assert_int_equal(rwk_fetch_null(&sorted, i), null);
			assert_int_equal(rwk_fetch_int(&f, i, -5), null ? -5 : f.value[i]);
		}
	}
	assert_int_equal(rows, 5);
	assert_int_equal(sqlite3_step(fetched), SQLITE_DONE);
	sqlite3_finalize(fetched);
	sqlite3_finalize(plain);
	sqlite3_close(db.handle);
}

static void assert_refused(struct rwk_db *db, const char *sql)
{
	assert_int_equal(sqlite3_exec(db->handle, sql, NULL, NULL, NULL), SQLITE_ERROR);
}

static void strangers(void **state)
{
	struct rwk_db db = memory_open();
	struct rwk_fetch f;
	char many[256] = "SELECT fetch(?1", *end = many + strlen(many);
	sqlite3_stmt *st;

	(void)state;
	assert_refused(&db, "SELECT fetch()");
	assert_refused(&db, "SELECT fetch(NULL, 1)");
	assert_refused(&db, "SELECT fetch(140737488355328, 1)");
	assert_int_equal(
		sqlite3_exec(db.handle, "CREATE VIEW v AS SELECT fetch(NULL, 1)", NULL, NULL, NULL),
		SQLITE_OK);
	assert_refused(&db, "SELECT * FROM v");
	for (int i = 0; i <= RWK_FETCH_MAX; i++)
		end += sprintf(end, ", %d", i);
	strcpy(end, ")");
	st = prepare(&db, many, &f);
	assert_int_equal(sqlite3_step(st), SQLITE_ERROR);
	sqlite3_finalize(st);
	sqlite3_close(db.handle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_columns),
		cmocka_unit_test(strangers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
