/* rewake import TRACE -o RUN.db: one trace becomes one database. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/exit.h"
#include "cli/import_run.h"
#include "cli/message.h"
#include "cli/verbs.h"

static void usage(FILE *out)
{
	fputs("usage: rewake import [options] TRACE -o RUN.db\n"
	      "  -o, --output FILE    the database; default: the trace's name with .db, here\n"
	      "  -m, --machine FILE   machine sidecar (or a folder with copied /sys and /proc "
	      "files)\n"
	      "                       instead of TRACE's NAME.machine.json, or of what a\n"
	      "                       perf.data tells of its machine itself\n"
	      "      --probe=MODE     how much of recorded rewake:* truth to use: all, flags, "
	      "none\n"
	      "  -f, --force          replace RUN.db if it exists\n"
	      "  -q, --quiet          no summary line\n"
	      "  -h, --help\n"
	      "exit: 0 fine, 1 failed, 2 misused, 3 degraded (loss, truncation), 4 events absent\n",
		out);
}

int rwk_cmd_import(int argc, char **argv)
{
	static const struct option options[] = {{"output", required_argument, NULL, 'o'},
		{"machine", required_argument, NULL, 'm'}, {"probe", required_argument, NULL, 'P'},
		{"force", no_argument, NULL, 'f'}, {"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'}, {0}};
	struct rwk_import_options opt = {.probe = RWK_PROBE_ALL};
	struct rwk_import_result result;
	struct rwk_diag diag = {0};
	char output[4096];
	bool quiet = false;
	int c, err, code;

	while ((c = getopt_long(argc, argv, "o:m:fqh", options, NULL)) != -1) {
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
		case 'f':
			opt.replace = true;
			break;
		case 'q':
			quiet = true;
			break;
		case 'h':
			usage(stdout);
			return RWK_EXIT_OK;
		default:
			usage(stderr);
			return RWK_EXIT_MISUSED;
		}
	}
	if (optind + 1 != argc) {
		rwk_msg_error(NULL, optind == argc ? "import needs a trace"
						   : "import takes one trace per database");
		usage(stderr);
		return RWK_EXIT_MISUSED;
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
