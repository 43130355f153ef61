/*
 * The alternative described in the review of 2020, never posted as code:
 * compare cache sharing first, then take whichever is idle, previous preferred.
 */
#include "policy/linux/walk.h"

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.idle_test = LINUX_IDLE_GORMAN;
	return 0;
}

const struct rwk_policy rwk_policy_gorman = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "gorman",
	.summary =
		"with a shared cache take the idle one of previous and waker CPU, previous first",
	.origin = "Mel Gorman, 2020, review of: sched/fair: check for idle core",
	.base = "the recorded kernel with that test instead; interpretation of prose: replaces the "
		"first test, no cross-cache previous-idle shortcut",
	.params = linux_params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct linux_state),
	.init = init,
	.select_cpu = linux_select_cpu,
};
