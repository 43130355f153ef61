/* The thin layer over sqlite3 that the room's files share. */
#include "store/db.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

#define BUSY_MS 2000

static int errno_of(int rc)
{
	switch (rc & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return 0;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_READONLY:
		return -EROFS;
	case SQLITE_AUTH:
	case SQLITE_PERM:
	case SQLITE_CANTOPEN:
		return -EACCES;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_SCHEMA:
		return -EBADMSG;
	case SQLITE_TOOBIG:
		return -E2BIG;
	case SQLITE_CONSTRAINT:
	case SQLITE_MISMATCH:
	case SQLITE_RANGE:
	case SQLITE_ERROR:
		return -EINVAL;
	default:
		return -EIO;
	}
}

int rwk_db_open(struct rwk_db *db, const char *path, int flags, struct rwk_diag *diag)
{
	char *name;
	int rc;

	*db = (struct rwk_db){.path = strdup(path)};
	/* "file:x?mode=…", ":memory:" and "" mean something else to sqlite3 than to a shell. */
	if (!db->path || asprintf(&name, "%s%s", path[0] == '/' ? "" : "./", path) < 0) {
		rwk_db_close(db);
		return rwk_diag_push(diag, -ENOMEM, "cannot open %s: why=out of memory", path);
	}
	rc = sqlite3_open_v2(name, &db->handle, flags | SQLITE_OPEN_NOMUTEX, NULL);
	free(name);
	if (rc != SQLITE_OK) {
		int err = db->handle ? rwk_db_fail(db, diag, "open database")
				     : rwk_diag_push(diag, -ENOMEM,
					       "cannot open %s: why=out of memory", path);
		rwk_db_close(db);
		return err;
	}
	sqlite3_busy_timeout(db->handle, BUSY_MS);
	return 0;
}

void rwk_db_close(struct rwk_db *db)
{
	sqlite3_close_v2(db->handle);
	free(db->path);
	*db = (struct rwk_db){0};
}

int rwk_db_fail(struct rwk_db *db, struct rwk_diag *diag, const char *what)
{
	int rc = sqlite3_extended_errcode(db->handle);
	int err = errno_of(rc);
	const char *why = sqlite3_errmsg(db->handle);

	/* An errno of the system says more than sqlite3's "disk I/O error". */
	if ((rc & 0xff) == SQLITE_IOERR || (rc & 0xff) == SQLITE_CANTOPEN) {
		int sys = sqlite3_system_errno(db->handle);

		if (sys) {
			err = -sys;
			why = strerror(sys);
		}
	}
	if ((rc & 0xff) == SQLITE_CORRUPT)
		why = "the database is damaged";
	if ((rc & 0xff) == SQLITE_BUSY)
		why = "another program is writing to it";
	return rwk_diag_push(
		diag, err ? err : -EIO, "cannot %s: file=%s why=%s", what, db->path, why);
}

const char *rwk_sql_text(const char *name)
{
	for (const struct rwk_sql_file *f = rwk_sql_files; f->name; f++) {
		if (!strcmp(f->name, name))
			return f->text;
	}
	return NULL;
}

static const char *query_text(const char *name)
{
	char full[128];

	if (strchr(name, '/'))
		return rwk_sql_text(name);
	snprintf(full, sizeof(full), "query/%s", name);
	return rwk_sql_text(full);
}

int rwk_db_prepare(struct rwk_db *db, const char *name, struct rwk_diag *diag, sqlite3_stmt **ret)
{
	const char *text = query_text(name);
	sqlite3_stmt *st;
	int rc;

	if (!text)
		return rwk_diag_push(
			diag, -ENOENT, "cannot prepare %s: why=no such statement", name);
	rc = sqlite3_prepare_v3(db->handle, text, -1, SQLITE_PREPARE_PERSISTENT, &st, NULL);
	if (rc == SQLITE_OK) {
		*ret = st;
		return 0;
	}
	/* The statement is ours, so that what does not fit is the file. */
	if (rc == SQLITE_ERROR)
		return rwk_diag_push(diag, -EBADMSG,
			"cannot prepare %s: file=%s why=the database is damaged (%s)", name,
			db->path, sqlite3_errmsg(db->handle));
	return rwk_db_fail(db, diag, name);
}

