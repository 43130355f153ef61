/*
 * The idle scan: select_idle_cpu and select_idle_core (design §2.7), and the
 * SIS_SYNC hook that sits between its limit test and its loop (§5.4).
 */
#include "policy/linux/walk.h"

#define NO_LIMIT INT64_MAX

struct scan {
	struct walk *k;
	int target, llc;
	bool idle_cores; /* [h] */
	int64_t left; /* CPUs that may still be looked at, plus one */
	int fallback; /* best thread of a busy core */
	struct rwk_cpuset mask; /* [M], shrinking as busy cores leave it */
};

/* Whole core of c idle: c.  Otherwise the core leaves the mask, and one of its idle threads may
 * become the fallback. */
static int core_test(struct scan *s, int c, bool with_fallback)
{
	struct walk *k = s->k;
	const struct rwk_cpuset *smt = &k->m->cpu[c].smt;
	bool whole = true;

	rwk_cpuset_foreach (sibling, smt) {
		bool member;

		if (sibling >= k->m->nr_cpu_ids)
			continue;
		member = k->r->core_within_scan ? rwk_cpuset_has(&s->mask, sibling)
						: walk_allowed(k, sibling);
		if (!walk_idle(k, sibling)) {
			whole = false;
			if (!with_fallback)
				break;
			if (s->fallback != RWK_NONE)
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
	if (whole)
		return c;
	rwk_cpuset_sub(&s->mask, smt);
	return RWK_NONE;
}

enum step { STEP_ON, STEP_FOUND, STEP_FAIL };

/* The body of the merged loop at c. */
static enum step look_at(struct scan *s, int c, int *ret)
{
	if (s->idle_cores) {
		*ret = core_test(s, c, true);
		return *ret == RWK_NONE ? STEP_ON : STEP_FOUND;
	}
	if (s->left != NO_LIMIT && --s->left <= 0)
		return STEP_FAIL;
	if (!walk_avail(s->k, c))
		return STEP_ON;
	*ret = c;
	return STEP_FOUND;
}

/*
 * wrap(order, start): the mask is read live, because busy cores leave it while
 * the loop goes on.
 */
static enum step scan_in_order(struct scan *s, const struct rwk_cpuset *within, int start, int *ret)
{
	for (int half = 0; half < 2; half++) {
		int from = half ? 0 : start;
		int end = half ? start : RWK_MAX_CPUS;

		for (int c = rwk_cpuset_next(&s->mask, from); c != RWK_NONE && c < end;
			c = rwk_cpuset_next(&s->mask, c + 1)) {
			enum step step;

			if (within && !rwk_cpuset_has(within, c))
				continue;
			step = look_at(s, c, ret);
			if (step != STEP_ON)
				return step;
		}
	}
	return STEP_ON;
}

static void hint_lost(struct scan *s)
{
	s->k->v->effects |= RWK_EFFECT_NO_IDLE_CORES;
}

static int finish(struct scan *s, int cpu, enum linux_reason reason)
{
	s->k->v->reason = (uint16_t)reason;
	return cpu;
}

/* The CPUs of target's cluster, where the machine and the kernel look there first. */
static bool cluster_of(struct scan *s, struct rwk_cpuset *ret)
{
	const struct rwk_machine *m = s->k->m;

	if (!s->k->r->cluster || !m->cluster_active)
		return false;
	rwk_cpuset_zero(ret);
	rwk_cpuset_foreach (c, &m->llc[s->llc].cpus) {
		if (m->cpu[c].cluster == m->cpu[s->target].cluster)
			rwk_cpuset_add(ret, c);
	}
	return rwk_cpuset_weight(ret) < m->llc[s->llc].size;
}

/* Design §5.4: is the average run of t short against the machine's size? */
static bool is_short(struct walk *k, const struct rwk_task_view *t, int target)
{
	__int128 size = rwk_machine_llc_size(k->m, target);

	if (t->avg_run_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_AVG_RUN);
	if (!t->avg_run_ns && !k->r->zero_is_short)
		return false;
	return ((__int128)t->avg_run_ns << 16) < (__int128)k->r->migration_cost_ns * size * size;
}

static bool sis_sync_hits(struct scan *s)
{
	struct walk *k = s->k;
	const struct rwk_task_view *cur = &k->w->waker, *p = &k->w->wakee;

	if (!k->r->sis_sync || s->idle_cores)
		return false;
	if (k->w->sync_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_SYNC);
	if (!k->sync || s->target != k->this_cpu || walk_cpu(k, s->target)->nr_running > 1)
		return false;
	if (!is_short(k, p, s->target) || !is_short(k, cur, s->target))
		return false;
	if (p->last_wakee_source == RWK_UNKNOWN || cur->last_wakee_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_LAST_WAKEE);
	return cur->last_wakee == p->utid && p->last_wakee == cur->utid;
}

static int merged_scan(struct scan *s)
{
	struct rwk_cpuset cluster;
	enum step step;
	int cpu = RWK_NONE;
	int start = s->target + (s->k->r->scan_next ? 1 : 0);

	if (cluster_of(s, &cluster)) {
		step = scan_in_order(s, &cluster, start, &cpu);
		if (step == STEP_FAIL)
			return finish(s, RWK_NONE, LINUX_R_SCAN_LIMIT);
		if (step == STEP_FOUND)
			return finish(s, cpu, s->idle_cores ? LINUX_R_CORE : LINUX_R_SCAN);
		rwk_cpuset_sub(&s->mask, &cluster);
	}
	if (sis_sync_hits(s))
		return finish(s, s->target, LINUX_R_SIS_SYNC);
	step = scan_in_order(s, NULL, start, &cpu);
	if (step == STEP_FAIL)
		return finish(s, RWK_NONE, LINUX_R_SCAN_LIMIT);
	if (step == STEP_FOUND)
		return finish(s, cpu, s->idle_cores ? LINUX_R_CORE : LINUX_R_SCAN);
	if (s->idle_cores)
		hint_lost(s);
	if (s->fallback != RWK_NONE)
		return finish(s, s->fallback, LINUX_R_CORE_FALLBACK);
	return finish(s, RWK_NONE, LINUX_R_NONE);
}

/* Up to 5.11: whole cores first, then any CPU within SIS_PROP's limit. */
static int separate_scan(struct scan *s)
{
	struct walk *k = s->k;
	struct rwk_cpuset all = s->mask;

	if (s->idle_cores) {
		for (int half = 0; half < 2; half++) {
			int end = half ? s->target : RWK_MAX_CPUS;

			for (int c = rwk_cpuset_next(&s->mask, half ? 0 : s->target);
				c != RWK_NONE && c < end; c = rwk_cpuset_next(&s->mask, c + 1)) {
				if (core_test(s, c, false) != RWK_NONE)
					return finish(s, c, LINUX_R_CORE);
			}
		}
		hint_lost(s);
	}
	s->mask = all;
	for (int half = 0; half < 2; half++) {
		int end = half ? s->target : RWK_MAX_CPUS;

		for (int c = rwk_cpuset_next(&s->mask, half ? 0 : s->target);
			c != RWK_NONE && c < end; c = rwk_cpuset_next(&s->mask, c + 1)) {
			if (s->left != NO_LIMIT && --s->left == 0) {
				/* Unknown averages give the least that the kernel scans. */
				if (k->r->scan == LINUX_SCAN_PROP &&
					(k->w->avg_idle_source == RWK_UNKNOWN ||
						k->w->avg_scan_cost_source == RWK_UNKNOWN))
					walk_unknown(k, RWK_IN_AVG_IDLE);
				return finish(s, RWK_NONE, LINUX_R_SCAN_LIMIT);
			}
			if (walk_avail(k, c))
				return finish(s, c, LINUX_R_SCAN);
		}
	}
	return finish(s, RWK_NONE, LINUX_R_NONE);
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

int linux_select_idle_cpu(struct walk *k, int target)
{
	struct scan s = {.k = k,
		.target = target,
		.llc = k->m->cpu[target].llc,
		.left = NO_LIMIT,
		.fallback = RWK_NONE};
	const struct rwk_llc_view *hint = &k->w->llc[s.llc];

	rwk_cpuset_and(&s.mask, &k->m->llc[s.llc].cpus, &k->w->allowed);
	if (k->w->allowed_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_AFFINITY);
	s.idle_cores = k->m->smt_active && hint->has_idle_cores;
	if (!k->r->merged_scan) {
		if (k->r->scan == LINUX_SCAN_PROP)
			s.left = prop_limit(k, target);
		return separate_scan(&s);
	}
	if (k->r->scan == LINUX_SCAN_UTIL) {
		if (hint->nr_idle_scan_source == RWK_UNKNOWN)
			walk_unknown(k, RWK_IN_NR_IDLE_SCAN);
		else
			s.left = (int64_t)hint->nr_idle_scan + 1;
		if (s.left == 1)
			return finish(&s, RWK_NONE, LINUX_R_UTIL0);
	} else if (k->r->scan == LINUX_SCAN_PROP && !s.idle_cores) {
		s.left = prop_limit(k, target);
	}
	return merged_scan(&s);
}
