/* Which CPUs were there when, as an import keeps it. */
#ifndef SRC_CLI_EPOCH_ROWS_H
#define SRC_CLI_EPOCH_ROWS_H

#include "machine/epochs.h"

/*
 * *ret is to be freed; *ret_nr 0 where no CPU came or went, or nobody knows.  ts_offset:
 * what was added to the times of the trace.  0, -ENOMEM, -EFBIG, -ERANGE.
 */
int rwk_epoch_rows(const struct rwk_snapshot *snap, const struct rwk_machine *m, rwk_ns ts_offset,
	struct rwk_diag *diag, struct rwk_epoch **ret, size_t *ret_nr);

#endif
