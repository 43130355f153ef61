/*
 * Inside the idle scan: two short tasks that wake each other share the waker's
 * CPU instead of looking for an idle one.
 */
#include "policy/linux/short_task.h"

struct sis_sync {
	struct linux_state family;
	bool zero_is_short;
};

static const struct rwk_param params[] = {
	LINUX_PARAMS,
	LINUX_PARAM_MIGRATION_COST,
	{"zero_is_short", RWK_PARAM_BOOL, offsetof(struct sis_sync, zero_is_short), "1", 0, 1, NULL,
		"a task that never slept counts as short (1 as posted, 0 as agreed in review)"},
	LINUX_PARAMS_END,
};

#define STEP "SIS_SYNC"

static int stay_on_target(struct walk *k, const struct linux_scan *s)
{
	const struct sis_sync *own = k->state;

	if (!walk_ask(k, STEP, "target is the waker's CPU, no core idle, and the wakeup sync",
		    s->target, !s->idle_cores && s->target == k->this_cpu && walk_sync(k)) ||
		!walk_alone(k, STEP, s->target))
		return RWK_NONE;
	if (!linux_short_for_llc(k, &k->w->wakee, s->target, own->zero_is_short) ||
		!linux_short_for_llc(k, &k->w->waker, s->target, own->zero_is_short) ||
		!linux_wake_each_other(k))
		return RWK_NONE;
	return walk_found(k, s->target, LINUX_R_SIS_SYNC);
}

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.hook.before_scan = stay_on_target;
	return 0;
}

const struct rwk_policy rwk_policy_sis_sync = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "sis-sync",
	.summary = "short tasks that wake each other in sync stay together instead of scanning",
	.origin = "Chen Yu, 2024: sched/fair: Introduce SIS_SYNC",
	.base = "the recorded kernel plus the hook after the limit test and the cluster scan",
	.params = params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct sis_sync),
	.init = init,
	.select_cpu = linux_select_cpu,
};
