/* rewake query RUN.db SQL: one statement that only reads. */
#include <errno.h>
#include <stdio.h>

#include "cli/exit.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/print_options.h"
#include "cli/usage.h"
#include "cli/verbs.h"
#include "report/report.h"

static const struct rwk_option options[] = {
	RWK_OPTION_FORMAT,
	{0},
};

static int run(const char *path, const char *sql, enum rwk_format format)
{
	struct rwk_diag diag = {0};
	struct rwk_store *store;
	int err = rwk_store_open(path, false, &diag, &store);

	if (!err) {
		err = rwk_store_add_functions(store, &diag);
		if (err)
			rwk_store_close(store);
	}
	if (err) {
		rwk_msg_error(&diag, "cannot query");
		return RWK_EXIT_FAILED;
	}
	err = rwk_report_query(store, sql, format, stdout, &diag);
	rwk_store_close(store);
	if (!err)
		return RWK_EXIT_OK;
	rwk_msg_error(&diag, "cannot query");
	/* A statement that is wrong or would write is the caller's mistake. */
	return err == -EINVAL || err == -EACCES ? RWK_EXIT_MISUSED : RWK_EXIT_FAILED;
}

static int run_query(int argc, char **argv)
{
	enum rwk_format format;
	int leave = rwk_print_options(&rwk_verb_query, argc, argv, 2, 2, &format);

	return leave >= 0 ? leave : run(argv[optind], argv[optind + 1], format);
}

const struct rwk_verb rwk_verb_query = {
	.name = "query",
	.summary = "ad-hoc SQL, read-only",
	.synopsis = (const char *const[]){"[options] RUN.db SQL", NULL},
	.about = "Runs one statement that only reads, and prints its result.",
	.options = options,
	.closing = "Besides those of SQLite there are these functions:\n"
		   "percentile(x, p): the smallest of all x with at least p % of them at or below "
		   "it\n"
		   "log2_bucket(x): the power of two at or below x; 0 for less than 1\n"
		   "histogram(x): how many x in each such bucket, 0:3 1:2 16:40\n"
		   "cpu_list(cpu): all of them, 0-3,8\n"
		   "cpu_distance(run, cpu, cpu): same_cpu, smt, llc, node, remote; NULL unknown\n"
		   "`rewake schema` shows the views and what their columns mean.",
	.run = run_query,
};
