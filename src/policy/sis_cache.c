/*
 * The idle scan leaves a CPU alone for as long as the task that last left it idle
 * usually sleeps, so that this task finds its cache again.
 */
#include "policy/linux/walk.h"

static bool is_hot(struct walk *k, int cpu)
{
	const struct rwk_cpu_view *c = &k->w->cpu[cpu];

	if (c->hot_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_HOT_UNTIL);
	return c->hot_until_ns != RWK_NS_NONE && k->w->ts < c->hot_until_ns;
}

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.hook.spares = is_hot;
	return 0;
}

const struct rwk_policy rwk_policy_sis_cache = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "sis-cache",
	.summary = "the idle scan passes over CPUs whose last task will soon be back",
	.origin = "Chen Yu, Nov 2023: Introduce SIS_CACHE to choose previous CPU during task "
		  "wakeup (v2)",
	.base = "the recorded kernel with that scan; as posted at most half of nr_idle_scan CPUs "
		"are passed over, the first of them is the last resort, and the cluster scan is "
		"unaffected. Its state comes from the recorded sleeps",
	.params = linux_params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct linux_state),
	.init = init,
	.select_cpu = linux_select_cpu,
};
