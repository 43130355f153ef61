/*
 * The idle scan goes as far as the utilisation of the LLC allows.
 */
#include "policy/linux/walk.h"

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.scan = LINUX_SCAN_UTIL;
	return 0;
}

const struct rwk_policy rwk_policy_sis_util = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "sis-util",
	.summary = "the idle scan is limited by nr_idle_scan",
	.origin = "Chen Yu, 2022: sched/fair: Introduce SIS_UTIL to search idle CPU based on sum "
		  "of util_avg (70fb5ccf2ebb)",
	.base = "the recorded kernel with that limit; before 5.12 it bounds the CPU scan only",
	.params = linux_params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct linux_state),
	.init = init,
	.select_cpu = linux_select_cpu,
};
