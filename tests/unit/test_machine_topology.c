/*
 * A snapshot's files become the domains, LLCs and settings that the kernel has
 * for them: by its rules alone, checked and corrected by what it recorded, and
 * nothing but unknowns where facts are missing or contradict each other.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/parse.h"
#include "machine/machine.h"
#include "snapshot_build.h"

static struct rwk_snapshot *snap_new(const char *release)
{
	struct rwk_snapshot *snap;

	assert_int_equal(rwk_snapshot_create(&snap), 0);
	assert_int_equal(rwk_snapshot_set_release(snap, release), 0);
	return snap;
}

/* Consecutive CPUs in groups of the given sizes; 0 leaves the file out. */
struct shape {
	int nr, core, cluster, cache, package, node;
};

static void put_group(
	struct rwk_snapshot *snap, int cpu, int size, int nr, const char *prefix, const char *file)
{
	int first = size ? cpu / size * size : 0, last = first + size - 1;
	char list[32];

	if (!size)
		return;
	if (last >= nr)
		last = nr - 1;
	snprintf(list, sizeof(list), first == last ? "%d\n" : "%d-%d\n", first, last);
	put(snap, list, "%s/cpu%d/%s", prefix, cpu, file);
}

static void put_shape(struct rwk_snapshot *snap, const struct shape *s)
{
	static const char dir[] = "sys/devices/system/cpu";
	char list[32];

	snprintf(list, sizeof(list), "0-%d\n", s->nr - 1);
	put(snap, list, "%s/online", dir);
	put(snap, list, "%s/present", dir);
	for (int cpu = 0; cpu < s->nr; cpu++) {
		put_group(snap, cpu, s->core, s->nr, dir, "topology/thread_siblings_list");
		put_group(snap, cpu, s->cluster, s->nr, dir, "topology/cluster_cpus_list");
		put_group(snap, cpu, s->package, s->nr, dir, "topology/core_siblings_list");
		if (!s->cache)
			continue;
		put_group(snap, cpu, s->core, s->nr, dir, "cache/index0/shared_cpu_list");
		put(snap, "1\n", "%s/cpu%d/cache/index0/level", dir, cpu);
		put(snap, "Data\n", "%s/cpu%d/cache/index0/type", dir, cpu);
		put_group(snap, cpu, s->cache, s->nr, dir, "cache/index3/shared_cpu_list");
		put(snap, "3\n", "%s/cpu%d/cache/index3/level", dir, cpu);
		put(snap, "Unified\n", "%s/cpu%d/cache/index3/type", dir, cpu);
	}
	for (int node = 0; s->node && node * s->node < s->nr; node++) {
		snprintf(list, sizeof(list), "%d-%d\n", node * s->node, (node + 1) * s->node - 1);
		put(snap, list, "sys/devices/system/node/node%d/cpulist", node);
	}
}

/* What holds for every machine, however bad the facts were. */
static void assert_sound(const struct rwk_machine *m)
{
	for (int cpu = 0; cpu < m->nr_cpu_ids; cpu++) {
		const struct rwk_machine_cpu *c = &m->cpu[cpu];

		assert_true(rwk_cpuset_has(&c->smt, cpu));
		assert_true(c->core >= 0 && c->core <= cpu);
		assert_true(c->cluster >= 0 && c->cluster <= cpu);
		assert_true(c->llc == RWK_NONE || (c->llc >= 0 && c->llc < m->nr_llc));
		assert_true(c->node >= RWK_NONE && c->node < m->nr_nodes);
		assert_true(c->nr_domains <= RWK_MAX_DOMAINS);
		if (c->llc != RWK_NONE)
			assert_true(rwk_cpuset_has(&m->llc[c->llc].cpus, cpu));
		for (int i = 0; i < c->nr_domains; i++) {
			struct rwk_cpuset rest = c->domain[i].span;

			assert_true(rwk_cpuset_has(&rest, cpu));
			rwk_cpuset_sub(&rest, &m->online);
			assert_true(rwk_cpuset_empty(&rest));
			if (!i)
				continue;
			rest = c->domain[i - 1].span;
			rwk_cpuset_sub(&rest, &c->domain[i].span);
			assert_true(rwk_cpuset_empty(&rest));
		}
	}
}

