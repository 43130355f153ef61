/* Entry: finds the verb and hands over. */
#include <stdio.h>
#include <string.h>

#include "cli/exit.h"
#include "cli/message.h"
#include "cli/usage.h"
#include "cli/verbs.h"
#include "config.h"

int main(int argc, char **argv)
{
	if (argc < 2) {
		rwk_verbs_usage(stderr);
		return RWK_EXIT_MISUSED;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		rwk_verbs_usage(stdout);
		return RWK_EXIT_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("rewake " REWAKE_VERSION);
		return RWK_EXIT_OK;
	}
	for (const struct rwk_verb *const *v = rwk_verbs; *v; v++) {
		if (!strcmp((*v)->name, argv[1]))
			return (*v)->run(argc - 1, argv + 1);
	}
	rwk_msg_error(NULL, "no verb named %s; rewake --help lists them", argv[1]);
	return RWK_EXIT_MISUSED;
}
