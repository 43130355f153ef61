/* The views as text: every column that the database has, and no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <sqlite3.h>

#include "report/schema_text.h"
#include "store_build.h"

static void columns_are_those_of_the_database(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	sqlite3_stmt *views, *columns;
	sqlite3 *db;
	int nr = 0;

	store_box_finish(box, store_box_writer(box, &sink));
	assert_int_equal(sqlite3_open_v2(box->path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(
		sqlite3_prepare_v2(db, "SELECT name, sql FROM sqlite_schema WHERE type = 'view'",
			-1, &views, NULL),
		SQLITE_OK);
	while (sqlite3_step(views) == SQLITE_ROW) {
		const char *sql = (const char *)sqlite3_column_text(views, 1), *p = sql;
		struct rwk_schema_column c;
		int len;

		assert_true(*rwk_schema_about(sql, &len) && len > 5);
		assert_int_equal(sqlite3_prepare_v2(db, "SELECT name FROM pragma_table_info(?)", -1,
					 &columns, NULL),
			SQLITE_OK);
		sqlite3_bind_text(
			columns, 1, (const char *)sqlite3_column_text(views, 0), -1, SQLITE_STATIC);
		while (sqlite3_step(columns) == SQLITE_ROW) {
			const char *name = (const char *)sqlite3_column_text(columns, 0);

			assert_true(rwk_schema_next_column(&p, &c));
			assert_int_equal(c.name_len, strlen(name));
			assert_memory_equal(c.name, name, strlen(name));
			assert_true(c.about_len > 0);
			nr++;
		}
		assert_false(rwk_schema_next_column(&p, &c));
		sqlite3_finalize(columns);
	}
	assert_true(nr > 200);
	sqlite3_finalize(views);
	sqlite3_close(db);
}

static void only_columns_count(void **state)
{
	const char *p = "CREATE VIEW v AS\n-- One row AS x, -- no column\nSELECT\n"
			"\tCASE a AS b THEN 1\n\tEND AS c, -- third | of them\n"
			"\td AS e + 1 -- not named\n\tf AS g, h AS i -- last\nFROM t AS u;\n";
	struct rwk_schema_column c;

	(void)state;
	assert_true(rwk_schema_next_column(&p, &c));
	assert_int_equal(c.name_len, 1);
	assert_int_equal(*c.name, 'c');
	assert_int_equal(c.about_len, strlen("third | of them"));
	assert_true(rwk_schema_next_column(&p, &c));
	assert_int_equal(*c.name, 'i');
	assert_false(rwk_schema_next_column(&p, &c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			columns_are_those_of_the_database, store_box_setup, store_box_teardown),
		cmocka_unit_test(only_columns_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
