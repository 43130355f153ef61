/*
 * The options of a verb: one table, of which getopt_long's arrays, --help, the
 * manual and the completion are made.
 *
 * To add an option:
 *  1. give the verb's table, in cmd_<verb>.c, a row: short letter or 0, long
 *     name, placeholder of its value or NULL, help, id.  The id is what the
 *     verb's switch sees; 0: the letter.  No two rows of a verb share one.
 *     'h', --help is every verb's, and no row of its own.
 *  2. name the values it may have, if they are few, as its choices;
 *  3. give the switch over rwk_options_next() a case.
 *
 * Help is plain text that is wrapped when it is shown; '\n' begins a line.
 * A placeholder of FILE, DIR or SPEC (a policy) is completed as such.
 */
#ifndef SRC_CLI_OPTIONS_H
#define SRC_CLI_OPTIONS_H

#include <getopt.h>

#include "cli/verbs.h"

#define RWK_OPTIONS_MAX 40 /* of one verb */
#define RWK_OPTION_HELP 'h'

/* One of the values that an option may have. */
struct rwk_choice {
	const char *name, *help;
};

struct rwk_option {
	char letter;
	const char *name;
	const char *arg;
	const char *help;
	int id;
	const struct rwk_choice *choices; /* ends with a NULL name; NULL: none named */
};

extern const struct rwk_option rwk_option_help;

/* What the switch over next() is to look for. */
int rwk_option_id(const struct rwk_option *option);

/* One command line being read; getopt's state is the process's, so one at a time. */
struct rwk_options {
	const struct rwk_verb *verb;
	int argc;
	char **argv;
	struct option longs[RWK_OPTIONS_MAX + 2];
	char shorts[2 * RWK_OPTIONS_MAX + 4];
};

/* argv[0] is the verb. */
void rwk_options_begin(struct rwk_options *o, const struct rwk_verb *verb, int argc, char **argv);

/*
 * The next option's id, with its value in optarg; -1 after the last one, with
 * the first argument at optind.  Ids that the switch has no case for (--help,
 * and '?' for what getopt has complained about) go to leave().
 */
int rwk_options_next(struct rwk_options *o);

/* Prints the usage, to stdout if it was asked for.  Returns the exit code. */
int rwk_options_leave(const struct rwk_options *o, int id);

#endif
