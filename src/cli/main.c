/* Entry: finds the verb and hands over. */
#include <stdio.h>
#include <string.h>

#include "cli/exit.h"
#include "cli/message.h"
#include "cli/verbs.h"
#include "config.h"

static void usage(FILE *out)
{
	fputs("rewake: where did the kernel put each woken task, why there, and where would\n"
	      "another placement policy have put it?\n\n",
		out);
	for (const struct rwk_verb *v = rwk_verbs; v->name; v++)
		fprintf(out, "  rewake %-8s %s\n      %s\n", v->name, v->synopsis, v->help);
	fputs("\nrewake VERB --help says more.\n", out);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return RWK_EXIT_MISUSED;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return RWK_EXIT_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("rewake " REWAKE_VERSION);
		return RWK_EXIT_OK;
	}
	for (const struct rwk_verb *v = rwk_verbs; v->name; v++) {
		if (!strcmp(v->name, argv[1]))
			return v->run(argc - 1, argv + 1);
	}
	rwk_msg_error(NULL, "no verb named %s; rewake --help lists them", argv[1]);
	return RWK_EXIT_MISUSED;
}
