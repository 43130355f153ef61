/* --run of the verbs that look at one run. */
#ifndef SRC_CLI_RUN_OPTION_H
#define SRC_CLI_RUN_OPTION_H

/* A run's number; 0, or -EINVAL after telling what is wrong with text. */
int rwk_run_option(const char *text, int *ret);

#endif
