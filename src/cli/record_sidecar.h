/*
 * What a recording knows of itself, beside the machine, in its sidecar.
 *
 *   rewake/clock        the clock of the time stamps, "mono\n"
 *   rewake/end          why it ended: stopped, duration, command, size, disk, trigger
 *   rewake/buffer       "kb_per_cpu: N", "cpus: N", "total_kb: N"
 *   rewake/unread       number of events at the end that were left out for --max-size; only then
 *   rewake/flight       only of a flight recorder: "from_ns: TIME", by the clock: from then on
 *                       the events of all CPUs are there; "from_ns: start" when nothing was
 *                       overwritten; "kept_ns: N"
 *   rewake/filter       only with one: "cpus: LIST", "pid: N", "unknown: what cannot be told"
 *   rewake/events       events beside the five that are needed, "sched:sched_process_fork …"; if
 *                       any
 *   rewake/trigger      only with one: "wakeup-latency>Nns"; "by: kernel", recorder or nobody
 *                       decided, "why: " it was not the kernel; what may have been missed:
 *                       "gaps: N" losses on the way to the recorder, "renewed: N" times that
 *                       the kernel's full tables began anew, "dropped: N" events that had no
 *                       room there, -1: unknown; "fired_ns: TIME" by the clock, or never;
 *                       "latency_ns: N", "tid: N", "cpu: N", "comm: NAME" of who waited
 *   rewake/stats/cpuN   the kernel's counters of CPU N after the last event
 *   rewake/loss/cpuN    lines "FROM TO OVERRUN COMMIT_OVERRUN DROPPED": events of CPU N lost
 *                       between these times (ns, by the clock); only where some were
 *   rewake/probe/level  what was recorded of each decision: none, flags, hidden, state
 *   rewake/probe/asked  the level that was asked for
 *   rewake/probe/why    why it is that level, and what is missing from it
 *   rewake/probe/events the definitions of the probe's events, a line each
 *   rewake/probe/stats  "hits: N", "missed: N": decisions with and without an event
 *   rewake/hotplug/rows  CPUs that came and went (record/hotplug_rows.h); empty: none did
 *   rewake/hotplug/begin, end  CPUs that were online when the rows begin and end
 *   rewake/hotplug/why   instead of it: why that is unknown
 *   rewake/seen/PATH     of CPUs that came later (machine/seen.h)
 *   rewake/changes, rewake/changed/…  what was otherwise at the end (machine/changes.h)
 */
#ifndef SRC_CLI_RECORD_SIDECAR_H
#define SRC_CLI_RECORD_SIDECAR_H

#include "base/diag.h"
#include "machine/machine.h"
#include "record/record.h"

/* Adds all that to snap.  filter and trigger_ns as asked for. */
int rwk_record_sidecar_add(struct rwk_snapshot *snap, const struct rwk_record_filter *filter,
	rwk_ns trigger_ns, const struct rwk_record_result *result, struct rwk_diag *diag);

#endif
