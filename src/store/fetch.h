/*
 * Reading many rows: a statement hands the columns of a row to the SQL function
 * fetch(), whose first argument is where to put them.  For integers that takes
 * half the time of asking the statement for one column after the other.
 *
 * fetch() sees rows in the order in which they are read: a statement that has to
 * sort them must be read with rwk_fetch_sorted().
 */
#ifndef SRC_STORE_FETCH_H
#define SRC_STORE_FETCH_H

#include "store/db.h"

#define RWK_FETCH_MAX 16 /* columns */

struct rwk_fetch {
	int64_t value[RWK_FETCH_MAX]; /* as sqlite3_column_int64() has it: 0 for NULL */
	uint32_t nulls; /* bit i: value[i] is NULL */
};

/* Makes fetch() known to a handle. */
int rwk_fetch_register(struct rwk_db *db, struct rwk_diag *diag);
/* Binds the next parameter, fetch()'s first argument; f must stay as long as the statement. */
void rwk_fetch_bind(struct rwk_bind *b, struct rwk_fetch *f);
/* The present row of a statement that selects plain columns. */
void rwk_fetch_sorted(struct rwk_fetch *f, sqlite3_stmt *st);

static inline bool rwk_fetch_null(const struct rwk_fetch *f, int column)
{
	return f->nulls >> column & 1;
}

static inline int64_t rwk_fetch_int(const struct rwk_fetch *f, int column, int64_t if_null)
{
	return rwk_fetch_null(f, column) ? if_null : f->value[column];
}

#endif
