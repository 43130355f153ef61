/*
 * No comparison of loads: a wakeup that the idle tests leave undecided stays
 * with the previous CPU.
 */
#include "policy/linux/walk.h"

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.wa_weight = false;
	return 0;
}

const struct rwk_policy rwk_policy_no_wa_weight = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "no-wa-weight",
	.summary = "loads are not compared: undecided wakeups stay with the previous CPU",
	.origin = "Mike Galbraith, 2023, in reviews of wake_affine: the weight test stacks short "
		  "tasks",
	.base = "the recorded kernel with NO_WA_WEIGHT",
	.params = linux_params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct linux_state),
	.init = init,
	.select_cpu = linux_select_cpu,
};
