/*
 * One shortcut before everything: the CPU of the waker, if it is idle.
 */
#include "policy/linux/walk.h"

static int take_if_idle(struct walk *k)
{
	int cpu = k->this_cpu;

	if (!walk_allowed(k, cpu) || !walk_avail(k, cpu))
		return RWK_NONE;
	return walk_found(k, cpu, LINUX_R_WAKER_IDLE);
}

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.hook.first = take_if_idle;
	return 0;
}

const struct rwk_policy rwk_policy_waker_idle_else_base = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "waker-idle-else-base",
	.summary = "the CPU of the waker if it is idle, else what the kernel would do",
	.origin = "what-if: one shortcut",
	.base = "the recorded kernel after that test",
	.params = linux_params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct linux_state),
	.init = init,
	.select_cpu = linux_select_cpu,
};