int rwk_db_run_text(struct rwk_db *db, const char *text, const char *what, struct rwk_diag *diag)
{
	return sqlite3_exec(db->handle, text, NULL, NULL, NULL) == SQLITE_OK
		       ? 0
		       : rwk_db_fail(db, diag, what);
}

int rwk_db_run(struct rwk_db *db, const char *name, struct rwk_diag *diag)
{
	const char *text = query_text(name);

	if (!text)
		return rwk_diag_push(diag, -ENOENT, "cannot run %s: why=no such statement", name);
	return rwk_db_run_text(db, text, name, diag);
}

int rwk_db_get_int(struct rwk_db *db, const char *name, struct rwk_diag *diag, int64_t *ret)
{
	sqlite3_stmt *st;
	int err = rwk_db_prepare(db, name, diag, &st);

	if (err)
		return err;
	err = rwk_db_step(db, st, "read the database", diag);
	if (err >= 0) {
		*ret = err ? sqlite3_column_int64(st, 0) : 0;
		err = 0;
	}
	sqlite3_finalize(st);
	return err;
}

int rwk_db_step(struct rwk_db *db, sqlite3_stmt *st, const char *what, struct rwk_diag *diag)
{
	int rc = sqlite3_step(st);
	int err = 0;

	if (rc == SQLITE_ROW)
		return 1;
	if (rc != SQLITE_DONE)
		err = rwk_db_fail(db, diag, what);
	sqlite3_reset(st);
	return err;
}

static void keep(struct rwk_bind *b, int rc)
{
	if (b->rc == SQLITE_OK)
		b->rc = rc;
}

void rwk_bind_null(struct rwk_bind *b)
{
	keep(b, sqlite3_bind_null(b->st, ++b->nr));
}

void rwk_bind_int(struct rwk_bind *b, int64_t value)
{
	keep(b, sqlite3_bind_int64(b->st, ++b->nr, value));
}

void rwk_bind_id(struct rwk_bind *b, int64_t value)
{
	if (value == RWK_NONE)
		rwk_bind_null(b);
	else
		rwk_bind_int(b, value);
}

void rwk_bind_ns(struct rwk_bind *b, rwk_ns value)
{
	if (value == RWK_NS_NONE)
		rwk_bind_null(b);
	else
		rwk_bind_int(b, value);
}

void rwk_bind_text(struct rwk_bind *b, const char *text)
{
	keep(b, sqlite3_bind_text(b->st, ++b->nr, text, -1, SQLITE_STATIC));
}

void rwk_bind_name(struct rwk_bind *b, const char *text)
{
	rwk_bind_text(b, text && *text ? text : NULL);
}

void rwk_bind_comm(struct rwk_bind *b, const char *comm)
{
	keep(b, sqlite3_bind_text(
			b->st, ++b->nr, comm, (int)strnlen(comm, RWK_COMM_LEN), SQLITE_STATIC));
}

void rwk_bind_cpus(struct rwk_bind *b, const struct rwk_cpuset *set)
{
	/* Worst case: every second CPU, four digits and a comma each. */
	char text[RWK_MAX_CPUS / 2 * 5 + 1];
	int len = rwk_format_cpulist(set, text, sizeof(text));

	keep(b, sqlite3_bind_text(b->st, ++b->nr, text, len, SQLITE_TRANSIENT));
}

int rwk_bind_run(struct rwk_bind *b, struct rwk_db *db, const char *what, struct rwk_diag *diag)
{
	int err;

	if (b->rc != SQLITE_OK) {
		err = rwk_db_fail(db, diag, what);
		sqlite3_reset(b->st);
		return err;
	}
	return rwk_db_step(db, b->st, what, diag);
}

int64_t rwk_column_int(sqlite3_stmt *st, int column, int64_t if_null)
{
	if (sqlite3_column_type(st, column) == SQLITE_NULL)
		return if_null;
	return sqlite3_column_int64(st, column);
}

bool rwk_column_comm(sqlite3_stmt *st, int column, char ret[RWK_COMM_LEN])
{
	const void *text = sqlite3_column_blob(st, column);
	int size = sqlite3_column_bytes(st, column);

	memset(ret, 0, RWK_COMM_LEN);
	if (sqlite3_column_type(st, column) == SQLITE_NULL)
		return false;
	if (size)
		memcpy(ret, text, size < RWK_COMM_LEN ? (size_t)size : RWK_COMM_LEN);
	return true;
}
