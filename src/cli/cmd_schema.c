/* rewake schema: the views of a RUN.db and what their columns mean. */
#include <stdio.h>

#include "cli/exit.h"
#include "cli/options.h"
#include "cli/schema_scdoc.h"
#include "cli/usage.h"
#include "cli/verbs.h"
#include "report/schema_text.h"

static const struct rwk_option options[] = {
	{'m', "markdown", NULL, "as Markdown, as in docs/schema.md"},
	{'s', "scdoc", NULL, "as a part of the manual page"},
	{0},
};

static int run_schema(int argc, char **argv)
{
	struct rwk_options opts;
	bool markdown = false, scdoc = false;
	int c;

	rwk_options_begin(&opts, &rwk_verb_schema, argc, argv);
	while ((c = rwk_options_next(&opts)) != -1) {
		switch (c) {
		case 'm':
			markdown = true;
			break;
		case 's':
			scdoc = true;
			break;
		default:
			return rwk_options_leave(&opts, c);
		}
	}
	if (optind != argc || (markdown && scdoc))
		return rwk_verb_misused(&rwk_verb_schema);
	if (scdoc)
		rwk_schema_scdoc(stdout);
	else
		rwk_schema_print(stdout, markdown);
	return RWK_EXIT_OK;
}

const struct rwk_verb rwk_verb_schema = {
	.name = "schema",
	.summary = "the views of a RUN.db and their columns",
	.synopsis = (const char *const[]){"[--markdown | --scdoc]", NULL},
	.about = "Prints the views of a RUN.db, which queries may rely on, with their columns.",
	.options = options,
	.run = run_schema,
};
