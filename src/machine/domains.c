/*
 * Scheduling domains by the kernel's own rules (design §2.3): levels from the
 * inside out, each kept only when it is larger than the one below, flags and
 * imbalance_pct by level and version; and the LLCs that follow from them.
 */
#include "machine/build.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Beyond this distance the kernel neither pulls wakeups nor balances fork and
 * exec.  Some machines have their own limit, which no file tells: there only
 * the recorded flags are right.
 */
#define RECLAIM_DISTANCE 30
#define MAX_CAPACITIES   64 /* kinds of CPU in one machine; real ones have up to five */

static const struct rwk_version v5_10 = {5, 10, 0}, v5_16 = {5, 16, 0}, v6_7 = {6, 7, 0};

/* An unknown version is taken for a recent one. */
static bool before(const struct rwk_build *b, struct rwk_version v)
{
	return b->m->kernel.major && rwk_version_cmp(b->m->kernel, v) < 0;
}

const char *rwk_domain_level_name(enum rwk_domain_level level, struct rwk_version kernel)
{
	static const char *const names[RWK_LEVEL_COUNT] = {
		[RWK_LEVEL_SMT] = "SMT",
		[RWK_LEVEL_CLS] = "CLS",
		[RWK_LEVEL_MC] = "MC",
		[RWK_LEVEL_PKG] = "PKG",
		[RWK_LEVEL_NUMA] = "NUMA",
	};

	if (level == RWK_LEVEL_PKG && kernel.major && rwk_version_cmp(kernel, v6_7) < 0)
		return "DIE";
	return names[level];
}

static int imbalance_pct(const struct rwk_build *b, enum rwk_domain_level level)
{
	switch (level) {
	case RWK_LEVEL_SMT:
		return 110;
	case RWK_LEVEL_CLS:
	case RWK_LEVEL_MC:
		return before(b, (struct rwk_version){3, 0, 0}) ? 125 : 117;
	default:
		return before(b, v5_10) ? 125 : 117;
	}
}

static uint32_t level_flags(const struct rwk_build *b, enum rwk_domain_level level, int distance)
{
	uint32_t flags = RWK_SD_BALANCE_EXEC | RWK_SD_BALANCE_FORK | RWK_SD_WAKE_AFFINE;

	switch (level) {
	case RWK_LEVEL_SMT:
		flags |= RWK_SD_SHARE_CPUCAPACITY | RWK_SD_SHARE_LLC;
		break;
	case RWK_LEVEL_CLS:
		flags |= RWK_SD_SHARE_LLC;
		if (!before(b, v6_7))
			flags |= RWK_SD_CLUSTER;
		break;
	case RWK_LEVEL_MC:
		flags |= RWK_SD_SHARE_LLC;
		break;
	case RWK_LEVEL_NUMA:
		flags |= RWK_SD_NUMA;
		if (distance > RECLAIM_DISTANCE)
			flags &= ~(uint32_t)(RWK_SD_BALANCE_EXEC | RWK_SD_BALANCE_FORK |
					     RWK_SD_WAKE_AFFINE);
		break;
	default:
		break;
	}
	return flags;
}

static bool is_subset(const struct rwk_cpuset *inner, const struct rwk_cpuset *outer)
{
	struct rwk_cpuset rest = *inner;

	rwk_cpuset_sub(&rest, outer);
	return rwk_cpuset_empty(&rest);
}

/* Adds a level around what is there already; distance is that of a NUMA level. */
static void add_level(struct rwk_build *b, int cpu, enum rwk_domain_level level, int distance,
	const struct rwk_cpuset *cpus)
{
	struct rwk_machine_cpu *c = &b->m->cpu[cpu];
	const struct rwk_domain *child = c->nr_domains ? &c->domain[c->nr_domains - 1] : NULL;
	struct rwk_cpuset span;

	rwk_cpuset_and(&span, cpus, &b->active);
	if (rwk_cpuset_weight(&span) < 2 || (child && rwk_cpuset_equal(&child->span, &span)))
		return;
	if (c->nr_domains == RWK_MAX_DOMAINS || (child && !is_subset(&child->span, &span))) {
		rwk_build_contradiction(b, cpu);
		return;
	}
	c->domain[c->nr_domains++] = (struct rwk_domain){
		.level = level,
		.flags = level_flags(b, level, distance),
		.imbalance_pct = imbalance_pct(b, level),
		.span = span,
	};
}

/* What MC spans: the CPUs that share the last-level cache, within one node. */
static void llc_span(const struct rwk_build *b, int cpu, struct rwk_cpuset *ret)
{
	const struct rwk_build_cpu *facts = &b->cpu[cpu];
	int node = b->m->cpu[cpu].node;

	/*
	 * Virtual machines often have no cache files: the kernel, not knowing
	 * either, then takes the package for the cache.
	 */
	*ret = rwk_cpuset_empty(&facts->cache) ? facts->package : facts->cache;
	if (node != RWK_NONE)
		rwk_cpuset_and(ret, ret, &b->node[node]);
}

/* A real cluster is more than a core and less than the LLC; anything else is no level. */
static bool has_cluster(const struct rwk_build *b, int cpu, const struct rwk_cpuset *core,
	const struct rwk_cpuset *llc)
{
	const struct rwk_cpuset *cluster = &b->cpu[cpu].cluster;

	return is_subset(core, cluster) && is_subset(cluster, llc) &&
	       !rwk_cpuset_equal(core, cluster) && !rwk_cpuset_equal(cluster, llc);
}

