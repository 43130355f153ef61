/* Where the kernel keeps what the CPUs of a cache domain share. */
#ifndef SRC_CLI_LLC_CPUS_H
#define SRC_CLI_LLC_CPUS_H

#include "base/diag.h"
#include "machine/machine.h"

/*
 * The first CPU of each cache domain of several CPUs, in order; one of a single
 * CPU has no such place.  To be freed.  0 or a negative errno.
 */
int rwk_llc_cpus_find(struct rwk_snapshot *snap, struct rwk_diag *diag, int **ret, int *ret_nr);

#endif
