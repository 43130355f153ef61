/* Opening of a finished file. */
#include "store/handle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/bits.h"
#include "store/fetch.h"
#include "store/schema.h"

/*
 * A program that was killed while it wrote leaves a journal from which the file
 * has to be restored; a read-only handle cannot do that.
 */
static int roll_back(const char *path, struct rwk_diag *diag)
{
	struct rwk_db db;
	int64_t version;
	int err = rwk_db_open(&db, path, SQLITE_OPEN_READWRITE, diag);

	if (err)
		return err;
	err = rwk_db_get_int(&db, "user_version", diag, &version);
	rwk_db_close(&db);
	return err;
}

static int open_checked(struct rwk_store *s, const char *path, struct rwk_diag *diag)
{
	int flags = s->writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
	int err = rwk_db_open(&s->db, path, flags, diag);

	if (err)
		return err;
	/* sqlite3 opens it all the same, and complains when half of the work is done. */
	if (s->writable && sqlite3_db_readonly(s->db.handle, "main") == 1) {
		rwk_db_close(&s->db);
		return rwk_diag_push(
			diag, -EACCES, "cannot write: file=%s why=it is read-only", path);
	}
	/*
	 * The file may come from anybody: its views must not reach functions with
	 * side effects, nor may statements reach its raw pages.
	 */
	sqlite3_db_config(s->db.handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(s->db.handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	err = rwk_db_run(&s->db, "pragma_open", diag);
	if (!err)
		err = rwk_fetch_register(&s->db, diag);
	if (!err)
		err = rwk_schema_check(&s->db, diag);
	if (err == -ESTALE && s->writable) {
		err = rwk_schema_upgrade(&s->db, diag);
		if (!err)
			err = rwk_schema_check(&s->db, diag);
	}
	if (err && err != -ESTALE)
		rwk_db_close(&s->db);
	return err;
}

static int cannot_stat(const char *path, int err, struct rwk_diag *diag)
{
	char left[4096];

	if (err == -ENOENT && rwk_store_leftover(path, left, sizeof(left)))
		return rwk_diag_push(diag, -EIO,
			"cannot open: file=%s why=it is not complete: an import was killed and "
			"left "
			"%s; import again",
			path, left);
	return rwk_diag_push(diag, -EIO, "cannot open: file=%s why=%s", path, strerror(-err));
}

int rwk_store_open_any(const char *path, bool writable, struct rwk_diag *diag,
	struct rwk_store **ret, bool *ret_older)
{
	struct rwk_store *s;
	struct stat st;
	int err;

	if (stat(path, &st))
		return cannot_stat(path, -errno, diag);
	if (!S_ISREG(st.st_mode))
		return rwk_diag_push(
			diag, -EBADMSG, "cannot open: file=%s why=not a regular file", path);
	/* sqlite3 takes an empty file for a database without tables. */
	if (!st.st_size)
		return rwk_diag_push(diag, -EBADMSG, "cannot open: file=%s why=it is empty", path);
	s = calloc(1, sizeof(*s));
	if (!s)
		return rwk_diag_push(diag, -ENOMEM, "cannot open %s: why=out of memory", path);
	s->writable = writable;
	err = open_checked(s, path, diag);
	if (err == -EROFS && !writable) {
		rwk_diag_clear(diag);
		err = roll_back(path, diag);
		if (!err)
			err = open_checked(s, path, diag);
	}
	if (err && err != -ESTALE) {
		free(s);
		return err;
	}
	*ret = s;
	*ret_older = err == -ESTALE;
	return 0;
}

int rwk_store_open(const char *path, bool writable, struct rwk_diag *diag, struct rwk_store **ret)
{
	struct rwk_store *s;
	bool older;
	int err = rwk_store_open_any(path, writable, diag, &s, &older);

	if (err)
		return err;
	if (older) {
		rwk_store_close(s);
		return rwk_diag_push(diag, -EBADMSG,
			"cannot read: file=%s why=made by an older rewake; replay on it upgrades "
			"it",
			path);
	}
	*ret = s;
	return 0;
}

void rwk_store_close(struct rwk_store *store)
{
	if (!store)
		return;
	rwk_store_replay_rollback(store);
	rwk_db_close(&store->db);
	free(store);
}

int rwk_store_nr_runs(struct rwk_store *store, struct rwk_diag *diag)
{
	int64_t nr;
	int err = rwk_db_get_int(&store->db, "count_runs", diag, &nr);

	return err ? err : (int)nr;
}

int rwk_store_run_of(int64_t id)
{
	return (int)(id >> RWK_BITS_RUN_SHIFT) + 1;
}

int64_t rwk_store_id_in_run(int64_t id)
{
	return id & RWK_BITS_ID_MASK;
}

int rwk_store_overwritten(struct rwk_store *store, int run_id, struct rwk_diag *diag)
{
	sqlite3_stmt *st;
	struct rwk_bind b;
	int nr = 0;
	int err = rwk_db_prepare(&store->db, "count_overwritten", diag, &st);

	if (err)
		return err;
	b = rwk_bind_begin(st);
	rwk_bind_int(&b, run_id);
	err = rwk_db_step(&store->db, st, "count CPUs", diag);
	if (err == 1)
		nr = sqlite3_column_int(st, 0);
	sqlite3_finalize(st);
	return err < 0 ? err : nr;
}
