/* rewake explain RUN.db [WAKEUP]: one decision, step by step. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "cli/choices.h"
#include "cli/exit.h"
#include "cli/explain_run.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/run_option.h"
#include "cli/usage.h"
#include "cli/verbs.h"

#define MAX_AROUND 1000

static const struct rwk_choice formats[] = {
	{"text", "for people; default"},
	{"json", "for programs: the same as one object"},
	{0},
};

static const struct rwk_option options[] = {
	{'t', "task", "NAME|TID", "the first decision on this wakee, at WAKEUP or after it"},
	{'a', "at", "TIME", "at this time or after it, from the recording's begin: 1.5s, 20ms"},
	{'n', "around", "N", "N decisions before it and after it too, a line each"},
	{'r', "run", "N", "the run, if RUN.db holds several and WAKEUP does not say it"},
	{'p', "policy", "SPEC", "as of replay, any number of times; default: linux"},
	{0, "mode", "MODE", "as of replay:", 'M', rwk_mode_choices},
	{0, "kernel", "SPEC", "as of replay", 'K'},
	{0, "machine", "OTHER", "as of replay", 'O'},
	{'f', "format", "FORMAT", "of the output:", .choices = formats},
	{0},
};

/* A name of digits only is a thread id. */
static void parse_task(const char *text, struct rwk_moment_want *want)
{
	int64_t tid;

	if (!rwk_parse_i64(text, 0, INT32_MAX, &tid))
		want->tid = (int32_t)tid;
	else
		want->name = text;
}

/* An id says of which run it is; a small one is of the first, or of the run that was given. */
static bool take_run(struct rwk_explain_request *req)
{
	int run = rwk_store_run_of(req->want.from_id);

	if (run > 1 && req->replay.run_id && req->replay.run_id != run) {
		rwk_msg_error(NULL, "wakeup %" PRId64 " is of run %d, not %d", req->want.from_id,
			run, req->replay.run_id);
		return false;
	}
	if (!req->replay.run_id)
		req->replay.run_id = run;
	req->want.from_id = rwk_store_id_in_run(req->want.from_id);
	if (!req->want.from_id)
		rwk_msg_error(NULL, "run %d has no wakeup of that id", run);
	return req->want.from_id;
}

static int run(const struct rwk_explain_request *req)
{
	struct rwk_diag diag = {0};
	int err = rwk_explain_run(req, stdout, &diag);

	if (!err && (fflush(stdout) || ferror(stdout)))
		err = rwk_diag_push(&diag, -EIO, "standard output: write failed");
	if (!err)
		return RWK_EXIT_OK;
	fflush(stdout);
	rwk_msg_error(&diag, "cannot explain");
	return err == -EINVAL || err == -ENOENT ? RWK_EXIT_MISUSED : RWK_EXIT_FAILED;
}

static int run_explain(int argc, char **argv)
{
	struct rwk_explain_request req = {.want = {.from_ts = RWK_NS_NONE, .tid = RWK_NONE}};
	const char **specs = calloc((size_t)argc + 1, sizeof(*specs));
	struct rwk_options opts;
	int64_t number;
	int c, ret = RWK_EXIT_MISUSED;

	if (!specs) {
		rwk_msg_error(NULL, "out of memory");
		return RWK_EXIT_FAILED;
	}
	rwk_options_begin(&opts, &rwk_verb_explain, argc, argv);
	while ((c = rwk_options_next(&opts)) != -1) {
		switch (c) {
		case 't':
			parse_task(optarg, &req.want);
			break;
		case 'a':
			if (rwk_parse_ns(optarg, &req.want.from_ts)) {
				rwk_msg_error(NULL, "--at=%s: a time such as 1.5s or 20ms", optarg);
				goto out;
			}
			break;
		case 'n':
			if (rwk_parse_i64(optarg, 0, MAX_AROUND, &number)) {
				rwk_msg_error(NULL, "--around=%s: 0 to %d", optarg, MAX_AROUND);
				goto out;
			}
			req.around = (int)number;
			break;
		case 'r':
			if (rwk_run_option(optarg, &req.replay.run_id))
				goto out;
			break;
		case 'p':
			specs[req.replay.nr_policy++] = optarg;
			break;
		case 'M':
			if (strcmp(optarg, "open") && strcmp(optarg, "calibrated")) {
				rwk_msg_error(NULL, "--mode=%s: one of open, calibrated", optarg);
				goto out;
			}
			req.replay.calibrated = !strcmp(optarg, "calibrated");
			break;
		case 'K':
			req.replay.kernel = optarg;
			break;
		case 'O':
			req.replay.machine = optarg;
			break;
		case 'f':
			if (strcmp(optarg, "text") && strcmp(optarg, "json")) {
				rwk_msg_error(NULL, "--format=%s: one of text, json", optarg);
				goto out;
			}
			req.json = !strcmp(optarg, "json");
			break;
		default:
			ret = rwk_options_leave(&opts, c);
			goto out;
		}
	}
	if (optind + 1 != argc && optind + 2 != argc) {
		rwk_verb_misused(&rwk_verb_explain);
		goto out;
	}
	if (optind + 2 == argc &&
		rwk_parse_i64(argv[optind + 1], 1, INT64_MAX, &req.want.from_id)) {
		rwk_msg_error(NULL, "%s: not the id of a wakeup", argv[optind + 1]);
		goto out;
	}
	if (req.want.from_id && !take_run(&req))
		goto out;
	if (!req.replay.nr_policy)
		specs[req.replay.nr_policy++] = "linux";
	req.replay.policy = specs;
	req.replay.database = argv[optind];
	ret = run(&req);
out:
	free(specs);
	return ret;
}

const struct rwk_verb rwk_verb_explain = {
	.name = "explain",
	.summary = "one decision: the CPUs around and each step",
	.synopsis = (const char *const[]){"[options] RUN.db [WAKEUP]", NULL},
	.about = "Draws one decision: who woke whom, what every CPU around was doing, each step of "
		 "the policies with the values compared, what the kernel did and what came of it.\n"
		 "WAKEUP is an id of the views wakeup and decision; default: the first that fits.",
	.options = options,
	.exits = "0 fine, 1 failed, 2 misused, or no such decision",
	.run = run_explain,
};
