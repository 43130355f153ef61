/*
 * The hint to wake on the waker's CPU: honoured wherever it is given, or taken to
 * be given with every sync wakeup or between two chosen tasks.
 */
#include "policy/linux/walk.h"

enum on { FLAG, SYNC, PAIR };

struct wf_current {
	struct linux_state family;
	int on;
	int64_t waker, wakee;
};

static const struct rwk_param params[] = {
	LINUX_PARAMS,
	{"on", RWK_PARAM_CHOICE, offsetof(struct wf_current, on), "flag", 0, 0, "flag sync pair",
		"which wakeups have the hint besides those that really do"},
	{"waker", RWK_PARAM_INT, offsetof(struct wf_current, waker), "-1", -1, INT32_MAX, NULL,
		"on=pair: thread id of the waker; -1 any"},
	{"wakee", RWK_PARAM_INT, offsetof(struct wf_current, wakee), "-1", -1, INT32_MAX, NULL,
		"on=pair: thread id of the wakee; -1 any"},
	LINUX_PARAMS_END,
};

static bool has_hint(struct walk *k)
{
	const struct wf_current *own = k->state;

	if (k->w->current_cpu)
		return true;
	if (own->on == SYNC)
		return walk_sync(k);
	return own->on == PAIR && (own->waker < 0 || own->waker == k->w->waker.tid) &&
	       (own->wakee < 0 || own->wakee == k->w->wakee.tid);
}

static int wake_here(struct walk *k)
{
	if (!walk_ask(k, "WF_CURRENT_CPU",
		    "the wakeup has the hint, and the waker's CPU is allowed", k->this_cpu,
		    has_hint(k) && walk_allowed(k, k->this_cpu)))
		return RWK_NONE;
	return walk_found(k, k->this_cpu, LINUX_R_CURRENT_CPU);
}

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.hook.first = wake_here;
	return 0;
}

const struct rwk_policy rwk_policy_wf_current = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "wf-current",
	.summary = "wakeups with the current-CPU hint, or taken to have it, stay on the waker CPU",
	.origin = "Peter Oskolkov, 2023: sched: add WF_CURRENT_CPU and externise ttwu "
		  "(ab83f455f04d)",
	.base = "the recorded kernel with the hint on more wakeups; sync counts as in the kernel, "
		"not from an exiting waker",
	.params = params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct wf_current),
	.init = init,
	.select_cpu = linux_select_cpu,
};
