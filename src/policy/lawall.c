/*
 * The change that ended the dispute of 2020: an idle previous CPU is the
 * target, whoever wakes, unless the sync test says otherwise.
 */
#include "policy/linux/walk.h"

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.idle_test = LINUX_IDLE_LAWALL;
	return 0;
}

const struct rwk_policy rwk_policy_lawall = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "lawall",
	.summary = "previous CPU is the target when idle, merged in 5.11",
	.origin =
		"Julia Lawall, 2020: sched/fair: check for idle core (v1, v2; commit d8fcb81f1acf)",
	.base = "the recorded kernel with that test on; version=5.9 for the base it was posted on",
	.params = linux_params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct linux_state),
	.init = init,
	.select_cpu = linux_select_cpu,
};
