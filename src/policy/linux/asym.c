/*
 * Machines whose CPUs differ in capacity (design §2.8): whether a task fits on
 * a CPU, and the idle scan of the capacity domain.
 */
#include "policy/linux/walk.h"

static int64_t clamp(int64_t value, int64_t min, int64_t max)
{
	return value < min ? min : value > max ? max : value;
}

/* Below 80 % of what the CPU has to give. */
static bool has_room(int64_t util, int64_t capacity)
{
	return util * 1280 < capacity * 1024;
}

/* util_fits_cpu: 1 yes, 0 no, -1 but for the least capacity that p asks for. */
static int fits_with_uclamp(const struct rwk_task_view *p, int64_t util, int64_t now, int64_t orig)
{
	int64_t least = p->uclamp_min < p->uclamp_max ? p->uclamp_min : p->uclamp_max;
	bool fits = has_room(util, now) ||
		    (p->uclamp_max <= orig && !(p->uclamp_max == 1024 && orig == 1024));

	if (fits && util < least && least > orig)
		return -1;
	return fits;
}

static bool siblings_idle(struct walk *k, int cpu)
{
	rwk_cpuset_foreach_below (c, &k->m->cpu[cpu].smt, k->m->nr_cpu_ids) {
		if (c != cpu && !walk_idle(k, c))
			return false;
	}
	return true;
}

/* Without the question whether its core is idle. */
static int fits_alone(struct walk *k, int cpu)
{
	const struct rwk_task_view *p = &k->w->wakee;
	int64_t util = p->util_avg > p->util_est ? p->util_avg : p->util_est;
	int64_t now = k->w->cpu[cpu].capacity;

	if (p->load_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_LOAD);
	if (p->uclamp_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_UCLAMP);
	if (!k->r->asym.uclamp_aware)
		return has_room(clamp(util, p->uclamp_min, p->uclamp_max), now);
	/* What heat or a capped frequency takes away is in no recording: taken for nothing. */
	return fits_with_uclamp(p, util, now, k->m->cpu[cpu].capacity);
}

int linux_fits(struct walk *k, int cpu)
{
	if (k->r->asym.whole_core && k->m->smt_active && !siblings_idle(k, cpu))
		return 0;
	return fits_alone(k, cpu);
}

static const struct rwk_domain *capacity_domain(const struct walk *k, int cpu)
{
	const struct rwk_machine_cpu *mc = &k->m->cpu[cpu];

	for (int i = 0; i < mc->nr_domains; i++) {
		if (mc->domain[i].flags & RWK_SD_ASYM_CPUCAPACITY)
			return &mc->domain[i];
	}
	return NULL;
}

/* Best so far among idle CPUs on which p does not fit. */
struct best {
	int cpu, fit;
	bool core;
	uint32_t capacity;
};

static void consider(const struct walk *k, struct best *b, int c, int fit, bool core)
{
	uint32_t capacity = fit < 0 && k->r->asym.ranked ? (uint32_t)k->m->cpu[c].capacity
							 : k->w->cpu[c].capacity;
	bool better;

	if (!k->r->asym.ranked)
		fit = 0;
	better = b->cpu == RWK_NONE ? true
		 : core != b->core  ? core
		 : fit != b->fit    ? fit > 0 || (fit < 0 && b->fit == 0)
				    : capacity > b->capacity;
	if (better)
		*b = (struct best){.cpu = c, .fit = fit, .core = core, .capacity = capacity};
}

/* How far the scan may look: from 7.0 as far as any other (design §2.8). */
static int64_t limit(struct walk *k, int target)
{
	int llc = k->m->cpu[target].llc;

	if (!k->r->asym.whole_core || k->r->scan != LINUX_SCAN_UTIL || llc == RWK_NONE)
		return LINUX_NO_LIMIT;
	if (k->w->llc[llc].nr_idle_scan_source == RWK_UNKNOWN) {
		walk_unknown(k, RWK_IN_NR_IDLE_SCAN);
		return LINUX_NO_LIMIT;
	}
	return (int64_t)k->w->llc[llc].nr_idle_scan + 1;
}

static bool wants_core(struct walk *k, int target)
{
	int llc = k->m->cpu[target].llc;

	if (!k->r->asym.whole_core || !k->m->smt_active || llc == RWK_NONE)
		return false;
	if (k->w->llc[llc].has_idle_cores_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_IDLE_CORES);
	return k->w->llc[llc].has_idle_cores;
}

static int scan_capacity(struct walk *k, const struct rwk_domain *d, int target)
{
	struct best best = {.cpu = RWK_NONE};
	bool cores = wants_core(k, target);
	int64_t left = limit(k, target);

	if (left == 1)
		return walk_found(k, target, LINUX_R_UTIL0);
	for (int half = 0; half < 2; half++) {
		int end = half ? target : k->m->nr_cpu_ids;

		for (int c = rwk_cpuset_next_below(&d->span, half ? 0 : target, end); c != RWK_NONE;
			c = rwk_cpuset_next_below(&d->span, c + 1, end)) {
			bool core;
			int fit;

			if (!walk_allowed(k, c))
				continue;
			if (!cores && left != LINUX_NO_LIMIT && --left <= 0)
				goto done;
			if (!walk_avail(k, c))
				continue;
			core = cores && siblings_idle(k, c);
			fit = fits_alone(k, c);
			if (fit > 0 && core == cores)
				return walk_found(k, c, LINUX_R_ASYM);
			consider(k, &best, c, fit, core);
		}
	}
done:
	if (cores && !best.core)
		k->v->effects |= RWK_EFFECT_NO_IDLE_CORES;
	if (best.cpu == RWK_NONE)
		return walk_found(k, target, LINUX_R_NONE);
	return walk_found(k, best.cpu, LINUX_R_ASYM);
}

bool linux_select_idle_capacity(struct walk *k, int target, int *ret)
{
	const struct rwk_domain *d = k->m->asym_capacity ? capacity_domain(k, target) : NULL;

	if (!d)
		return false;
	*ret = scan_capacity(k, d, target);
	return true;
}
