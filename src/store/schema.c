/*
 * Migrations are the files of sql/migrate in order; user_version counts those
 * that a file has seen.  Views are made anew after them, as they are not data.
 */
#include "store/schema.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config.h"

static const struct rwk_sql_file *next_in(const struct rwk_sql_file *f, const char *folder)
{
	while (f->name && strncmp(f->name, folder, strlen(folder)))
		f++;
	return f->name ? f : NULL;
}

int rwk_schema_version(void)
{
	int nr = 0;

	for (const struct rwk_sql_file *f = rwk_sql_files; (f = next_in(f, "migrate/")); f++)
		nr++;
	return nr;
}

static int drop_views(struct rwk_db *db, struct rwk_diag *diag)
{
	for (;;) {
		sqlite3_stmt *st;
		char *sql = NULL;
		int err = rwk_db_prepare(db, "drop_view", diag, &st);

		if (err)
			return err;
		err = rwk_db_step(db, st, "list views", diag);
		if (err == 1) {
			sql = sqlite3_mprintf("%s", (const char *)sqlite3_column_text(st, 0));
			err = sql ? 1
				  : rwk_diag_push(
					    diag, -ENOMEM, "cannot drop views: why=out of memory");
		}
		sqlite3_finalize(st);
		if (err == 1)
			err = rwk_db_run_text(db, sql, "drop a view", diag) ?: 1;
		sqlite3_free(sql);
		if (err <= 0)
			return err;
	}
}

static int make_views(struct rwk_db *db, struct rwk_diag *diag)
{
	int err = 0;

	for (const struct rwk_sql_file *f = rwk_sql_files; !err && (f = next_in(f, "views/")); f++)
		err = rwk_db_run_text(db, f->text, f->name, diag);
	return err;
}

static int log_step(struct rwk_db *db, int version, bool fresh, struct rwk_diag *diag)
{
	sqlite3_stmt *st;
	struct rwk_bind b;
	int err = rwk_db_prepare(db, "insert_log", diag, &st);

	if (err)
		return err;
	b = rwk_bind_begin(st);
	rwk_bind_int(&b, version);
	rwk_bind_int(&b, fresh);
	rwk_bind_text(&b, REWAKE_VERSION);
	err = rwk_bind_run(&b, db, "log the upgrade", diag);
	sqlite3_finalize(st);
	return err;
}

static int step(struct rwk_db *db, const struct rwk_sql_file *f, int version, bool fresh,
	struct rwk_diag *diag)
{
	char pragma[64];
	int err = rwk_db_run(db, "begin", diag);

	if (err)
		return err;
	snprintf(pragma, sizeof(pragma), "PRAGMA user_version = %d", version);
	err = drop_views(db, diag);
	if (!err)
		err = rwk_db_run_text(db, f->text, f->name, diag);
	if (!err)
		err = log_step(db, version, fresh, diag);
	if (!err)
		err = rwk_db_run_text(db, pragma, "set the version", diag);
	if (!err)
		err = make_views(db, diag);
	if (!err)
		err = rwk_db_run(db, "commit", diag);
	/* What failed is the error to report, not the undoing of it. */
	if (err)
		sqlite3_exec(db->handle, rwk_sql_text("query/rollback"), NULL, NULL, NULL);
	return err;
}

int rwk_schema_upgrade(struct rwk_db *db, struct rwk_diag *diag)
{
	int64_t from;
	int version = 0;
	int err = rwk_db_get_int(db, "user_version", diag, &from);

	for (const struct rwk_sql_file *f = rwk_sql_files; !err && (f = next_in(f, "migrate/"));
		f++) {
		if (++version > from)
			err = step(db, f, version, from == 0, diag);
	}
	return err;
}

int rwk_schema_check(struct rwk_db *db, struct rwk_diag *diag)
{
	int64_t id, version;
	sqlite3_stmt *st;
	int err = rwk_db_get_int(db, "application_id", diag, &id);

	if (!err)
		err = rwk_db_get_int(db, "user_version", diag, &version);
	if (err)
		return err;
	if (id != RWK_APPLICATION_ID)
		return rwk_diag_push(
			diag, -EBADMSG, "cannot read: file=%s why=not a rewake database", db->path);
	if (version > rwk_schema_version())
		return rwk_diag_push(diag, -EBADMSG,
			"cannot read: file=%s version=%lld why=made by a newer rewake; this one "
			"knows version %d",
			db->path, (long long)version, rwk_schema_version());
	if (version < rwk_schema_version())
		return -ESTALE;
	/* Prepares only: every table and column that matters must be there. */
	err = rwk_db_prepare(db, "check_schema", diag, &st);
	if (!err)
		sqlite3_finalize(st);
	return err;
}
