/* rewake replay RUN.db -p POLICY…: every wakeup decided again under each policy. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/choices.h"
#include "cli/exit.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/replay_run.h"
#include "cli/run_option.h"
#include "cli/usage.h"
#include "cli/verbs.h"
#include "policy/sweep.h"

static const struct rwk_option options[] = {
	{'p', "policy", "SPEC",
		"a policy with parameters, or ./FILE.so; any number of times; "
		"param=LOW..HIGH/N replays N values from LOW to HIGH; default: recorded linux prev "
		"waker and the debated ones"},
	{0, "mode", "MODE", "what the state follows:", 'M', rwk_mode_choices},
	{0, "kernel", "SPEC",
		"policy that the recorded kernel ran; its side effects drive the state; "
		"default: linux",
		'K'},
	{0, "machine", "OTHER",
		"decide for another machine; all that was recorded stays as it was, so that this "
		"is no statement about the recorded kernel. OTHER: FILE or folder as of `rewake "
		"machine`, or recorded,EDIT[,EDIT…]: smt=off, numa=off, llc=8, llc=0-3/4-7, see "
		"`rewake machine -h`",
		'T'},
	{0, "summary-only", NULL, "keep what the summary counts, not each verdict: faster, smaller",
		'S'},
	{0, "audit", NULL,
		"no verdicts: how well the replay rebuilds the hidden values that the run's probe "
		"recorded, and where it matters",
		'A'},
	{'r', "run", "N", "only this run; default: every run of RUN.db"},
	{'q', "quiet", NULL, "no summary line"},
	{0},
};

static double percent(int64_t part, int64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static void print_cpus(const struct rwk_audit *audit)
{
	printf("\n%" PRId64 " decisions with recorded CPUs, which change the answer of %.2f %%\n"
	       "%-34s %8s %8s %12s\n",
		audit->nr_cpu_decisions, percent(audit->cpus_changed, audit->nr_cpu_decisions),
		"rebuilt value", "known %", "right %", "within 1 %");
	for (int i = 0; i < RWK_AUDIT_CPU_COUNT; i++) {
		bool is_number = i == RWK_AUDIT_CPU_NR;

		printf("%-34s %8.2f %8.2f", rwk_audited_cpu_name((enum rwk_audited_cpu)i),
			percent(audit->of_cpu[i].known, audit->of_cpu[i].nr),
			percent(audit->of_cpu[i].right, audit->of_cpu[i].nr));
		if (is_number)
			printf(" %12.2f",
				percent(audit->of_cpu[i].right + audit->of_cpu[i].off_by_one,
					audit->of_cpu[i].nr));
		putchar('\n');
	}
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
	if (audit.nr_cpu_decisions)
		print_cpus(&audit);
	return RWK_EXIT_OK;
}

static int replay_one(const struct rwk_replay_request *req, bool of_several, bool quiet)
{
	struct rwk_replay_result result;
	struct rwk_diag diag = {0};
	char run[32] = "";
	int err = rwk_replay_request_run(req, &diag, &result);

	if (of_several)
		snprintf(run, sizeof(run), " run %d", req->run_id);
	if (err) {
		rwk_msg_error(&diag, "cannot replay %s%s", req->database, run);
		/* A policy, parameter or edit that does not exist is the caller's mistake. */
		return err == -EINVAL || err == -ENOENT ? RWK_EXIT_MISUSED : RWK_EXIT_FAILED;
	}
	if (!quiet)
		printf("%s%s: %" PRId64 " decisions%s%s, %" PRId64
		       " verdicts, %.2f s (%.2f M verdicts/s)\n",
			req->database, run, result.nr_decisions, req->machine ? " for " : "",
			req->machine ? req->machine : "", result.nr_verdicts, result.seconds,
			result.seconds > 0 ? (double)result.nr_verdicts / result.seconds / 1e6 : 0);
	return RWK_EXIT_OK;
}

/* The run that was asked for, or each of them: a transaction of its own for each. */
static int replay_runs(struct rwk_replay_request *req, bool quiet)
{
	struct rwk_diag diag = {0};
	int nr = 1, ret = RWK_EXIT_OK;

	if (req->run_id)
		return replay_one(req, false, quiet);
	nr = rwk_session_nr_runs(req->database, &diag);
	if (nr < 0) {
		rwk_msg_error(&diag, "cannot replay %s", req->database);
		return RWK_EXIT_FAILED;
	}
	if (nr <= 1)
		return replay_one(req, false, quiet);
	for (req->run_id = 1; req->run_id <= nr && ret == RWK_EXIT_OK; req->run_id++)
		ret = replay_one(req, true, quiet);
	return ret;
}

static int run_replay(int argc, char **argv)
{
	struct rwk_replay_request req = {0};
	struct rwk_options opts;
	struct rwk_diag diag = {0};
	const char **specs = calloc((size_t)argc * RWK_SWEEP_MAX, sizeof(*specs));
	struct rwk_sweep *sweeps = calloc((size_t)argc, sizeof(*sweeps));
	size_t nr_sweeps = 0;
	bool quiet = false, audit = false;
	int c, ret = RWK_EXIT_MISUSED;

	if (!specs || !sweeps) {
		rwk_msg_error(NULL, "out of memory");
		ret = RWK_EXIT_FAILED;
		goto out;
	}
	rwk_options_begin(&opts, &rwk_verb_replay, argc, argv);
	while ((c = rwk_options_next(&opts)) != -1) {
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
		case 'r':
			if (rwk_run_option(optarg, &req.run_id))
				goto out;
			break;
		case 'q':
			quiet = true;
			break;
		default:
			ret = rwk_options_leave(&opts, c);
			goto out;
		}
	}
	if (optind + 1 != argc) {
		rwk_verb_misused(&rwk_verb_replay);
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
	ret = replay_runs(&req, quiet);
out:
	for (size_t i = 0; i < nr_sweeps; i++)
		rwk_sweep_finish(&sweeps[i]);
	free(sweeps);
	free(specs);
	return ret;
}

const struct rwk_verb rwk_verb_replay = {
	.name = "replay",
	.summary = "decide every wakeup again under each policy",
	.synopsis = (const char *const[]){"[options] RUN.db [-p POLICY[,param=value]…]…", NULL},
	.about = "Decides every recorded wakeup again under each policy, against the state that "
		 "really was, and writes the verdicts into RUN.db.",
	.options = options,
	.closing = "`rewake policies` lists the policies and their parameters.",
	.run = run_replay,
};
