/*
 * A whole idle core before any idle thread: first in the LLC of the target, then in
 * its node, whatever the hints say.
 */
#include "policy/linux/walk.h"

static int idle_core_in(struct walk *k, const struct rwk_cpuset *cpus, int start)
{
	for (int half = 0; half < 2; half++) {
		int end = half ? start : k->m->nr_cpu_ids;

		for (int c = rwk_cpuset_next_below(cpus, half ? 0 : start, end); c != RWK_NONE;
			c = rwk_cpuset_next_below(cpus, c + 1, end)) {
			if (walk_ask(k, "idle cores first", "allowed, and the whole core idle", c,
				    walk_allowed(k, c) && linux_core_idle(k, c)))
				return c;
		}
	}
	return RWK_NONE;
}

static int search_cores(struct walk *k, int target)
{
	struct linux_node_iter iter = {0};
	int llc = k->m->cpu[target].llc, first, cpu;

	if (llc == RWK_NONE)
		return RWK_NONE;
	cpu = idle_core_in(k, &k->m->llc[llc].cpus, target);
	if (cpu != RWK_NONE)
		return walk_found(k, cpu, LINUX_R_CORE);
	while ((first = linux_node_next_llc(k, target, &iter)) != RWK_NONE) {
		cpu = idle_core_in(k, &k->m->llc[k->m->cpu[first].llc].cpus, first);
		if (cpu != RWK_NONE)
			return walk_found(k, cpu, LINUX_R_NODE_CORE);
	}
	return RWK_NONE;
}

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.hook.before_search = search_cores;
	return 0;
}

const struct rwk_policy rwk_policy_core_first = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "core-first",
	.summary = "whole idle cores of LLC and node are taken before any idle thread",
	.origin = "what-if: idle cores first, without has_idle_cores and without a limit",
	.base = "the recorded kernel plus that search around its target, going up from it and "
		"around; without SMT every idle CPU is a core",
	.params = linux_params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct linux_state),
	.init = init,
	.select_cpu = linux_select_cpu,
};
