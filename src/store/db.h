/*
 * What every file of the room needs from sqlite3: shipped statements by name,
 * values bound in order, failures as errno with a cause.
 */
#ifndef SRC_STORE_DB_H
#define SRC_STORE_DB_H

#include <sqlite3.h>

#include "base/diag.h"
#include "event/event.h"
#include "store/store.h"

/* "Rwk1"; the same number is in sql/migrate. */
#define RWK_APPLICATION_ID 0x52776b31

struct rwk_db {
	sqlite3 *handle;
	char *path; /* as the user knows it, for messages */
};

/*
 * Opens without locks of its own: a handle belongs to one thread at a time.
 * path is taken literally, whatever it looks like.
 */
int rwk_db_open(struct rwk_db *db, const char *path, int flags, struct rwk_diag *diag);
/* NULL-safe in its members, also after a failed open. */
void rwk_db_close(struct rwk_db *db);

/*
 * Pushes "cannot <what>: file=… why=…" for the handle's last error and returns
 * its errno: -EBADMSG damaged, -ENOSPC, -EBUSY, -EROFS, -ENOMEM, -EIO …
 */
int rwk_db_fail(struct rwk_db *db, struct rwk_diag *diag, const char *what);

/* Text of "query/x", NULL if there is none of that name. */
const char *rwk_sql_text(const char *name);

/* Prepares sql/query/<name>.sql, or sql/<name>.sql for a name with a slash, here and below.  A
 * shipped statement that does not fit the schema is -EBADMSG. */
int rwk_db_prepare(struct rwk_db *db, const char *name, struct rwk_diag *diag, sqlite3_stmt **ret);
/* Runs every statement of sql/query/<name>.sql, or of text. */
int rwk_db_run(struct rwk_db *db, const char *name, struct rwk_diag *diag);
int rwk_db_run_text(struct rwk_db *db, const char *text, const char *what, struct rwk_diag *diag);
/* The single integer that sql/query/<name>.sql answers; 0 for none. */
int rwk_db_get_int(struct rwk_db *db, const char *name, struct rwk_diag *diag, int64_t *ret);

/* Steps: 1 row, 0 done (and reset), negative errno with a cause "cannot <what>". */
int rwk_db_step(struct rwk_db *db, sqlite3_stmt *st, const char *what, struct rwk_diag *diag);

/* Binds parameters in their order; the first failure is kept until run. */
struct rwk_bind {
	sqlite3_stmt *st;
	int nr, rc;
};

static inline struct rwk_bind rwk_bind_begin(sqlite3_stmt *st)
{
	return (struct rwk_bind){.st = st};
}

void rwk_bind_null(struct rwk_bind *b);
void rwk_bind_int(struct rwk_bind *b, int64_t value);
/* NULL for RWK_NONE. */
void rwk_bind_id(struct rwk_bind *b, int64_t value);
/* NULL for RWK_NS_NONE. */
void rwk_bind_ns(struct rwk_bind *b, rwk_ns value);
/* NULL for NULL.  The text must stay until run. */
void rwk_bind_text(struct rwk_bind *b, const char *text);
/* NULL for NULL and for "". */
void rwk_bind_name(struct rwk_bind *b, const char *text);
/* Up to the first NUL or size bytes. */
void rwk_bind_comm(struct rwk_bind *b, const char *comm);
void rwk_bind_cpus(struct rwk_bind *b, const struct rwk_cpuset *set);
/* Steps a statement without result and resets it. */
int rwk_bind_run(struct rwk_bind *b, struct rwk_db *db, const char *what, struct rwk_diag *diag);

/* Column values; NULL becomes the given constant. */
int64_t rwk_column_int(sqlite3_stmt *st, int column, int64_t if_null);
/* Up to RWK_COMM_LEN bytes, padded with NULs; false and all NULs for NULL. */
bool rwk_column_comm(sqlite3_stmt *st, int column, char ret[RWK_COMM_LEN]);

#endif
