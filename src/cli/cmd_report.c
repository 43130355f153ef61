/* rewake report RUN.db [NAME]: a shipped report, or which there are. */
#include <getopt.h>
#include <stdio.h>

#include "cli/exit.h"
#include "cli/message.h"
#include "cli/print_options.h"
#include "cli/verbs.h"
#include "report/report.h"

static void list(FILE *out)
{
	const struct rwk_report *r;

	for (size_t i = 0; (r = rwk_report_at(i)); i++)
		fprintf(out, "  %-12s %s\n", r->name, r->about);
}

static void usage(FILE *out)
{
	fputs("usage: rewake report [options] RUN.db [NAME]\n"
	      "Runs a shipped report over RUN.db, or lists them.\n"
	      "  -f, --format FORMAT  table (default), csv, json\n"
	      "  -h, --help\n"
	      "Reports:\n",
		out);
	list(out);
}

static int run(const char *path, const char *name, enum rwk_format format)
{
	const struct rwk_report *report = name ? rwk_report_find(name) : NULL;
	struct rwk_diag diag = {0};
	struct rwk_store *store;
	int err;

	if (name && !report) {
		rwk_msg_error(NULL, "no report named %s; there are:", name);
		list(stderr);
		return RWK_EXIT_MISUSED;
	}
	err = rwk_store_open(path, false, &diag, &store);
	if (err) {
		rwk_msg_error(&diag, "cannot report");
		return RWK_EXIT_FAILED;
	}
	if (report)
		err = rwk_report_run(store, report, format, stdout, &diag);
	else
		list(stdout);
	rwk_store_close(store);
	if (err) {
		rwk_msg_error(&diag, "cannot report");
		return RWK_EXIT_FAILED;
	}
	return RWK_EXIT_OK;
}

int rwk_cmd_report(int argc, char **argv)
{
	enum rwk_format format;
	int leave = rwk_print_options(argc, argv, 1, 2, usage, &format);

	return leave >= 0 ? leave : run(argv[optind], argv[optind + 1], format);
}
