/* rewake anonymize IN.db OUT.db: a copy to be shared. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cli/exit.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/usage.h"
#include "cli/verbs.h"
#include "store/mask.h"
#include "store/merge.h"

static const struct rwk_option options[] = {
	{'t', "shift-time", NULL,
		"let each run begin within its first minute, so that the time since boot does not "
		"show; whole minutes are taken off, as the kernel's ticks are reckoned from zero"},
	{'f', "force", NULL, "replace OUT.db if it exists"},
	{'q', "quiet", NULL, "no summary line"},
	{0},
};

static int anonymize(const char *in, const char *out, bool shift_time, bool replace,
	struct rwk_diag *diag, struct rwk_mask_counts *ret)
{
	struct rwk_merge *m = NULL;
	struct rwk_mask *mask;
	int err = rwk_mask_create(shift_time, &mask);

	if (err)
		return rwk_diag_push(diag, err, "out of memory");
	err = rwk_merge_open(out, replace, mask, diag, &m);
	if (!err)
		err = rwk_merge_add(m, in, diag);
	if (!err)
		err = rwk_merge_finish(m, diag);
	rwk_merge_close(m);
	*ret = rwk_mask_count(mask);
	rwk_mask_destroy(mask);
	return err;
}

static int run_anonymize(int argc, char **argv)
{
	struct rwk_mask_counts counts;
	struct rwk_options opts;
	struct rwk_diag diag = {0};
	bool shift_time = false, replace = false, quiet = false;
	int c;

	rwk_options_begin(&opts, &rwk_verb_anonymize, argc, argv);
	while ((c = rwk_options_next(&opts)) != -1) {
		switch (c) {
		case 't':
			shift_time = true;
			break;
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
	if (optind + 2 != argc)
		return rwk_verb_misused(&rwk_verb_anonymize);
	if (anonymize(argv[optind], argv[optind + 1], shift_time, replace, &diag, &counts)) {
		rwk_msg_error(&diag, "cannot anonymize %s", argv[optind]);
		return RWK_EXIT_FAILED;
	}
	if (!quiet)
		printf("%s: %" PRId64 " names, %" PRId64 " thread ids and %" PRId64
		       " folders of groups replaced\n",
			argv[optind + 1], counts.nr_names, counts.nr_tids, counts.nr_groups);
	return RWK_EXIT_OK;
}

const struct rwk_verb rwk_verb_anonymize = {
	.name = "anonymize",
	.summary = "a copy of a database without names, to be shared",
	.synopsis = (const char *const[]){"[options] IN.db OUT.db", NULL},
	.about = "Writes OUT.db, from which replays and reports get the same numbers: names of "
		 "tasks, thread ids, control groups and files are replaced by numbered ones, and "
		 "what may identify in the machine's snapshot is left out. Pseudonyms are numbered "
		 "as originals come first: the same IN.db gives the same bytes, and nothing leads "
		 "back. To share several runs under the same pseudonyms, merge them first.",
	.options = options,
	.closing = "Not hidden: times and durations, CPU numbers, topology, caches, scheduler "
		   "settings, the kernel's version, the order of thread ids, names that the kernel "
		   "gives its own threads, and names and parameters of policies "
		   "(docs/anonymize.md).",
	.run = run_anonymize,
};
