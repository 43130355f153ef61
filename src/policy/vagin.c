/*
 * Before any idle search: a sync wakeup whose target is the waker's CPU stays
 * there when the waker is alone on it.
 */
#include "policy/linux/walk.h"

#define STEP "stay with the waker"

static int stay_with_waker(struct walk *k, int target)
{
	int nr;

	if (!walk_ask(k, STEP, "target is the waker's CPU, and the wakeup sync", target,
		    target == k->this_cpu && walk_sync(k)))
		return RWK_NONE;
	nr = linux_nr_this(k);
	if (!walk_compare(k, STEP, "tasks on the waker's CPU", k->this_cpu, nr, "==", 1, nr == 1))
		return RWK_NONE;
	return walk_found(k, target, LINUX_R_SYNC_IDLE);
}

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.hook.before_search = stay_with_waker;
	return 0;
}

const struct rwk_policy rwk_policy_vagin = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "vagin",
	.summary = "sync wakeups stay on the waker CPU when the waker is alone there",
	.origin = "Andrei Vagin, 2022: sched: consider WF_SYNC to find idle siblings",
	.base = "the recorded kernel plus the hook before select_idle_sibling; delayed=raw counts "
		"delayed tasks too",
	.params = linux_params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct linux_state),
	.init = init,
	.select_cpu = linux_select_cpu,
};
