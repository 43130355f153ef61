/* rewake machine [-o FILE]: takes the machine snapshot alone, or edits one. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/exit.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/usage.h"
#include "cli/verbs.h"
#include "machine/variant.h"

static const struct rwk_choice edits_known[] = {
	{"numa=off", "all CPUs are of one node"},
	{"smt=off", "each CPU is a core of its own; none goes away"},
	{"llc=8", "last-level caches of 8 CPUs, neighbours as they were"},
	{"llc=0-3+8-11/4-7+12-15", "these CPUs share one each"},
	{0},
};

static const struct rwk_option options[] = {
	{'r', "root", "DIR", "read a copied tree of /sys and /proc files instead of /"},
	{'f', "from", "FILE", "an earlier snapshot, for --edit"},
	{'e', "edit", "EDITS", "another machine, for replay --machine; separated by commas:",
		.choices = edits_known},
	{'o', "output", "FILE", "where to; default: stdout"},
	{0},
};

static int run_machine(int argc, char **argv)
{
	const char *root = NULL, *from = NULL, *edits = NULL, *output = NULL;
	struct rwk_options opts;
	struct rwk_snapshot *snap;
	struct rwk_diag diag = {0};
	int c, err, code = RWK_EXIT_FAILED;

	rwk_options_begin(&opts, &rwk_verb_machine, argc, argv);
	while ((c = rwk_options_next(&opts)) != -1) {
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
		default:
			return rwk_options_leave(&opts, c);
		}
	}
	if (optind != argc) {
		rwk_msg_error(NULL, "machine takes no arguments, but was given %s", argv[optind]);
		return rwk_verb_misused(&rwk_verb_machine);
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

const struct rwk_verb rwk_verb_machine = {
	.name = "machine",
	.summary = "take the machine snapshot alone, or edit one",
	.synopsis =
		(const char *const[]){"[--root DIR | --from FILE] [--edit EDITS] [-o FILE]", NULL},
	.about = "Writes what a replay has to know of the machine: CPUs, caches, nodes, scheduling "
		 "domains, kernel settings and tasks, as JSON. As root it sees more.",
	.options = options,
	.run = run_machine,
};
