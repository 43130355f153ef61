/* --format and --help. */
#include "cli/print_options.h"

#include <getopt.h>

#include "cli/exit.h"
#include "cli/message.h"

bool rwk_format_option(const char *text, enum rwk_format *ret)
{
	if (!rwk_format_parse(text, ret))
		return true;
	rwk_msg_error(NULL, "no format named %s; table, csv or json", text);
	return false;
}

int rwk_print_options(int argc, char **argv, int min_args, int max_args, void (*usage)(FILE *out),
	enum rwk_format *ret)
{
	static const struct option options[] = {
		{"format", required_argument, NULL, 'f'}, {"help", no_argument, NULL, 'h'}, {0}};
	int c;

	*ret = RWK_FORMAT_TABLE;
	while ((c = getopt_long(argc, argv, "f:h", options, NULL)) != -1) {
		switch (c) {
		case 'f':
			if (!rwk_format_option(optarg, ret))
				return RWK_EXIT_MISUSED;
			break;
		case 'h':
			usage(stdout);
			return RWK_EXIT_OK;
		default:
			usage(stderr);
			return RWK_EXIT_MISUSED;
		}
	}
	if (argc - optind < min_args || argc - optind > max_args) {
		usage(stderr);
		return RWK_EXIT_MISUSED;
	}
	return -1;
}
