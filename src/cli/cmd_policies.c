/* rewake policies: what there is, where it comes from, and its parameters. */
#include <stdio.h>

#include "cli/exit.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/usage.h"
#include "cli/verbs.h"
#include "policy/registry.h"

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

static bool list_policy(size_t index, struct rwk_choice *ret)
{
	const struct rwk_policy *p = rwk_policy_at(index);

	if (p)
		*ret = (struct rwk_choice){p->name, p->summary};
	return p;
}

static int run_policies(int argc, char **argv)
{
	struct rwk_options opts;
	const struct rwk_policy *p;
	int c;

	rwk_options_begin(&opts, &rwk_verb_policies, argc, argv);
	if ((c = rwk_options_next(&opts)) != -1)
		return rwk_options_leave(&opts, c);
	if (optind + 1 < argc)
		return rwk_verb_misused(&rwk_verb_policies);
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

const struct rwk_verb rwk_verb_policies = {
	.name = "policies",
	.summary = "list policies and their parameters",
	.synopsis = (const char *const[]){"[NAME]", NULL},
	.about = "Lists the policies, or one with its origin, base, parameters and reasons.",
	.list = list_policy,
	.run = run_policies,
};
