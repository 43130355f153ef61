/* Cores and caches of an edited machine. */
#include "machine/edit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

#define CPU_DIR    RWK_EDIT_CPU_DIR
#define MAX_CACHES 16

static void cache_path(char *buf, size_t size, int cpu, int index, const char *name)
{
	snprintf(buf, size, CPU_DIR "/cpu%d/cache/index%d/%s", cpu, index, name);
}

/* Level of a cache that holds data, 0 if there is none of that index. */
static int cache_level(const struct rwk_edit *e, int cpu, int index)
{
	const char *content;
	char path[128], number[16];
	int64_t level;
	size_t len;

	cache_path(path, sizeof(path), cpu, index, "type");
	content = rwk_snapshot_file(e->snap, path);
	if (content && !strncmp(content, "Instruction", 11))
		return 0;
	cache_path(path, sizeof(path), cpu, index, "level");
	content = rwk_snapshot_file(e->snap, path);
	len = content ? strcspn(content, "\n") : 0;
	if (!len || len >= sizeof(number))
		return 0;
	memcpy(number, content, len);
	number[len] = '\0';
	return rwk_parse_i64(number, 1, 16, &level) ? 0 : (int)level;
}

static int put_cache(const struct rwk_edit *e, int cpu, int index, const struct rwk_cpuset *cpus)
{
	char path[128];
	int err;

	cache_path(path, sizeof(path), cpu, index, "size");
	err = rwk_snapshot_file(e->snap, path) ? rwk_edit_put(e, NULL, "%s", path) : 0;
	cache_path(path, sizeof(path), cpu, index, "shared_cpu_list");
	return err ? err : rwk_edit_put_cpus(e, cpus, path);
}

static bool is_subset(const struct rwk_cpuset *inner, const struct rwk_cpuset *outer)
{
	struct rwk_cpuset rest = *inner;

	rwk_cpuset_sub(&rest, outer);
	return rwk_cpuset_empty(&rest);
}

/* ---- SMT ---- */

int rwk_edit_smt_off(const struct rwk_edit *e)
{
	static const char *const cores[] = {"thread_siblings_list", "core_cpus_list"};
	int err = rwk_edit_put(e, "0\n", CPU_DIR "/smt/active");

	rwk_cpuset_foreach (cpu, &e->m->online) {
		const struct rwk_cpuset *core = &e->m->cpu[cpu].smt;
		struct rwk_cpuset self, cpus;
		char path[128];

		rwk_cpuset_zero(&self);
		rwk_cpuset_add(&self, cpu);
		for (size_t i = 0; i < 2 && !err; i++) {
			snprintf(path, sizeof(path), CPU_DIR "/cpu%d/topology/%s", cpu, cores[i]);
			/* The first name is there in any case: a silent CPU would be of no core. */
			if (!i || rwk_snapshot_file(e->snap, path))
				err = rwk_edit_put_cpus(e, &self, path);
		}
		snprintf(path, sizeof(path), CPU_DIR "/cpu%d/topology/cluster_cpus_list", cpu);
		if (!err && rwk_edit_read_cpus(e, path, &cpus) && is_subset(&cpus, core))
			err = rwk_edit_put_cpus(e, &self, path);
		for (int i = 0; i < MAX_CACHES && !err; i++) {
			cache_path(path, sizeof(path), cpu, i, "shared_cpu_list");
			if (rwk_edit_read_cpus(e, path, &cpus) && is_subset(&cpus, core) &&
				!rwk_cpuset_equal(&cpus, &self))
				err = put_cache(e, cpu, i, &self);
		}
	}
	return err;
}

/* ---- last-level caches ---- */

static int node_of(const struct rwk_edit *e, int cpu)
{
	return e->numa_off ? 0 : e->m->cpu[cpu].node;
}

/* CPUs as close neighbours as they were. */
static int compare(const struct rwk_machine *m, int a, int b)
{
	const struct rwk_machine_cpu *x = &m->cpu[a], *y = &m->cpu[b];
	const int key[][2] = {{x->node, y->node}, {x->package, y->package}, {x->llc, y->llc},
		{x->core, y->core}, {a, b}};
	size_t i = 0;

	while (i < 4 && key[i][0] == key[i][1])
		i++;
	return key[i][0] - key[i][1];
}

/* Insertion: RWK_MAX_CPUS at most, and nearly in order already. */
static int sorted_cpus(const struct rwk_edit *e, int ret[RWK_MAX_CPUS])
{
	int nr = 0;

	rwk_cpuset_foreach (cpu, &e->m->online) {
		int at = nr++;

		for (; at && compare(e->m, ret[at - 1], cpu) > 0; at--)
			ret[at] = ret[at - 1];
		ret[at] = cpu;
	}
	return nr;
}

