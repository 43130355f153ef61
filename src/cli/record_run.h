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
 * lost or went wrong, and returns the exit code (exit.h).  What the sidecar holds
 * beside what the machine says: record_sidecar.h.  *ret_command: the status with
 * which the command ended, as shells tell it; 0 without one, without a recording
 * or when it was the recorder that ended it.
 */
int rwk_record_session(const char *name, const struct rwk_record_options *asked, int *ret_command);

/*
 * The exit code for both: that of a command that failed, unless there is no
 * recording, which only code tells.  A loss is also in the recording.
 */
int rwk_record_exit(int code, int command);

/* "2", "0.5" seconds, or with a unit: "500ms".  0, -EINVAL, -ERANGE (also for 0). */
int rwk_record_parse_duration(const char *text, rwk_ns *ret);

#endif
