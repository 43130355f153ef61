/* An open file, for the files of this room. */
#ifndef SRC_STORE_HANDLE_H
#define SRC_STORE_HANDLE_H

#include "store/bulk.h"

struct rwk_replay_writer; /* replay.c */

struct rwk_store {
	struct rwk_db db;
	bool writable;
	struct rwk_replay_writer *replay; /* between begin and commit or rollback */
	struct rwk_bulk verdicts, prices; /* known to the handle as long as it lives */
};

/* As rwk_store_open(), but an older file that may not be upgraded is opened all the same. */
int rwk_store_open_any(const char *path, bool writable, struct rwk_diag *diag,
	struct rwk_store **ret, bool *ret_older);

#endif
