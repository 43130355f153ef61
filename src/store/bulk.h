/*
 * A batch of rows as a table that sqlite3 can select from.  One INSERT … SELECT
 * per batch is measured at nearly twice the speed of binding and stepping an
 * INSERT row by row, since the statement is entered once.
 */
#ifndef SRC_STORE_BULK_H
#define SRC_STORE_BULK_H

#include "store/db.h"
#include "store/lanes.h"

/* A row and the number it is ordered by. */
struct rwk_ordered {
	int64_t key;
	const void *row;
};

#define RWK_BULK_ROWS 2048 /* most rows of one statement */

struct rwk_bulk {
	const struct rwk_lane_desc *lane;
	sqlite3_stmt *insert;
	int64_t base;
	struct rwk_ordered *order; /* [RWK_BULK_ROWS] */
	size_t nr; /* of the running statement */
	int64_t max_key; /* of all rows so far, 0 none */
};

/*
 * Registers the lane's table with the handle and prepares its insert.  The
 * input must stay where it is until the handle is closed; finish before that.
 */
int rwk_bulk_init(struct rwk_bulk *in, struct rwk_db *db, enum rwk_lane lane, int64_t base,
	struct rwk_diag *diag);
/* Fine for one that was zeroed or half made. */
void rwk_bulk_finish(struct rwk_bulk *in);

/*
 * Inserts nr rows that lie one after the other, RWK_BULK_ROWS at a time in
 * ascending order: appending to a table is faster than inserting into it.  A
 * numbered lane's table must have been empty, and get its rows from here alone.
 */
int rwk_bulk_insert(
	struct rwk_bulk *in, struct rwk_db *db, const void *rows, size_t nr, struct rwk_diag *diag);

#endif