static struct rwk_machine *build(
	const struct rwk_snapshot *snap, int min_cpus, struct rwk_anomalies *anomalies)
{
	struct rwk_machine *m;

	*anomalies = (struct rwk_anomalies){0};
	assert_int_equal(rwk_machine_build(snap, "", min_cpus, anomalies, NULL, &m), 0);
	assert_sound(m);
	return m;
}

static void assert_domain(const struct rwk_machine *m, int cpu, int index,
	enum rwk_domain_level level, const char *span, int pct, uint32_t flags)
{
	const struct rwk_domain *d = &m->cpu[cpu].domain[index];
	char text[256];

	assert_true(index < m->cpu[cpu].nr_domains);
	rwk_format_cpulist(&d->span, text, sizeof(text));
	assert_string_equal(text, span);
	assert_int_equal(d->level, level);
	assert_int_equal(d->imbalance_pct, pct);
	assert_int_equal(d->flags, flags);
}

#define BASE (RWK_SD_BALANCE_EXEC | RWK_SD_BALANCE_FORK | RWK_SD_WAKE_AFFINE)
#define SMT  (BASE | RWK_SD_SHARE_CPUCAPACITY | RWK_SD_SHARE_LLC)
#define MC   (BASE | RWK_SD_SHARE_LLC)
#define NUMA (BASE | RWK_SD_NUMA)

static int64_t contradictions(const struct rwk_anomalies *anomalies)
{
	return anomalies->of[RWK_AN_BAD_SIDECAR].count;
}

static void derives_smt_mc_numa(void **state)
{
	struct rwk_snapshot *snap = snap_new("6.1.0-57-cloud-amd64");
	struct rwk_anomalies anomalies;
	struct rwk_machine *m;

	(void)state;
	put_shape(snap, &(struct shape){.nr = 8, .core = 2, .cluster = 2, .cache = 4, .node = 4});
	put(snap, "10 20\n", "sys/devices/system/node/node0/distance");
	put(snap, "20 10\n", "sys/devices/system/node/node1/distance");
	m = build(snap, 8, &anomalies);
	assert_int_equal(contradictions(&anomalies), 0);
	assert_true(m->topology_known && m->smt_active);
	assert_false(m->cluster_active || m->asym_capacity);
	assert_int_equal(m->kernel.major, 6);
	assert_int_equal(m->kernel.minor, 1);
	assert_int_equal(m->cpu[5].nr_domains, 3);
	assert_domain(m, 5, 0, RWK_LEVEL_SMT, "4-5", 110, SMT);
	assert_domain(m, 5, 1, RWK_LEVEL_MC, "4-7", 117, MC);
	assert_domain(m, 5, 2, RWK_LEVEL_NUMA, "0-7", 117, NUMA);
	assert_int_equal(m->nr_llc, 2);
	assert_int_equal(m->llc[1].first_cpu, 4);
	assert_int_equal(rwk_machine_llc_size(m, 7), 4);
	assert_int_equal(m->cpu[5].core, 4);
	/* A cluster that is no more than a core is none: the LLC stands for it. */
	assert_int_equal(m->cpu[7].cluster, 4);
	assert_int_equal(m->cpu[7].node, 1);
	rwk_machine_destroy(m);
	rwk_snapshot_destroy(snap);
}

