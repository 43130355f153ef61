/* rewake report RUN.db [NAME]: a shipped report, or which there are. */
#include <stdio.h>

#include "cli/exit.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/print_options.h"
#include "cli/usage.h"
#include "cli/verbs.h"
#include "report/report.h"

static void list(FILE *out)
{
	const struct rwk_report *r;

	for (size_t i = 0; (r = rwk_report_at(i)); i++)
		fprintf(out, "  %-12s %s\n", r->name, r->about);
}

static const struct rwk_option options[] = {
	RWK_OPTION_FORMAT,
	{0},
};

static bool list_report(size_t index, struct rwk_choice *ret)
{
	const struct rwk_report *r = rwk_report_at(index);

	if (r)
		*ret = (struct rwk_choice){r->name, r->about};
	return r;
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

static int run_report(int argc, char **argv)
{
	enum rwk_format format;
	int leave = rwk_print_options(&rwk_verb_report, argc, argv, 1, 2, &format);

	return leave >= 0 ? leave : run(argv[optind], argv[optind + 1], format);
}

const struct rwk_verb rwk_verb_report = {
	.name = "report",
	.summary = "run a shipped report, or list them",
	.synopsis = (const char *const[]){"[options] RUN.db [NAME]", NULL},
	.about = "Runs a shipped report over RUN.db, or lists them.",
	.options = options,
	.list = list_report,
	.list_title = "Reports:",
	.run = run_report,
};
