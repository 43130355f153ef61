/*
 * No affine wakeups: the target is always the previous CPU.
 */
#include "policy/linux/walk.h"

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.affine = false;
	return 0;
}

const struct rwk_policy rwk_policy_affine_off = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "affine-off",
	.summary = "the waker CPU never becomes the target",
	.origin = "Arjan van de Ven, 2009: sched: Disable affine wakeups by default (3/3)",
	.base = "the recorded kernel with want_affine 0; interpretation: the 2009 base had no idle "
		"search outside the affine block",
	.params = linux_params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct linux_state),
	.init = init,
	.select_cpu = linux_select_cpu,
};
