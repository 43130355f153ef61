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

#endif
