/* rewake merge OUT.db IN.db…: the runs of several databases in one. */
#include <stdio.h>

#include "cli/exit.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/usage.h"
#include "cli/verbs.h"
#include "store/merge.h"

static const struct rwk_option options[] = {
	{'f', "force", NULL, "replace OUT.db if it exists; it may be one of IN.db"},
	{'q', "quiet", NULL, "no summary line"},
	{0},
};

static int merge(const char *out, char **in, int nr, bool replace, struct rwk_diag *diag)
{
	struct rwk_merge *m;
	int err = rwk_merge_open(out, replace, NULL, diag, &m);
	int nr_runs;

	if (err)
		return err;
	for (int i = 0; i < nr && !err; i++)
		err = rwk_merge_add(m, in[i], diag);
	if (!err)
		err = rwk_merge_finish(m, diag);
	nr_runs = rwk_merge_nr_runs(m);
	rwk_merge_close(m);
	return err ? err : nr_runs;
}

static int run_merge(int argc, char **argv)
{
	struct rwk_options opts;
	struct rwk_diag diag = {0};
	bool replace = false, quiet = false;
	int c, nr_runs;

	rwk_options_begin(&opts, &rwk_verb_merge, argc, argv);
	while ((c = rwk_options_next(&opts)) != -1) {
		switch (c) {
		case 'f':
			replace = true;
			break;
		case 'q':
			quiet = true;
			break;
		default:
			return rwk_options_leave(&opts, c);
		}
	}
	if (optind + 2 > argc) {
		rwk_msg_error(NULL, "merge needs a database to write and at least one to read");
		return rwk_verb_misused(&rwk_verb_merge);
	}
	nr_runs = merge(argv[optind], argv + optind + 1, argc - optind - 1, replace, &diag);
	if (nr_runs < 0) {
		rwk_msg_error(&diag, "cannot merge into %s", argv[optind]);
		return RWK_EXIT_FAILED;
	}
	if (!quiet)
		printf("%s: %d runs\n", argv[optind], nr_runs);
	return RWK_EXIT_OK;
}

const struct rwk_verb rwk_verb_merge = {
	.name = "merge",
	.summary = "the runs of several databases in one",
	.synopsis = (const char *const[]){"[options] OUT.db IN.db…", NULL},
	.about =
		"Writes OUT.db with all runs of IN.db…, numbered in that order, and their replays. "
		"Machines and policies that are equal in every respect are stored once. IN.db are "
		"not changed, also where an older rewake made them. Importing traces together and "
		"merging their databases gives the same bytes.",
	.options = options,
	.run = run_merge,
};
