/*
 * No affine wakeups: the target is always the previous CPU.
 */
#include "policy/linux/walk.h"

enum base { RECORDED, R5 };

struct affine_off {
	struct linux_state family;
	int base;
};

static const struct rwk_param params[] = {
	LINUX_PARAMS,
	{"base", RWK_PARAM_CHOICE, offsetof(struct affine_off, base), "recorded", 0, 0,
		"recorded r5",
		"the recorded kernel, or 2.6.32-rc5 as patched, where the other parameters say "
		"nothing"},
	LINUX_PARAMS_END,
};

static int init(void *state, const struct rwk_policy_env *env)
{
	struct affine_off *s = state;
	int err = 0;

	if (s->base == R5)
		linux_rules_init_2009(&s->family, env, false);
	else
		err = linux_rules_init(&s->family, env);
	if (err)
		return err;
	s->family.rules.affine = false;
	return 0;
}

const struct rwk_policy rwk_policy_affine_off = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "affine-off",
	.summary = "the waker CPU never becomes the target",
	.origin = "Arjan van de Ven, 2009: sched: Disable affine wakeups by default (3/3)",
	.base = "the recorded kernel with want_affine 0; base=r5 for 2.6.32-rc5 with "
		"AFFINE_WAKEUPS 0, which had no idle search: every wakeup stays",
	.params = params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct affine_off),
	.init = init,
	.select_cpu = linux_select_cpu,
};
