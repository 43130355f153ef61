/* rewake explain RUN.db [WAKEUP]: one decision, step by step. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "cli/exit.h"
#include "cli/explain_run.h"
#include "cli/message.h"
#include "cli/verbs.h"

#define MAX_AROUND 1000

static void usage(FILE *out)
{
	fputs("usage: rewake explain [options] RUN.db [WAKEUP]\n"
	      "Draws one decision: who woke whom, what every CPU around was doing, each step of "
	      "the\n"
	      "policies with the values compared, what the kernel did and what came of it.\n"
	      "WAKEUP is an id of the views wakeup and decision; default: the first that fits.\n"
	      "  -t, --task NAME|TID  the first decision on this wakee, at WAKEUP or after it\n"
	      "  -a, --at TIME        at this time or after it, from the recording's begin: 1.5s, "
	      "20ms\n"
	      "  -n, --around N       N decisions before it and after it too, a line each\n"
	      "  -p, --policy SPEC    as of replay, any number of times; default: linux\n"
	      "      --mode=MODE      as of replay: open (default), calibrated\n"
	      "      --kernel SPEC    as of replay\n"
	      "      --machine OTHER  as of replay\n"
	      "  -h, --help\n"
	      "exit: 0 fine, 1 failed, 2 misused, or no such decision\n",
		out);
}

/* A name of digits only is a thread id. */
static void parse_task(const char *text, struct rwk_moment_want *want)
{
	int64_t tid;

	if (!rwk_parse_i64(text, 0, INT32_MAX, &tid))
		want->tid = (int32_t)tid;
	else
		want->name = text;
}

static int run(const struct rwk_explain_request *req)
{
	struct rwk_diag diag = {0};
	int err = rwk_explain_run(req, stdout, &diag);

	if (!err)
		return RWK_EXIT_OK;
	fflush(stdout);
	rwk_msg_error(&diag, "cannot explain");
	return err == -EINVAL || err == -ENOENT ? RWK_EXIT_MISUSED : RWK_EXIT_FAILED;
}

int rwk_cmd_explain(int argc, char **argv)
{
	static const struct option options[] = {{"task", required_argument, NULL, 't'},
		{"at", required_argument, NULL, 'a'}, {"around", required_argument, NULL, 'n'},
		{"policy", required_argument, NULL, 'p'}, {"mode", required_argument, NULL, 'M'},
		{"kernel", required_argument, NULL, 'K'}, {"machine", required_argument, NULL, 'O'},
		{"help", no_argument, NULL, 'h'}, {0}};
	struct rwk_explain_request req = {.want = {.from_ts = RWK_NS_NONE, .tid = RWK_NONE}};
	const char **specs = calloc((size_t)argc + 1, sizeof(*specs));
	int64_t number;
	int c, ret = RWK_EXIT_MISUSED;

	if (!specs) {
		rwk_msg_error(NULL, "out of memory");
		return RWK_EXIT_FAILED;
	}
	while ((c = getopt_long(argc, argv, "t:a:n:p:h", options, NULL)) != -1) {
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
		case 'h':
			usage(stdout);
			ret = RWK_EXIT_OK;
			goto out;
		default:
			usage(stderr);
			goto out;
		}
	}
	if (optind + 1 != argc && optind + 2 != argc) {
		usage(stderr);
		goto out;
	}
	if (optind + 2 == argc &&
		rwk_parse_i64(argv[optind + 1], 1, INT64_C(1) << 39, &req.want.from_id)) {
		rwk_msg_error(NULL, "%s: not the id of a wakeup", argv[optind + 1]);
		goto out;
	}
	if (!req.replay.nr_policy)
		specs[req.replay.nr_policy++] = "linux";
	req.replay.policy = specs;
	req.replay.database = argv[optind];
	ret = run(&req);
out:
	free(specs);
	return ret;
}
