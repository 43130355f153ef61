/*
 * The idle scan: select_idle_cpu and select_idle_core (design §2.7), with the
 * place between its limit test and its loop where policies step in (§5.4).
 */
#include "policy/linux/walk.h"

struct scan {
	struct walk *k;
	struct linux_scan at;
	int llc;
	bool cores; /* this pass looks for whole cores */
	int fallback; /* best thread of a busy core */
	int64_t may_spare; /* how many idle CPUs a policy may still leave alone */
	int spared; /* first of these */
	bool counts; /* somebody may see what is left of the limit: the scan reaches it, or a hook
			asks */
	/* [M], shrinking as busy cores leave it; elsewhere, as clearing it first takes long. */
	struct rwk_cpuset *mask;
};

/* Whole core of c idle: true.  Otherwise the core leaves the mask, and one of its idle threads
 * may become the fallback. */
static bool core_test(struct scan *s, int c)
{
	struct walk *k = s->k;
	const struct rwk_cpuset *smt = &k->m->cpu[c].smt;
	bool with_fallback = k->r->merged_scan, whole = true;

	rwk_cpuset_foreach_below (sibling, smt, k->m->nr_cpu_ids) {
		bool member = k->r->core_within_scan ? rwk_cpuset_has(s->mask, sibling)
						     : walk_allowed(k, sibling);

		if (!walk_idle(k, sibling)) {
			whole = false;
			if (!with_fallback || s->fallback != RWK_NONE)
				break;
			if (walk_avail(k, sibling) && member) {
				s->fallback = sibling;
				break;
			}
			continue;
		}
		if (with_fallback && s->fallback == RWK_NONE && member)
			s->fallback = sibling;
	}
	if (!whole)
		rwk_cpuset_sub(s->mask, smt);
	return whole;
}

/* An idle CPU was found: is it left to the task whose cache it holds? */
static bool spares(struct scan *s, int c)
{
	struct walk *k = s->k;

	if (!k->r->hook.spares || s->may_spare <= 0)
		return false;
	s->may_spare--;
	if (!k->r->hook.spares(k, c))
		return false;
	if (s->spared == RWK_NONE)
		s->spared = c;
	return true;
}

enum step { STEP_ON, STEP_FOUND, STEP_FAIL };

#define STEP "select_idle_cpu"

static enum step look_at(struct scan *s, int c)
{
	if (s->cores)
		return walk_ask(s->k, STEP, "whole core idle", c, core_test(s, c)) ? STEP_FOUND
										   : STEP_ON;
	if (s->counts) {
		s->at.left--;
		if (!walk_compare(s->k, STEP, "looks left before this CPU", c, s->at.left, ">", 0,
			    s->at.left > 0))
			return STEP_FAIL;
	}
	return walk_ask(s->k, STEP, "idle", c, walk_avail(s->k, c)) ? STEP_FOUND : STEP_ON;
}

/*
 * CPUs below end that are not free are looked at all at once, as look_at() would
 * look at each.  The first one from which on they must be looked at one by one:
 * it is free, or the limit is near.
 */
static int pass_over_busy(struct scan *s, const struct rwk_cpuset *within, int from, int end)
{
	const struct rwk_wakeup *w = s->k->w;

	while (from < end) {
		int i = from / 64, next = (i + 1) * 64;
		uint64_t look = s->mask->word[i] & (~UINT64_C(0) << from % 64);
		uint64_t free_ones;

		if (next > end)
			look &= ~(~UINT64_C(0) << end % 64);
		if (within)
			look &= within->word[i];
		free_ones = look & w->free_cpus->word[i];
		if (free_ones) {
			next = i * 64 + __builtin_ctzll(free_ones);
			look &= (free_ones & -free_ones) - 1;
		}
		if (s->counts) {
			int nr = __builtin_popcountll(look);

			if (s->at.left <= nr)
				return from;
			s->at.left -= nr;
		}
		if (look & w->unknown_cpus->word[i])
			walk_unknown(s->k, RWK_IN_CPU_STATE);
		from = next;
		if (free_ones)
			break;
	}
	return from;
}

