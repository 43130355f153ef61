/* Estimating how far the clocks of a trace's CPUs are apart. */
#ifndef SRC_CLI_SKEW_ESTIMATE_H
#define SRC_CLI_SKEW_ESTIMATE_H

#include "base/diag.h"
#include "check/skew.h"
#include "decode/decoder.h"

/*
 * Reads trace once if its clocks allow every order, else several times more.  *ret is FOUND
 * only if clocks that are shifted so allow every order, and low and high hold on those.
 * Clocks that are farther apart than a few events of a task are looked for then too (align.h,
 * searched).  0, or a negative errno with its cause; -ESPIPE: it cannot be read again.
 */
int rwk_skew_estimate(const char *trace, const struct rwk_decode_options *options,
	struct rwk_diag *diag, struct rwk_skew *ret);

/* What an estimate adds to the times of each CPU. */
void rwk_skew_shifts(const struct rwk_skew *skew, rwk_ns ret[RWK_MAX_CPUS]);

#endif
