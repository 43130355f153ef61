/*
 * The target is always the previous CPU, and the idle search starts there: the
 * dispute of 2009 on a kernel of today.
 */
#include "policy/linux/walk.h"

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.wa_idle = false;
	s->rules.wa_weight = false;
	return 0;
}

const struct rwk_policy rwk_policy_prev_target = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "prev-target",
	.summary = "the previous CPU is always the target of the idle search",
	.origin = "Arjan van de Ven, 2009: sched: Disable affine wakeups by default; as features "
		  "of today",
	.base = "the recorded kernel with NO_WA_IDLE and NO_WA_WEIGHT; interpretation: the nearest "
		"that switches of 5.9 and later come to his patch",
	.params = linux_params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct linux_state),
	.init = init,
	.select_cpu = linux_select_cpu,
};
