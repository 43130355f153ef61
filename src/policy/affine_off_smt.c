/*
 * Affine wakeups switched off for the domain of a core alone, which balances at
 * wakeup instead: the idler one of its threads takes the task.
 */
#include "policy/linux/walk.h"

static const struct rwk_param params[] = {LINUX_PARAM_MIGRATION_COST, LINUX_PARAMS_END};

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;

	linux_rules_init_2009(s, env, false);
	s->rules.y2009.smt_balance = true;
	return 0;
}

const struct rwk_policy rwk_policy_affine_off_smt = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "affine-off-smt",
	.summary = "2009: no affine wakeups within a core, its idlest thread instead",
	.origin =
		"Arjan van de Ven, 2009: sched: Enable wake balancing for the SMT/HT domain (1/3)",
	.base = "2.6.32-rc5; SMT domains lose WAKE_AFFINE and gain BALANCE_WAKE (flags from "
		"memory); a wider domain may still make the wakeup affine first",
	.params = params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct linux_state),
	.init = init,
	.select_cpu = linux_select_cpu,
};
