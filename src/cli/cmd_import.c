/* rewake import TRACE… -o RUN.db: traces become the runs of a database. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/choices.h"
#include "cli/decode_options.h"
#include "cli/exit.h"
#include "cli/import_run.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/usage.h"
#include "cli/verbs.h"
#include "store/merge.h"

static const struct rwk_option options[] = {
	{'o', "output", "FILE",
		"the database; default: the trace's name with .db, here (stdin.db for -); of "
		"several traces none"},
	{'m', "machine", "FILE",
		"machine sidecar (or a folder with copied /sys and /proc files) instead of TRACE's "
		"NAME.machine.json, or of what a perf.data tells of its machine itself"},
	{0, "probe", "MODE", "how much of recorded rewake:* truth to use:", 'P',
		rwk_probe_mode_choices},
	RWK_OPTION_BUFFER,
	RWK_OPTION_FORMATS,
	RWK_OPTION_TS_OFFSET,
	RWK_OPTION_SKEW,
	{'f', "force", NULL, "replace RUN.db if it exists"},
	{'q', "quiet", NULL, "no summary line"},
	{0},
};

static void print_result(const char *output, const char *what, const struct rwk_import_result *r)
{
	printf("%s: %s%" PRId64 " events, %" PRId64 " wakeups, %.2f s (%.2f M events/s)\n", output,
		what, r->nr_events, r->nr_wakeups, r->seconds,
		r->seconds > 0 ? (double)r->nr_events / r->seconds / 1e6 : 0);
}

static int import_one(const struct rwk_import_options *opt, bool quiet)
{
	struct rwk_import_result result;
	struct rwk_diag diag = {0};
	int code;

	if (rwk_import_run(opt, &diag, &result, &code)) {
		rwk_msg_error(&diag, "cannot import %s", opt->trace);
		return RWK_EXIT_FAILED;
	}
	if (!quiet)
		print_result(opt->output, "", &result);
	return code;
}

/* One trace into a database of its own, and its run from there into m. */
static int import_part(struct rwk_merge *m, const struct rwk_import_options *opt,
	struct rwk_diag *diag, struct rwk_import_result *ret, int *ret_exit)
{
	struct rwk_import_options part = *opt;
	int err;

	part.output = rwk_merge_part(m);
	part.replace = false;
	err = rwk_import_run(&part, diag, ret, ret_exit);
	if (err)
		return err;
	err = rwk_merge_add(m, part.output, diag);
	unlink(part.output);
	return err;
}

/*
 * Traces that were recorded together, a host's and its guests', come on one clock: the host's.
 * Which that are is in their headers; what somebody asks for by --ts-offset is done instead.
 */
static void find_sessions(char **trace, int nr, struct rwk_trace_session *ret)
{
	for (int i = 0; i < nr; i++)
		ret[i] = rwk_decode_session(trace[i]);
}

static const char *host_of(char **trace, const struct rwk_trace_session *session, int nr, int guest)
{
	for (int i = 0; i < nr; i++) {
		if (i != guest && session[guest].host_id && session[i].id == session[guest].host_id)
			return trace[i];
	}
	return NULL;
}

/* Each trace is a run of RUN.db, or there is none. */
static int import_several(const struct rwk_import_options *opt, char **trace, int nr, bool quiet)
{
	struct rwk_trace_session *session = calloc((size_t)nr, sizeof(*session));
	struct rwk_import_options one = *opt;
	struct rwk_merge *m = NULL;
	struct rwk_diag diag = {0};
	int ret = RWK_EXIT_OK;
	int err = session ? rwk_merge_open(opt->output, opt->replace, NULL, &diag, &m) : -ENOMEM;

	if (!err && !opt->clock_asked)
		find_sessions(trace, nr, session);
	for (int i = 0; i < nr && !err; i++) {
		struct rwk_import_result result;
		char what[4200];
		int code = RWK_EXIT_OK;
		const char *host = host_of(trace, session, nr, i);

		one.trace = trace[i];
		one.decode.host_clock = opt->decode.host_clock || (host && session[i].complete);
		err = import_part(m, &one, &diag, &result, &code);
		/* 4, events absent, says more than 3, degraded. */
		ret = code > ret ? code : ret;
		snprintf(what, sizeof(what), "run %d, %s: ", i + 1, trace[i]);
		if (!err && !quiet)
			print_result(opt->output, what, &result);
		if (!err && host)
			rwk_msg_note(
				one.decode.host_clock
					? "%s: its times are on the clock of %s, whose guest it is"
					: "%s: its times are on its own clock, since it does not "
					  "tell how that of each CPU differs from its host's, %s",
				trace[i], host);
	}
	free(session);
	if (!err)
		err = rwk_merge_finish(m, &diag);
	rwk_merge_close(m);
	if (!err)
		return ret;
	rwk_msg_error(&diag, "cannot import %s", one.trace ? one.trace : trace[0]);
	return RWK_EXIT_FAILED;
}

