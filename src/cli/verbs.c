/* The list of verbs; each row is in the verb's own file. */
#include "cli/verbs.h"

#include <stddef.h>

const struct rwk_verb *const rwk_verbs[] = {
	&rwk_verb_analyze,
	&rwk_verb_record,
	&rwk_verb_machine,
	&rwk_verb_import,
	&rwk_verb_merge,
	&rwk_verb_replay,
	&rwk_verb_report,
	&rwk_verb_compare,
	&rwk_verb_explain,
	&rwk_verb_export,
	&rwk_verb_query,
	&rwk_verb_anonymize,
	&rwk_verb_schema,
	&rwk_verb_policies,
	&rwk_verb_check,
	&rwk_verb_dump,
	&rwk_verb_help,
	NULL,
};
