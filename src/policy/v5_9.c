/*
 * wake_affine_idle as in 5.9 and 5.10: the waker's CPU if it is idle and shares
 * a cache, then the sync test; an idle previous CPU is left to the search.
 */
#include "policy/linux/walk.h"

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.idle_test = LINUX_IDLE_V59;
	return 0;
}

const struct rwk_policy rwk_policy_v5_9 = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "v5.9",
	.summary = "no previous-CPU-idle test when choosing the target, as before 5.11",
	.origin = "Linux 5.9 and 5.10, kernel/sched/fair.c: wake_affine_idle",
	.base = "the recorded kernel with that one test changed; version=5.9 for the whole kernel "
		"of then",
	.params = linux_params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct linux_state),
	.init = init,
	.select_cpu = linux_select_cpu,
};
