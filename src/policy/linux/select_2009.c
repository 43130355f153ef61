/*
 * Placement at wakeup as in 2.6.32 and its last release candidates (design
 * §2.11): one affine CPU, one question whether waking there would unbalance the
 * load, no search for an idle CPU but the one of 2.6.32 inside a package.
 *
 * The domains of then are found among those of the recorded machine: SMT, MC,
 * CPU (the package) and NODE, the widest one of up to 16 nodes.  Load is the
 * weight queued on a CPU now, task groups as a whole; what a move does to their
 * weight is left out.  So is rule 1 of the section: it keeps wakeup balancing from wide domains,
 * and the only one that ever balances here is that of a core.  New tasks and execs, of which the
 * section says nothing, are placed like wakeups.
 */
#include "policy/linux/walk.h"

#define NODES_PER_DOMAIN 16

static const struct rwk_cpu_view *queue(struct walk *k, int cpu)
{
	if (k->w->cpu[cpu].queue_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_QUEUE);
	return &k->w->cpu[cpu];
}

static int nr_nodes(const struct rwk_machine *m, const struct rwk_cpuset *span)
{
	struct rwk_cpuset nodes = {0};

	rwk_cpuset_foreach (c, span) {
		if (c < m->nr_cpu_ids && m->cpu[c].node >= 0 && m->cpu[c].node < RWK_MAX_CPUS)
			rwk_cpuset_add(&nodes, m->cpu[c].node);
	}
	return rwk_cpuset_weight(&nodes);
}

static bool is_node_domain(const struct rwk_machine *m, const struct rwk_domain *d)
{
	return m->nr_nodes <= NODES_PER_DOMAIN || nr_nodes(m, &d->span) <= NODES_PER_DOMAIN;
}

/* Did domain[i] of a CPU exist then?  Of the NUMA levels only the widest that counts as NODE. */
static bool existed(const struct rwk_machine *m, const struct rwk_machine_cpu *mc, int i)
{
	const struct rwk_domain *d = &mc->domain[i];

	if (d->level == RWK_LEVEL_CLS)
		return false;
	if (d->level != RWK_LEVEL_NUMA)
		return true;
	return is_node_domain(m, d) &&
	       (i + 1 == mc->nr_domains || !is_node_domain(m, &mc->domain[i + 1]));
}

static int imbalance(const struct rwk_domain *d)
{
	return 100 + ((d->level == RWK_LEVEL_SMT ? 110 : 125) - 100) / 2;
}

static int first_without_task(struct walk *k, const struct rwk_cpuset *span)
{
	rwk_cpuset_foreach (c, span) {
		if (c < k->m->nr_cpu_ids && walk_allowed(k, c) && !queue(k, c)->nr_fair)
			return c;
	}
	return RWK_NONE;
}

/* The CPU that d offers for an affine wakeup, or RWK_NONE. */
static int affine_candidate(struct walk *k, const struct rwk_domain *d)
{
	int candidate = rwk_cpuset_has(&d->span, k->prev_cpu) ? k->this_cpu : RWK_NONE;
	int idle;

	/* Siblings are preferred in packages: MC and CPU. */
	if (!k->r->y2009.idle_candidate || (d->level != RWK_LEVEL_MC && d->level != RWK_LEVEL_PKG))
		return candidate;
	if (candidate != RWK_NONE && !queue(k, k->prev_cpu)->nr_fair)
		return k->prev_cpu;
	idle = first_without_task(k, &d->span);
	return idle != RWK_NONE ? idle : candidate;
}

/* SYNC_LESS and SYNC_MORE: the hint against how long waker and wakee run on after waking. */
static bool effective_sync(struct walk *k)
{
	const struct rwk_task_view *cur = &k->w->waker, *p = &k->w->wakee;
	rwk_ns limit = k->r->migration_cost_ns;
	bool sync = k->w->sync;

	if (k->w->sync_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_SYNC);
	if (sync ? !k->r->y2009.sync_less : !k->r->y2009.sync_more)
		return sync;
	if (cur->avg_overlap_source == RWK_UNKNOWN || p->avg_overlap_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_AVG_OVERLAP);
	if (sync)
		return cur->avg_overlap_ns <= limit && p->avg_overlap_ns <= limit;
	return cur->avg_overlap_ns < limit && p->avg_overlap_ns < limit;
}

