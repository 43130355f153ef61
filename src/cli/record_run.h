/*
 * One recording as people want it: NAME.dat, its machine sidecar, signals,
 * messages.  For the verbs that record.
 */
#ifndef SRC_CLI_RECORD_RUN_H
#define SRC_CLI_RECORD_RUN_H

#include <stdint.h>

#include <rewake/types.h>

#include "record/record.h"

/*
 * Records into NAME.dat and NAME.machine.json; a name that ends in .dat is
 * taken as it is.  Of asked, the output, the cache domains and what answers
 * signals and messages are filled in here.  Says on stderr what was recorded,
 * lost or went wrong, and returns the exit code (exit.h).
 *
 * Beside what the machine says, the sidecar gets the entries
 *   rewake/clock        the clock of the time stamps, "mono\n"
 *   rewake/stats/cpuN   the kernel's counters of CPU N after the last event
 *   rewake/probe/level  what was recorded of each decision: none, flags, hidden, state
 *   rewake/probe/asked  the level that was asked for
 *   rewake/probe/why    why it is that level, and what is missing from it
 *   rewake/probe/events the definitions of the probe's events, a line each
 *   rewake/probe/stats  "hits: N", "missed: N": decisions with and without an event
 */
int rwk_record_session(const char *name, const struct rwk_record_options *asked);

/* "2", "0.5" seconds, or with a unit: "500ms".  0, -EINVAL, -ERANGE (also for 0). */
int rwk_record_parse_duration(const char *text, rwk_ns *ret);

#endif
