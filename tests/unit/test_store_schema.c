/*
 * The SQL as it ships against the schema as it is; every table and column
 * explained; and files that are not ours, or not whole, refused by name.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "store/bulk.h"
#include "store/fetch.h"
#include "store/schema.h"
#include "store_build.h"

/* An empty run in box->path. */
static void make_file(struct store_box *box)
{
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);

	store_box_finish(box, w);
}

/* A handle that may do anything, for looking and for breaking. */
static sqlite3 *raw(struct store_box *box)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(box->path, &db), SQLITE_OK);
	return db;
}

static bool starts_with(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static void prepare_all(struct rwk_db *db, const char *name, const char *sql)
{
	while (*sql) {
		sqlite3_stmt *st;

		if (sqlite3_prepare_v2(db->handle, sql, -1, &st, &sql) != SQLITE_OK)
			fail_msg("%s: %s", name, sqlite3_errmsg(db->handle));
		/* The tables that a report makes for its later statements. */
		if (st && starts_with(name, "report/") && !sqlite3_column_count(st))
			assert_int_equal(sqlite3_step(st), SQLITE_DONE);
		sqlite3_finalize(st);
	}
}

static void every_statement_prepares(void **state)
{
	struct store_box *box = *state;
	struct rwk_bulk bulk[RWK_LANE_COUNT];
	struct rwk_db db;
	int queries = 0, reports = 0;

	make_file(box);
	assert_int_equal(rwk_db_open(&db, box->path, SQLITE_OPEN_READWRITE, &box->diag), 0);
	assert_int_equal(rwk_fetch_register(&db, &box->diag), 0);
	for (int i = 0; i < RWK_LANE_COUNT; i++)
		assert_int_equal(rwk_bulk_init(&bulk[i], &db, (enum rwk_lane)i, 0, &box->diag), 0);
	for (const struct rwk_sql_file *f = rwk_sql_files; f->name; f++) {
		/* These need other databases; tests/store/runs.py and compare.py run them all. */
		if (starts_with(f->name, "migrate/") || starts_with(f->name, "views/") ||
			starts_with(f->name, "merge/") || starts_with(f->name, "compare/"))
			continue;
		prepare_all(&db, f->name, f->text);
		queries += starts_with(f->name, "query/");
		reports += starts_with(f->name, "report/");
	}
	assert_true(queries > 50 && reports >= 2);
	for (int i = 0; i < RWK_LANE_COUNT; i++)
		rwk_bulk_finish(&bulk[i]);
	rwk_db_close(&db);
}

static void every_view_has_its_file(void **state)
{
	struct store_box *box = *state;
	struct rwk_store *store;
	int64_t views = 0;

	make_file(box);
	store = store_box_open(box, false);
	for (const struct rwk_sql_file *f = rwk_sql_files; f->name; f++) {
		char sql[128];

		if (!starts_with(f->name, "views/"))
			continue;
		views++;
		snprintf(sql, sizeof(sql),
			"SELECT COUNT(*) FROM sqlite_schema WHERE type = 'view' AND name = '%s'",
			f->name + strlen("views/"));
		assert_int_equal(store_box_int(box, store, sql), 1);
		snprintf(sql, sizeof(sql), "SELECT COUNT(*) FROM %s", f->name + strlen("views/"));
		store_box_int(box, store, sql);
	}
	assert_int_equal(
		store_box_int(box, store, "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'view'"),
		views);
	rwk_store_close(store);
}

/* Whether some line of sql has the word, and behind it on the same line a comment of some length.
 */
static bool is_explained(const char *sql, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = sql; (p = strstr(p, word)); p += len) {
		const char *end = p + strcspn(p, "\n"), *comment = strstr(p, " -- ");
		char before = p == sql ? ' ' : p[-1];

		if (strchr(" \t", before) && strchr(", \n", p[len]) && comment && comment < end &&
			end - comment > 5)
			return true;
	}
	return false;
}

static void everything_is_explained(void **state)
{
	struct store_box *box = *state;
	sqlite3_stmt *tables, *columns;
	sqlite3 *db;
	int nr = 0;

	make_file(box);
	db = raw(box);
	assert_int_equal(
		sqlite3_prepare_v2(db,
			"SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'view')", -1,
			&tables, NULL),
		SQLITE_OK);
	while (sqlite3_step(tables) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(tables, 0);
		const char *sql = (const char *)sqlite3_column_text(tables, 1);
		const char *line = strchr(sql, '\n');

		if (!line || !starts_with(line + 1, "-- "))
			fail_msg("%s says not what it holds, in the line after its name", name);
		assert_int_equal(sqlite3_prepare_v2(db, "SELECT name FROM pragma_table_xinfo(?)",
					 -1, &columns, NULL),
			SQLITE_OK);
		sqlite3_bind_text(columns, 1, name, -1, SQLITE_STATIC);
		while (sqlite3_step(columns) == SQLITE_ROW) {
			const char *column = (const char *)sqlite3_column_text(columns, 0);

			if (!is_explained(sql, column))
				fail_msg("%s.%s has no comment", name, column);
			nr++;
		}
		sqlite3_finalize(columns);
	}
	assert_true(nr > 300);
	sqlite3_finalize(tables);
	sqlite3_close(db);
	assert_false(is_explained("a INTEGER,\n b INTEGER -- text\n", "a"));
	assert_false(is_explained("ab INTEGER, -- text\n", "b"));
}

