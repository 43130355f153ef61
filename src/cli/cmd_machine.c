/* rewake machine [-o FILE]: takes the machine snapshot alone, or edits one. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/exit.h"
#include "cli/message.h"
#include "cli/verbs.h"
#include "machine/variant.h"

static void usage(FILE *out)
{
	fputs("usage: rewake machine [--root DIR | --from FILE] [--edit EDITS] [-o FILE]\n"
	      "Writes what a replay has to know of the machine: CPUs, caches, nodes, scheduling\n"
	      "domains, kernel settings and tasks, as JSON.  As root it sees more.\n"
	      "  -r, --root DIR     read a copied tree of /sys and /proc files instead of /\n"
	      "  -f, --from FILE    an earlier snapshot, for --edit\n"
	      "  -e, --edit EDITS   another machine, for replay --machine; separated by commas:\n"
	      "                       numa=off  all CPUs are of one node\n"
	      "                       smt=off   each CPU is a core of its own; none goes away\n"
	      "                       llc=8     last-level caches of 8 CPUs, neighbours as they "
	      "were\n"
	      "                       llc=0-3+8-11/4-7+12-15  these CPUs share one each\n"
	      "  -o, --output FILE  where to; default: stdout\n"
	      "  -h, --help\n"
	      "exit: 0 fine, 1 failed, 2 misused\n",
		out);
}

int rwk_cmd_machine(int argc, char **argv)
{
	static const struct option options[] = {{"root", required_argument, NULL, 'r'},
		{"from", required_argument, NULL, 'f'}, {"edit", required_argument, NULL, 'e'},
		{"output", required_argument, NULL, 'o'}, {"help", no_argument, NULL, 'h'}, {0}};
	const char *root = NULL, *from = NULL, *edits = NULL, *output = NULL;
	struct rwk_snapshot *snap;
	struct rwk_diag diag = {0};
	int c, err, code = RWK_EXIT_FAILED;

	while ((c = getopt_long(argc, argv, "r:f:e:o:h", options, NULL)) != -1) {
		switch (c) {
		case 'r':
			root = optarg;
			break;
		case 'f':
			from = optarg;
			break;
		case 'e':
			edits = optarg;
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
	if (root && from) {
		rwk_msg_error(NULL, "--root and --from: one of them");
		return RWK_EXIT_MISUSED;
	}
	if (from)
		err = rwk_snapshot_load(from, &diag, &snap);
	else
		err = rwk_snapshot_take(root ? root : "/", true, &diag, &snap);
	if (err) {
		rwk_msg_error(&diag, "machine");
		return RWK_EXIT_FAILED;
	}
	if (edits)
		err = rwk_snapshot_edit(snap, edits, &diag);
	if (err)
		code = err == -EINVAL ? RWK_EXIT_MISUSED : RWK_EXIT_FAILED;
	else if (output && strcmp(output, "-"))
		err = rwk_snapshot_save(snap, output, &diag);
	else
		err = rwk_snapshot_print(snap, stdout, &diag);
	rwk_snapshot_destroy(snap);
	if (!err)
		return RWK_EXIT_OK;
	rwk_msg_error(&diag, "machine");
	return code;
}
