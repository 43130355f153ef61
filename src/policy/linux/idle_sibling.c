/*
 * The search around a target: select_idle_sibling, steps 1–9 of design §2.6.
 */
#include "policy/linux/walk.h"

#define STEP "select_idle_sibling"

static bool share_cluster(struct walk *k, int a, int b)
{
	return k->m->cpu[a].cluster == k->m->cpu[b].cluster;
}

/* Step 3: work that a per-CPU kernel thread does for p belongs where p was. */
static bool pcpu_kthread_hands_over(struct walk *k)
{
	return k->w->waker.is_pcpu_kthread && !k->w->waker.is_idle &&
	       (!k->r->pcpu_in_task || k->w->context == RWK_CTX_TASK) &&
	       k->prev_cpu == k->this_cpu && walk_cpu(k, k->this_cpu)->nr_running <= 1 &&
	       walk_fits(k, k->prev_cpu);
}

/* Step 4: p.recent_used_cpu if it is as good as target. */
static bool recent_is_idle(struct walk *k, int recent, int target)
{
	return recent != k->prev_cpu && recent != target && recent >= 0 &&
	       recent < k->m->nr_cpu_ids && rwk_machine_share_llc(k->m, recent, target) &&
	       walk_avail(k, recent) && walk_allowed(k, recent) && walk_fits(k, recent);
}

int linux_idle_sibling_of(struct walk *k, int cpu, int target, bool also_self)
{
	const struct rwk_cpuset *llc = &k->m->llc[k->m->cpu[target].llc].cpus;

	rwk_cpuset_foreach_below (c, &k->m->cpu[cpu].smt, k->m->nr_cpu_ids) {
		if (c == cpu && !also_self)
			continue;
		if (rwk_cpuset_has(llc, c) && walk_allowed(k, c) && walk_avail(k, c))
			return c;
	}
	return RWK_NONE;
}

bool linux_core_idle(struct walk *k, int cpu)
{
	rwk_cpuset_foreach_below (c, &k->m->cpu[cpu].smt, k->m->nr_cpu_ids) {
		if (!walk_idle(k, c))
			return false;
	}
	return true;
}

static bool idle_core_hint(struct walk *k, int target)
{
	const struct rwk_llc_view *llc = &k->w->llc[k->m->cpu[target].llc];

	if (!k->m->smt_active)
		return false;
	if (llc->has_idle_cores_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_IDLE_CORES);
	return llc->has_idle_cores;
}

/* Steps 7 and 8: hardware siblings and the scan; RWK_NONE with the scan's reason. */
static int search_llc(struct walk *k, int target)
{
	int cpu;

	if (k->r->smt == LINUX_SMT_PREV && k->m->smt_active &&
		!walk_ask(
			k, STEP, "hint: a whole core is idle", target, idle_core_hint(k, target)) &&
		rwk_machine_share_llc(k->m, k->prev_cpu, target)) {
		cpu = linux_idle_sibling_of(k, k->prev_cpu, target, false);
		if (walk_ask(k, STEP, "hardware sibling of the previous CPU idle", cpu,
			    cpu != RWK_NONE))
			return walk_found(k, cpu, LINUX_R_SMT);
	}
	cpu = linux_select_idle_cpu(k, target);
	if (cpu != RWK_NONE)
		return cpu;
	if (k->r->smt == LINUX_SMT_TARGET && k->m->smt_active) {
		cpu = linux_idle_sibling_of(k, target, target, true);
		if (walk_ask(k, STEP, "hardware sibling of the target idle", cpu, cpu != RWK_NONE))
			return walk_found(k, cpu, LINUX_R_SMT);
	}
	return RWK_NONE;
}

int linux_select_idle_sibling(struct walk *k, int target)
{
	int p = k->prev_cpu, recent, cpu;
	bool clusters = k->r->cluster && k->m->cluster_active;
	int cluster_prev = RWK_NONE, cluster_recent = RWK_NONE;

	if (k->r->asym.first && linux_select_idle_capacity(k, target, &cpu))
		return cpu;
	if (walk_ask(k, STEP, "target idle", target, walk_avail(k, target) && walk_fits(k, target)))
		return walk_found(k, target, LINUX_R_TARGET_IDLE);

	if (p != target && walk_ask(k, STEP, "previous CPU idle and in the target's cache", p,
				   rwk_machine_share_llc(k->m, p, target) && walk_avail(k, p) &&
					   walk_fits(k, p))) {
		if (!clusters || share_cluster(k, p, target))
			return walk_found(k, p, LINUX_R_PREV_IDLE);
		cluster_prev = p;
	}

	if (walk_ask(k, STEP, "per-CPU kernel thread hands its work back", k->this_cpu,
		    pcpu_kthread_hands_over(k)))
		return walk_found(k, p, LINUX_R_PCPU_KTHREAD);

	recent = k->w->wakee.recent_cpu;
	if (k->w->wakee.recent_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_RECENT_CPU);
	if (k->r->recent == LINUX_RECENT_WAKEE)
		k->v->effects |= RWK_EFFECT_RECENT_PREV;
	if (walk_ask(k, STEP, "recently used CPU idle and in the target's cache", recent,
		    recent_is_idle(k, recent, target))) {
		if (!clusters || share_cluster(k, recent, target)) {
			/* The waker-side scheme writes the wakee's only when it was used. */
			k->v->effects |= RWK_EFFECT_RECENT_PREV;
			return walk_found(k, recent, LINUX_R_RECENT);
		}
		cluster_recent = recent;
	}

	if (!k->r->asym.first && linux_select_idle_capacity(k, target, &cpu))
		return cpu;
	if (k->m->cpu[target].llc == RWK_NONE)
		return walk_found(k, target, LINUX_R_NO_LLC);

	cpu = search_llc(k, target);
	if (cpu != RWK_NONE)
		return cpu;
	if (cluster_prev != RWK_NONE)
		return walk_found(k, cluster_prev, LINUX_R_CLUSTER_PREV);
	if (cluster_recent != RWK_NONE)
		return walk_found(k, cluster_recent, LINUX_R_CLUSTER_PREV);
	if (k->r->hook.after_search) {
		cpu = k->r->hook.after_search(k, target);
		if (cpu != RWK_NONE)
			return cpu;
	}
	return target; /* the scan left its reason */
}
