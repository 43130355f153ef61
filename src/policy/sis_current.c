/*
 * Instead of the idle search: two short tasks that only wake each other share the
 * waker's CPU, sync or not, however many CPUs are idle.
 */
#include "policy/linux/short_task.h"

enum limit { V7, V8 };

struct sis_current {
	struct linux_state family;
	int limit;
};

static const struct rwk_param params[] = {
	LINUX_PARAMS,
	LINUX_PARAM_MIN_GRANULARITY,
	LINUX_PARAM_MIGRATION_COST,
	{"limit", RWK_PARAM_CHOICE, offsetof(struct sis_current, limit), "v7", 0, 0, "v7 v8",
		"eight runs must be below min_granularity (v7) or migration_cost (v8)"},
	LINUX_PARAMS_END,
};

#define STEP "short task"

static int stay_with_waker(struct walk *k, int target)
{
	const struct sis_current *own = k->state;
	rwk_ns limit = own->limit == V8 ? k->r->migration_cost_ns : k->r->min_granularity_ns;

	(void)target;
	if (!walk_ask(k, STEP, "wakee allowed on the waker's CPU", k->this_cpu,
		    walk_allowed(k, k->this_cpu)) ||
		!walk_alone(k, STEP, k->this_cpu) ||
		!linux_short_and_steady(k, &k->w->waker, limit) ||
		!linux_short_and_steady(k, &k->w->wakee, limit) || !linux_wake_each_other(k))
		return RWK_NONE;
	return walk_found(k, k->this_cpu, LINUX_R_SHORT);
}

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.hook.before_search = stay_with_waker;
	return 0;
}

const struct rwk_policy rwk_policy_sis_current = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "sis-current",
	.summary = "short tasks that only wake each other share the waker CPU",
	.origin = "Chen Yu, Apr 2023: sched/fair: Introduce SIS_CURRENT to wake up short task on "
		  "current CPU (v7, v8)",
	.base = "the recorded kernel plus a test before select_idle_sibling, whatever the target; "
		"interpretation: that place, and that the waker CPU must be allowed",
	.params = params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct sis_current),
	.init = init,
	.select_cpu = linux_select_cpu,
};
