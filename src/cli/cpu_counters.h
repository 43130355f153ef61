/*
 * What the ring buffers counted: the trace's own words or, where it has none,
 * those that `rewake record` left in the sidecar (record_sidecar.h).
 */
#ifndef SRC_CLI_CPU_COUNTERS_H
#define SRC_CLI_CPU_COUNTERS_H

#include "decode/decoder.h"
#include "machine/machine.h"

/* Each RWK_NONE if unknown. */
struct rwk_cpu_counters {
	int64_t entries; /* events that were read */
	int64_t overrun; /* overwritten before they were read */
	int64_t dropped; /* not written for want of room */
};

/* snap may be NULL. */
struct rwk_cpu_counters rwk_cpu_counters(
	const struct rwk_trace_info *info, const struct rwk_snapshot *snap, int cpu);
/* Events lost, of all CPUs of the trace; stops at INT64_MAX; RWK_NONE: some gap has no number. */
int64_t rwk_total_lost(const struct rwk_trace_info *info, const struct rwk_snapshot *snap);
/*
 * Gaps in the data in front of what a flight recorder kept: one per CPU that
 * overwrote something.  0 for any other recording.
 */
int64_t rwk_gaps_before(const struct rwk_trace_info *info, const struct rwk_snapshot *snap);

#endif
