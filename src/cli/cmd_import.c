/* rewake import TRACE -o RUN.db: one trace becomes one database. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/choices.h"
#include "cli/decode_options.h"
#include "cli/exit.h"
#include "cli/import_run.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/usage.h"
#include "cli/verbs.h"

static const struct rwk_option options[] = {
	{'o', "output", "FILE",
		"the database; default: the trace's name with .db, here (stdin.db for -)"},
	{'m', "machine", "FILE",
		"machine sidecar (or a folder with copied /sys and /proc files) instead of TRACE's "
		"NAME.machine.json, or of what a perf.data tells of its machine itself"},
	{0, "probe", "MODE", "how much of recorded rewake:* truth to use:", 'P',
		rwk_probe_mode_choices},
	RWK_OPTION_BUFFER,
	RWK_OPTION_TS_OFFSET,
	RWK_OPTION_SKEW,
	{'f', "force", NULL, "replace RUN.db if it exists"},
	{'q', "quiet", NULL, "no summary line"},
	{0},
};

static int run_import(int argc, char **argv)
{
	struct rwk_import_options opt = {.probe = RWK_PROBE_ALL};
	struct rwk_import_result result;
	struct rwk_options opts;
	struct rwk_diag diag = {0};
	char output[4096];
	bool quiet = false;
	int c, err, code;

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
				rwk_msg_error(NULL, "--probe=%s: one of all, flags, none", optarg);
				return RWK_EXIT_MISUSED;
			}
			break;
		case RWK_OPTION_BUFFER_ID:
		case RWK_OPTION_TS_OFFSET_ID:
			if (!rwk_decode_option(c, optarg, &opt.decode))
				return RWK_EXIT_MISUSED;
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
	if (optind + 1 != argc) {
		rwk_msg_error(NULL, optind == argc ? "import needs a trace"
						   : "import takes one trace per database");
		return rwk_verb_misused(&rwk_verb_import);
	}
	opt.trace = argv[optind];
	if (!opt.output) {
		rwk_import_default_output(opt.trace, output, sizeof(output));
		opt.output = output;
	}
	err = rwk_import_run(&opt, &diag, &result, &code);
	if (err) {
		rwk_msg_error(&diag, "cannot import %s", opt.trace);
		return RWK_EXIT_FAILED;
	}
	if (!quiet)
		printf("%s: %" PRId64 " events, %" PRId64 " wakeups, %.2f s (%.2f M events/s)\n",
			opt.output, result.nr_events, result.nr_wakeups, result.seconds,
			result.seconds > 0 ? (double)result.nr_events / result.seconds / 1e6 : 0);
	return code;
}

const struct rwk_verb rwk_verb_import = {
	.name = "import",
	.summary = "one trace becomes one database",
	.synopsis = (const char *const[]){"[options] TRACE [-o RUN.db]", NULL},
	.about =
		"Decodes TRACE (trace.dat, perf.data or text of the kernel, trace-cmd, perf script "
		"or systrace, told apart by content; packed by gzip or zstd or not; - is the "
		"standard input), rebuilds the scheduler's state and writes all of it to a new "
		"RUN.db.",
	.options = options,
	.exits = "0 fine, 1 failed, 2 misused, 3 degraded (loss, truncation), 4 events absent",
	.run = run_import,
};
