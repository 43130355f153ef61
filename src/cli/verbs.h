/*
 * The verbs.  To add one: write cmd_<verb>.c, declare its function here, and
 * give it a row in verbs.c.
 */
#ifndef SRC_CLI_VERBS_H
#define SRC_CLI_VERBS_H

struct rwk_verb {
	const char *name;
	const char *synopsis;
	const char *help; /* one line */
	/* argv[0] is the verb.  Returns the exit code (exit.h). */
	int (*run)(int argc, char **argv);
};

/* In the order of work; ends with a NULL name. */
extern const struct rwk_verb rwk_verbs[];

int rwk_cmd_schema(int argc, char **argv);
int rwk_cmd_explain(int argc, char **argv);
int rwk_cmd_analyze(int argc, char **argv);
int rwk_cmd_dump(int argc, char **argv);
int rwk_cmd_import(int argc, char **argv);
int rwk_cmd_machine(int argc, char **argv);
int rwk_cmd_policies(int argc, char **argv);
int rwk_cmd_query(int argc, char **argv);
int rwk_cmd_record(int argc, char **argv);
int rwk_cmd_replay(int argc, char **argv);
int rwk_cmd_report(int argc, char **argv);

#endif
