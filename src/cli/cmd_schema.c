/* rewake schema: the views of a RUN.db and what their columns mean. */
#include <getopt.h>
#include <stdio.h>

#include "cli/exit.h"
#include "cli/verbs.h"
#include "report/schema_text.h"

static void usage(FILE *out)
{
	fputs("usage: rewake schema [--markdown]\n"
	      "Prints the views of a RUN.db, which queries may rely on, with their columns.\n"
	      "  -m, --markdown\n"
	      "  -h, --help\n",
		out);
}

int rwk_cmd_schema(int argc, char **argv)
{
	static const struct option options[] = {
		{"markdown", no_argument, NULL, 'm'}, {"help", no_argument, NULL, 'h'}, {0}};
	bool markdown = false;
	int c;

	while ((c = getopt_long(argc, argv, "mh", options, NULL)) != -1) {
		if (c == 'm') {
			markdown = true;
			continue;
		}
		usage(c == 'h' ? stdout : stderr);
		return c == 'h' ? RWK_EXIT_OK : RWK_EXIT_MISUSED;
	}
	if (optind != argc) {
		usage(stderr);
		return RWK_EXIT_MISUSED;
	}
	rwk_schema_print(stdout, markdown);
	return RWK_EXIT_OK;
}
