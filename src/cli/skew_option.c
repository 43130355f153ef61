/* Reading --skew, and shifting by what it asks for. */
#include "cli/skew_option.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "cli/message.h"
#include "cli/skew_estimate.h"

const struct rwk_choice rwk_skew_choices[] = {
	{"none", "times as they were recorded; default"},
	{"auto", "by what the order of causes and effects leaves no doubt of; reads TRACE several "
		 "times more"},
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
		err = rwk_skew_estimate(trace, options, diag, ret);
	if (err || (opt->mode == RWK_SKEW_AUTO && ret->state != RWK_SKEW_FOUND))
		return err;
	rwk_skew_shifts(ret, skew_ns);
	err = find_cpus(skew_ns, trace, rwk_decode_info(dec), diag);
	if (err)
		return err;
	err = rwk_decode_set_skew(dec, skew_ns);
	return err ? rwk_diag_push(diag, err, "cannot shift clocks: out of memory") : 0;
}
