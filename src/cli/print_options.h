/* Options of the verbs that only read a database and print. */
#ifndef SRC_CLI_PRINT_OPTIONS_H
#define SRC_CLI_PRINT_OPTIONS_H

#include <stdbool.h>
#include "cli/choices.h"
#include "cli/options.h"
#include "report/report.h"

/* --format.  False after telling what is wrong with text. */
bool rwk_format_option(const char *text, enum rwk_format *ret);

/* Its row in a verb's table. */
#define RWK_OPTION_FORMAT                                                                          \
	{                                                                                          \
		'f', "format", "FORMAT", "of the output:", .choices = rwk_format_choices           \
	}

/*
 * Parses the options of a verb that has no other than --format, and counts the
 * other arguments, which start at optind then.  -1: go on; else the exit code
 * to leave with.
 */
int rwk_print_options(const struct rwk_verb *verb, int argc, char **argv, int min_args,
	int max_args, enum rwk_format *ret);

#endif
