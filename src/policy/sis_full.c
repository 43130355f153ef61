/*
 * The idle scan goes without limit.
 */
#include "policy/linux/walk.h"

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.scan = LINUX_SCAN_FULL;
	return 0;
}

const struct rwk_policy rwk_policy_sis_full = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "sis-full",
	.summary = "the idle scan looks at every CPU of the LLC",
	.origin = "yardstick: features NO_SIS_UTIL and NO_SIS_PROP",
	.base = "the recorded kernel without limit",
	.params = linux_params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct linux_state),
	.init = init,
	.select_cpu = linux_select_cpu,
};
