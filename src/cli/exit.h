/* Exit codes of every verb. */
#ifndef SRC_CLI_EXIT_H
#define SRC_CLI_EXIT_H

enum rwk_exit {
	RWK_EXIT_OK = 0,
	RWK_EXIT_FAILED = 1,
	RWK_EXIT_MISUSED = 2,
	RWK_EXIT_DEGRADED = 3, /* done, but of less than was there: loss, truncation, clamping */
	RWK_EXIT_ABSENT = 4, /* the events needed are not in the trace */
};

#endif
