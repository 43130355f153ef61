/* Exit codes of every verb; one that runs a command passes that one's on (record_run.h). */
#ifndef SRC_CLI_EXIT_H
#define SRC_CLI_EXIT_H

enum rwk_exit {
	RWK_EXIT_OK = 0,
	RWK_EXIT_FAILED = 1,
	RWK_EXIT_MISUSED = 2,
	RWK_EXIT_DEGRADED = 3, /* done, but of less than was there: loss, truncation, clamping */
	RWK_EXIT_ABSENT = 4, /* the events needed are not in the trace */
	/* As shells and env have it: of the command that is run. */
	RWK_EXIT_CANNOT_RUN = 126, /* found, but not a program */
	RWK_EXIT_NOT_FOUND = 127,
	RWK_EXIT_SIGNAL = 128, /* and the number of the signal that ended it */
};

#endif
