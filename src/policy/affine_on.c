/*
 * Affine wakeups as they were by default in 2009: the waker's CPU, or in 2.6.32
 * an idle one near it, unless that would unbalance the load.
 */
#include "policy/linux/walk.h"

enum base { R32, R5 };

struct affine_on {
	struct linux_state family;
	int base;
	bool sync_less, sync_more;
};

#define OWN(member) offsetof(struct affine_on, member)

static const struct rwk_param params[] = {
	{"base", RWK_PARAM_CHOICE, OWN(base), "r32", 0, 0, "r32 r5",
		"2.6.32 as released, or its fifth release candidate, which was argued over"},
	LINUX_PARAM_MIGRATION_COST,
	{"sync_less", RWK_PARAM_BOOL, OWN(sync_less), "1", 0, 1, NULL,
		"feature SYNC_LESS: no sync for tasks that run on for long after waking"},
	{"sync_more", RWK_PARAM_BOOL, OWN(sync_more), "0", 0, 1, NULL,
		"feature SYNC_MORE: sync for tasks that soon sleep after waking"},
	LINUX_PARAMS_END,
};

static int init(void *state, const struct rwk_policy_env *env)
{
	struct affine_on *s = state;

	linux_rules_init_2009(&s->family, env, s->base == R32);
	s->family.rules.y2009.sync_less = s->sync_less;
	s->family.rules.y2009.sync_more = s->sync_more;
	return 0;
}

const struct rwk_policy rwk_policy_affine_on = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "affine-on",
	.summary = "the 2009 kernel: wake near the waker unless that unbalances the load",
	.origin =
		"Mike Galbraith, 2009, in the review of: sched: Disable affine wakeups by default",
	.base = "2.6.32 unchanged; interpretation: its domains are found among the recorded ones, "
		"and what a move does to a task group's weight is left out",
	.params = params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct affine_on),
	.init = init,
	.select_cpu = linux_select_cpu,
};
