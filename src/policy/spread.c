/*
 * As far apart as the machine allows: the LLC with the least to do, in it the
 * core with the least to do, in that the thread with the least to do.
 */
#include <rewake/policy.h>

enum reason { IDLE_CORE, IDLE_THREAD, LEAST_BUSY, FALLBACK_MASK, UNANSWERED };

static const char *const reasons[] = {[IDLE_CORE] = "idle_core",
	[IDLE_THREAD] = "idle_thread",
	[LEAST_BUSY] = "least_busy",
	[FALLBACK_MASK] = "fallback_mask",
	[UNANSWERED] = "unanswered",
	NULL};

static int nr_of(const struct rwk_wakeup *w, int cpu, struct rwk_verdict *ret)
{
	if (w->cpu[cpu].source == RWK_UNKNOWN)
		ret->unknown |= 1u << RWK_IN_CPU_STATE;
	return w->cpu[cpu].nr_running + w->cpu[cpu].pending;
}

static bool may_use(const struct rwk_wakeup *w, int cpu)
{
	return cpu < w->machine->nr_cpu_ids && rwk_cpuset_has(&w->allowed, cpu) &&
	       rwk_cpuset_has(&w->machine->online, cpu);
}

/* 0 the waker's own LLC, 1 its node, 2 another node. */
static int distance(const struct rwk_wakeup *w, int cpu)
{
	const struct rwk_machine_cpu *a = &w->machine->cpu[w->this_cpu];
	const struct rwk_machine_cpu *b = &w->machine->cpu[cpu];

	return a->llc == b->llc ? 0 : a->node == b->node ? 1 : 2;
}

/* Least tasks per CPU; among equals the farthest from the waker, then the first. */
static const struct rwk_machine_llc *pick_llc(const struct rwk_wakeup *w, struct rwk_verdict *ret)
{
	const struct rwk_machine *m = w->machine;
	const struct rwk_machine_llc *best = NULL;
	int64_t best_nr = 0;
	int best_distance = 0;

	for (int i = 0; i < m->nr_llc; i++) {
		const struct rwk_machine_llc *llc = &m->llc[i];
		bool usable = false;
		int64_t nr = 0;
		int far;

		rwk_cpuset_foreach_below (c, &llc->cpus, m->nr_cpu_ids) {
			usable |= may_use(w, c);
			nr += nr_of(w, c, ret);
		}
		if (!usable)
			continue;
		far = distance(w, llc->first_cpu);
		if (!best || nr * best->size < best_nr * llc->size ||
			(nr * best->size == best_nr * llc->size && far > best_distance)) {
			best = llc;
			best_nr = nr;
			best_distance = far;
		}
	}
	return best;
}

static void select_cpu(const void *state, const struct rwk_wakeup *w, struct rwk_verdict *ret)
{
	const struct rwk_machine *m = w->machine;
	const struct rwk_machine_llc *llc;
	int best_core = 0, best_own = 0;

	(void)state;
	ret->reason = UNANSWERED;
	if (!m->topology_known || w->this_cpu < 0) {
		ret->unknown |= 1u << (m->topology_known ? RWK_IN_CPU_STATE : RWK_IN_TOPOLOGY);
		return;
	}
	if (w->allowed_source == RWK_UNKNOWN)
		ret->unknown |= 1u << RWK_IN_AFFINITY;
	llc = pick_llc(w, ret);
	if (!llc) {
		/* Allowed only outside every domain. */
		ret->reason = FALLBACK_MASK;
		ret->cpu = rwk_wakeup_fallback(w);
		if (ret->cpu == RWK_NONE)
			ret->unknown |= 1u << RWK_IN_AFFINITY;
		return;
	}
	rwk_cpuset_foreach_below (c, &llc->cpus, m->nr_cpu_ids) {
		int core = 0, own;

		if (!may_use(w, c))
			continue;
		rwk_cpuset_foreach_below (sibling, &m->cpu[c].smt, m->nr_cpu_ids)
			core += nr_of(w, sibling, ret);
		own = nr_of(w, c, ret);
		if (ret->cpu == RWK_NONE || core < best_core ||
			(core == best_core && own < best_own)) {
			ret->cpu = c;
			best_core = core;
			best_own = own;
		}
	}
	ret->reason = !best_core ? IDLE_CORE : !best_own ? IDLE_THREAD : LEAST_BUSY;
}

const struct rwk_policy rwk_policy_spread = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "spread",
	.summary = "the idlest core of the LLC with the fewest tasks per CPU, far from the waker",
	.origin = "what-if: the greatest distance",
	.base = "none; all LLCs of the machine, tasks counted with wakeups on their way",
	.reasons = reasons,
	.select_cpu = select_cpu,
};
