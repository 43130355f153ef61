/*
 * Sweeps: one spec with a range stands for several replays,
 *   sis-sync,migration_cost=0.5ms..50ms/8
 * eight values from 0.5 ms to 50 ms, both included, each the same factor from
 * the last (equal steps when the range begins at 0).  One range per spec.
 */
#ifndef SRC_POLICY_SWEEP_H
#define SRC_POLICY_SWEEP_H

#include <stddef.h>

#include "base/diag.h"

#define RWK_SWEEP_MAX 64

struct rwk_sweep {
	char **spec; /* [nr]; one, the same, for a spec without a range */
	size_t nr;
};

/* 0; -EINVAL for a range that is none, with a cause; -ENOMEM. */
int rwk_sweep_init(struct rwk_sweep *sweep, const char *spec, struct rwk_diag *diag);
void rwk_sweep_finish(struct rwk_sweep *sweep);

#endif
