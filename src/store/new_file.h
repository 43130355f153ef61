/* A database that is being made: under another name until it is complete. */
#ifndef SRC_STORE_NEW_FILE_H
#define SRC_STORE_NEW_FILE_H

#include "store/db.h"

/*
 * The temporary for path by this process, empty (ret->path is its name).  -EEXIST if path
 * is there and replace is false.  After a failure there is none.
 */
int rwk_new_file_open(const char *path, bool replace, struct rwk_diag *diag, struct rwk_db *ret);

/* Makes it a database of ours without rows. */
int rwk_new_file_fill(struct rwk_db *db, struct rwk_diag *diag);

#endif
