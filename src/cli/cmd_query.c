/* rewake query RUN.db SQL: one statement that only reads. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>

#include "cli/exit.h"
#include "cli/message.h"
#include "cli/print_options.h"
#include "cli/verbs.h"
#include "report/report.h"

static void usage(FILE *out)
{
	fputs("usage: rewake query [options] RUN.db SQL\n"
	      "Runs one statement that only reads, and prints its result.\n"
	      "  -f, --format FORMAT  table (default), csv, json\n"
	      "  -h, --help\n"
	      "`rewake schema` shows the views and what their columns mean.\n",
		out);
}

static int run(const char *path, const char *sql, enum rwk_format format)
{
	struct rwk_diag diag = {0};
	struct rwk_store *store;
	int err = rwk_store_open(path, false, &diag, &store);

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

int rwk_cmd_query(int argc, char **argv)
{
	enum rwk_format format;
	int leave = rwk_print_options(argc, argv, 2, 2, usage, &format);

	return leave >= 0 ? leave : run(argv[optind], argv[optind + 1], format);
}
