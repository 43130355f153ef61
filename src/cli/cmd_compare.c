/* rewake compare A.db B.db: two sides of runs beside each other. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "cli/choices.h"
#include "cli/exit.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/print_options.h"
#include "cli/usage.h"
#include "cli/verbs.h"
#include "report/report.h"
#include "store/compare.h"

static const struct rwk_option options[] = {
	{0, "a", "RUNS", "runs of side A, such as 1,3-5; default: all of A.db", 'A'},
	{0, "b", "RUNS", "runs of side B; default: all of B.db", 'B'},
	RWK_OPTION_FORMAT,
	{0},
};

/* Runs of a side as they were given. */
struct runs {
	int of[RWK_MAX_CPUS];
	size_t nr;
};

/* Numbers of runs are written as CPUs are, and are as many at most. */
static bool parse_runs(const char *text, const char *side, struct runs *ret)
{
	struct rwk_cpuset set;

	ret->nr = 0;
	if (!rwk_parse_cpulist(text, &set) && !rwk_cpuset_has(&set, 0)) {
		for (int i = rwk_cpuset_next(&set, 0); i != RWK_NONE;
			i = rwk_cpuset_next(&set, i + 1))
			ret->of[ret->nr++] = i;
	}
	if (ret->nr)
		return true;
	rwk_msg_error(NULL, "--%s=%s: a list of runs such as 1,3-5", side, text);
	return false;
}

static int compare(const struct rwk_side *a, const struct rwk_side *b, enum rwk_format format)
{
	struct rwk_report report = {.name = "compare"};
	struct rwk_diag diag = {0};
	struct rwk_store *store;
	int err;

	for (const struct rwk_sql_file *f = rwk_sql_files; f->name; f++) {
		if (!strcmp(f->name, "compare/report"))
			report.sql = f->text;
	}
	err = rwk_store_open_sides(a, b, &diag, &store);
	if (!err) {
		err = rwk_report_run(store, &report, format, stdout, &diag);
		rwk_store_close(store);
	}
	if (!err)
		return RWK_EXIT_OK;
	rwk_msg_error(&diag, "cannot compare");
	return err == -ENOENT ? RWK_EXIT_MISUSED : RWK_EXIT_FAILED;
}

static int run_compare(int argc, char **argv)
{
	struct rwk_side a = {0}, b = {0};
	struct runs runs_a = {.nr = 0}, runs_b = {.nr = 0};
	enum rwk_format format = RWK_FORMAT_TABLE;
	struct rwk_options opts;
	int c;

	rwk_options_begin(&opts, &rwk_verb_compare, argc, argv);
	while ((c = rwk_options_next(&opts)) != -1) {
		switch (c) {
		case 'A':
			if (!parse_runs(optarg, "a", &runs_a))
				return RWK_EXIT_MISUSED;
			break;
		case 'B':
			if (!parse_runs(optarg, "b", &runs_b))
				return RWK_EXIT_MISUSED;
			break;
		case 'f':
			if (!rwk_format_option(optarg, &format))
				return RWK_EXIT_MISUSED;
			break;
		default:
			return rwk_options_leave(&opts, c);
		}
	}
	if (optind + 1 != argc && optind + 2 != argc)
		return rwk_verb_misused(&rwk_verb_compare);
	a.path = argv[optind];
	b.path = optind + 2 == argc ? argv[optind + 1] : a.path;
	if (a.path == b.path && (!runs_a.nr || !runs_b.nr)) {
		rwk_msg_error(NULL, "with one database, --a and --b say which runs to compare");
		return RWK_EXIT_MISUSED;
	}
	if (runs_a.nr) {
		a.run = runs_a.of;
		a.nr_runs = runs_a.nr;
	}
	if (runs_b.nr) {
		b.run = runs_b.of;
		b.nr_runs = runs_b.nr;
	}
	return compare(&a, &b, format);
}

const struct rwk_verb rwk_verb_compare = {
	.name = "compare",
	.summary = "two recordings beside each other, with a test of the difference",
	.synopsis = (const char *const[]){"[options] A.db B.db",
		"[options] --a RUNS --b RUNS RUN.db", NULL},
	.about = "Compares recordings, such as before and after a change of the kernel: how long "
		 "woken tasks waited, where they were put, which pairs changed most, and how well "
		 "each replayed policy agrees.\n"
		 "Whether waits differ is told by Mann-Whitney tests: over all wakeups, which are "
		 "not independent, so that this p is too small; and over runs, one figure of each, "
		 "exact for up to 50 runs: record each side several times, and take that one.",
	.options = options,
	.run = run_compare,
};
