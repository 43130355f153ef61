/* The other LLCs of a node, for policies that search them too. */
#include "policy/linux/walk.h"

int linux_node_next_llc(const struct walk *k, int cpu, struct linux_node_iter *iter)
{
	const struct rwk_machine *m = k->m;

	rwk_cpuset_add(&iter->met, m->cpu[cpu].llc);
	while (++iter->distance < m->nr_cpu_ids) {
		const struct rwk_machine_cpu *c = &m->cpu[(cpu + iter->distance) % m->nr_cpu_ids];

		if (c->llc == RWK_NONE || c->node != m->cpu[cpu].node ||
			rwk_cpuset_has(&iter->met, c->llc))
			continue;
		rwk_cpuset_add(&iter->met, c->llc);
		return m->llc[c->llc].first_cpu;
	}
	return RWK_NONE;
}
