/*
 * The slow path (design §2.9): a new task, or one that has just thrown away its
 * memory by exec, has no cache to come back to and may go anywhere.  From the
 * widest domain inwards: the idlest group of CPUs, then its idlest CPU.
 *
 * How deep an idle CPU sleeps is in no recording: all are taken to wake equally
 * fast.  So is the node that NUMA balancing prefers: taken for none.
 */
#include "policy/linux/walk.h"

/* From the best to the worst place for another task. */
enum group_type { HAS_SPARE, FULLY_BUSY, MISFIT, OVERLOADED };

/* The CPUs of one child domain, summed up without p. */
struct group {
	struct rwk_cpuset span;
	int weight;
	enum group_type type;
	int64_t load, util, runnable, capacity;
	int64_t load_per_capacity; /* of busy groups, 1024 = one CPU's full load */
	int max_capacity;
	int nr, nr_idle;
	bool fits; /* p fits on a CPU of it */
};

/* ---- one CPU, as if p were not there ---- */

static bool has_p(const struct walk *k, int cpu)
{
	return k->w->type == RWK_WAKE_EXEC && cpu == k->prev_cpu;
}

static int64_t minus(int64_t value, int64_t part)
{
	return value > part ? value - part : 0;
}

static const struct rwk_task_view *p_on(struct walk *k, int cpu)
{
	if (!has_p(k, cpu))
		return NULL;
	if (k->w->wakee.load_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_LOAD);
	return &k->w->wakee;
}

static const struct rwk_cpu_view *loaded_cpu(struct walk *k, int cpu)
{
	if (k->w->cpu[cpu].load_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_LOAD);
	return &k->w->cpu[cpu];
}

static int64_t util_without(struct walk *k, int cpu)
{
	const struct rwk_cpu_view *c = loaded_cpu(k, cpu);
	const struct rwk_task_view *p = p_on(k, cpu);
	int64_t util = minus(c->util_avg, p ? p->util_avg : 0);
	int64_t est = minus(c->util_est, p ? p->util_est : 0);
	int64_t capacity = k->m->cpu[cpu].capacity;

	if (est > util)
		util = est;
	return util < capacity ? util : capacity;
}

/*
 * A CPU of which nothing was seen yet is booked as unknown, and asleep most
 * likely: work makes events.
 */
static bool seems_idle(const struct rwk_cpu_view *c)
{
	return c->source == RWK_UNKNOWN ? !c->nr_running && !c->pending : c->idle;
}

static void count_cpu(struct walk *k, struct group *g, int cpu)
{
	const struct rwk_cpu_view *c = walk_cpu(k, cpu);
	const struct rwk_task_view *p = p_on(k, cpu);
	int nr = (int)minus(c->nr_running, p ? 1 : 0);

	g->load += minus(loaded_cpu(k, cpu)->load_avg, p ? p->load_avg : 0);
	g->runnable += minus(c->runnable_avg, p ? p->runnable_avg : 0);
	g->util += util_without(k, cpu);
	g->nr += nr;
	/* Of the running task only p may be thought away. */
	if (!nr && (p ? !c->pending : seems_idle(c)))
		g->nr_idle++;
	if (!g->fits)
		g->fits = linux_fits(k, cpu) > 0;
}

/* ---- groups ---- */

/* c's place among the NUMA levels of its CPU; 0 for the levels within a node. */
static int numa_ordinal(const struct rwk_machine_cpu *mc, const struct rwk_domain *d)
{
	int n = 0;

	for (int i = 0; i < mc->nr_domains && &mc->domain[i] <= d; i++)
		n += mc->domain[i].level == RWK_LEVEL_NUMA;
	return n;
}

/* What cpu stands for within d, a domain of ordinal: its widest domain below d, or itself. */
static void child_span(const struct walk *k, const struct rwk_domain *d, int ordinal, int cpu,
	struct rwk_cpuset *ret)
{
	const struct rwk_machine_cpu *mc = &k->m->cpu[cpu];

