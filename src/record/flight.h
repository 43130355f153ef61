/*
 * A flight recorder: nothing is read while it records, the kernel overwrites
 * the oldest events, and what the buffers hold in the end is the recording.
 */
#ifndef SRC_RECORD_FLIGHT_H
#define SRC_RECORD_FLIGHT_H

#include <stdint.h>

#include "base/diag.h"
#include "record/record.h"
#include "record/setup.h"

/* What all CPUs' buffers hold, for certain: each everything from then on. */
struct rwk_flight_window {
	rwk_ns from, to; /* by the clock of the trace; from RWK_NS_NONE: since the beginning */
};

/*
 * KB per CPU for ns of recording at bytes_per_s on all CPUs together, twice as
 * much as that takes, as CPUs are not alike; not less than the default for
 * recordings and on all CPUs not more than total_kb.
 */
int64_t rwk_flight_kb(
	rwk_ns ns, double bytes_per_s, int nr_cpus, int64_t default_kb, int64_t total_kb);

/*
 * Sets the size of the buffers in setup, whose CPUs are known, for what opt asks.
 * For a time, it first watches the machine for a moment.  A size that is more
 * than half of the memory is refused with -ENOMEM.
 */
int rwk_flight_size(const struct rwk_record_options *opt, const char *tracing_dir,
	struct rwk_setup *setup, struct rwk_diag *diag);

/* From the counters of nr CPUs, read after the last event and before any page was. */
struct rwk_flight_window rwk_flight_find_window(const struct rwk_record_cpu *cpu, int nr);

#endif