static int cut_llcs(const struct rwk_edit *e)
{
	int cpu[RWK_MAX_CPUS];
	int nr = sorted_cpus(e, cpu);

	for (int i = 0; i < nr; i += e->llc_size) {
		struct rwk_cpuset set;

		rwk_cpuset_zero(&set);
		for (int k = i; k < i + e->llc_size; k++) {
			if (k == nr || node_of(e, cpu[k]) != node_of(e, cpu[i]))
				return rwk_edit_fail(e, -EINVAL,
					"node %d has no multiple of %d CPUs, and no cache crosses "
					"nodes%s",
					node_of(e, cpu[i]), e->llc_size,
					e->m->nr_nodes > 1 && !e->numa_off
						? "; numa=off makes all nodes one"
						: "");
			rwk_cpuset_add(&set, cpu[k]);
		}
		rwk_cpuset_foreach (member, &set)
			e->llc[member] = set;
	}
	return 0;
}

static int parse_llcs(const struct rwk_edit *e)
{
	char *save = NULL;

	for (char *p = e->llc_sets, *part; (part = strtok_r(p, "/", &save)); p = NULL) {
		struct rwk_cpuset set;

		for (char *c = part; *c; c++)
			*c = *c == '+' ? ',' : *c;
		if (rwk_parse_cpulist(part, &set) || rwk_cpuset_empty(&set))
			return rwk_edit_fail(e, -EINVAL, "%.100s is no list of CPUs", part);
		rwk_cpuset_foreach (cpu, &set) {
			if (!rwk_cpuset_has(&e->m->online, cpu))
				return rwk_edit_fail(e, -EINVAL, "there is no CPU %d online", cpu);
			if (!rwk_cpuset_empty(&e->llc[cpu]))
				return rwk_edit_fail(e, -EINVAL, "CPU %d has two caches", cpu);
			e->llc[cpu] = set;
		}
	}
	return 0;
}

/* Caches hold whole cores and lie within a node: otherwise the kernel would see other ones. */
static int check_llcs(const struct rwk_edit *e)
{
	rwk_cpuset_foreach (cpu, &e->m->online) {
		if (rwk_cpuset_empty(&e->llc[cpu]))
			return rwk_edit_fail(e, -EINVAL, "CPU %d has no cache", cpu);
		if (!e->smt_off && !is_subset(&e->m->cpu[cpu].smt, &e->llc[cpu]))
			return rwk_edit_fail(e, -EINVAL,
				"the core of CPU %d is cut; smt=off makes each CPU a core", cpu);
		rwk_cpuset_foreach (other, &e->llc[cpu]) {
			if (node_of(e, other) != node_of(e, cpu))
				return rwk_edit_fail(e, -EINVAL,
					"CPUs %d and %d are of two nodes, and no cache crosses "
					"them; numa=off makes all nodes one",
					cpu, other);
		}
	}
	return 0;
}

/* The last cache of cpu becomes cpus; those below it do not reach beyond it. */
static int put_llc(const struct rwk_edit *e, int cpu, const struct rwk_cpuset *cpus)
{
	int last = RWK_NONE, level = 0, err = 0;
	char path[128];

	for (int i = 0; i < MAX_CACHES; i++) {
		if (cache_level(e, cpu, i) > level) {
			level = cache_level(e, cpu, i);
			last = i;
		}
	}
	/* Where the package stood in for it, as in many virtual machines. */
	if (last == RWK_NONE) {
		last = 3;
		err = rwk_edit_put(e, "3\n", CPU_DIR "/cpu%d/cache/index%d/level", cpu, last);
		if (!err)
			err = rwk_edit_put(
				e, "Unified\n", CPU_DIR "/cpu%d/cache/index%d/type", cpu, last);
	}
	for (int i = 0; i < MAX_CACHES && !err; i++) {
		struct rwk_cpuset below;

		cache_path(path, sizeof(path), cpu, i, "shared_cpu_list");
		if (i == last) {
			if (!rwk_edit_read_cpus(e, path, &below) || !rwk_cpuset_equal(&below, cpus))
				err = put_cache(e, cpu, i, cpus);
		} else if (rwk_edit_read_cpus(e, path, &below) && !is_subset(&below, cpus)) {
			rwk_cpuset_and(&below, &below, cpus);
			err = put_cache(e, cpu, i, &below);
		}
	}
	return err;
}

int rwk_edit_llcs(struct rwk_edit *e)
{
	int err;

	e->llc = calloc((size_t)e->m->nr_cpu_ids + 1, sizeof(*e->llc));
	if (!e->llc)
		return rwk_edit_fail(e, -ENOMEM, "no memory");
	err = e->llc_sets ? parse_llcs(e) : cut_llcs(e);
	if (!err)
		err = check_llcs(e);
	rwk_cpuset_foreach (cpu, &e->m->online) {
		if (!err)
			err = put_llc(e, cpu, &e->llc[cpu]);
	}
	return err;
}
