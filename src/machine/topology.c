/*
 * CPUs, cores, clusters, caches, packages and nodes out of sysfs files.
 * What contradicts itself (a CPU that is not in its own list, lists that do
 * not agree) is counted and stays unknown.
 */
#include "machine/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

#define CPU_DIR    "sys/devices/system/cpu"
#define NODE_DIR   "sys/devices/system/node"
#define MAX_CACHES 16
#define MAX_NODES  1024

/* The set in content, only CPUs that are online.  false when absent or malformed. */
static bool read_set(struct rwk_build *b, int cpu, const char *content, struct rwk_cpuset *ret)
{
	struct rwk_cpuset set;

	if (!content)
		return false;
	if (rwk_parse_cpulist(content, &set)) {
		rwk_build_contradiction(b, cpu);
		return false;
	}
	rwk_cpuset_and(ret, &set, &b->m->online);
	return true;
}

/* One of the lists of CPU ids; absent: empty. */
static int read_ids(struct rwk_build *b, const char *path, struct rwk_cpuset *ret)
{
	const char *content = rwk_build_file(b, "%s", path);
	int err = content ? rwk_parse_cpulist(content, ret) : 0;

	if (err == -ERANGE)
		return rwk_diag_push(b->diag, err, "too many CPUs: file=%s why=CPU ids end at %d",
			path, RWK_MAX_CPUS - 1);
	if (err)
		rwk_build_contradiction(b, RWK_NONE);
	return 0;
}

int rwk_build_ids(struct rwk_build *b, int min_cpus, struct rwk_cpuset *ret_online, int *ret_nr)
{
	struct rwk_cpuset online, present, extra;
	int err, nr = min_cpus;

	rwk_cpuset_zero(&online);
	rwk_cpuset_zero(&present);
	err = read_ids(b, CPU_DIR "/online", &online);
	if (!err)
		err = read_ids(b, CPU_DIR "/present", &present);
	if (err)
		return err;
	/* Copies often lack the lists; a CPU's own folder proves it as well. */
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++) {
		const char *state = rwk_build_file(b, CPU_DIR "/cpu%d/online", cpu);

		if (rwk_build_file(b, CPU_DIR "/cpu%d/topology/thread_siblings_list", cpu) || state)
			rwk_cpuset_add(&present, cpu);
	}
	if (rwk_cpuset_empty(&online)) {
		rwk_cpuset_foreach (cpu, &present) {
			int64_t on = 1; /* CPU 0 often cannot go offline and has no such file */

			rwk_build_int(b, 0, 1, &on, CPU_DIR "/cpu%d/online", cpu);
			if (on)
				rwk_cpuset_add(&online, cpu);
		}
	}
	extra = online;
	rwk_cpuset_sub(&extra, &present);
	rwk_cpuset_foreach (cpu, &extra) {
		/* Without a list of present CPUs the online ones are all there is. */
		if (rwk_build_file(b, CPU_DIR "/present"))
			rwk_build_contradiction(b, cpu);
		rwk_cpuset_add(&present, cpu);
	}
	rwk_cpuset_foreach (cpu, &present) {
		if (cpu >= nr)
			nr = cpu + 1;
	}
	b->present = present;
	*ret_online = online;
	*ret_nr = nr;
	return 0;
}

/* CPUs sharing the highest cache level that holds data. */
static void read_cache(struct rwk_build *b, int cpu, struct rwk_cpuset *ret)
{
	int64_t best = 0;

	for (int i = 0; i < MAX_CACHES; i++) {
		const char *type = rwk_build_file(b, CPU_DIR "/cpu%d/cache/index%d/type", cpu, i);
		int64_t level;

		if ((type && !strncmp(type, "Instruction", 11)) ||
			rwk_build_int(
				b, 1, 16, &level, CPU_DIR "/cpu%d/cache/index%d/level", cpu, i) ||
			level <= best)
			continue;
		/* If it does not say who shares it, a lower level must not stand in for it. */
		best = level;
		rwk_cpuset_zero(ret);
		read_set(b, cpu,
			rwk_build_file(b, CPU_DIR "/cpu%d/cache/index%d/shared_cpu_list", cpu, i),
			ret);
	}
}