static void distant_nodes_do_not_pull(void **state)
{
	static const char *const rows[] = {
		"10 21 31 31\n", "21 10 31 31\n", "31 31 10 21\n", "31 31 21 10\n"};
	struct rwk_snapshot *snap = snap_new("5.9.1");
	struct rwk_anomalies anomalies;
	struct rwk_machine *m;

	(void)state;
	put_shape(snap, &(struct shape){.nr = 16, .core = 1, .cache = 2, .node = 4});
	for (int i = 0; i < 4; i++)
		put(snap, rows[i], "sys/devices/system/node/node%d/distance", i);
	m = build(snap, 0, &anomalies);
	assert_int_equal(contradictions(&anomalies), 0);
	assert_int_equal(m->cpu[6].nr_domains, 4);
	assert_domain(m, 6, 0, RWK_LEVEL_MC, "6-7", 117, MC);
	assert_domain(m, 6, 1, RWK_LEVEL_PKG, "4-7", 125, BASE);
	assert_domain(m, 6, 2, RWK_LEVEL_NUMA, "0-7", 125, NUMA);
	assert_domain(m, 6, 3, RWK_LEVEL_NUMA, "0-15", 125, RWK_SD_NUMA);
	assert_string_equal(rwk_domain_level_name(RWK_LEVEL_PKG, m->kernel), "DIE");
	assert_false(m->smt_active);
	rwk_machine_destroy(m);
	rwk_snapshot_destroy(snap);
}

static void clusters_by_version(void **state)
{
	static const struct {
		const char *release;
		int nr_domains;
		bool active;
	} cases[] = {{"5.15.85", 1, false}, {"6.1.0", 2, false}, {"6.12.1", 2, true}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rwk_snapshot *snap = snap_new(cases[i].release);
		struct rwk_anomalies anomalies;
		struct rwk_machine *m;

		put_shape(
			snap, &(struct shape){
				      .nr = 8, .core = 1, .cluster = 4, .cache = 8, .package = 8});
		m = build(snap, 8, &anomalies);
		assert_int_equal(m->cpu[6].nr_domains, cases[i].nr_domains);
		assert_int_equal(m->cluster_active, cases[i].active);
		assert_int_equal(m->cpu[6].cluster, 4);
		if (cases[i].nr_domains == 2)
			assert_domain(m, 6, 0, RWK_LEVEL_CLS, "4-7", 117,
				MC | (cases[i].active ? RWK_SD_CLUSTER : 0));
		assert_int_equal(m->nr_llc, 1);
		rwk_machine_destroy(m);
		rwk_snapshot_destroy(snap);
	}
}

static void without_cache_files_the_package_counts(void **state)
{
	struct rwk_snapshot *snap = snap_new("6.12.0");
	struct rwk_anomalies anomalies;
	struct rwk_machine *m;

	(void)state;
	put_shape(snap, &(struct shape){.nr = 8, .core = 1, .package = 4});
	m = build(snap, 8, &anomalies);
	assert_true(m->topology_known);
	assert_int_equal(m->nr_llc, 2);
	assert_int_equal(m->nr_nodes, 1);
	assert_domain(m, 0, 0, RWK_LEVEL_MC, "0-3", 117, MC);
	assert_domain(m, 0, 1, RWK_LEVEL_PKG, "0-7", 117, BASE);
	assert_string_equal(rwk_domain_level_name(RWK_LEVEL_PKG, m->kernel), "PKG");
	rwk_machine_destroy(m);

	/* Cores alone tell no distance. */
	rwk_snapshot_destroy(snap);
	snap = snap_new("6.12.0");
	put_shape(snap, &(struct shape){.nr = 8, .core = 2});
	m = build(snap, 8, &anomalies);
	assert_false(m->topology_known);
	assert_int_equal(m->nr_cpu_ids, 8);
	assert_int_equal(m->cpu[0].llc, RWK_NONE);
	rwk_machine_destroy(m);
	rwk_snapshot_destroy(snap);
}

static void isolated_and_offline_have_no_domain(void **state)
{
	struct rwk_snapshot *snap = snap_new("6.1.0");
	struct rwk_anomalies anomalies;
	struct rwk_machine *m;

	(void)state;
	put_shape(snap, &(struct shape){.nr = 8, .core = 1, .cache = 8, .node = 8});
	put(snap, "2,5\n", "sys/devices/system/cpu/isolated");
	put(snap, "0-6\n", "sys/devices/system/cpu/online");
	m = build(snap, 8, &anomalies);
	assert_domain(m, 0, 0, RWK_LEVEL_MC, "0-1,3-4,6", 117, MC);
	assert_int_equal(m->cpu[2].nr_domains, 0);
	assert_int_equal(m->cpu[2].llc, RWK_NONE);
	assert_int_equal(rwk_machine_llc_size(m, 2), 1);
	assert_true(m->cpu[7].present);
	assert_false(m->cpu[7].online);
	assert_int_equal(m->cpu[7].nr_domains, 0);
	assert_int_equal(m->llc[0].size, 5);
	rwk_machine_destroy(m);
	rwk_snapshot_destroy(snap);
}

