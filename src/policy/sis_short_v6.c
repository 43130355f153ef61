/*
 * The sixth posting: short by recent average, only where waker and wakee change
 * no partners, and only for the waker's own CPU.
 */
#include "policy/linux/short_task.h"

static const struct rwk_param params[] = {
	LINUX_PARAMS, LINUX_PARAM_MIN_GRANULARITY, LINUX_PARAMS_END};

#define STEP "short task"

static bool is_short(struct walk *k, const struct rwk_task_view *t)
{
	return linux_short_and_steady(k, t, k->r->min_granularity_ns);
}

static bool waker_is_short(struct walk *k)
{
	return walk_compare(k, STEP, "tasks on the waker's CPU", k->this_cpu,
		       walk_cpu(k, k->this_cpu)->nr_running, "==", 1,
		       walk_cpu(k, k->this_cpu)->nr_running == 1) &&
	       is_short(k, &k->w->waker);
}

static int join_short_waker(struct walk *k, const struct linux_scan *s)
{
	int64_t size = (int64_t)rwk_machine_llc_size(k->m, s->target);

	if (!walk_ask(k, STEP, "target is the waker's CPU, and no core idle", s->target,
		    !s->idle_cores && s->target == k->this_cpu) ||
		s->left == LINUX_NO_LIMIT || k->r->scan != LINUX_SCAN_UTIL ||
		!walk_compare(k, STEP, "five times the CPUs worth looking at against three LLCs",
			s->target, 5 * s->left, "<", 3 * size, 5 * s->left < 3 * size) ||
		!walk_alone(k, STEP, s->target) || !is_short(k, &k->w->wakee) ||
		!is_short(k, &k->w->waker))
		return RWK_NONE;
	return walk_found(k, s->target, LINUX_R_SHORT);
}

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.hook.attracts_late = waker_is_short;
	s->rules.hook.before_scan = join_short_waker;
	return 0;
}

const struct rwk_policy rwk_policy_sis_short_v6 = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "sis-short-v6",
	.summary =
		"a short steady waker attracts, and keeps a short steady wakee in a half-busy LLC",
	.origin = "Chen Yu, Feb 2023: sched/fair: Introduce SIS_SHORT to wake up short task on "
		  "current CPU (v6)",
	.base = "the recorded kernel plus both hooks; posted on 6.2",
	.params = params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct linux_state),
	.init = init,
	.select_cpu = linux_select_cpu,
};
