/*
 * Where the LLC of the target has no idle CPU, the other LLCs of its node are
 * searched, each within its own hints.
 */
#include "policy/linux/walk.h"

static int search_node(struct walk *k, int target)
{
	struct linux_node_iter iter = {0};
	uint16_t reason = k->v->reason;
	int first;

	while ((first = linux_node_next_llc(k, target, &iter)) != RWK_NONE) {
		int cpu = linux_select_idle_cpu(k, first);

		walk_ask(k, "other caches of the node", "an idle CPU in the cache that begins with",
			first, cpu != RWK_NONE);
		if (cpu != RWK_NONE)
			return walk_found(k, cpu,
				k->v->reason == LINUX_R_CORE ? LINUX_R_NODE_CORE : LINUX_R_NODE);
	}
	k->v->reason = reason;
	return RWK_NONE;
}

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.hook.after_search = search_node;
	return 0;
}

const struct rwk_policy rwk_policy_sis_node = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "sis-node",
	.summary = "with nothing idle in the LLC, the other LLCs of the node are searched",
	.origin = "Peter Zijlstra, May 2023: sched/fair: Multi-LLC select_idle_sibling()",
	.base = "the recorded kernel plus the search before giving up; interpretation: on kernels "
		"with cluster steps it comes after them",
	.params = linux_params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct linux_state),
	.init = init,
	.select_cpu = linux_select_cpu,
};
