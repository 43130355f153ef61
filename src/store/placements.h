/*
 * What the kernel did with each wakeup, for counting verdicts by it while they
 * are stored: a few recent ranges of ids, read once for all policies of a pass.
 */
#ifndef SRC_STORE_PLACEMENTS_H
#define SRC_STORE_PLACEMENTS_H

#include "store/fetch.h"

struct rwk_placement {
	bool present;
	uint8_t kind;
	int16_t cpu, prev_cpu, target_cpu; /* RWK_NONE unknown */
};

#define RWK_PLACEMENT_RANGE  16384 /* ids */
#define RWK_PLACEMENT_RANGES 8

struct rwk_placements {
	sqlite3_stmt *select;
	struct rwk_fetch row;
	int64_t base;
	int64_t range[RWK_PLACEMENT_RANGES]; /* first id / RWK_PLACEMENT_RANGE, -1 none */
	int next; /* the one to be replaced */
	struct rwk_placement *of; /* [RANGES][RANGE] */
};

int rwk_placements_init(
	struct rwk_placements *p, struct rwk_db *db, int run_id, struct rwk_diag *diag);
void rwk_placements_finish(struct rwk_placements *p);
/* *ret: until the next call. */
int rwk_placements_get(struct rwk_placements *p, struct rwk_db *db, int64_t id,
	struct rwk_diag *diag, const struct rwk_placement **ret);

#endif