	rwk_cpuset_zero(ret);
	rwk_cpuset_add(ret, cpu);
	for (int i = 0; i < mc->nr_domains; i++) {
		const struct rwk_domain *child = &mc->domain[i];
		struct rwk_cpuset inside;

		if (child->level > d->level ||
			(child->level == RWK_LEVEL_NUMA && numa_ordinal(mc, child) >= ordinal))
			break;
		rwk_cpuset_and(&inside, &child->span, &d->span);
		if (!rwk_cpuset_equal(&inside, &child->span) ||
			rwk_cpuset_equal(&child->span, &d->span))
			break;
		*ret = child->span;
	}
}

static enum group_type classify(const struct rwk_domain *d, const struct group *g, bool fits)
{
	int64_t imb = d->imbalance_pct;
	bool short_of = g->capacity * 100 < g->util * imb || g->capacity * imb < g->runnable * 100;
	bool room = g->capacity * 100 > g->util * imb && g->capacity * imb >= g->runnable * 100;

	if (g->nr > g->weight && short_of)
		return OVERLOADED;
	if (!fits)
		return MISFIT;
	return g->nr < g->weight || room ? HAS_SPARE : FULLY_BUSY;
}

static void sum_up(struct walk *k, const struct rwk_domain *d, struct group *g)
{
	/* Whether p fits is asked only where capacities differ within d. */
	g->fits = !(d->flags & RWK_SD_ASYM_CPUCAPACITY);
	g->weight = rwk_cpuset_weight(&g->span);
	rwk_cpuset_foreach (cpu, &g->span) {
		if (cpu >= k->m->nr_cpu_ids)
			break;
		g->capacity += k->w->cpu[cpu].capacity;
		if (k->m->cpu[cpu].capacity > g->max_capacity)
			g->max_capacity = k->m->cpu[cpu].capacity;
		if (!k->r->slow.allowed_only || walk_allowed(k, cpu))
			count_cpu(k, g, cpu);
	}
	g->type = classify(d, g, g->fits);
	if ((g->type == FULLY_BUSY || g->type == OVERLOADED) && g->capacity)
		g->load_per_capacity = g->load * 1024 / g->capacity;
}

static bool idler(const struct group *a, const struct group *b)
{
	if (a->type != b->type)
		return a->type < b->type;
	switch (a->type) {
	case HAS_SPARE:
		return a->nr_idle != b->nr_idle ? a->nr_idle > b->nr_idle : a->util < b->util;
	case MISFIT:
		return a->max_capacity > b->max_capacity;
	default:
		return a->load_per_capacity < b->load_per_capacity;
	}
}

/* ---- the waker's group against the best of the others ---- */

/*
 * imb_numa_nr: tasks that a node may run while the other idles.  One LLC per
 * node: an eighth of it, else a task per LLC; more at outer NUMA levels.
 */
static int numa_imbalance(const struct rwk_machine_cpu *mc, const struct rwk_domain *d)
{
	int llc = 1, node = 1, first = 0, nr;

	for (int i = 0; i < mc->nr_domains; i++) {
		const struct rwk_domain *in = &mc->domain[i];
		int weight = rwk_cpuset_weight(&in->span);

		if (in->flags & RWK_SD_SHARE_LLC)
			llc = weight;
		if (in->level != RWK_LEVEL_NUMA)
			node = weight;
		else if (!first)
			first = weight;
	}
	nr = node / llc <= 1 ? node / 8 : node / llc;
	if (nr < 1)
		nr = 1;
	if (first && rwk_cpuset_weight(&d->span) > first)
		nr *= rwk_cpuset_weight(&d->span) / first;
	return nr;
}

