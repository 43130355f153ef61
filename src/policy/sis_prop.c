/*
 * The idle scan goes as far as the idle time of the waker CPU pays for.
 */
#include "policy/linux/walk.h"

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.scan = LINUX_SCAN_PROP;
	return 0;
}

const struct rwk_policy rwk_policy_sis_prop = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "sis-prop",
	.summary = "the idle scan is limited in proportion to average idle time",
	.origin = "Peter Zijlstra, 2017: sched/core: Implement new approach to scale "
		  "select_idle_cpu() (SIS_PROP)",
	.base = "the recorded kernel with that limit; the averages are rarely recorded, and then "
		"it is the least, three CPUs",
	.params = linux_params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct linux_state),
	.init = init,
	.select_cpu = linux_select_cpu,
};