static void sparse_ids_and_the_trace(void **state)
{
	struct rwk_snapshot *snap = snap_new("6.1.0");
	struct rwk_anomalies anomalies;
	struct rwk_machine *m;

	(void)state;
	put(snap, "0,4,1023\n", "sys/devices/system/cpu/online");
	put(snap, "0,4,9,1023\n", "sys/devices/system/cpu/present");
	m = build(snap, 2, &anomalies);
	assert_int_equal(m->nr_cpu_ids, 1024);
	assert_true(m->cpu[9].present && !m->cpu[9].online);
	assert_false(m->cpu[5].present);
	assert_false(m->topology_known);
	/* The trace uses CPU 1, which this machine does not have. */
	assert_true(m->cpu[1].present);
	assert_int_equal(contradictions(&anomalies), 1);
	assert_int_equal(anomalies.of[RWK_AN_BAD_SIDECAR].first_cpu, 1);
	rwk_machine_destroy(m);

	put(snap, "0-1024\n", "sys/devices/system/cpu/present");
	assert_int_equal(rwk_machine_build(snap, "", 1, NULL, NULL, &m), -ERANGE);
	assert_int_equal(rwk_machine_build(NULL, "", RWK_MAX_CPUS + 1, NULL, NULL, &m), -ERANGE);
	assert_int_equal(rwk_machine_build(NULL, "", -1, NULL, NULL, &m), -ERANGE);
	rwk_snapshot_destroy(snap);
}

static void nothing_known(void **state)
{
	struct rwk_anomalies anomalies;
	struct rwk_machine *m = build(NULL, 3, &anomalies);

	(void)state;
	assert_false(m->topology_known);
	assert_int_equal(m->nr_cpu_ids, 3);
	assert_true(m->cpu[0].present && m->cpu[2].present);
	assert_false(rwk_machine_share_llc(m, 0, 1));
	assert_int_equal(m->migration_cost_ns == RWK_NS_NONE, 1);
	assert_int_equal(m->min_granularity_ns == RWK_NS_NONE, 1);
	assert_int_equal(m->hz, 0);
	assert_false(m->feature_known[RWK_FEAT_WA_IDLE]);
	rwk_machine_destroy(m);
	m = build(NULL, 0, &anomalies);
	assert_int_equal(m->nr_cpu_ids, 0);
	rwk_machine_destroy(m);
	rwk_machine_destroy(NULL);
}

