/*
 * Sharing a core is no reason to follow the waker: SMT domains do not join waker
 * and previous CPU.
 */
#include "policy/linux/walk.h"

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.affine_skips = RWK_SD_SHARE_CPUCAPACITY;
	return 0;
}

const struct rwk_policy rwk_policy_no_affine_smt = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "no-affine-smt",
	.summary = "the domain of one core does not count as joining waker and previous CPU",
	.origin = "Arjan van de Ven, 2009: sched: Enable wake balancing for the SMT/HT domain "
		  "(1/3); for kernels of today",
	.base = "the recorded kernel skipping SMT domains in the walk for a target; "
		"interpretation: the wider domain still joins siblings, so that only its "
		"imbalance_pct differs where there is one",
	.params = linux_params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct linux_state),
	.init = init,
	.select_cpu = linux_select_cpu,
};
