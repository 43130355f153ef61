/* rewake machine [--root DIR] [-o FILE]: takes the machine snapshot alone. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/exit.h"
#include "cli/message.h"
#include "cli/verbs.h"
#include "machine/machine.h"

static void usage(FILE *out)
{
	fputs("usage: rewake machine [--root DIR] [-o FILE]\n"
	      "Writes what a replay has to know of the machine: CPUs, caches, nodes, scheduling\n"
	      "domains, kernel settings and tasks, as JSON.  As root it sees more.\n"
	      "  -r, --root DIR     read a copied tree of /sys and /proc files instead of /\n"
	      "  -o, --output FILE  where to; default: stdout\n"
	      "  -h, --help\n"
	      "exit: 0 fine, 1 failed, 2 misused\n",
		out);
}

int rwk_cmd_machine(int argc, char **argv)
{
	static const struct option options[] = {{"root", required_argument, NULL, 'r'},
		{"output", required_argument, NULL, 'o'}, {"help", no_argument, NULL, 'h'}, {0}};
	const char *root = "/", *output = NULL;
	struct rwk_snapshot *snap;
	struct rwk_diag diag = {0};
	int c, err;

	while ((c = getopt_long(argc, argv, "r:o:h", options, NULL)) != -1) {
		switch (c) {
		case 'r':
			root = optarg;
			break;
		case 'o':
			output = optarg;
			break;
		case 'h':
			usage(stdout);
			return RWK_EXIT_OK;
		default:
			usage(stderr);
			return RWK_EXIT_MISUSED;
		}
	}
	if (optind != argc) {
		rwk_msg_error(NULL, "machine takes no arguments, but was given %s", argv[optind]);
		usage(stderr);
		return RWK_EXIT_MISUSED;
	}
	err = rwk_snapshot_take(root, true, &diag, &snap);
	if (!err) {
		if (output && strcmp(output, "-"))
			err = rwk_snapshot_save(snap, output, &diag);
		else
			err = rwk_snapshot_print(snap, stdout, &diag);
		rwk_snapshot_destroy(snap);
	}
	if (err) {
		rwk_msg_error(&diag, "machine");
		return RWK_EXIT_FAILED;
	}
	return RWK_EXIT_OK;
}
