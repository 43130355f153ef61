/*
 * The beginning of the series that became sis-sync: a short task on the waker's
 * CPU attracts as a sync waker does, and in a half-busy LLC a short task joins
 * another one instead of looking for an idle CPU.
 */
#include "policy/linux/walk.h"

static const struct rwk_param params[] = {
	LINUX_PARAMS, LINUX_PARAM_MIN_GRANULARITY, LINUX_PARAMS_END};

#define STEP "short task"

/* On average at most min_granularity on a CPU before it sleeps, over its whole life. */
static bool is_short(struct walk *k, rwk_ns run_total_ns, uint32_t nr_sleeps, uint8_t source)
{
	if (source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_RUN_TOTAL);
	__int128 limit = (__int128)nr_sleeps * k->r->min_granularity_ns;

	return walk_compare(k, STEP, "whole time on a CPU, ns, against sleeps of min_granularity",
		RWK_NONE, run_total_ns, "<=", limit < INT64_MAX ? (int64_t)limit : INT64_MAX,
		run_total_ns <= limit);
}

static bool current_is_short(struct walk *k, int cpu)
{
	const struct rwk_cpu_view *c = walk_cpu(k, cpu);

	rwk_ns ran = c->curr_since_ns != RWK_NS_NONE ? k->w->ts - c->curr_since_ns : 0;

	return is_short(k, c->curr_run_total_ns + ran, c->curr_nr_sleeps, c->curr_run_total_source);
}

static bool waker_is_short(struct walk *k)
{
	return current_is_short(k, k->this_cpu);
}

/* More than half the LLC's capacity is in use when SIS_UTIL allows less than 60 % of it. */
static bool is_half_busy(struct walk *k, const struct linux_scan *s)
{
	int64_t size = (int64_t)rwk_machine_llc_size(k->m, s->target);

	return s->left != LINUX_NO_LIMIT && k->r->scan == LINUX_SCAN_UTIL &&
	       walk_compare(k, STEP, "five times the CPUs worth looking at against three LLCs",
		       s->target, 5 * s->left, "<", 3 * size, 5 * s->left < 3 * size);
}

static int join_short_task(struct walk *k, const struct linux_scan *s)
{
	const struct rwk_task_view *p = &k->w->wakee;

	if (s->idle_cores || !is_half_busy(k, s) ||
		!is_short(k, p->run_total_ns, p->nr_sleeps, p->run_total_source) ||
		!current_is_short(k, s->target))
		return RWK_NONE;
	return walk_found(k, s->target, LINUX_R_SHORT);
}

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.hook.attracts = waker_is_short;
	s->rules.hook.before_scan = join_short_task;
	return 0;
}

const struct rwk_policy rwk_policy_sis_short_v1 = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "sis-short-v1",
	.summary = "a short task attracts wakeups, and short tasks share a CPU in a half-busy LLC",
	.origin = "Chen Yu, Sep 2022: sched/fair: Choose the CPU where short task is running "
		  "during wake up (v1)",
	.base = "the recorded kernel plus both hooks; posted on 6.0-rc, min_granularity has since "
		"been renamed base_slice",
	.params = params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct linux_state),
	.init = init,
	.select_cpu = linux_select_cpu,
};