static int next_to_look_at(struct scan *s, const struct rwk_cpuset *within, int from, int end)
{
	/* Who is told the steps is told each CPU. */
	if (!s->cores && s->k->w->free_cpus && !s->k->v->trace)
		from = pass_over_busy(s, within, from, end);
	return rwk_cpuset_next_below(s->mask, from, end);
}

/*
 * wrap(order, start): the mask is read live, because busy cores leave it while
 * the loop goes on.
 */
static enum step scan_in_order(struct scan *s, const struct rwk_cpuset *within, int *ret)
{
	int start = s->at.target + (s->k->r->scan_next ? 1 : 0);

	for (int half = 0; half < 2; half++) {
		int from = half ? 0 : start;
		int end = half ? start : s->k->m->nr_cpu_ids;

		for (int c = next_to_look_at(s, within, from, end); c != RWK_NONE;
			c = next_to_look_at(s, within, c + 1, end)) {
			enum step step;

			if (within && !rwk_cpuset_has(within, c))
				continue;
			step = look_at(s, c);
			if (step == STEP_ON || (step == STEP_FOUND && !within && spares(s, c)))
				continue;
			*ret = c;
			return step;
		}
	}
	return STEP_ON;
}

/* The hint of this scan's LLC is cleared. */
static void hint_lost(struct scan *s)
{
	struct rwk_verdict *v = s->k->v;

	if (v->target >= 0 && s->k->m->cpu[v->target].llc == s->llc)
		v->effects |= RWK_EFFECT_NO_IDLE_CORES;
	else if (s->llc < 64)
		v->more_no_idle_cores |= UINT64_C(1) << s->llc;
}

/* The end of a pass: with a CPU, or at the limit. */
static int finish(struct scan *s, enum step step, int cpu)
{
	struct walk *k = s->k;

	if (step == STEP_FOUND)
		return walk_found(k, cpu, s->cores ? LINUX_R_CORE : LINUX_R_SCAN);
	/* Unknown averages give the least that the kernel scans. */
	if (k->r->scan == LINUX_SCAN_PROP &&
		(k->w->avg_idle_source == RWK_UNKNOWN || k->w->avg_scan_cost_source == RWK_UNKNOWN))
		walk_unknown(k, RWK_IN_AVG_IDLE);
	return walk_found(k, RWK_NONE, LINUX_R_SCAN_LIMIT);
}

/* The CPUs of target's cluster, where the machine and the kernel look there first. */
static bool cluster_of(struct scan *s, struct rwk_cpuset *ret)
{
	const struct rwk_machine *m = s->k->m;

	if (!s->k->r->cluster || !m->cluster_active)
		return false;
	rwk_cpuset_zero(ret);
	rwk_cpuset_foreach_below (c, &m->llc[s->llc].cpus, m->nr_cpu_ids) {
		if (m->cpu[c].cluster == m->cpu[s->at.target].cluster)
			rwk_cpuset_add(ret, c);
	}
	return rwk_cpuset_weight(ret) < m->llc[s->llc].size;
}

static int merged_scan(struct scan *s)
{
	struct walk *k = s->k;
	struct rwk_cpuset cluster;
	enum step step;
	int cpu = RWK_NONE;

	s->cores = s->at.idle_cores;
	if (cluster_of(s, &cluster)) {
		step = scan_in_order(s, &cluster, &cpu);
		if (step != STEP_ON)
			return finish(s, step, cpu);
		rwk_cpuset_sub(s->mask, &cluster);
	}
	if (k->r->hook.before_scan) {
		cpu = k->r->hook.before_scan(k, &s->at);
		if (cpu != RWK_NONE)
			return cpu;
	}
	step = scan_in_order(s, NULL, &cpu);
	if (step != STEP_ON)
		return finish(s, step, cpu);
	if (s->at.idle_cores)
		hint_lost(s);
	if (s->fallback != RWK_NONE)
		return walk_found(k, s->fallback, LINUX_R_CORE_FALLBACK);
	if (s->spared != RWK_NONE)
		return walk_found(k, s->spared, LINUX_R_CACHE_HOT);
	return walk_found(k, RWK_NONE, LINUX_R_NONE);
}

