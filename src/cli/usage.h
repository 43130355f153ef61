/* What a verb's table says, as text for a terminal. */
#ifndef SRC_CLI_USAGE_H
#define SRC_CLI_USAGE_H

#include <stdio.h>

#include "cli/verbs.h"

/* Synopsis, about, options, closing text and exit codes of a verb. */
void rwk_verb_usage(const struct rwk_verb *verb, FILE *out);

/* Its exit codes, in one line. */
const char *rwk_verb_exits(const struct rwk_verb *verb);

/*
 * Options, values they may have, arguments and what the last one may be, for a
 * program: "option TAB --name TAB placeholder", "value TAB --name TAB value",
 * "argument TAB placeholder", "name TAB name", and "command" if one follows.
 */
void rwk_verb_words(const struct rwk_verb *verb, FILE *out);

/* The usage to stderr.  Returns the exit code to leave with. */
int rwk_verb_misused(const struct rwk_verb *verb);

/* Synopsis and summary of every verb. */
void rwk_verbs_usage(FILE *out);

#endif
