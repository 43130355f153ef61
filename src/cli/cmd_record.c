/* rewake record [-o NAME] [-- CMD]: records the scheduler events and the machine. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "cli/exit.h"
#include "cli/message.h"
#include "cli/record_run.h"
#include "cli/verbs.h"
#include "record/record.h"

static void usage(FILE *out)
{
	fputs("usage: rewake record [-o NAME] [-d SECONDS] [-b KB] [--probe=LEVEL]\n"
	      "                     [-- CMD [ARG…]]\n"
	      "Records who wakes whom on the whole machine into NAME.dat, which trace-cmd and\n"
	      "KernelShark open, and the machine itself into NAME.machine.json.  Needs root.\n"
	      "Ends after SECONDS, when CMD ends, or at Ctrl-C, whatever comes first; a CMD that\n"
	      "still runs then is ended, too.\n"
	      "  -o, --output NAME    where to, without .dat; default: rewake\n"
	      "  -d, --duration SEC   how long: 10, 0.5, 200ms\n"
	      "  -b, --buffer KB      of memory per CPU to buffer bursts in; default: 4096, less\n"
	      "                       on machines with many CPUs or little memory\n"
	      "  --probe=LEVEL        what to record of each placement decision; needs kprobes:\n"
	      "                         none    tracepoints only\n"
	      "                         flags   previous CPU, wake flags, the kernel's answer\n"
	      "                         hidden  also what decides and no tracepoint shows; needs\n"
	      "                                 the kernel's type information (BTF)\n"
	      "                         state   also the state of every CPU: slow, to find faults\n"
	      "                         auto    the richest up to hidden that works here; default\n"
	      "  -h, --help\n"
	      "What a recorder that was killed left in the kernel and beside NAME.dat is removed.\n"
	      "exit: 0 fine, 1 failed, 2 misused, 3 recorded, but events were lost,\n"
	      "4 this kernel lacks events, or what the probe LEVEL needs\n",
		out);
}

int rwk_cmd_record(int argc, char **argv)
{
	static const struct option options[] = {{"output", required_argument, NULL, 'o'},
		{"duration", required_argument, NULL, 'd'},
		{"buffer", required_argument, NULL, 'b'}, {"probe", required_argument, NULL, 'P'},
		{"help", no_argument, NULL, 'h'}, {0}};
	const char *name = "rewake";
	rwk_ns duration_ns = 0;
	int64_t buffer_kb = 0;
	enum rwk_probe_level probe = RWK_PROBE_LEVEL_AUTO;
	int c;

	/* "+": options of the command are the command's. */
	while ((c = getopt_long(argc, argv, "+o:d:b:h", options, NULL)) != -1) {
		switch (c) {
		case 'o':
			name = optarg;
			break;
		case 'd':
			if (rwk_record_parse_duration(optarg, &duration_ns)) {
				rwk_msg_error(NULL, "-d %s: not a number of seconds", optarg);
				return RWK_EXIT_MISUSED;
			}
			break;
		case 'b':
			if (rwk_parse_i64(
				    optarg, RWK_RECORD_MIN_KB, RWK_RECORD_MAX_KB, &buffer_kb)) {
				rwk_msg_error(NULL, "-b %s: not a number of KB from %d to %d",
					optarg, RWK_RECORD_MIN_KB, RWK_RECORD_MAX_KB);
				return RWK_EXIT_MISUSED;
			}
			break;
		case 'P':
			if (rwk_probe_level_parse(optarg, &probe)) {
				rwk_msg_error(NULL,
					"--probe=%s: not one of none, flags, hidden, state, auto",
					optarg);
				return RWK_EXIT_MISUSED;
			}
			break;
		case 'h':
			usage(stdout);
			return RWK_EXIT_OK;
		default:
			usage(stderr);
			return RWK_EXIT_MISUSED;
		}
	}
	if (!*name || name[strlen(name) - 1] == '/') {
		rwk_msg_error(NULL, "-o %s: names no file", name);
		return RWK_EXIT_MISUSED;
	}
	return rwk_record_session(
		name, duration_ns, buffer_kb, probe, optind < argc ? argv + optind : NULL);
}
