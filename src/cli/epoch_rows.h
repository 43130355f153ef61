/* Which CPUs were there when, as an import keeps it. */
#ifndef SRC_CLI_EPOCH_ROWS_H
#define SRC_CLI_EPOCH_ROWS_H

#include "decode/decoder.h"
#include "machine/epochs.h"

/*
 * *ret is to be freed; *ret_nr 0 where no CPU came or went, or nobody knows.  options: by which
 * the times of the trace were shifted.  0, -ENOMEM, -EFBIG, -ERANGE, -ENOTSUP (to a host's clock).
 */
int rwk_epoch_rows(const struct rwk_snapshot *snap, const struct rwk_machine *m,
	const struct rwk_decode_options *options, struct rwk_diag *diag, struct rwk_epoch **ret,
	size_t *ret_nr);

#endif