static void identity(void **state)
{
	struct store_box *box = *state;
	struct rwk_store *store;

	make_file(box);
	store = store_box_open(box, false);
	assert_int_equal(
		store_box_int(box, store, "SELECT application_id FROM pragma_application_id"),
		RWK_APPLICATION_ID);
	assert_int_equal(store_box_int(box, store, "SELECT user_version FROM pragma_user_version"),
		rwk_schema_version());
	assert_int_equal(store_box_int(box, store, "SELECT COUNT(*) FROM t_log WHERE at IS NULL"),
		rwk_schema_version());
	assert_int_equal(rwk_store_nr_runs(store, &box->diag), 1);
	rwk_store_close(store);
}

static void refused(struct store_box *box, int expected, const char *why)
{
	struct rwk_store *store = NULL;
	char text[2048];

	for (int writable = 0; writable < 2; writable++) {
		rwk_diag_clear(&box->diag);
		assert_int_equal(rwk_store_open(box->path, writable, &box->diag, &store), expected);
		rwk_diag_format(&box->diag, text, sizeof(text));
		if (!strstr(text, why) || !strstr(text, box->path))
			fail_msg("\"%s\" does not say \"%s\" of the file", text, why);
		assert_null(store);
	}
}

static void write_bytes(struct store_box *box, off_t at, const void *bytes, size_t nr)
{
	int fd = open(box->path, O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, nr, at), (ssize_t)nr);
	close(fd);
}

static void refuses_what_is_no_database(void **state)
{
	struct store_box *box = *state;

	refused(box, -EIO, "No such file");
	write_bytes(box, 0, "", 0);
	refused(box, -EBADMSG, "empty");
	write_bytes(box, 0, "tracing\n", 8);
	refused(box, -EBADMSG, "not a database");
	assert_int_equal(unlink(box->path), 0);
	snprintf(box->path, sizeof(box->path), "%s", box->dir);
	refused(box, -EBADMSG, "not a regular file");
}

static void refuses_others(void **state)
{
	struct store_box *box = *state;

	store_box_damage(box, "CREATE TABLE messages(id INTEGER); PRAGMA user_version = 1");
	refused(box, -EBADMSG, "not a rewake database");
}

static void refuses_newer(void **state)
{
	struct store_box *box = *state;

	make_file(box);
	store_box_damage(box, "PRAGMA user_version = 12345");
	refused(box, -EBADMSG, "newer rewake");
}

static void refuses_damaged(void **state)
{
	struct store_box *box = *state;
	char garbage[4096];

	make_file(box);
	store_box_damage(box, "DROP TABLE t_wakeup");
	refused(box, -EBADMSG, "damaged");
	assert_int_equal(unlink(box->path), 0);

	make_file(box);
	assert_int_equal(truncate(box->path, 8192), 0);
	refused(box, -EBADMSG, "damaged");
	assert_int_equal(unlink(box->path), 0);

	/* The page of the schema itself. */
	make_file(box);
	memset(garbage, 0x5a, sizeof(garbage));
	write_bytes(box, 100, garbage, sizeof(garbage));
	refused(box, -EBADMSG, "damaged");
}

static void damage_further_on_is_found_when_it_is_read(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	struct rwk_store *store;
	struct rwk_query *q;
	const char *tail;
	char garbage[8192];
	int64_t page;
	int err;

	for (int i = 1; i <= 20000; i++) {
		struct rwk_slice_row r = slice_row(i, i, 1000 + i, 0, 9);

		assert_int_equal(sink.slice(sink.ctx, &r), 0);
	}
	store_box_finish(box, w);
	store = store_box_open(box, false);
	page = store_box_int(box, store, "SELECT MAX(pageno) FROM dbstat WHERE name = 't_slice'");
	rwk_store_close(store);
	memset(garbage, 0x5a, sizeof(garbage));
	write_bytes(box, (off_t)(page - 1) * 8192, garbage, sizeof(garbage));
	store = store_box_open(box, false);
	assert_int_equal(
		rwk_query_prepare(store, "SELECT SUM(dur) FROM slice", &box->diag, &q, &tail), 0);
	err = rwk_query_step(q, &box->diag);
	assert_int_equal(err, -EBADMSG);
	assert_non_null(strstr(box->diag.cause[0], "damaged"));
	rwk_query_close(q);
	rwk_store_close(store);
}

