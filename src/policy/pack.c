/*
 * As few cores as will do: the lowest CPU of the previous CPU's LLC that still
 * has room for the task, cores already in use first.
 */
#include <rewake/policy.h>

enum reason { USED_CORE, NEW_CORE, PREV, FALLBACK_MASK, UNANSWERED };

static const char *const reasons[] = {[USED_CORE] = "used_core",
	[NEW_CORE] = "new_core",
	[PREV] = "prev",
	[FALLBACK_MASK] = "fallback_mask",
	[UNANSWERED] = "unanswered",
	NULL};

/* Below 80 % of the CPU's capacity with the task on it. */
static bool has_room(const struct rwk_wakeup *w, int cpu, struct rwk_verdict *ret)
{
	const struct rwk_cpu_view *c = &w->cpu[cpu];
	uint64_t util = c->util_avg;

	if (c->load_source == RWK_UNKNOWN || w->wakee.load_source == RWK_UNKNOWN)
		ret->unknown |= 1u << RWK_IN_LOAD;
	/* What the task used before it slept is still counted where it ran. */
	if (cpu == w->prev_cpu)
		util -= util < w->wakee.util_avg ? util : w->wakee.util_avg;
	return (util + w->wakee.util_avg) * 1280 < (uint64_t)c->capacity * 1024;
}

static bool core_in_use(const struct rwk_wakeup *w, int cpu, struct rwk_verdict *ret)
{
	rwk_cpuset_foreach_below (c, &w->machine->cpu[cpu].smt, w->machine->nr_cpu_ids) {
		if (w->cpu[c].source == RWK_UNKNOWN)
			ret->unknown |= 1u << RWK_IN_CPU_STATE;
		if (!w->cpu[c].idle)
			return true;
	}
	return false;
}

static void select_cpu(const void *state, const struct rwk_wakeup *w, struct rwk_verdict *ret)
{
	const struct rwk_machine *m = w->machine;
	int llc, new_core = RWK_NONE;

	(void)state;
	ret->reason = UNANSWERED;
	if (!m->topology_known || w->prev_cpu < 0) {
		ret->unknown |= 1u << (m->topology_known ? RWK_IN_CPU_STATE : RWK_IN_TOPOLOGY);
		return;
	}
	if (w->allowed_source == RWK_UNKNOWN)
		ret->unknown |= 1u << RWK_IN_AFFINITY;
	llc = m->cpu[w->prev_cpu].llc;
	for (int c = 0; llc != RWK_NONE && c < m->nr_cpu_ids; c++) {
		if (!rwk_cpuset_has(&m->llc[llc].cpus, c) || !rwk_cpuset_has(&w->allowed, c) ||
			!has_room(w, c, ret))
			continue;
		if (core_in_use(w, c, ret)) {
			ret->reason = USED_CORE;
			ret->cpu = c;
			return;
		}
		if (new_core == RWK_NONE)
			new_core = c;
	}
	ret->reason = NEW_CORE;
	ret->cpu = new_core;
	if (new_core != RWK_NONE)
		return;
	if (rwk_cpuset_has(&w->allowed, w->prev_cpu)) {
		ret->reason = PREV;
		ret->cpu = w->prev_cpu;
	} else {
		ret->reason = FALLBACK_MASK;
		ret->cpu = rwk_wakeup_fallback(w);
		if (ret->cpu == RWK_NONE)
			ret->unknown |= 1u << RWK_IN_AFFINITY;
	}
}

const struct rwk_policy rwk_policy_pack = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "pack",
	.summary = "lowest CPU of the previous CPU's LLC with room for the task, used cores first",
	.origin = "what-if: the least number of cores",
	.base = "none; room is utilisation below 80 % of capacity, else the previous CPU",
	.reasons = reasons,
	.select_cpu = select_cpu,
};