static void recorded_domains_correct(void **state)
{
	static const char dir[] = "sys/kernel/debug/sched/domains";
	struct rwk_snapshot *snap = snap_new("6.12.0");
	struct rwk_anomalies anomalies;
	struct rwk_machine *m;

	(void)state;
	put_shape(snap, &(struct shape){.nr = 4, .core = 1, .cache = 4, .node = 4});
	/* Same domains, but this kernel has its own numbers for CPU 0. */
	put(snap, "MC\n", "%s/cpu0/domain0/name", dir);
	put(snap, "133\n", "%s/cpu0/domain0/imbalance_pct", dir);
	put(snap, "SD_BALANCE_EXEC SD_SHARE_LLC SD_PREFER_SIBLING \n", "%s/cpu0/domain0/flags",
		dir);
	put(snap,
		"version 17\ntimestamp 1\ncpu0 0 0\ndomain0 MC f 1 2\ncpu1 0\ndomain0 MC 0000000f "
		"0\n",
		"proc/schedstat");
	m = build(snap, 4, &anomalies);
	assert_int_equal(contradictions(&anomalies), 0);
	assert_domain(m, 0, 0, RWK_LEVEL_MC, "0-3", 133, RWK_SD_BALANCE_EXEC | RWK_SD_SHARE_LLC);
	assert_domain(m, 1, 0, RWK_LEVEL_MC, "0-3", 117, MC);
	rwk_machine_destroy(m);

	/* A cpuset split the machine in two: the kernel's spans hold, and that is said. */
	put(snap,
		"version 17\ntimestamp 1\n"
		"cpu0 0\ndomain0 MC 3 0\ncpu1 0\ndomain0 MC 3 0\n"
		"cpu2 0\ndomain0 MC c 0\ncpu3 0\ndomain0 MC c 0\n",
		"proc/schedstat");
	m = build(snap, 4, &anomalies);
	assert_int_equal(contradictions(&anomalies), 4);
	assert_int_equal(m->nr_llc, 2);
	assert_domain(m, 3, 0, RWK_LEVEL_MC, "2-3", 117, MC);
	assert_int_equal(rwk_machine_llc_size(m, 3), 2);
	rwk_machine_destroy(m);

	/* Other names and no spans: counted, derived ones stay. */
	put(snap, NULL, "proc/schedstat");
	put(snap, "NUMA\n", "%s/cpu0/domain0/name", dir);
	m = build(snap, 4, &anomalies);
	assert_int_equal(contradictions(&anomalies), 1);
	assert_domain(m, 0, 0, RWK_LEVEL_MC, "0-3", 117, MC);
	rwk_machine_destroy(m);

	/* Spans that lack the CPU itself or overlap each other end nowhere. */
	put(snap, NULL, "%s/cpu0/domain0/name", dir);
	put(snap,
		"cpu0 0\ndomain0 MC e 0\ncpu1 0\ndomain0 MC 3 0\ncpu2 0\ndomain0 MC 6 0\n"
		"cpu3 0\ndomain0 MC xyz 0\ndomain1 MC ffffffffffffff 0\n",
		"proc/schedstat");
	m = build(snap, 4, &anomalies);
	assert_true(contradictions(&anomalies) >= 3);
	for (int cpu = 0; cpu < 4; cpu++) {
		int llc = m->cpu[cpu].llc;

		assert_true(llc >= 0 && llc < m->nr_llc);
		assert_true(rwk_cpuset_has(&m->llc[llc].cpus, cpu));
		assert_int_equal(m->llc[llc].size, rwk_cpuset_weight(&m->llc[llc].cpus));
	}
	rwk_machine_destroy(m);
	rwk_snapshot_destroy(snap);
}

static void contradictions_stay_unknown(void **state)
{
	static const char dir[] = "sys/devices/system/cpu";
	struct rwk_snapshot *snap = snap_new("6.12.0");
	struct rwk_anomalies anomalies;
	struct rwk_machine *m;

	(void)state;
	put_shape(snap, &(struct shape){.nr = 4, .core = 2, .cache = 4, .node = 2});
	put(snap, "2-3\n", "%s/cpu0/topology/thread_siblings_list", dir);
	put(snap, "garbage\n", "%s/cpu3/cache/index3/shared_cpu_list", dir);
	put(snap, "0-3\n", "sys/devices/system/node/node1/cpulist");
	put(snap, "10\n", "sys/devices/system/node/node0/distance");
	put(snap, "-5\n", "%s/cpu1/cpu_capacity", dir);
	m = build(snap, 4, &anomalies);
	assert_true(contradictions(&anomalies) >= 6);
	assert_int_equal(m->cpu[0].core, 0);
	assert_int_equal(rwk_cpuset_weight(&m->cpu[0].smt), 1);
	assert_int_equal(m->cpu[1].core, 1); /* its list names CPU 0, which denies it */
	assert_int_equal(m->cpu[2].core, 2);
	assert_int_equal(m->cpu[1].capacity, 1024);
	assert_int_equal(m->cpu[1].node, 0);
	for (int cpu = 0; cpu < 4; cpu++) {
		for (int i = 0; i < m->cpu[cpu].nr_domains; i++)
			assert_true(rwk_cpuset_has(&m->cpu[cpu].domain[i].span, cpu));
	}
	rwk_machine_destroy(m);
	rwk_snapshot_destroy(snap);
}