static bool stays_on_node(struct walk *k, const struct rwk_machine_cpu *mc,
	const struct rwk_domain *d, const struct group *local, const struct group *best)
{
	int may = numa_imbalance(mc, d), apart = local->nr_idle - best->nr_idle;

	if (k->r->slow.narrow_numa) {
		struct rwk_cpuset allowed;
		int n;

		rwk_cpuset_and(&allowed, &local->span, &k->w->allowed);
		n = rwk_cpuset_weight(&allowed);
		if (n < may)
			may = n;
	}
	switch (k->r->slow.numa_stay) {
	case LINUX_STAY_ANY_IDLE:
		return local->nr_idle > 0;
	case LINUX_STAY_QUARTER:
		return local->nr < rwk_cpuset_weight(&d->span) / 4;
	case LINUX_STAY_QUARTER_NODE:
		return local->nr + 1 < local->weight / 4;
	case LINUX_STAY_LLCS:
		return local->nr + 1 <= may;
	case LINUX_STAY_LLCS_EVEN:
		return local->nr + 1 <= may && apart >= -2 && apart <= 2;
	}
	return false;
}

static bool stays(struct walk *k, const struct rwk_machine_cpu *mc, const struct rwk_domain *d,
	const struct group *local, const struct group *best)
{
	int64_t here = local->load_per_capacity, there = best->load_per_capacity;
	int64_t margin = 1024 * (d->imbalance_pct - 100) / 100;
	bool numa = d->flags & RWK_SD_NUMA;

	if (local->type != best->type)
		return local->type < best->type;
	switch (local->type) {
	case HAS_SPARE:
		return (numa && stays_on_node(k, mc, d, local, best)) ||
		       local->nr_idle >= best->nr_idle;
	case MISFIT:
		return local->max_capacity >= best->max_capacity;
	default:
		return (numa && there + margin >= here) || there >= here + margin ||
		       100 * here <= d->imbalance_pct * there;
	}
}

/* Idlest group of d, a domain of cpu; false: no other is better than cpu's own. */
static bool find_group(struct walk *k, int cpu, const struct rwk_domain *d, struct rwk_cpuset *ret)
{
	const struct rwk_machine_cpu *mc = &k->m->cpu[cpu];
	int ordinal = numa_ordinal(mc, d);
	struct group local = {.weight = 0}, best = {.weight = 0};
	struct rwk_cpuset done;

	rwk_cpuset_zero(&done);
	/* In ring order from cpu's own group on: of equals, the first met wins. */
	for (int half = 0; half < 2; half++) {
		int end = half ? cpu : RWK_MAX_CPUS;

		for (int c = rwk_cpuset_next(&d->span, half ? 0 : cpu); c != RWK_NONE && c < end;
			c = rwk_cpuset_next(&d->span, c + 1)) {
			struct group g = {.weight = 0};
			struct rwk_cpuset allowed;

			if (c >= k->m->nr_cpu_ids || rwk_cpuset_has(&done, c))
				continue;
			child_span(k, d, ordinal, c, &g.span);
			for (int i = 0; i < RWK_CPUSET_WORDS; i++)
				done.word[i] |= g.span.word[i];
			if (k->w->allowed_source == RWK_UNKNOWN)
				walk_unknown(k, RWK_IN_AFFINITY);
			rwk_cpuset_and(&allowed, &g.span, &k->w->allowed);
			if (rwk_cpuset_empty(&allowed))
				continue;
			sum_up(k, d, &g);
			if (rwk_cpuset_has(&g.span, cpu))
				local = g;
			else if (!best.weight || idler(&g, &best))
				best = g;
		}
	}
	if (!best.weight)
		return false;
	walk_compare(k, "find_idlest_group", "idle CPUs in the own group against the best other's",
		cpu, local.nr_idle, ">=", best.nr_idle, local.nr_idle >= best.nr_idle);
	if (walk_ask(k, "find_idlest_group", "the own group is good enough", cpu,
		    local.weight && stays(k, mc, d, &local, &best)))
		return false;
	*ret = best.span;
	return true;
}

/* ---- within the group ---- */

