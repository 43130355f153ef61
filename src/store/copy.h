/* Copying runs from an attached database into the main one, for the files of this room. */
#ifndef SRC_STORE_COPY_H
#define SRC_STORE_COPY_H

#include "base/map.h"
#include "store/db.h"
#include "store/mask.h"

struct rwk_copy {
	struct rwk_db *db;
	struct rwk_mask *mask; /* NULL: everything stays as it is */
	int64_t nr_runs, nr_machines, nr_policies,
		nr_replays; /* there already; their numbers end there */
	/* Of the source that is attached: */
	struct rwk_map machine, policy; /* number there to number here */
	int64_t from_run, to_run; /* being copied */
	rwk_ns shift_ns; /* taken off its times */
};

/* Makes the functions known that sql/merge uses.  c must stay as long as db is open. */
int rwk_copy_init(
	struct rwk_copy *c, struct rwk_db *db, struct rwk_mask *mask, struct rwk_diag *diag);
void rwk_copy_finish(struct rwk_copy *c);
/* Lets the mask see every thread id of the schema "source"; before it is copied. */
int rwk_copy_prepare_mask(struct rwk_copy *c, struct rwk_diag *diag);
/* All runs of the schema "source", within a transaction. */
int rwk_copy_source(struct rwk_copy *c, struct rwk_diag *diag);

#endif
