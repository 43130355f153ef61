/* Reading --skew, and estimating what it asks for. */
#include "cli/skew_option.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/parse.h"
#include "cli/message.h"
#include "cli/progress.h"

const struct rwk_choice rwk_skew_choices[] = {
	{"none", "times as they were recorded; default"},
	{"auto", "by what the order of causes and effects leaves no doubt of; reads TRACE twice "
		 "more"},
	{"CPU:NS,…", "add NS nanoseconds to the times of each CPU named"},
	{0},
};

static int parse_one(const char *text, struct rwk_cpuset *named, struct rwk_skew_option *ret)
{
	const char *colon = strchr(text, ':');
	char number[16];
	int64_t cpu, ns;
	int err;

	if (!colon || colon - text >= (int)sizeof(number))
		return -EINVAL;
	snprintf(number, sizeof(number), "%.*s", (int)(colon - text), text);
	err = rwk_parse_i64(number, 0, RWK_MAX_CPUS - 1, &cpu);
	if (!err)
		err = rwk_parse_i64(colon + 1, INT64_MIN / 2, INT64_MAX / 2, &ns);
	if (err || rwk_cpuset_has(named, (int)cpu))
		return -EINVAL;
	rwk_cpuset_add(named, (int)cpu);
	ret->ns[cpu] = ns;
	return 0;
}

static int parse(const char *text, struct rwk_skew_option *ret)
{
	struct rwk_cpuset named = {0};
	char *copy, *rest, *one;
	int err = 0;

	*ret = (struct rwk_skew_option){.mode = RWK_SKEW_AS_IS};
	if (!strcmp(text, "none"))
		return 0;
	if (!strcmp(text, "auto")) {
		ret->mode = RWK_SKEW_AUTO;
		return 0;
	}
	copy = rest = strdup(text);
	if (!copy)
		return -ENOMEM;
	while (!err && (one = strsep(&rest, ",")))
		err = parse_one(one, &named, ret);
	free(copy);
	ret->mode = RWK_SKEW_MANUAL;
	return err;
}

/* One pass over the trace: what its orders say of its clocks, shifted by skew_ns if not NULL. */
static int look(const char *trace, const struct rwk_decode_options *options, const rwk_ns *skew_ns,
	struct rwk_diag *diag, struct rwk_skew *ret)
{
	struct rwk_decode *dec = NULL;
	struct rwk_order *order = NULL;
	struct rwk_progress progress;
	struct rwk_event ev;
	int64_t nr = 0;
	int err;

	rwk_progress_begin(&progress, "look for skew");
	err = rwk_decode_open_with(trace, options, diag, &dec);
	if (!err && skew_ns)
		err = rwk_decode_set_skew(dec, skew_ns);
	if (!err)
		err = rwk_order_create(&order);
	while (!err && (err = rwk_decode_next(dec, &ev, diag)) == 1) {
		err = rwk_order_event(order, &ev);
		if (!(++nr & 0x3fff))
			rwk_progress_update(&progress, rwk_decode_permille(dec), nr);
	}
	if (!err)
		err = rwk_skew_solve(order, ret);
	rwk_progress_end(&progress);
	rwk_order_destroy(order);
	rwk_decode_close(dec);
	return err;
}

static void shifts(const struct rwk_skew *skew, rwk_ns ret[RWK_MAX_CPUS])
{
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++)
		ret[cpu] = skew->of[cpu].skew_ns;
}

static int estimate(const char *trace, const struct rwk_decode_options *options,
	struct rwk_diag *diag, struct rwk_skew *ret)
{
	rwk_ns skew_ns[RWK_MAX_CPUS];
	struct rwk_skew after;
	struct stat st;
	int err;

	if (stat(trace, &st) || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return rwk_diag_push(diag, -ESPIPE,
			"cannot estimate the skew: file=%s why=it takes several passes, and this "
			"is no file; --skew=CPU:NS sets it",
			trace);
	err = look(trace, options, NULL, diag, ret);
	if (err || ret->state != RWK_SKEW_FOUND)
		return err;
	shifts(ret, skew_ns);
	err = look(trace, options, skew_ns, diag, &after);
	if (err || after.state == RWK_SKEW_NONE)
		return err;
	/* Other causes go with other effects now: what seemed to fit was not it. */
	after.state = RWK_SKEW_INFEASIBLE;
	after.cpu = ret->cpu != RWK_NONE ? ret->cpu : after.cpu;
	after.nr_impossible = ret->nr_impossible;
	after.nr_pairs = ret->nr_pairs;
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++) {
		if (ret->of[cpu].skew_ns && after.cpu == RWK_NONE)
			after.cpu = cpu;
		after.of[cpu] = (struct rwk_skew_cpu){0, RWK_NS_NONE, RWK_NS_NONE};
	}
	*ret = after;
	return 0;
}

/* The trace must have the CPUs whose clocks are to be shifted. */
static int find_cpus(const rwk_ns *skew_ns, const char *trace, const struct rwk_trace_info *info,
	struct rwk_diag *diag)
{
	for (int cpu = info->nr_cpus; cpu < RWK_MAX_CPUS; cpu++)
		if (skew_ns[cpu])
			return rwk_diag_push(diag, -EINVAL,
				"cannot shift clocks: file=%s cpu=%d why=the trace has %d CPUs",
				trace, cpu, info->nr_cpus);
	return 0;
}

bool rwk_skew_option(const char *text, struct rwk_skew_option *ret)
{
	if (!parse(text, ret))
		return true;
	rwk_msg_error(NULL, "--skew=%s: one of none, auto, or CPU:NS,… with each CPU once", text);
	return false;
}

int rwk_skew_apply(const struct rwk_skew_option *opt, const char *trace,
	const struct rwk_decode_options *options, struct rwk_decode *dec, struct rwk_diag *diag,
	struct rwk_skew *ret)
{
	rwk_ns skew_ns[RWK_MAX_CPUS];
	int err = 0;

	*ret = (struct rwk_skew){.state = RWK_SKEW_NONE, .cpu = RWK_NONE};
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++)
		ret->of[cpu] = (struct rwk_skew_cpu){opt->ns[cpu], RWK_NS_NONE, RWK_NS_NONE};
	if (opt->mode == RWK_SKEW_AS_IS)
		return 0;
	if (opt->mode == RWK_SKEW_AUTO)
		err = estimate(trace, options, diag, ret);
	if (err || (opt->mode == RWK_SKEW_AUTO && ret->state != RWK_SKEW_FOUND))
		return err;
	shifts(ret, skew_ns);
	err = find_cpus(skew_ns, trace, rwk_decode_info(dec), diag);
	if (err)
		return err;
	err = rwk_decode_set_skew(dec, skew_ns);
	return err ? rwk_diag_push(diag, err, "cannot shift clocks: out of memory") : 0;
}
