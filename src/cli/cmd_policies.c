/* rewake policies: what there is, where it comes from, and its parameters. */
#include <getopt.h>
#include <stdio.h>

#include "cli/exit.h"
#include "cli/message.h"
#include "cli/verbs.h"
#include "policy/registry.h"

static void usage(FILE *out)
{
	fputs("usage: rewake policies [NAME]\n"
	      "Lists the policies, or one with its origin, base, parameters and reasons.\n",
		out);
}

static void print_words(const char *label, const char *const *words)
{
	if (!words)
		return;
	printf("%s:", label);
	for (size_t i = 0; words[i]; i++)
		printf(" %s", words[i]);
	printf("\n");
}

static void print_one(const struct rwk_policy *p)
{
	printf("%s: %s\n", p->name, p->summary);
	printf("origin: %s\nbase: %s\n", p->origin, p->base);
	print_words("reasons", p->reasons);
	print_words("target", p->details);
	for (const struct rwk_param *d = p->params; d && d->name; d++) {
		printf("  %s=%s", d->name, d->initial ? d->initial : "");
		if (d->choices)
			printf(" (%s)", d->choices);
		printf("\n      %s\n", d->help);
	}
}

int rwk_cmd_policies(int argc, char **argv)
{
	static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};
	const struct rwk_policy *p;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		usage(c == 'h' ? stdout : stderr);
		return c == 'h' ? RWK_EXIT_OK : RWK_EXIT_MISUSED;
	}
	if (optind + 1 < argc) {
		usage(stderr);
		return RWK_EXIT_MISUSED;
	}
	if (optind < argc) {
		p = rwk_policy_find(argv[optind]);
		if (!p) {
			rwk_msg_error(NULL, "no policy named %s", argv[optind]);
			return RWK_EXIT_MISUSED;
		}
		print_one(p);
		return RWK_EXIT_OK;
	}
	for (size_t i = 0; (p = rwk_policy_at(i)); i++)
		printf("%-20s %s\n", p->name, p->summary);
	return RWK_EXIT_OK;
}
