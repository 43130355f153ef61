/*
 * Two sides of runs, of one database or two, opened as one store to be queried
 * (sql/compare): both files are only read.
 */
#ifndef SRC_STORE_COMPARE_H
#define SRC_STORE_COMPARE_H

#include "store/store.h"

struct rwk_side {
	const char *path;
	const int *run; /* nr_runs of them; NULL: all */
	size_t nr_runs;
};

/*
 * -ENOENT for a run that is not there; else fails as rwk_store_open() does.
 * Older files are read as if they had been upgraded.
 */
int rwk_store_open_sides(const struct rwk_side *a, const struct rwk_side *b, struct rwk_diag *diag,
	struct rwk_store **ret);

#endif