static int find_cpu(struct walk *k, const struct rwk_cpuset *group, int from)
{
	int idle = RWK_NONE, least = from;
	rwk_ns latest = RWK_NS_NONE;
	int64_t least_load = INT64_MAX;

	if (rwk_cpuset_weight(group) == 1)
		return rwk_cpuset_next(group, 0);
	rwk_cpuset_foreach (cpu, group) {
		const struct rwk_cpu_view *c;

		if (cpu >= k->m->nr_cpu_ids)
			break;
		if (!walk_allowed(k, cpu))
			continue;
		c = walk_cpu(k, cpu);
		if (c->sched_idle)
			return cpu;
		if (seems_idle(c)) {
			/* Unknown since when: since before all that is known. */
			if (c->idle_since_source == RWK_UNKNOWN)
				walk_unknown(k, RWK_IN_IDLE_SINCE);
			if (idle == RWK_NONE || c->idle_since_ns > latest) {
				idle = cpu;
				latest = c->idle_since_ns;
			}
		} else if (idle == RWK_NONE) {
			int64_t load = loaded_cpu(k, cpu)->load_avg;

			if (load < least_load) {
				least_load = load;
				least = cpu;
			}
		}
	}
	walk_ask(k, "find_idlest_cpu", "an idle CPU in that group, the latest to be so", idle,
		idle != RWK_NONE);
	return idle != RWK_NONE ? idle : least;
}

/* ---- the walk ---- */

/* Index of cpu's widest domain that balances so and has fewer CPUs than below; or none. */
static int widest(const struct walk *k, int cpu, uint32_t flag, int below)
{
	const struct rwk_machine_cpu *mc = &k->m->cpu[cpu];
	int found = RWK_NONE;

	for (int i = 0; i < mc->nr_domains; i++) {
		if (rwk_cpuset_weight(&mc->domain[i].span) >= below)
			break;
		if (mc->domain[i].flags & flag)
			found = i;
	}
	return found;
}

static int answer(struct walk *k, int cpu, enum linux_detail detail)
{
	k->v->detail = (uint16_t)detail;
	return walk_found(k, cpu, LINUX_R_SLOW);
}

/* Where the walk begins: domains without the flag end it even if a wider one has it. */
static int outermost(const struct walk *k, uint32_t flag)
{
	const struct rwk_machine_cpu *mc = &k->m->cpu[k->this_cpu];
	int i = 0;

	while (i < mc->nr_domains && mc->domain[i].flags & flag)
		i++;
	return i ? i - 1 : RWK_NONE;
}

int linux_select_idlest(struct walk *k)
{
	uint32_t flag = k->w->type == RWK_WAKE_FORK ? RWK_SD_BALANCE_FORK : RWK_SD_BALANCE_EXEC;
	int cpu = k->this_cpu, level = outermost(k, flag);
	enum linux_detail detail = LINUX_D_LOCAL_GROUP;
	struct rwk_cpuset some;

	k->v->target = cpu;
	if (level == RWK_NONE)
		return answer(k, k->prev_cpu, LINUX_D_NODOMAIN);
	rwk_cpuset_and(&some, &k->m->cpu[cpu].domain[level].span, &k->w->allowed);
	if (rwk_cpuset_empty(&some))
		return answer(k, k->prev_cpu, LINUX_D_NO_GROUP);
	while (level >= 0) {
		const struct rwk_domain *d = &k->m->cpu[cpu].domain[level];
		struct rwk_cpuset group;
		int next;

		if (!(d->flags & flag) || !find_group(k, cpu, d, &group)) {
			level--;
			continue;
		}
		next = find_cpu(k, &group, cpu);
		if (next == cpu) {
			level--;
			continue;
		}
		detail = LINUX_D_IDLEST_GROUP;
		cpu = next;
		level = widest(k, cpu, flag, rwk_cpuset_weight(&d->span));
	}
	return answer(k, cpu, detail);
}