/* The same facts have two names: the older one first in kernels that have both. */
static void read_topology_set(
	struct rwk_build *b, int cpu, const char *name, const char *other, struct rwk_cpuset *ret)
{
	const char *content = rwk_build_file(b, CPU_DIR "/cpu%d/topology/%s", cpu, name);

	if (!content && other)
		content = rwk_build_file(b, CPU_DIR "/cpu%d/topology/%s", cpu, other);
	read_set(b, cpu, content, ret);
}

static void read_cpu(struct rwk_build *b, int cpu)
{
	struct rwk_machine_cpu *c = &b->m->cpu[cpu];
	struct rwk_build_cpu *facts = &b->cpu[cpu];
	struct rwk_cpuset core;
	int64_t v;
	int err;

	rwk_cpuset_zero(&core);
	read_topology_set(b, cpu, "thread_siblings_list", "core_cpus_list", &core);
	c->smt = core; /* empty for now when unknown, for check_partition() */
	read_topology_set(b, cpu, "cluster_cpus_list", NULL, &facts->cluster);
	read_topology_set(b, cpu, "core_siblings_list", "package_cpus_list", &facts->package);
	read_cache(b, cpu, &facts->cache);
	/* -1: firmware does not say. */
	err = rwk_build_int(
		b, -1, INT32_MAX, &v, CPU_DIR "/cpu%d/topology/physical_package_id", cpu);
	if (!err)
		c->package = (int)v;
	err = rwk_build_int(b, 1, 1 << 20, &v, CPU_DIR "/cpu%d/cpu_capacity", cpu);
	if (!err)
		c->capacity = (int)v;
	else if (err != -ENOENT)
		rwk_build_contradiction(b, cpu);
}

/* A CPU that says nothing is in the set of those that name it. */
static void fill_silent(
	struct rwk_build *b, struct rwk_cpuset *(*get)(struct rwk_build *b, int cpu))
{
	rwk_cpuset_foreach (cpu, &b->m->online) {
		const struct rwk_cpuset *set = get(b, cpu);

		if (!rwk_cpuset_has(set, cpu))
			continue;
		rwk_cpuset_foreach (other, set) {
			if (rwk_cpuset_empty(get(b, other)))
				*get(b, other) = *set;
		}
	}
}

/*
 * Sets of one kind must partition the CPUs: each in its own, and all members
 * with the same one.  Those that do not become empty.
 */
static void check_partition(
	struct rwk_build *b, struct rwk_cpuset *(*get)(struct rwk_build *b, int cpu))
{
	struct rwk_cpuset bad;

	fill_silent(b, get);
	rwk_cpuset_zero(&bad);
	rwk_cpuset_foreach (cpu, &b->m->online) {
		struct rwk_cpuset *set = get(b, cpu);
		bool good = rwk_cpuset_empty(set) || rwk_cpuset_has(set, cpu);

		rwk_cpuset_foreach (other, set)
			good &= rwk_cpuset_equal(set, get(b, other));
		if (!good)
			rwk_cpuset_add(&bad, cpu);
	}
	rwk_cpuset_foreach (cpu, &bad) {
		rwk_cpuset_zero(get(b, cpu));
		rwk_build_contradiction(b, cpu);
	}
}

static struct rwk_cpuset *get_core(struct rwk_build *b, int cpu)
{
	return &b->m->cpu[cpu].smt;
}

static struct rwk_cpuset *get_cluster(struct rwk_build *b, int cpu)
{
	return &b->cpu[cpu].cluster;
}

static struct rwk_cpuset *get_cache(struct rwk_build *b, int cpu)
{
	return &b->cpu[cpu].cache;
}

static struct rwk_cpuset *get_package(struct rwk_build *b, int cpu)
{
	return &b->cpu[cpu].package;
}

