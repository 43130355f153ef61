/* The verb table: names, synopses and help come from here and nowhere else. */
#include "cli/verbs.h"

#include <stddef.h>

const struct rwk_verb rwk_verbs[] = {
	{"analyze", "[options] TRACE | -- CMD", "import (or record), replay and summary in one go",
		rwk_cmd_analyze},
	{"record", "[-o NAME] [-d SECONDS] [-b KB] [-- CMD]",
		"record the scheduler events and the machine", rwk_cmd_record},
	{"machine", "[--root DIR] [-o FILE]", "take the machine snapshot alone", rwk_cmd_machine},
	{"import", "[options] TRACE -o RUN.db", "one trace becomes one database", rwk_cmd_import},
	{"replay", "RUN.db [-p POLICY[,param=value]…]…",
		"decide every wakeup again under each policy", rwk_cmd_replay},
	{"report", "RUN.db [NAME]", "run a shipped report, or list them", rwk_cmd_report},
	{"explain", "[options] RUN.db [WAKEUP]", "one decision: the CPUs around and each step",
		rwk_cmd_explain},
	{"query", "RUN.db SQL", "ad-hoc SQL, read-only", rwk_cmd_query},
	{"schema", "[--markdown]", "the views of a RUN.db and their columns", rwk_cmd_schema},
	{"policies", "[NAME]", "list policies and their parameters", rwk_cmd_policies},
	{"dump", "TRACE", "normalised events as they were decoded", rwk_cmd_dump},
	{NULL, NULL, NULL, NULL},
};
