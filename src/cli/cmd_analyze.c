/* rewake analyze TRACE | -- CMD: the main job in one go. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/choices.h"
#include "cli/decode_options.h"
#include "cli/exit.h"
#include "cli/import_run.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/print_options.h"
#include "cli/record_run.h"
#include "cli/replay_run.h"
#include "cli/usage.h"
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

static const struct rwk_option options[] = {
	{'o', "output", "FILE",
		"the database; default: the trace's name with .db, here; an earlier one is "
		"replaced"},
	{'m', "machine", "FILE", "machine sidecar (or a folder with copied /sys and /proc files)"},
	{0, "probe", "MODE", "how much of recorded rewake:* truth to use:", 'P',
		rwk_probe_mode_choices},
	RWK_OPTION_BUFFER,
	RWK_OPTION_FORMATS,
	RWK_OPTION_TS_OFFSET,
	RWK_OPTION_SKEW,
	{'p', "policy", "SPEC",
		"policies to replay; default: recorded linux prev waker and the debated ones"},
	{'d', "duration", "SEC", "with CMD: stop recording after SEC seconds"},
	{0, "format", "FORMAT", "of the summary:", 'F', rwk_format_choices},
	{0},
};

/* Parses the command line.  -1: go on; else the exit code. */
static int parse(int argc, char **argv, struct analyze *a)
{
	struct rwk_options opts;
	int c;

	rwk_options_begin(&opts, &rwk_verb_analyze, argc, argv);
	while ((c = rwk_options_next(&opts)) != -1) {
		switch (c) {
		case 'o':
			a->import.output = optarg;
			break;
		case 'm':
			a->import.machine = optarg;
			break;
		case RWK_OPTION_BUFFER_ID:
		case RWK_OPTION_FORMATS_ID:
		case RWK_OPTION_TS_OFFSET_ID:
			if (!rwk_decode_option(c, optarg, &a->import.decode))
				return RWK_EXIT_MISUSED;
			break;
		case 'P':
			if (rwk_probe_mode_parse(optarg, &a->import.probe)) {
				rwk_msg_error(
					NULL, "--probe=%s: one of all, flags, nr, none", optarg);
				return RWK_EXIT_MISUSED;
			}
			break;
		case RWK_SKEW_OPTION_ID:
			if (!rwk_skew_option(optarg, &a->import.skew))
				return RWK_EXIT_MISUSED;
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
		default:
			return rwk_options_leave(&opts, c);
		}
	}
	if (optind == argc)
		return rwk_verb_misused(&rwk_verb_analyze);
	return -1;
}

/* Records the command into NAME.dat, NAME.machine.json; NAME is the command's. */
static int record(struct analyze *a, char **command, int *ret_command)
{
	struct rwk_record_options opt = {.duration_ns = a->duration_ns,
		.probe = RWK_PROBE_LEVEL_AUTO,
		.extra = RWK_RECORD_EXTRA_TASK,
		.command = command};
	const char *base = strrchr(command[0], '/');
	char name[256];

	snprintf(name, sizeof(name), "%s", base ? base + 1 : command[0]);
	snprintf(a->trace, sizeof(a->trace), "%s.dat", name);
	a->import.trace = a->trace;
	return rwk_record_session(name, &opt, ret_command);
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

static int run_analyze(int argc, char **argv)
{
	struct analyze a = {.import = {.probe = RWK_PROBE_ALL}, .format = RWK_FORMAT_TABLE};
	int recorded = RWK_EXIT_OK, command = 0, code;

	a.specs = calloc((size_t)argc + 1, sizeof(*a.specs));
	if (!a.specs) {
		rwk_msg_error(NULL, "out of memory");
		return RWK_EXIT_FAILED;
	}
	code = parse(argc, argv, &a);
	if (code != -1)
		goto out;
	if (!strcmp(argv[optind - 1], "--")) {
		code = recorded = record(&a, argv + optind, &command);
		if (code != RWK_EXIT_OK && code != RWK_EXIT_DEGRADED)
			goto out;
	} else if (optind + 1 != argc) {
		code = rwk_verb_misused(&rwk_verb_analyze);
		goto out;
	} else {
		a.import.trace = argv[optind];
	}
	code = analyze(&a);
	if (code == RWK_EXIT_OK)
		code = recorded;
	code = rwk_record_exit(code, command);
out:
	free(a.specs);
	return code;
}

const struct rwk_verb rwk_verb_analyze = {
	.name = "analyze",
	.summary = "import (or record), replay and summary in one go",
	.synopsis = (const char *const[]){"[options] TRACE", "[options] [-d SECONDS] -- CMD [ARG…]",
		NULL},
	.about = "Imports TRACE (or records CMD, as root), replays the policies and prints the "
		 "summary.",
	.options = options,
	.exits = "0 fine, 1 failed, 2 misused, 3 degraded (loss, truncation), 4 events absent; of "
		 "a CMD "
		 "that fails while all else goes well, its status, 126 or 127 as env",
	.run = run_analyze,
};
