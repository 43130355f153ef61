/* rewake replay RUN.db -p POLICY…: every wakeup decided again under each policy. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exit.h"
#include "cli/message.h"
#include "cli/replay_run.h"
#include "cli/verbs.h"
#include "policy/sweep.h"

static void usage(FILE *out)
{
	fputs("usage: rewake replay [options] RUN.db [-p POLICY[,param=value]…]…\n"
	      "Decides every recorded wakeup again under each policy, against the state that\n"
	      "really was, and writes the verdicts into RUN.db.\n"
	      "  -p, --policy SPEC    a policy with parameters, or ./FILE.so; any number of "
	      "times;\n"
	      "                       param=LOW..HIGH/N replays N values from LOW to HIGH\n"
	      "                       default: recorded linux prev waker and the debated ones\n"
	      "      --mode=MODE      open (default): state follows the recorded kernel, never "
	      "the\n"
	      "                       outcome; calibrated: hidden values are corrected by "
	      "outcomes\n"
	      "      --kernel SPEC    policy that the recorded kernel ran; its side effects drive "
	      "the\n"
	      "                       state; default: linux\n"
	      "      --machine OTHER  decide for another machine; all that was recorded stays as "
	      "it "
	      "was,\n"
	      "                       so that this is no statement about the recorded kernel. "
	      "OTHER:\n"
	      "                       FILE or folder as of `rewake machine`, or "
	      "recorded,EDIT[,EDIT…]:\n"
	      "                       smt=off, numa=off, llc=8, llc=0-3/4-7, see `rewake machine "
	      "-h`\n"
	      "      --summary-only   keep what the summary counts, not each verdict: faster, "
	      "smaller\n"
	      "      --audit          no verdicts: how well the replay rebuilds the hidden values "
	      "that\n"
	      "                       the run's probe recorded, and where it matters\n"
	      "  -q, --quiet          no summary line\n"
	      "  -h, --help\n"
	      "`rewake policies` lists the policies and their parameters.\n"
	      "exit: 0 fine, 1 failed, 2 misused\n",
		out);
}

static double percent(int64_t part, int64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static int print_audit(const struct rwk_replay_request *req)
{
	struct rwk_audit audit;
	struct rwk_diag diag = {0};

	if (rwk_replay_audit_run(req, &diag, &audit)) {
		rwk_msg_error(&diag, "cannot audit %s", req->database);
		return RWK_EXIT_FAILED;
	}
	printf("%" PRId64 " decisions with recorded hidden values, replayed without them\n"
	       "%-34s %8s %8s %12s %16s\n",
		audit.nr_decisions, "rebuilt value", "known %", "right %", "within 1 %",
		"changes answer %");
	for (int i = 0; i < RWK_AUDIT_COUNT; i++)
		printf("%-34s %8.2f %8.2f %12.2f %16.2f\n", rwk_audited_name(i),
			percent(audit.of[i].known, audit.nr_decisions),
			percent(audit.of[i].right, audit.nr_decisions),
			percent(audit.of[i].right + audit.of[i].off_by_one, audit.nr_decisions),
			percent(audit.of[i].changed, audit.nr_decisions));
	return RWK_EXIT_OK;
}

int rwk_cmd_replay(int argc, char **argv)
{
	static const struct option options[] = {{"policy", required_argument, NULL, 'p'},
		{"mode", required_argument, NULL, 'M'}, {"kernel", required_argument, NULL, 'K'},
		{"machine", required_argument, NULL, 'T'}, {"audit", no_argument, NULL, 'A'},
		{"summary-only", no_argument, NULL, 'S'}, {"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'}, {0}};
	struct rwk_replay_request req = {0};
	struct rwk_replay_result result;
	struct rwk_diag diag = {0};
	const char **specs = calloc((size_t)argc * RWK_SWEEP_MAX, sizeof(*specs));
	struct rwk_sweep *sweeps = calloc((size_t)argc, sizeof(*sweeps));
	size_t nr_sweeps = 0;
	bool quiet = false, audit = false;
	int c, err, ret = RWK_EXIT_MISUSED;

	if (!specs || !sweeps) {
		rwk_msg_error(NULL, "out of memory");
		ret = RWK_EXIT_FAILED;
		goto out;
	}
	while ((c = getopt_long(argc, argv, "p:qh", options, NULL)) != -1) {
		switch (c) {
		case 'p':
			if (rwk_sweep_init(&sweeps[nr_sweeps], optarg, &diag)) {
				rwk_msg_error(&diag, "cannot replay");
				goto out;
			}
			for (size_t i = 0; i < sweeps[nr_sweeps].nr; i++)
				specs[req.nr_policy++] = sweeps[nr_sweeps].spec[i];
			nr_sweeps++;
			break;
		case 'M':
			if (strcmp(optarg, "open") && strcmp(optarg, "calibrated")) {
				rwk_msg_error(NULL, "--mode=%s: one of open, calibrated", optarg);
				goto out;
			}
			req.calibrated = !strcmp(optarg, "calibrated");
			break;
		case 'K':
			req.kernel = optarg;
			break;
		case 'T':
			/* That is what every replay is of. */
			req.machine = strcmp(optarg, "recorded") ? optarg : NULL;
			break;
		case 'S':
			req.summary_only = true;
			break;
		case 'A':
			audit = true;
			break;
		case 'q':
			quiet = true;
			break;
		case 'h':
			usage(stdout);
			ret = RWK_EXIT_OK;
			goto out;
		default:
			usage(stderr);
			goto out;
		}
	}
	if (optind + 1 != argc) {
		usage(stderr);
		goto out;
	}
	req.database = argv[optind];
	if (audit && req.machine) {
		rwk_msg_error(NULL, "--audit is of the recorded machine: no --machine");
		goto out;
	}
	if (audit) {
		ret = print_audit(&req);
		goto out;
	}
	req.policy = specs;
	if (!req.nr_policy) {
		req.policy = rwk_default_policies;
		while (rwk_default_policies[req.nr_policy])
			req.nr_policy++;
		req.skip_refused = true;
	}
	err = rwk_replay_request_run(&req, &diag, &result);
	if (err) {
		rwk_msg_error(&diag, "cannot replay %s", req.database);
		/* A policy, parameter or edit that does not exist is the caller's mistake. */
		ret = err == -EINVAL || err == -ENOENT ? RWK_EXIT_MISUSED : RWK_EXIT_FAILED;
		goto out;
	}
	if (!quiet)
		printf("%s: %" PRId64 " decisions%s%s, %" PRId64
		       " verdicts, %.2f s (%.2f M verdicts/s)\n",
			req.database, result.nr_decisions, req.machine ? " for " : "",
			req.machine ? req.machine : "", result.nr_verdicts, result.seconds,
			result.seconds > 0 ? (double)result.nr_verdicts / result.seconds / 1e6 : 0);
	ret = RWK_EXIT_OK;
out:
	for (size_t i = 0; i < nr_sweeps; i++)
		rwk_sweep_finish(&sweeps[i]);
	free(sweeps);
	free(specs);
	return ret;
}