static bool decided(struct walk *k, bool affine, enum linux_detail detail)
{
	k->v->detail = (uint16_t)detail;
	return affine;
}

static bool wake_affine(struct walk *k, const struct rwk_domain *d)
{
	const struct rwk_cpu_view *t = queue(k, k->this_cpu);
	int64_t this_load = (int64_t)t->load_weight;
	int64_t prev_load = (int64_t)queue(k, k->prev_cpu)->load_weight;
	bool sync = effective_sync(k), balanced;
	int64_t per_task = 0;

	if (sync)
		this_load -= k->w->waker.weight;
	balanced = !this_load ||
		   100 * (this_load + (int64_t)k->w->wakee.weight) <= imbalance(d) * prev_load;
	if (balanced)
		return decided(k, true, sync ? LINUX_D_BALANCED_SYNC : LINUX_D_BALANCED);
	if (walk_cpu(k, k->this_cpu)->nr_running)
		per_task = (int64_t)t->load_weight / t->nr_running;
	if (this_load <= prev_load && this_load + prev_load <= per_task)
		return decided(k, true, LINUX_D_LOW_LOAD);
	return decided(k, false, LINUX_D_IMBALANCED);
}

/*
 * Balancing at wakeup among the hardware threads of T's core: another thread if
 * its load is clearly below T's, else P.
 */
static int idlest_thread(struct walk *k, const struct rwk_domain *d)
{
	int64_t own = (int64_t)queue(k, k->this_cpu)->load_weight, least = INT64_MAX;
	int best = RWK_NONE;

	for (int half = 0; half < 2; half++) {
		int end = half ? k->this_cpu : RWK_MAX_CPUS;

		for (int c = rwk_cpuset_next(&d->span, half ? 0 : k->this_cpu + 1);
			c != RWK_NONE && c < end; c = rwk_cpuset_next(&d->span, c + 1)) {
			int64_t load;

			if (c >= k->m->nr_cpu_ids || !walk_allowed(k, c))
				continue;
			load = (int64_t)queue(k, c)->load_weight;
			if (load < least) {
				least = load;
				best = c;
			}
		}
	}
	if (best == RWK_NONE || 100 * own < imbalance(d) * least)
		return walk_found(k, k->prev_cpu, LINUX_R_PREV);
	return walk_found(k, best, LINUX_R_IDLEST);
}

int linux_select_2009(struct walk *k)
{
	const struct rwk_machine_cpu *mc = &k->m->cpu[k->this_cpu];
	const struct rwk_domain *affine = NULL, *balance = NULL;
	bool want_affine = k->r->affine && walk_allowed(k, k->this_cpu);
	int candidate = RWK_NONE;

	k->v->detail = want_affine ? LINUX_D_NODOMAIN : LINUX_D_NOAFF;
	for (int i = 0; i < mc->nr_domains; i++) {
		const struct rwk_domain *d = &mc->domain[i];

		if (!existed(k->m, mc, i))
			continue;
		if (d->level == RWK_LEVEL_SMT && k->r->y2009.smt_balance) {
			balance = d;
			continue;
		}
		if (!want_affine)
			continue;
		candidate = affine_candidate(k, d);
		if (candidate != RWK_NONE) {
			affine = d;
			break;
		}
	}
	k->v->target = k->prev_cpu;
	if (affine && wake_affine(k, affine)) {
		k->v->target = candidate;
		return walk_found(k, candidate, LINUX_R_AFFINE);
	}
	if (balance)
		return idlest_thread(k, balance);
	return walk_found(k, k->prev_cpu, LINUX_R_PREV);
}
