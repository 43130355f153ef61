/* Options of the verbs that only read a database and print. */
#ifndef SRC_CLI_PRINT_OPTIONS_H
#define SRC_CLI_PRINT_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "report/report.h"

/* --format.  False after telling what is wrong with text. */
bool rwk_format_option(const char *text, enum rwk_format *ret);

/*
 * Parses --format and --help and counts the other arguments, which start at
 * optind then.  -1: go on; else the exit code to leave with.
 */
int rwk_print_options(int argc, char **argv, int min_args, int max_args, void (*usage)(FILE *out),
	enum rwk_format *ret);

#endif
