/* The schema: its version, how a file gets there, and what is not a file of ours. */
#ifndef SRC_STORE_SCHEMA_H
#define SRC_STORE_SCHEMA_H

#include "store/db.h"

/* Version that this program writes: the number of files in sql/migrate. */
int rwk_schema_version(void);

/*
 * Runs the migrations that the file has not seen, each in its own transaction
 * with its entry in the log, and makes the views anew.
 */
int rwk_schema_upgrade(struct rwk_db *db, struct rwk_diag *diag);

/*
 * 0: a complete file of the current version.  -EBADMSG with a cause: not a
 * database, another program's, damaged, newer.  -ESTALE: older.
 */
int rwk_schema_check(struct rwk_db *db, struct rwk_diag *diag);

#endif