/* An upgrade runs what is missing, logs it with a date, and makes the views anew. */
static void upgrades(void **state)
{
	struct store_box *box = *state;
	struct rwk_store *store = NULL;

	make_file(box);
	store_box_damage(box, "DROP VIEW slice; CREATE VIEW old AS SELECT 1 AS one;"
			      "DELETE FROM t_log; PRAGMA user_version = 0");
	/* All tables are there, so that the first migration cannot run: nothing of it stays. */
	assert_int_equal(rwk_store_open(box->path, true, &box->diag, &store), -EINVAL);
	store_box_damage(box, "SELECT one FROM old");
	rwk_diag_clear(&box->diag);
	assert_int_equal(rwk_store_open(box->path, false, &box->diag, &store), -EBADMSG);
	assert_non_null(strstr(box->diag.cause[0], "older rewake"));
}

static char *schema_of(struct store_box *box)
{
	struct rwk_store *store = store_box_open(box, false);
	char *rows = store_box_rows(
		box, store, "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2");

	rwk_store_close(store);
	return rows;
}

/* A file of every earlier version comes to the schema of a new one, and keeps its rows. */
static void upgrades_every_version(void **state)
{
	struct store_box *box = *state;
	struct rwk_store *store;
	char *fresh, *upgraded;

	make_file(box);
	fresh = schema_of(box);
	for (int version = 1; version < rwk_schema_version(); version++) {
		const struct rwk_sql_file *f = rwk_sql_files;
		char pragma[64];
		sqlite3 *db;

		assert_int_equal(unlink(box->path), 0);
		db = raw(box);
		for (int nr = 0; nr < version; f++) {
			if (!starts_with(f->name, "migrate/"))
				continue;
			nr++;
			assert_int_equal(sqlite3_exec(db, f->text, NULL, NULL, NULL), SQLITE_OK);
		}
		snprintf(pragma, sizeof(pragma), "PRAGMA user_version = %d", version);
		assert_int_equal(sqlite3_exec(db, pragma, NULL, NULL, NULL), SQLITE_OK);
		assert_int_equal(
			sqlite3_exec(db,
				"INSERT INTO t_machine (id, topology_known, nr_cpu_ids) VALUES (1, "
				"0, 8);"
				"INSERT INTO t_run (id, machine_id, file, tool_version, nr_cpus, "
				"truncated) VALUES (1, 1, 'x.dat', '0', 8, 0);"
				"INSERT INTO t_policy (id, name) VALUES (1, 'old');"
				"INSERT INTO t_replay (id, run_id, policy_id, params, mode, "
				"kernel, "
				"summary_only, tool_version, verdicts, decisions, agree, "
				"interesting, interesting_agree, unanswered, with_unknown, "
				"violations, fork_decisions, fork_agree, fork_idle, "
				"fork_idle_agree, exec_decisions, exec_agree, exec_idle, "
				"exec_idle_agree) VALUES (1, 1, 1, '', 'open', 'linux', 0, '0', 7, "
				"6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)",
				NULL, NULL, NULL),
			SQLITE_OK);
		sqlite3_close(db);
		store = store_box_open(box, true);
		assert_int_equal(store_box_int(box, store,
					 "SELECT COUNT(*) FROM t_log WHERE at IS NOT NULL"),
			rwk_schema_version() - version);
		upgraded = store_box_rows(box, store,
			"SELECT replay.policy, replay.machine, machine_id, decisions, agree, "
			"nr_cpu_ids "
			"FROM replay JOIN agreement ON replay = replay_id "
			"JOIN machine USING (machine_id)");
		assert_string_equal(upgraded, "old|recorded|1|6|5|8\n");
		free(upgraded);
		rwk_store_close(store);
		upgraded = schema_of(box);
		assert_string_equal(upgraded, fresh);
		free(upgraded);
	}
	free(fresh);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_box_setup, store_box_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_statement_prepares),
		TEST(every_view_has_its_file),
		TEST(everything_is_explained),
		TEST(identity),
		TEST(refuses_what_is_no_database),
		TEST(refuses_others),
		TEST(refuses_newer),
		TEST(refuses_damaged),
		TEST(damage_further_on_is_found_when_it_is_read),
		TEST(upgrades),
		TEST(upgrades_every_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
