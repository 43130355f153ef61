/* What a recording would be, told instead of made. */
#ifndef SRC_CLI_RECORD_SHOW_H
#define SRC_CLI_RECORD_SHOW_H

#include "record/record.h"

/* Prints what the machine offers to a recorder.  The exit code says whether a recording would work.
 */
int rwk_record_check(void);

/*
 * Prints what rwk_record_session() with the same arguments would enable and
 * write, what is missing and how much would be recorded.  Enables and leaves
 * nothing.  Returns the exit code that a recording would have, as far as that
 * can be seen.
 */
int rwk_record_dry_run(const char *name, const struct rwk_record_options *asked);

#endif