static int run_import(int argc, char **argv)
{
	struct rwk_import_options opt = {.probe = RWK_PROBE_ALL};
	struct rwk_options opts;
	char output[4096];
	bool quiet = false;
	int c, nr_stdin = 0;

	rwk_options_begin(&opts, &rwk_verb_import, argc, argv);
	while ((c = rwk_options_next(&opts)) != -1) {
		switch (c) {
		case 'o':
			opt.output = optarg;
			break;
		case 'm':
			opt.machine = optarg;
			break;
		case 'P':
			if (rwk_probe_mode_parse(optarg, &opt.probe)) {
				rwk_msg_error(
					NULL, "--probe=%s: one of all, flags, nr, none", optarg);
				return RWK_EXIT_MISUSED;
			}
			break;
		case RWK_OPTION_BUFFER_ID:
		case RWK_OPTION_FORMATS_ID:
		case RWK_OPTION_TS_OFFSET_ID:
			if (!rwk_decode_option(c, optarg, &opt.decode))
				return RWK_EXIT_MISUSED;
			opt.clock_asked |= c == RWK_OPTION_TS_OFFSET_ID;
			break;
		case RWK_SKEW_OPTION_ID:
			if (!rwk_skew_option(optarg, &opt.skew))
				return RWK_EXIT_MISUSED;
			break;
		case 'f':
			opt.replace = true;
			break;
		case 'q':
			quiet = true;
			break;
		default:
			return rwk_options_leave(&opts, c);
		}
	}
	if (optind == argc || (optind + 1 != argc && !opt.output)) {
		rwk_msg_error(NULL,
			optind == argc ? "import needs a trace" : "several traces need -o RUN.db");
		return rwk_verb_misused(&rwk_verb_import);
	}
	for (int i = optind; i < argc; i++)
		nr_stdin += !strcmp(argv[i], "-");
	if (nr_stdin > 1) {
		rwk_msg_error(NULL, "the standard input (-) can be read only once");
		return rwk_verb_misused(&rwk_verb_import);
	}
	if (optind + 1 != argc)
		return import_several(&opt, argv + optind, argc - optind, quiet);
	opt.trace = argv[optind];
	if (!opt.output) {
		rwk_import_default_output(opt.trace, output, sizeof(output));
		opt.output = output;
	}
	return import_one(&opt, quiet);
}

const struct rwk_verb rwk_verb_import = {
	.name = "import",
	.summary = "traces become the runs of a database",
	.synopsis = (const char *const[]){"[options] TRACE [-o RUN.db]",
		"[options] TRACE TRACE… -o RUN.db", NULL},
	.about =
		"Decodes TRACE (trace.dat, perf.data, Perfetto, the folder of a CTF trace, or text "
		"of the kernel, trace-cmd, perf script or systrace, told apart by content; packed "
		"by gzip, zstd, xz or zip, or not; - is the standard input), rebuilds the "
		"scheduler's state "
		"and writes all of it to a new RUN.db. Several traces are its runs 1, 2, …, each "
		"with its own sidecar.",
	.options = options,
	.exits = "0 fine, 1 failed, 2 misused, 3 degraded (loss, truncation), 4 events absent",
	.run = run_import,
};