/* Up to 5.11: whole cores first, then any CPU within the limit. */
static int separate_scan(struct scan *s)
{
	struct walk *k = s->k;
	struct rwk_cpuset all = *s->mask;
	enum step step;
	int cpu = RWK_NONE;

	if (k->r->hook.before_scan) {
		cpu = k->r->hook.before_scan(k, &s->at);
		if (cpu != RWK_NONE)
			return cpu;
	}
	if (s->at.idle_cores) {
		s->cores = true;
		step = scan_in_order(s, NULL, &cpu);
		if (step != STEP_ON)
			return finish(s, step, cpu);
		hint_lost(s);
		s->cores = false;
	}
	*s->mask = all;
	step = scan_in_order(s, NULL, &cpu);
	if (step != STEP_ON)
		return finish(s, step, cpu);
	if (s->spared != RWK_NONE)
		return walk_found(k, s->spared, LINUX_R_CACHE_HOT);
	return walk_found(k, RWK_NONE, LINUX_R_NONE);
}

/* How many CPUs SIS_PROP lets the scan see, plus one: never fewer than 4. */
static int64_t prop_limit(struct walk *k, int target)
{
	int64_t a, cost, span;

	if (k->w->avg_idle_source == RWK_UNKNOWN || k->w->avg_scan_cost_source == RWK_UNKNOWN)
		return 4;
	a = k->w->avg_idle_ns / 512;
	cost = k->w->avg_scan_cost_ns + 1;
	span = rwk_machine_llc_size(k->m, target) * a;
	return span > 4 * cost ? span / cost : 4;
}

/* false: the LLC is so busy that there is no scan at all. */
static bool set_limit(struct scan *s)
{
	struct walk *k = s->k;
	const struct rwk_llc_view *hint = &k->w->llc[s->llc];

	if (k->r->scan == LINUX_SCAN_UTIL) {
		if (hint->nr_idle_scan_source == RWK_UNKNOWN) {
			walk_unknown(k, RWK_IN_NR_IDLE_SCAN);
			s->may_spare = LINUX_NO_LIMIT;
			return true;
		}
		s->at.left = (int64_t)hint->nr_idle_scan + 1;
		s->may_spare = s->at.left / 2;
		return walk_compare(k, STEP, "CPUs worth looking at (nr_idle_scan)", RWK_NONE,
			hint->nr_idle_scan, ">", 0, s->at.left != 1);
	}
	if (k->r->scan == LINUX_SCAN_PROP && !(k->r->merged_scan && s->at.idle_cores))
		s->at.left = prop_limit(k, s->at.target);
	return true;
}

int linux_select_idle_cpu(struct walk *k, int target)
{
	struct rwk_cpuset mask;
	struct scan s = {.k = k,
		.mask = &mask,
		.at = {.target = target, .left = LINUX_NO_LIMIT},
		.llc = k->m->cpu[target].llc,
		.fallback = RWK_NONE,
		.spared = RWK_NONE};
	const struct rwk_llc_view *hint = &k->w->llc[s.llc];

	rwk_cpuset_and(&mask, &k->m->llc[s.llc].cpus, &k->w->allowed);
	if (k->w->allowed_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_AFFINITY);
	if (k->m->smt_active) {
		if (hint->has_idle_cores_source == RWK_UNKNOWN)
			walk_unknown(k, RWK_IN_IDLE_CORES);
		s.at.idle_cores = hint->has_idle_cores;
	}
	if (!set_limit(&s))
		return walk_found(k, RWK_NONE, LINUX_R_UTIL0);
	s.counts = s.at.left != LINUX_NO_LIMIT &&
		   (k->r->hook.before_scan || s.at.left <= k->m->llc[s.llc].size);
	return k->r->merged_scan ? merged_scan(&s) : separate_scan(&s);
}
