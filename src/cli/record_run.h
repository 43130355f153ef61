/*
 * One recording as people want it: NAME.dat, its machine sidecar, signals,
 * messages.  For the verbs that record.
 */
#ifndef SRC_CLI_RECORD_RUN_H
#define SRC_CLI_RECORD_RUN_H

#include <stdint.h>

#include <rewake/types.h>

/*
 * Records into NAME.dat and NAME.machine.json; a name that ends in .dat is
 * taken as it is.  duration_ns 0: until the command ends or a signal comes;
 * buffer_kb 0: default; command NULL: none.  Says on stderr what was recorded,
 * lost or went wrong, and returns the exit code (exit.h).
 *
 * Beside what the machine says, the sidecar gets the entries
 *   rewake/clock        the clock of the time stamps, "mono\n"
 *   rewake/stats/cpuN   the kernel's counters of CPU N after the last event
 */
int rwk_record_session(
	const char *name, rwk_ns duration_ns, int64_t buffer_kb, char *const *command);

/* "2", "0.5" seconds, or with a unit: "500ms".  0, -EINVAL, -ERANGE (also for 0). */
int rwk_record_parse_duration(const char *text, rwk_ns *ret);

#endif
