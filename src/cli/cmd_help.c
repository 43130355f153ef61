/* rewake help [VERB]: what a verb's table says, for people and for programs. */
#include <string.h>

#include "cli/exit.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/usage.h"
#include "cli/usage_scdoc.h"
#include "cli/verbs.h"

enum form { AS_TEXT, AS_SCDOC, AS_WORDS, NR_FORMS };

static const struct rwk_choice forms[] = {
	[AS_TEXT] = {"text", "as of `rewake VERB --help`; default"},
	[AS_SCDOC] = {"scdoc", "as parts of the manual page"},
	[AS_WORDS] = {"words",
		"for a shell that completes words: a line each, fields separated by tabs"},
	{0},
};

static const struct rwk_option options[] = {
	{'a', "as", "FORM", "how:", .choices = forms},
	{0},
};

static bool list_verb(size_t index, struct rwk_choice *ret)
{
	const struct rwk_verb *v = rwk_verbs[index];

	if (v)
		*ret = (struct rwk_choice){v->name, v->summary};
	return v;
}

static int show(enum form form, const struct rwk_verb *verb)
{
	switch (form) {
	case AS_SCDOC:
		verb ? rwk_verb_scdoc(verb, stdout) : rwk_verbs_scdoc(stdout);
		break;
	case AS_WORDS:
		verb ? rwk_verb_words(verb, stdout) : rwk_verb_words(&rwk_verb_help, stdout);
		break;
	default:
		verb ? rwk_verb_usage(verb, stdout) : rwk_verbs_usage(stdout);
	}
	return RWK_EXIT_OK;
}

static int run_help(int argc, char **argv)
{
	struct rwk_options opts;
	int c, form = AS_TEXT;

	rwk_options_begin(&opts, &rwk_verb_help, argc, argv);
	while ((c = rwk_options_next(&opts)) != -1) {
		switch (c) {
		case 'a':
			for (form = 0; form < NR_FORMS && strcmp(forms[form].name, optarg);)
				form++;
			if (form < NR_FORMS)
				break;
			rwk_msg_error(NULL, "--as=%s: one of text, scdoc, words", optarg);
			return RWK_EXIT_MISUSED;
		default:
			return rwk_options_leave(&opts, c);
		}
	}
	if (optind + 1 < argc)
		return rwk_verb_misused(&rwk_verb_help);
	if (optind == argc)
		return show((enum form)form, NULL);
	for (const struct rwk_verb *const *v = rwk_verbs; *v; v++) {
		if (!strcmp((*v)->name, argv[optind]))
			return show((enum form)form, *v);
	}
	rwk_msg_error(NULL, "no verb named %s; rewake help lists them", argv[optind]);
	return RWK_EXIT_MISUSED;
}

const struct rwk_verb rwk_verb_help = {
	.name = "help",
	.summary = "what a verb does and its options",
	.synopsis = (const char *const[]){"[options] [VERB]", NULL},
	.about =
		"Prints what `rewake VERB --help` prints; without VERB, every verb in a few lines.",
	.options = options,
	.list = list_verb,
	.run = run_help,
};
