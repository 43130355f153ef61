/*
 * Inside the idle scan: two short tasks that wake each other share the waker's
 * CPU instead of looking for an idle one.
 */
#include "policy/linux/walk.h"

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.sis_sync = true;
	return 0;
}

const struct rwk_policy rwk_policy_sis_sync = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "sis-sync",
	.summary = "short tasks that wake each other in sync stay together instead of scanning",
	.origin = "Chen Yu, 2024: sched/fair: Introduce SIS_SYNC",
	.base = "the recorded kernel plus the hook after the SIS_UTIL limit; zero_is_short=0 as "
		"agreed in review",
	.params = linux_params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct linux_state),
	.init = init,
	.select_cpu = linux_select_cpu,
};
