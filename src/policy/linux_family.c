/* The recorded kernel itself, or the kernel of the version asked for. */
#include "policy/linux/walk.h"

/* The tunable counts in 2.6.32 only. */
static const struct rwk_param params[] = {
	LINUX_PARAMS, LINUX_PARAM_MIGRATION_COST, LINUX_PARAMS_END};

static int init(void *state, const struct rwk_policy_env *env)
{
	return linux_rules_init_any(state, env);
}

const struct rwk_policy rwk_policy_linux = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "linux",
	.summary = "the placement rules of the recorded kernel, or of version=",
	.origin = "Linux 2.6.32 and 5.9 to 7.3: select_task_rq_fair",
	.base = "itself; kernels between the checked ones take the rules of their commits",
	.params = params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct linux_state),
	.init = init,
	.select_cpu = linux_select_cpu,
};
