/* Policies and replays as rows, for the files of this room. */
#ifndef SRC_STORE_REPLAY_STORE_H
#define SRC_STORE_REPLAY_STORE_H

#include "store/handle.h"

/* The policy's row with just these texts and reasons, made if there is none. */
int rwk_policy_row(
	struct rwk_db *db, const struct rwk_policy *policy, struct rwk_diag *diag, int64_t *ret_id);

#endif
