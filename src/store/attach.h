/* Another database of runs beside the one that is open: only read, of whatever version. */
#ifndef SRC_STORE_ATTACH_H
#define SRC_STORE_ATTACH_H

#include "store/db.h"

/*
 * Attaches path as schema ("source"); db must have been opened with
 * SQLITE_OPEN_URI.  An older file is upgraded in a copy, which goes with the
 * handle.  Fails as rwk_store_open() does.
 */
int rwk_db_attach(struct rwk_db *db, const char *path, const char *schema, struct rwk_diag *diag);

#endif