static void unequal_capacities(void **state)
{
	struct rwk_snapshot *snap = snap_new("6.12.0");
	struct rwk_anomalies anomalies;
	struct rwk_machine *m;

	(void)state;
	put_shape(snap, &(struct shape){.nr = 8, .core = 1, .cluster = 4, .cache = 8, .node = 8});
	for (int cpu = 0; cpu < 4; cpu++)
		put(snap, "446\n", "sys/devices/system/cpu/cpu%d/cpu_capacity", cpu);
	m = build(snap, 8, &anomalies);
	assert_true(m->asym_capacity);
	assert_int_equal(m->cpu[3].capacity, 446);
	assert_domain(m, 3, 0, RWK_LEVEL_CLS, "0-3", 117, MC | RWK_SD_CLUSTER);
	assert_domain(m, 3, 1, RWK_LEVEL_MC, "0-7", 117, MC | RWK_SD_ASYM_CPUCAPACITY);
	rwk_machine_destroy(m);
	rwk_snapshot_destroy(snap);
}

static void settings(void **state)
{
	struct rwk_snapshot *snap = snap_new("6.12.0");
	struct rwk_anomalies anomalies;
	struct rwk_machine *m;

	(void)state;
	m = build(snap, 1, &anomalies);
	assert_false(m->feature_known[RWK_FEAT_DELAY_DEQUEUE]);
	assert_true(m->feature[RWK_FEAT_DELAY_DEQUEUE] && m->feature[RWK_FEAT_TTWU_QUEUE]);
	assert_false(m->sched_ext_enabled);
	rwk_machine_destroy(m);

	put(snap, "PLACE_LAG NO_WA_IDLE WA_WEIGHT NO_DELAY_DEQUEUE SIS_UTIL \n",
		"sys/kernel/debug/sched/features");
	put(snap, "250\n", "config/CONFIG_HZ");
	put(snap, "1000000000\n", "sys/kernel/debug/sched/migration_cost_ns");
	put(snap, "2800000\n", "sys/kernel/debug/sched/base_slice_ns");
	put(snap, "enabled\n", "sys/kernel/sched_ext/state");
	m = build(snap, 1, &anomalies);
	assert_true(m->feature_known[RWK_FEAT_WA_IDLE] && !m->feature[RWK_FEAT_WA_IDLE]);
	assert_true(m->feature[RWK_FEAT_WA_WEIGHT] && m->feature[RWK_FEAT_SIS_UTIL]);
	assert_false(m->feature[RWK_FEAT_DELAY_DEQUEUE]);
	/* In the file's kernel there is no such feature. */
	assert_true(m->feature_known[RWK_FEAT_SIS_PROP] && !m->feature[RWK_FEAT_SIS_PROP]);
	assert_int_equal(m->hz, 250);
	assert_int_equal(m->migration_cost_ns, 1000000000);
	assert_int_equal(m->min_granularity_ns, 2800000);
	assert_true(m->sched_ext_enabled);
	assert_int_equal(contradictions(&anomalies), 0);
	rwk_machine_destroy(m);

	/* The trace's release wins over the snapshot's. */
	assert_int_equal(
		rwk_machine_build(snap, "5.10.0-32-cloud-amd64", 1, &anomalies, NULL, &m), 0);
	assert_int_equal(m->kernel.major, 5);
	assert_int_equal(contradictions(&anomalies), 1);
	rwk_machine_destroy(m);
	rwk_snapshot_destroy(snap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(derives_smt_mc_numa),
		cmocka_unit_test(distant_nodes_do_not_pull),
		cmocka_unit_test(clusters_by_version),
		cmocka_unit_test(without_cache_files_the_package_counts),
		cmocka_unit_test(isolated_and_offline_have_no_domain),
		cmocka_unit_test(sparse_ids_and_the_trace),
		cmocka_unit_test(nothing_known),
		cmocka_unit_test(recorded_domains_correct),
		cmocka_unit_test(contradictions_stay_unknown),
		cmocka_unit_test(unequal_capacities),
		cmocka_unit_test(settings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
