/*
 * The verbs.  To add one:
 *  1. write cmd_<verb>.c, which defines its row (options.h has the steps for
 *     options);
 *  2. declare the row here, and add it to the lists in verbs.c and meson.build;
 *  3. write its manual page, cmd_<verb>.1.scd, around what the row says: see
 *     another one, and usage_scdoc.h.  Without, it gets verb.1.scd.
 * Completion needs nothing.
 */
#ifndef SRC_CLI_VERBS_H
#define SRC_CLI_VERBS_H

#include <stdbool.h>
#include <stddef.h>

struct rwk_choice;
struct rwk_option;

struct rwk_verb {
	const char *name;
	const char *summary; /* one line */
	/* Command lines without "rewake VERB"; ends with NULL. */
	const char *const *synopsis;
	const char *about; /* wrapped when shown; '\n' begins a line */
	const struct rwk_option *options; /* ends with a NULL name; NULL: --help only */
	const char *closing; /* after the options; NULL: nothing */
	const char *exits; /* NULL: as of every verb that cannot be degraded */
	/* What the last argument may be, by index: false past the end.  NULL: no names for it. */
	bool (*list)(size_t index, struct rwk_choice *ret);
	const char *list_title; /* under which help shows the list; NULL: it does not */
	/* The first argument ends the options: what follows are the command's own. */
	bool command_follows;
	/* argv[0] is the verb.  Returns the exit code (exit.h). */
	int (*run)(int argc, char **argv);
};

/* In the order of work; ends with NULL. */
extern const struct rwk_verb *const rwk_verbs[];

extern const struct rwk_verb rwk_verb_analyze;
extern const struct rwk_verb rwk_verb_check;
extern const struct rwk_verb rwk_verb_anonymize;
extern const struct rwk_verb rwk_verb_compare;
extern const struct rwk_verb rwk_verb_dump;
extern const struct rwk_verb rwk_verb_explain;
extern const struct rwk_verb rwk_verb_help;
extern const struct rwk_verb rwk_verb_export;
extern const struct rwk_verb rwk_verb_import;
extern const struct rwk_verb rwk_verb_machine;
extern const struct rwk_verb rwk_verb_merge;
extern const struct rwk_verb rwk_verb_policies;
extern const struct rwk_verb rwk_verb_query;
extern const struct rwk_verb rwk_verb_record;
extern const struct rwk_verb rwk_verb_replay;
extern const struct rwk_verb rwk_verb_report;
extern const struct rwk_verb rwk_verb_schema;

#endif
