/* A database that is being made: under another name until it is complete. */
#ifndef SRC_STORE_NEW_FILE_H
#define SRC_STORE_NEW_FILE_H

#include "store/db.h"

/*
 * The temporary for path by this process, as an empty database of ours (ret->path is
 * its name).  -EEXIST if path is there and replace is false.  After a failure there is none.
 */
int rwk_new_file_open(const char *path, bool replace, struct rwk_diag *diag, struct rwk_db *ret);

#endif
