/* rewake analyze TRACE | -- CMD: the main job in one go. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exit.h"
#include "cli/import_run.h"
#include "cli/message.h"
#include "cli/print_options.h"
#include "cli/record_run.h"
#include "cli/replay_run.h"
#include "cli/verbs.h"
#include "report/report.h"

struct analyze {
	struct rwk_import_options import;
	struct rwk_replay_request replay;
	const char **specs;
	rwk_ns duration_ns;
	enum rwk_format format;
	char output[4096], trace[4096];
};

static void usage(FILE *out)
{
	fputs("usage: rewake analyze [options] TRACE\n"
	      "       rewake analyze [options] [-d SECONDS] -- CMD [ARG…]\n"
	      "Imports TRACE (or records CMD, as root), replays the policies and prints the "
	      "summary.\n"
	      "  -o, --output FILE    the database; default: the trace's name with .db, here;\n"
	      "                       an earlier one is replaced\n"
	      "  -m, --machine FILE   machine sidecar (or a folder with copied /sys and /proc "
	      "files)\n"
	      "      --probe=MODE     how much of recorded rewake:* truth to use: all, flags, "
	      "none\n"
	      "  -p, --policy SPEC    policies to replay; default: recorded linux prev waker and\n"
	      "                       the debated ones\n"
	      "  -d, --duration SEC   with CMD: stop recording after SEC seconds\n"
	      "      --format FORMAT  table, csv, json\n"
	      "  -h, --help\n"
	      "exit: 0 fine, 1 failed, 2 misused, 3 degraded (loss, truncation), 4 events absent\n",
		out);
}

/* Parses the command line.  -1: go on; else the exit code. */
static int parse(int argc, char **argv, struct analyze *a)
{
	static const struct option options[] = {{"output", required_argument, NULL, 'o'},
		{"machine", required_argument, NULL, 'm'}, {"probe", required_argument, NULL, 'P'},
		{"policy", required_argument, NULL, 'p'},
		{"duration", required_argument, NULL, 'd'},
		{"format", required_argument, NULL, 'F'}, {"help", no_argument, NULL, 'h'}, {0}};
	int c;

	while ((c = getopt_long(argc, argv, "o:m:p:d:h", options, NULL)) != -1) {
		switch (c) {
		case 'o':
			a->import.output = optarg;
			break;
		case 'm':
			a->import.machine = optarg;
			break;
		case 'P':
			if (rwk_probe_mode_parse(optarg, &a->import.probe)) {
				rwk_msg_error(NULL, "--probe=%s: one of all, flags, none", optarg);
				return RWK_EXIT_MISUSED;
			}
			break;
		case 'p':
			a->specs[a->replay.nr_policy++] = optarg;
			break;
		case 'd':
			if (rwk_record_parse_duration(optarg, &a->duration_ns)) {
				rwk_msg_error(NULL, "-d %s: not a number of seconds", optarg);
				return RWK_EXIT_MISUSED;
			}
			break;
		case 'F':
			if (!rwk_format_option(optarg, &a->format))
				return RWK_EXIT_MISUSED;
			break;
		case 'h':
			usage(stdout);
			return RWK_EXIT_OK;
		default:
			usage(stderr);
			return RWK_EXIT_MISUSED;
		}
	}
	if (optind == argc) {
		usage(stderr);
		return RWK_EXIT_MISUSED;
	}
	return -1;
}

/* Records the command into NAME.dat, NAME.machine.json; NAME is the command's. */
static int record(struct analyze *a, char **command)
{
	struct rwk_record_options opt = {
		.duration_ns = a->duration_ns, .probe = RWK_PROBE_LEVEL_AUTO, .command = command};
	const char *base = strrchr(command[0], '/');
	char name[256];

	snprintf(name, sizeof(name), "%s", base ? base + 1 : command[0]);
	snprintf(a->trace, sizeof(a->trace), "%s.dat", name);
	a->import.trace = a->trace;
	return rwk_record_session(name, &opt);
}

static int report(const struct analyze *a, struct rwk_diag *diag)
{
	struct rwk_store *store;
	int err = rwk_store_open(a->import.output, false, diag, &store);

	if (err)
		return err;
	err = rwk_report_run(store, rwk_report_find("summary"), a->format, stdout, diag);
	rwk_store_close(store);
	return err;
}

static int analyze(struct analyze *a)
{
	struct rwk_import_result imported;
	struct rwk_replay_result replayed;
	struct rwk_diag diag = {0};
	int code = RWK_EXIT_OK;
	int err;

	if (!a->import.output) {
		rwk_import_default_output(a->import.trace, a->output, sizeof(a->output));
		a->import.output = a->output;
	}
	a->import.replace = true;
	err = rwk_import_run(&a->import, &diag, &imported, &code);
	if (err) {
		rwk_msg_error(&diag, "cannot import %s", a->import.trace);
		return RWK_EXIT_FAILED;
	}
	a->replay.database = a->import.output;
	a->replay.policy = a->specs;
	if (!a->replay.nr_policy) {
		a->replay.policy = rwk_default_policies;
		while (rwk_default_policies[a->replay.nr_policy])
			a->replay.nr_policy++;
		a->replay.skip_refused = true;
	}
	err = rwk_replay_request_run(&a->replay, &diag, &replayed);
	if (err) {
		rwk_msg_error(&diag, "cannot replay %s", a->replay.database);
		return err == -EINVAL || err == -ENOENT ? RWK_EXIT_MISUSED : RWK_EXIT_FAILED;
	}
	err = report(a, &diag);
	if (err) {
		rwk_msg_error(&diag, "cannot report %s", a->import.output);
		return RWK_EXIT_FAILED;
	}
	return code;
}

int rwk_cmd_analyze(int argc, char **argv)
{
	struct analyze a = {.import = {.probe = RWK_PROBE_ALL}, .format = RWK_FORMAT_TABLE};
	int code;

	a.specs = calloc((size_t)argc + 1, sizeof(*a.specs));
	if (!a.specs) {
		rwk_msg_error(NULL, "out of memory");
		return RWK_EXIT_FAILED;
	}
	code = parse(argc, argv, &a);
	if (code != -1)
		goto out;
	if (!strcmp(argv[optind - 1], "--")) {
		code = record(&a, argv + optind);
		if (code != RWK_EXIT_OK && code != RWK_EXIT_DEGRADED)
			goto out;
	} else if (optind + 1 != argc) {
		usage(stderr);
		code = RWK_EXIT_MISUSED;
		goto out;
	} else {
		a.import.trace = argv[optind];
	}
	code = analyze(&a);
out:
	free(a.specs);
	return code;
}