int rwk_build_topology(struct rwk_build *b)
{
	struct rwk_machine *m = b->m;
	struct rwk_cpuset isolated;
	bool cores = false, groups = false;
	int err;

	if (rwk_cpuset_empty(&b->present))
		return 0;
	rwk_cpuset_foreach (cpu, &m->online)
		read_cpu(b, cpu);
	check_partition(b, get_core);
	check_partition(b, get_cluster);
	check_partition(b, get_cache);
	check_partition(b, get_package);
	rwk_cpuset_foreach (cpu, &m->online) {
		cores |= !rwk_cpuset_empty(&m->cpu[cpu].smt);
		groups |= !rwk_cpuset_empty(&b->cpu[cpu].cache) ||
			  !rwk_cpuset_empty(&b->cpu[cpu].package);
	}
	/* Without cores, or without anything above them, no distance can be told. */
	m->topology_known = cores && groups;
	rwk_cpuset_foreach (cpu, &m->online) {
		struct rwk_machine_cpu *c = &m->cpu[cpu];

		if (!m->topology_known)
			rwk_cpuset_zero(&c->smt);
		rwk_cpuset_add(&c->smt, cpu);
		c->core = rwk_cpuset_next(&c->smt, 0);
		m->smt_active |= rwk_cpuset_weight(&c->smt) > 1;
	}
	rwk_cpuset_zero(&isolated);
	err = read_ids(b, CPU_DIR "/isolated", &isolated);
	if (err)
		return err;
	b->active = m->online;
	if (b->sets)
		rwk_cpuset_and(&b->active, &m->online, &b->sets->domains);
	rwk_cpuset_sub(&b->active, &isolated);
	return 0;
}

/* A machine without node files has one node, as the kernel itself sees it then. */
static int single_node(struct rwk_build *b)
{
	b->m->nr_nodes = 1;
	b->node = calloc(1, sizeof(*b->node));
	if (!b->node)
		return -ENOMEM;
	b->node[0] = b->m->online;
	rwk_cpuset_zero(&b->nodes);
	rwk_cpuset_add(&b->nodes, 0);
	rwk_cpuset_foreach (cpu, &b->present)
		b->m->cpu[cpu].node = 0;
	return 0;
}

/* "10 20\n": distances of node to each online node, in their order. */
static bool parse_distances(struct rwk_build *b, int node, const char *text)
{
	const char *p = text;

	rwk_cpuset_foreach (other, &b->nodes) {
		int v = 0;

		while (*p == ' ')
			p++;
		if (*p < '0' || *p > '9')
			return false;
		while (*p >= '0' && *p <= '9' && v <= 255)
			v = v * 10 + (*p++ - '0');
		/* The firmware's table holds bytes, and 255 stands for unreachable. */
		if (v < 1 || v > 255)
			return false;
		b->distance[node * b->m->nr_nodes + other] = v;
		b->distance_occurs[v] = true;
	}
	return *p == '\n' || !*p;
}

static void read_distances(struct rwk_build *b)
{
	rwk_cpuset_foreach (node, &b->nodes) {
		const char *text = rwk_build_file(b, NODE_DIR "/node%d/distance", node);

		if (text && parse_distances(b, node, text))
			continue;
		/* One bad row spoils the order of all levels: then none is known. */
		if (text)
			rwk_build_contradiction(b, RWK_NONE);
		free(b->distance);
		b->distance = NULL;
		return;
	}
}

int rwk_build_nodes(struct rwk_build *b)
{
	struct rwk_machine *m = b->m;
	size_t nr;

	rwk_cpuset_zero(&b->nodes);
	for (int node = 0; node < MAX_NODES; node++) {
		if (rwk_build_file(b, NODE_DIR "/node%d/cpulist", node)) {
			rwk_cpuset_add(&b->nodes, node);
			m->nr_nodes = node + 1;
		}
	}
	if (!m->nr_nodes)
		return single_node(b);
	nr = (size_t)m->nr_nodes;
	b->node = calloc(nr, sizeof(*b->node));
	b->distance = calloc(nr * nr, sizeof(*b->distance));
	if (!b->node || !b->distance)
		return -ENOMEM;
	rwk_cpuset_foreach (node, &b->nodes) {
		struct rwk_cpuset cpus;

		rwk_cpuset_zero(&cpus);
		read_set(b, RWK_NONE, rwk_build_file(b, NODE_DIR "/node%d/cpulist", node), &cpus);
		rwk_cpuset_foreach (cpu, &cpus) {
			/* In two nodes: the first one keeps it. */
			if (m->cpu[cpu].node != RWK_NONE) {
				rwk_build_contradiction(b, cpu);
				continue;
			}
			m->cpu[cpu].node = node;
			rwk_cpuset_add(&b->node[node], cpu);
		}
	}
	rwk_cpuset_foreach (cpu, &m->online) {
		if (m->cpu[cpu].node == RWK_NONE)
			rwk_build_contradiction(b, cpu);
	}
	read_distances(b);
	return 0;
}
