/* --format and --help. */
#include "cli/print_options.h"

#include "cli/exit.h"
#include "cli/message.h"
#include "cli/usage.h"

bool rwk_format_option(const char *text, enum rwk_format *ret)
{
	if (!rwk_format_parse(text, ret))
		return true;
	rwk_msg_error(NULL, "no format named %s; table, csv or json", text);
	return false;
}

int rwk_print_options(const struct rwk_verb *verb, int argc, char **argv, int min_args,
	int max_args, enum rwk_format *ret)
{
	struct rwk_options opts;
	int c;

	*ret = RWK_FORMAT_TABLE;
	rwk_options_begin(&opts, verb, argc, argv);
	while ((c = rwk_options_next(&opts)) != -1) {
		switch (c) {
		case 'f':
			if (!rwk_format_option(optarg, ret))
				return RWK_EXIT_MISUSED;
			break;
		default:
			return rwk_options_leave(&opts, c);
		}
	}
	if (argc - optind < min_args || argc - optind > max_args)
		return rwk_verb_misused(verb);
	return -1;
}