/* NUMA levels: for each distance that occurs, nearest first, all nodes up to it. */
static void add_numa_levels(struct rwk_build *b, int cpu)
{
	int node = b->m->cpu[cpu].node, nr = b->m->nr_nodes;

	if (!b->distance)
		return;
	for (int distance = 1; distance < 256; distance++) {
		struct rwk_cpuset span;

		/* The distance of a node to itself is the level below. */
		if (!b->distance_occurs[distance] || distance == b->distance[node * nr + node])
			continue;
		rwk_cpuset_zero(&span);
		rwk_cpuset_foreach (to, &b->nodes) {
			if (b->distance[node * nr + to] > distance)
				continue;
			for (int i = 0; i < RWK_CPUSET_WORDS; i++)
				span.word[i] |= b->node[to].word[i];
		}
		add_level(b, cpu, RWK_LEVEL_NUMA, distance, &span);
	}
}

static void derive_domains(struct rwk_build *b, int cpu)
{
	struct rwk_machine_cpu *c = &b->m->cpu[cpu];
	struct rwk_cpuset llc;

	llc_span(b, cpu, &llc);
	add_level(b, cpu, RWK_LEVEL_SMT, 0, &c->smt);
	if (has_cluster(b, cpu, &c->smt, &llc)) {
		c->cluster = rwk_cpuset_next(&b->cpu[cpu].cluster, 0);
		if (!before(b, v5_16))
			add_level(b, cpu, RWK_LEVEL_CLS, 0, &b->cpu[cpu].cluster);
	} else {
		rwk_cpuset_zero(&b->cpu[cpu].cluster);
	}
	add_level(b, cpu, RWK_LEVEL_MC, 0, &llc);
	if (c->node == RWK_NONE)
		return;
	add_level(b, cpu, RWK_LEVEL_PKG, 0, &b->node[c->node]);
	add_numa_levels(b, cpu);
}

/* A domain that sees every capacity that the machine has is where capacity decides. */
static void mark_capacity(struct rwk_build *b)
{
	struct rwk_machine *m = b->m;
	struct rwk_cpuset first_of_kind; /* one CPU for each capacity */

	rwk_cpuset_zero(&first_of_kind);
	rwk_cpuset_foreach (cpu, &b->active) {
		bool seen = false;

		rwk_cpuset_foreach (other, &first_of_kind)
			seen |= m->cpu[other].capacity == m->cpu[cpu].capacity;
		if (!seen)
			rwk_cpuset_add(&first_of_kind, cpu);
	}
	m->asym_capacity = rwk_cpuset_weight(&first_of_kind) > 1;
	if (!m->asym_capacity)
		return;
	if (rwk_cpuset_weight(&first_of_kind) > MAX_CAPACITIES) {
		rwk_build_contradiction(b, RWK_NONE);
		return;
	}
	rwk_cpuset_foreach (cpu, &b->active) {
		for (int i = 0; i < m->cpu[cpu].nr_domains; i++) {
			struct rwk_domain *d = &m->cpu[cpu].domain[i];
			bool all = true;

			rwk_cpuset_foreach (kind, &first_of_kind) {
				bool found = false;

				rwk_cpuset_foreach (other, &d->span)
					found |= m->cpu[other].capacity == m->cpu[kind].capacity;
				all &= found;
			}
			if (all)
				d->flags |= RWK_SD_ASYM_CPUCAPACITY;
		}
	}
}

void rwk_build_domains(struct rwk_build *b)
{
	rwk_cpuset_foreach (cpu, &b->active)
		derive_domains(b, cpu);
	mark_capacity(b);
	if (!b->sets) {
		rwk_build_index_schedstat(b);
		rwk_cpuset_foreach (cpu, &b->active)
			rwk_build_recorded_domains(b, cpu);
	}
	rwk_cpuset_foreach (cpu, &b->active) {
		for (int i = 0; i < b->m->cpu[cpu].nr_domains; i++)
			b->m->cluster_active |=
				(b->m->cpu[cpu].domain[i].flags & RWK_SD_CLUSTER) != 0;
	}
}

/* Index of the LLC that cpu founds: itself and all whose LLC domain is the same. */
static int found_llc(struct rwk_build *b, int cpu)
{
	struct rwk_machine *m = b->m;
	struct rwk_machine_llc *llc = &m->llc[m->nr_llc];
	const struct rwk_cpuset *span = &b->cpu[cpu].llc;

	llc->first_cpu = cpu;
	rwk_cpuset_foreach (other, span) {
		/* Spans that overlap without being equal: each its own, and said. */
		if (!rwk_cpuset_equal(span, &b->cpu[other].llc)) {
			rwk_build_contradiction(b, other);
			continue;
		}
		m->cpu[other].llc = m->nr_llc;
		rwk_cpuset_add(&llc->cpus, other);
	}
	llc->size = rwk_cpuset_weight(&llc->cpus);
	return m->nr_llc++;
}

int rwk_build_llcs(struct rwk_build *b)
{
	struct rwk_machine *m = b->m;

	rwk_cpuset_foreach (cpu, &b->active) {
		/* The outermost domain that shares a cache; none: the CPU is its own LLC. */
		for (int i = 0; i < m->cpu[cpu].nr_domains; i++) {
			if (m->cpu[cpu].domain[i].flags & RWK_SD_SHARE_LLC)
				b->cpu[cpu].llc = m->cpu[cpu].domain[i].span;
		}
	}
	m->llc = calloc((size_t)m->nr_cpu_ids + 1, sizeof(*m->llc));
	if (!m->llc)
		return -ENOMEM;
	rwk_cpuset_foreach (cpu, &b->active) {
		struct rwk_machine_cpu *c = &m->cpu[cpu];

		if (c->llc == RWK_NONE && !rwk_cpuset_empty(&b->cpu[cpu].llc))
			found_llc(b, cpu);
		if (c->llc != RWK_NONE && rwk_cpuset_empty(&b->cpu[cpu].cluster))
			c->cluster = m->llc[c->llc].first_cpu;
	}
	return 0;
}
