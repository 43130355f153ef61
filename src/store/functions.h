/* SQL functions that are convenient in ad-hoc queries; no shipped statement needs them. */
#ifndef SRC_STORE_FUNCTIONS_H
#define SRC_STORE_FUNCTIONS_H

#include "store/db.h"

/*
 * percentile(x, p), histogram(x), log2_bucket(x) and cpu_list(cpu); what they
 * mean stands in docs/query.md.  Views of a file cannot call them.
 */
int rwk_functions_register(struct rwk_db *db, struct rwk_diag *diag);

/* cpu_distance(run, cpu, cpu), which asks the store for machines. */
int rwk_functions_register_distance(struct rwk_store *store, struct rwk_diag *diag);

#endif
