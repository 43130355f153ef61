/* The file itself is attached read-only; of an older one an upgraded copy, which has no name. */
#include "store/attach.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/handle.h"
#include "store/schema.h"

/* "file:./PATH?mode=ro": taken literally, whatever it looks like; to be freed. */
static char *uri_of(const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "/._-";
	char *uri = malloc(strlen(path) * 3 + sizeof("file:./?mode=ro"));
	char *p = uri;

	if (!uri)
		return NULL;
	p = stpcpy(p, path[0] == '/' ? "file:" : "file:./");
	for (; *path; path++) {
		if (strchr(plain, *path))
			*p++ = *path;
		else
			p += sprintf(p, "%%%02X", (unsigned char)*path);
	}
	strcpy(p, "?mode=ro");
	return uri;
}

static int attach(struct rwk_db *db, const char *what, const char *schema, struct rwk_diag *diag)
{
	sqlite3_stmt *st;
	struct rwk_bind b;
	int err = rwk_db_prepare(db, "merge/attach", diag, &st);

	if (err)
		return err;
	b = rwk_bind_begin(st);
	rwk_bind_text(&b, what);
	rwk_bind_text(&b, schema);
	err = rwk_bind_run(&b, db, "open the other database", diag);
	sqlite3_finalize(st);
	return err;
}

/* All of one database into a schema of another handle. */
static int copy(struct rwk_db *to, const char *schema, struct rwk_db *from, struct rwk_diag *diag)
{
	sqlite3_backup *b = sqlite3_backup_init(to->handle, schema, from->handle, "main");

	if (!b)
		return rwk_db_fail(to, diag, "copy the database");
	sqlite3_backup_step(b, -1);
	/* The result of both; the destination has it too. */
	if (sqlite3_backup_finish(b) != SQLITE_OK)
		return rwk_db_fail(to, diag, "copy the database");
	return 0;
}

/* In a nameless file of its own, as migrations are written for a database that is alone. */
static int attach_upgraded(
	struct rwk_db *db, struct rwk_db *old, const char *schema, struct rwk_diag *diag)
{
	struct rwk_db up = {.path = strdup(old->path)};
	int err = 0;

	if (!up.path || sqlite3_open_v2("", &up.handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
				NULL) != SQLITE_OK)
		err = rwk_diag_push(diag, -ENOMEM, "cannot upgrade a copy of %s", old->path);
	if (!err)
		err = copy(&up, "main", old, diag);
	if (!err)
		err = rwk_schema_upgrade(&up, diag);
	if (!err)
		err = rwk_schema_check(&up, diag);
	if (!err)
		err = attach(db, "", schema, diag);
	if (!err)
		err = copy(db, schema, &up, diag);
	rwk_db_close(&up);
	return err;
}

int rwk_db_attach(struct rwk_db *db, const char *path, const char *schema, struct rwk_diag *diag)
{
	struct rwk_store *store;
	char *uri;
	bool older;
	/* Also restores what a killed program left half written, which a read-only handle cannot.
	 */
	int err = rwk_store_open_any(path, false, diag, &store, &older);

	if (err)
		return err;
	if (older) {
		err = attach_upgraded(db, &store->db, schema, diag);
	} else {
		uri = uri_of(path);
		err = uri ? attach(db, uri, schema, diag)
			  : rwk_diag_push(diag, -ENOMEM, "cannot open %s: why=out of memory", path);
		free(uri);
	}
	rwk_store_close(store);
	return err ? rwk_diag_push(diag, err, "cannot read %s", path) : 0;
}
