/* rewake report RUN.db [NAME]: a shipped report, or which there are. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/exit.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/print_options.h"
#include "cli/usage.h"
#include "cli/verbs.h"
#include "report/param.h"
#include "report/report.h"

struct chosen {
	enum rwk_format format;
	const char **param; /* "name=value", nr_params of them */
	int nr_params;
};

static void list_params(const struct rwk_report *report, FILE *out)
{
	struct rwk_report_args args;

	if (rwk_report_args_init(report, NULL, &args))
		return;
	for (int i = 0; i < args.nr; i++) {
		const struct rwk_report_param *p = &args.param[i];
		char type[128];

		rwk_report_param_type(p, type, sizeof(type));
		fprintf(out, "                 -P %s=%s  %.*s (%s)\n", p->name, p->preset,
			p->about_len, p->about, type);
	}
}

static void list(FILE *out)
{
	const struct rwk_report *r;

	for (size_t i = 0; (r = rwk_report_at(i)); i++) {
		fprintf(out, "  %-14s %s\n", r->name, r->about);
		list_params(r, out);
	}
}

static const struct rwk_option options[] = {
	{'P', "param", "NAME=VALUE", "sets a parameter of the report; may be repeated"},
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

static int run_named(
	struct rwk_store *store, const struct rwk_report *report, const struct chosen *o)
{
	struct rwk_diag diag = {0};
	struct rwk_report_args args;
	int err = rwk_report_args_init(report, &diag, &args);

	for (int i = 0; i < o->nr_params && !err; i++) {
		if (rwk_report_args_set(&args, o->param[i], &diag)) {
			rwk_msg_error(&diag, "cannot report");
			return RWK_EXIT_MISUSED;
		}
	}
	if (!err)
		err = rwk_report_run_with(store, &args, o->format, stdout, &diag);
	if (err) {
		rwk_msg_error(&diag, "cannot report");
		return RWK_EXIT_FAILED;
	}
	return RWK_EXIT_OK;
}

static int run(const char *path, const char *name, const struct chosen *o)
{
	const struct rwk_report *report = name ? rwk_report_find(name) : NULL;
	struct rwk_diag diag = {0};
	struct rwk_store *store;
	int ret = RWK_EXIT_OK;

	if (name && !report) {
		rwk_msg_error(NULL, "no report named %s; there are:", name);
		list(stderr);
		return RWK_EXIT_MISUSED;
	}
	if (!report && o->nr_params) {
		rwk_msg_error(NULL, "%s is a parameter of no report: none is named", o->param[0]);
		return RWK_EXIT_MISUSED;
	}
	if (rwk_store_open(path, false, &diag, &store)) {
		rwk_msg_error(&diag, "cannot report");
		return RWK_EXIT_FAILED;
	}
	if (report)
		ret = run_named(store, report, o);
	else
		list(stdout);
	rwk_store_close(store);
	return ret;
}

/* -1: go on; else the exit code to leave with. */
static int parse(int argc, char **argv, struct chosen *o)
{
	struct rwk_options opts;
	int c;

	rwk_options_begin(&opts, &rwk_verb_report, argc, argv);
	while ((c = rwk_options_next(&opts)) != -1) {
		switch (c) {
		case 'P':
			o->param[o->nr_params++] = optarg;
			break;
		case 'f':
			if (!rwk_format_option(optarg, &o->format))
				return RWK_EXIT_MISUSED;
			break;
		default:
			return rwk_options_leave(&opts, c);
		}
	}
	if (argc - optind < 1 || argc - optind > 2)
		return rwk_verb_misused(&rwk_verb_report);
	return -1;
}

static int run_report(int argc, char **argv)
{
	struct chosen o = {.param = calloc((size_t)argc + 1, sizeof(*o.param))};
	int leave;

	if (!o.param) {
		rwk_msg_error(NULL, "cannot report: out of memory");
		return RWK_EXIT_FAILED;
	}
	leave = parse(argc, argv, &o);
	if (leave < 0)
		leave = run(argv[optind], argv[optind + 1], &o);
	free(o.param);
	return leave;
}

const struct rwk_verb rwk_verb_report = {
	.name = "report",
	.summary = "run a shipped report, or list them",
	.synopsis = (const char *const[]){"[options] RUN.db [NAME]", NULL},
	.about = "Runs a shipped report over RUN.db, or lists them with their parameters.",
	.options = options,
	.list = list_report,
	.list_title = "Reports:",
	.run = run_report,
};
