/*
 * Edited machines have the domains and caches that were asked for and nothing
 * else new; and a machine on which the recording could not have happened is refused.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/parse.h"
#include "machine/variant.h"
#include "snapshot_build.h"

#define CPU "sys/devices/system/cpu/"

static void put_group(struct rwk_snapshot *snap, int cpu, int size, const char *file)
{
	int first = cpu / size * size;
	char list[32];

	snprintf(list, sizeof(list), "%d-%d\n", first, first + size - 1);
	put(snap, list, CPU "cpu%d/%s", cpu, file);
}

/* 8 CPUs, cores of 2 with an L2 (a cluster by name only), caches, packages and nodes of 4. */
static struct rwk_snapshot *two_nodes(void)
{
	struct rwk_snapshot *snap;

	assert_int_equal(rwk_snapshot_create(&snap), 0);
	assert_int_equal(rwk_snapshot_set_release(snap, "6.12.1"), 0);
	put(snap, "0-7\n", CPU "online");
	put(snap, "0-7\n", CPU "present");
	for (int cpu = 0; cpu < 8; cpu++) {
		put_group(snap, cpu, 2, "topology/thread_siblings_list");
		put_group(snap, cpu, 2, "topology/cluster_cpus_list");
		put_group(snap, cpu, 4, "topology/core_siblings_list");
		put_group(snap, cpu, 2, "cache/index2/shared_cpu_list");
		put_group(snap, cpu, 4, "cache/index3/shared_cpu_list");
		put(snap, "2\n", CPU "cpu%d/cache/index2/level", cpu);
		put(snap, "3\n", CPU "cpu%d/cache/index3/level", cpu);
		put(snap, "1024K\n", CPU "cpu%d/cache/index2/size", cpu);
		put(snap, "16384K\n", CPU "cpu%d/cache/index3/size", cpu);
	}
	put(snap, "0-3\n", "sys/devices/system/node/node0/cpulist");
	put(snap, "4-7\n", "sys/devices/system/node/node1/cpulist");
	put(snap, "10 20\n", "sys/devices/system/node/node0/distance");
	put(snap, "20 10\n", "sys/devices/system/node/node1/distance");
	return snap;
}

static struct rwk_machine *build(const struct rwk_snapshot *snap)
{
	struct rwk_anomalies anomalies = {0};
	struct rwk_machine *m;

	assert_int_equal(rwk_machine_build(snap, "", 0, &anomalies, NULL, &m), 0);
	assert_true(m->topology_known);
	return m;
}

static struct rwk_machine *edited(struct rwk_snapshot *snap, const char *edits)
{
	struct rwk_diag diag = {0};
	struct rwk_machine *m;

	if (rwk_snapshot_edit(snap, edits, &diag))
		fail_msg("%s: %s", edits, diag.cause[0]);
	m = build(snap);
	rwk_snapshot_destroy(snap);
	return m;
}

/* Domains of cpu as "SMT 0-1 MC 0-3", and its LLC. */
static void assert_cpu(const struct rwk_machine *m, int cpu, const char *domains, const char *llc)
{
	char text[512] = "", list[128];

	for (int i = 0; i < m->cpu[cpu].nr_domains; i++) {
		const struct rwk_domain *d = &m->cpu[cpu].domain[i];

		rwk_format_cpulist(&d->span, list, sizeof(list));
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s %s", i ? " " : "",
			rwk_domain_level_name(d->level, m->kernel), list);
	}
	assert_string_equal(text, domains);
	if (m->cpu[cpu].llc == RWK_NONE)
		snprintf(list, sizeof(list), "none");
	else
		rwk_format_cpulist(&m->llc[m->cpu[cpu].llc].cpus, list, sizeof(list));
	assert_string_equal(list, llc);
}

static void smt_off_makes_every_cpu_a_core(void **state)
{
	struct rwk_snapshot *snap = two_nodes();
	struct rwk_machine *m = build(snap);

	(void)state;
	assert_cpu(m, 5, "SMT 4-5 MC 4-7 NUMA 0-7", "4-7");
	rwk_machine_destroy(m);
	m = edited(snap, "smt=off");
	assert_false(m->smt_active);
	/* The L2 of the core does not become a cluster of two cores. */
	assert_false(m->cluster_active);
	assert_cpu(m, 5, "MC 4-7 NUMA 0-7", "4-7");
	assert_int_equal(m->cpu[5].core, 5);
	assert_int_equal(m->cpu[5].cluster, 4);
	assert_int_equal(rwk_cpuset_weight(&m->online), 8);
	rwk_machine_destroy(m);
}

static void smt_off_keeps_clusters_of_cores(void **state)
{
	struct rwk_snapshot *snap = two_nodes();
	struct rwk_machine *m;

	(void)state;
	for (int cpu = 0; cpu < 8; cpu++) {
		put_group(snap, cpu, 8, "cache/index3/shared_cpu_list");
		put_group(snap, cpu, 4, "topology/cluster_cpus_list");
		put_group(snap, cpu, 8, "topology/core_siblings_list");
	}
	put(snap, "0-7\n", "sys/devices/system/node/node0/cpulist");
	put(snap, NULL, "sys/devices/system/node/node1/cpulist");
	put(snap, "10\n", "sys/devices/system/node/node0/distance");
	m = edited(snap, "smt=off");
	assert_true(m->cluster_active);
	assert_cpu(m, 1, "CLS 0-3 MC 0-7", "0-7");
	rwk_machine_destroy(m);
}

static void llc_of_other_size(void **state)
{
	struct rwk_snapshot *snap = two_nodes();
	struct rwk_machine *m;

	(void)state;
	/* A cache of one core: no level of its own. */
	assert_int_equal(rwk_snapshot_edit(snap, "llc=2", NULL), 0);
	m = build(snap);
	assert_int_equal(m->nr_llc, 4);
	assert_cpu(m, 6, "SMT 6-7 PKG 4-7 NUMA 0-7", "6-7");
	assert_null(rwk_snapshot_file(snap, CPU "cpu6/cache/index3/size"));
	assert_string_equal(rwk_snapshot_file(snap, CPU "cpu6/cache/index2/size"), "1024K\n");
	assert_string_equal(rwk_snapshot_file(snap, "rewake/edit"), "llc=2\n");
	rwk_machine_destroy(m);
	rwk_snapshot_destroy(snap);

	m = edited(two_nodes(), "llc=8,numa=off");
	assert_int_equal(m->nr_llc, 1);
	assert_int_equal(m->nr_nodes, 1);
	assert_cpu(m, 6, "SMT 6-7 MC 0-7", "0-7");
	rwk_machine_destroy(m);

	/* Single CPUs: no cache domain at all, and nothing below may reach beyond. */
	m = edited(two_nodes(), "llc=1,smt=off");
	assert_cpu(m, 6, "PKG 4-7 NUMA 0-7", "none");
	rwk_machine_destroy(m);
}

/* Hardware threads are often numbered n and n + cores. */
static void llc_keeps_cores_whole(void **state)
{
	struct rwk_snapshot *snap = two_nodes();
	struct rwk_machine *m;
	char list[16];

	(void)state;
	for (int cpu = 0; cpu < 8; cpu++) {
		snprintf(list, sizeof(list), "%d,%d\n", cpu % 4, cpu % 4 + 4);
		put(snap, list, CPU "cpu%d/topology/thread_siblings_list", cpu);
		put(snap, list, CPU "cpu%d/topology/cluster_cpus_list", cpu);
		put(snap, list, CPU "cpu%d/cache/index2/shared_cpu_list", cpu);
		put_group(snap, cpu, 8, "cache/index3/shared_cpu_list");
		put_group(snap, cpu, 8, "topology/core_siblings_list");
	}
	put(snap, "0-7\n", "sys/devices/system/node/node0/cpulist");
	put(snap, NULL, "sys/devices/system/node/node1/cpulist");
	put(snap, "10\n", "sys/devices/system/node/node0/distance");
	m = edited(snap, "llc=4");
	assert_cpu(m, 4, "SMT 0,4 MC 0-1,4-5 PKG 0-7", "0-1,4-5");
	assert_cpu(m, 3, "SMT 3,7 MC 2-3,6-7 PKG 0-7", "2-3,6-7");
	rwk_machine_destroy(m);
}

static void llc_by_name(void **state)
{
	struct rwk_machine *m = edited(two_nodes(), "numa=off,llc=0-1+6-7/2-5");

	(void)state;
	assert_cpu(m, 7, "SMT 6-7 MC 0-1,6-7 PKG 0-7", "0-1,6-7");
	assert_cpu(m, 2, "SMT 2-3 MC 2-5 PKG 0-7", "2-5");
	rwk_machine_destroy(m);
}

/* A virtual machine that shows no caches: the package stood in for it. */
static void llc_without_cache_files(void **state)
{
	struct rwk_snapshot *snap = two_nodes();
	struct rwk_machine *m;

	(void)state;
	for (int cpu = 0; cpu < 8; cpu++) {
		for (int i = 2; i < 4; i++) {
			put(snap, NULL, CPU "cpu%d/cache/index%d/level", cpu, i);
			put(snap, NULL, CPU "cpu%d/cache/index%d/shared_cpu_list", cpu, i);
		}
	}
	m = edited(snap, "llc=2");
	assert_cpu(m, 0, "SMT 0-1 PKG 0-3 NUMA 0-7", "0-1");
	rwk_machine_destroy(m);
}

static void put_domain(struct rwk_snapshot *snap, int cpu, int index, const char *name,
	const char *flags, const char *pct)
{
	static const char dir[] = "sys/kernel/debug/sched/domains";

	put(snap, name, "%s/cpu%d/domain%d/name", dir, cpu, index);
	put(snap, flags, "%s/cpu%d/domain%d/flags", dir, cpu, index);
	put(snap, pct, "%s/cpu%d/domain%d/imbalance_pct", dir, cpu, index);
}

/* A kernel whose nodes are too far apart for it to pull wakeups, against the usual rule. */
static struct rwk_snapshot *far_nodes(const char *outermost)
{
	struct rwk_snapshot *snap = two_nodes();

	for (int cpu = 0; cpu < 8; cpu++) {
		put_domain(snap, cpu, 0, "SMT\n",
			"SD_BALANCE_EXEC SD_BALANCE_FORK SD_WAKE_AFFINE SD_SHARE_CPUCAPACITY "
			"SD_SHARE_LLC \n",
			"110\n");
		put_domain(snap, cpu, 1, "MC\n",
			"SD_BALANCE_EXEC SD_BALANCE_FORK SD_WAKE_AFFINE SD_SHARE_LLC \n", "117\n");
		put_domain(snap, cpu, 2, outermost, "SD_NUMA \n", "121\n");
	}
	return snap;
}

static void what_the_kernel_said_stays_by_level(void **state)
{
	struct rwk_machine *m = edited(far_nodes("NUMA\n"), "llc=2");
	const struct rwk_domain *d = &m->cpu[3].domain[2];

	(void)state;
	assert_cpu(m, 3, "SMT 2-3 PKG 0-3 NUMA 0-7", "2-3");
	assert_int_equal(d->flags, RWK_SD_NUMA);
	assert_int_equal(d->imbalance_pct, 121);
	/* A level that is new has the kernel's usual ones. */
	assert_true(d[-1].flags & RWK_SD_WAKE_AFFINE);
	assert_false(d[-1].flags & RWK_SD_SHARE_LLC);
	rwk_machine_destroy(m);
}

/* What is shared follows from the edit, whatever was said of one CPU (found by fuzzing). */
static void what_the_kernel_said_does_not_undo_the_edit(void **state)
{
	struct rwk_snapshot *snap = far_nodes("NUMA\n");
	struct rwk_machine *m;

	(void)state;
	put_domain(snap, 2, 1, "MC\n", "SD_BALANCE_EXEC \n", "117\n");
	m = edited(snap, "smt=off,llc=2");
	assert_cpu(m, 2, "MC 2-3 PKG 0-3 NUMA 0-7", "2-3");
	assert_int_equal(m->cpu[2].domain[0].flags, RWK_SD_BALANCE_EXEC | RWK_SD_SHARE_LLC);
	rwk_machine_destroy(m);
}

static void assert_no_edit(
	struct rwk_snapshot *snap, const char *edits, int expected, const char *why)
{
	struct rwk_diag diag = {0};

	assert_int_equal(rwk_snapshot_edit(snap, edits, &diag), expected);
	if (!strstr(diag.cause[0], why) || !strstr(diag.cause[0], edits))
		fail_msg("\"%s\" does not say \"%s\" of %s", diag.cause[0], why, edits);
	rwk_snapshot_destroy(snap);
}

static void impossible_edits(void **state)
{
	struct rwk_snapshot *snap;

	(void)state;
	assert_no_edit(two_nodes(), "", -EINVAL, "there is none");
	assert_no_edit(two_nodes(), "smt", -EINVAL, "smt=");
	assert_no_edit(two_nodes(), "smt=on", -EINVAL, "smt=on");
	assert_no_edit(two_nodes(), "llc=0", -EINVAL, "no number of CPUs");
	assert_no_edit(two_nodes(), "llc=4096", -EINVAL, "no number of CPUs");
	assert_no_edit(two_nodes(), "llc=4,llc=2", -EINVAL, "twice");
	assert_no_edit(two_nodes(), "llc=3", -EINVAL, "node 0");
	assert_no_edit(two_nodes(), "llc=8", -EINVAL, "numa=off");
	assert_no_edit(two_nodes(), "llc=1", -EINVAL, "the core of CPU 0");
	assert_no_edit(two_nodes(), "llc=0-3/4-5", -EINVAL, "CPU 6 has no cache");
	assert_no_edit(two_nodes(), "llc=0-3/2-7", -EINVAL, "CPU 2 has two caches");
	assert_no_edit(two_nodes(), "llc=0-3/4-9", -EINVAL, "no CPU 8");
	assert_no_edit(two_nodes(), "llc=0-3/x-7", -EINVAL, "x-7");
	assert_no_edit(two_nodes(), "llc=0-1+4-5/2-3+6-7", -EINVAL, "two nodes");
	assert_no_edit(two_nodes(), "smt=off,llc=4-7/0-4", -EINVAL, "CPU 4 has two caches");

	snap = two_nodes();
	for (int cpu = 0; cpu < 8; cpu++)
		put(snap, NULL, CPU "cpu%d/topology/thread_siblings_list", cpu);
	assert_no_edit(snap, "smt=off", -ENODATA, "unknown");
	/* Domains that no cache, core or node gives: CPUs 0 and 1 are a partition. */
	snap = two_nodes();
	put(snap, "version 17\ntimestamp 1\ncpu0 0\ndomain0 SMT 03 0\ncpu1 0\ndomain0 SMT 03 0\n",
		"proc/schedstat");
	assert_no_edit(snap, "smt=off", -ENODATA, "do not follow");
	snap = two_nodes();
	put(snap, "0-1,4\n", CPU "cpu0/topology/core_siblings_list");
	assert_no_edit(snap, "smt=off", -ENODATA, "contradicts");
}

/* ---- in place of the recorded machine ---- */

struct stage {
	struct rwk_snapshot *snap; /* recorded */
	struct rwk_machine *recorded;
	struct rwk_variant v;
	struct rwk_diag diag;
	char path[128];
};

static int setup(void **state)
{
	struct stage *s = calloc(1, sizeof(*s));
	const char *tmp = getenv("TMPDIR");
	int fd;

	assert_non_null(s);
	snprintf(s->path, sizeof(s->path), "%s/rwk-variant-XXXXXX", tmp ? tmp : "/tmp");
	fd = mkstemp(s->path);
	assert_true(fd >= 0);
	close(fd);
	s->snap = two_nodes();
	put(s->snap, "250000\n", "sys/kernel/debug/sched/migration_cost_ns");
	s->recorded = build(s->snap);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct stage *s = *state;

	unlink(s->path);
	rwk_variant_finish(&s->v);
	rwk_machine_destroy(s->recorded);
	rwk_snapshot_destroy(s->snap);
	free(s);
	return 0;
}

/* Opens snap as a file; it is gone afterwards. */
static int open_file(struct stage *s, struct rwk_snapshot *snap)
{
	rwk_variant_finish(&s->v);
	rwk_diag_clear(&s->diag);
	assert_int_equal(rwk_snapshot_save(snap, s->path, NULL), 0);
	rwk_snapshot_destroy(snap);
	return rwk_variant_open(s->path, s->snap, s->recorded, &s->diag, &s->v);
}

static void assert_refused(
	struct stage *s, struct rwk_snapshot *snap, int expected, const char *why)
{
	assert_int_equal(open_file(s, snap), expected);
	if (!strstr(s->diag.cause[s->diag.nr - 1], why) ||
		!strstr(s->diag.cause[s->diag.nr - 1], s->path))
		fail_msg("\"%s\" does not say \"%s\"", s->diag.cause[s->diag.nr - 1], why);
	assert_null(s->v.machine);
}

static void edits_and_files_come_to_the_same(void **state)
{
	struct stage *s = *state;
	struct rwk_snapshot *snap = two_nodes();
	struct rwk_variant v;

	assert_int_equal(open_file(s, two_nodes()), 0);
	assert_true(rwk_machine_same_topology(s->v.machine, s->recorded));
	assert_int_equal(rwk_snapshot_edit(snap, "smt=off,llc=2", NULL), 0);
	assert_int_equal(open_file(s, snap), 0);
	assert_int_equal(
		rwk_variant_open("recorded,llc=2,smt=off", s->snap, s->recorded, NULL, &v), 0);
	assert_true(rwk_machine_same_topology(s->v.machine, v.machine));
	assert_false(rwk_machine_same_topology(s->v.machine, s->recorded));
	/* The recorded snapshot is as it was. */
	assert_null(rwk_snapshot_file(s->snap, "rewake/edit"));
	rwk_variant_finish(&v);
	assert_int_equal(
		rwk_variant_open("recorded,llc=2", NULL, s->recorded, &s->diag, &v), -ENODATA);
}

static void kernel_and_settings_are_the_recorded_ones(void **state)
{
	struct stage *s = *state;
	struct rwk_snapshot *snap = far_nodes("NUMA\n");

	assert_int_equal(rwk_snapshot_set_release(snap, "6.12.99-same"), 0);
	put(snap, "1000\n", "sys/kernel/debug/sched/migration_cost_ns");
	put(snap, "NO_WA_IDLE\n", "sys/kernel/debug/sched/features");
	assert_int_equal(open_file(s, snap), 0);
	assert_int_equal(s->v.machine->migration_cost_ns, 250000);
	assert_int_equal(s->v.machine->kernel.patch, 1);
	assert_true(s->v.machine->feature[RWK_FEAT_WA_IDLE]);
	assert_int_equal(s->v.machine->cpu[0].domain[2].flags, RWK_SD_NUMA);

	/* What another kernel said of its domains is not what this one would say. */
	snap = far_nodes("NUMA\n");
	assert_int_equal(rwk_snapshot_set_release(snap, "5.10.1"), 0);
	assert_int_equal(open_file(s, snap), 0);
	assert_true(s->v.machine->cpu[0].domain[2].flags & RWK_SD_WAKE_AFFINE);
	assert_int_equal(s->v.machine->cpu[0].domain[2].imbalance_pct, 117);
}

static void other_cpus(void **state)
{
	struct stage *s = *state;
	struct rwk_snapshot *snap = two_nodes();

	put(snap, "0-15\n", CPU "present");
	assert_refused(s, snap, -ERANGE, "present CPUs are 0-15, those of the run 0-7");
	/* As a machine looks that was booted without SMT. */
	snap = two_nodes();
	put(snap, "0,2,4,6\n", CPU "online");
	assert_refused(s, snap, -ERANGE, "recorded,smt=off");
	snap = two_nodes();
	put(snap, "512\n", CPU "cpu3/cpu_capacity");
	assert_refused(s, snap, -ERANGE, "capacity of CPU 3 is 512, in the run 1024");
}

static void not_consistent(void **state)
{
	struct stage *s = *state;
	struct rwk_snapshot *snap = two_nodes();

	for (int cpu = 0; cpu < 4; cpu++)
		put(snap, "0-3,9\n", CPU "cpu%d/cache/index3/shared_cpu_list", cpu);
	assert_refused(s, snap, -EBADMSG, "cpu0/cache/index3/shared_cpu_list names CPU 9");
	snap = two_nodes();
	put(snap, "4-9\n", "sys/devices/system/node/node1/cpulist");
	put_group(snap, 0, 1, "topology/thread_siblings_list");
	assert_refused(s, snap, -EBADMSG, "node1/cpulist names CPU 8");
	snap = two_nodes();
	put(snap, "some\n", CPU "cpu2/topology/thread_siblings_list");
	put_group(snap, 3, 1, "topology/thread_siblings_list");
	assert_refused(s, snap, -EBADMSG, "cpu2/topology/thread_siblings_list is no list");
	snap = two_nodes();
	put(snap, "6-7\n", CPU "cpu2/topology/thread_siblings_list");
	assert_refused(s, snap, -EBADMSG, "does not name CPU 2");
	/* Two caches overlap. */
	snap = two_nodes();
	put(snap, "0-5\n", CPU "cpu0/cache/index3/shared_cpu_list");
	assert_refused(s, snap, -EBADMSG, "contradicts itself, first at CPU 0");
	/* Caches edited by hand, but not what the kernel said of its domains. */
	snap = far_nodes("NUMA\n");
	for (int cpu = 0; cpu < 8; cpu++)
		put_group(snap, cpu, 2, "cache/index3/shared_cpu_list");
	assert_refused(s, snap, -EBADMSG, "domains");
}

static void without_topology(void **state)
{
	struct stage *s = *state;
	struct rwk_snapshot *snap;

	assert_int_equal(rwk_snapshot_create(&snap), 0);
	put(snap, "Linux version 6.12.1\n", "proc/version");
	assert_refused(s, snap, -ENODATA, "no cpu folders");
	assert_int_equal(rwk_snapshot_create(&snap), 0);
	put(snap, "0-7\n", CPU "online");
	assert_refused(s, snap, -ENODATA, "share a core and a cache");
}

/* A recorded machine may be odd; the same again is no other one. */
static void odd_but_the_same(void **state)
{
	struct stage *s = *state;

	rwk_machine_destroy(s->recorded);
	rwk_snapshot_destroy(s->snap);
	s->snap = two_nodes();
	put(s->snap, "0-5\n", CPU "cpu0/cache/index3/shared_cpu_list");
	s->recorded = build(s->snap);
	assert_int_equal(rwk_snapshot_save(s->snap, s->path, NULL), 0);
	assert_int_equal(rwk_variant_open(s->path, s->snap, s->recorded, &s->diag, &s->v), 0);
}

#define STAGED(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(smt_off_makes_every_cpu_a_core),
		cmocka_unit_test(smt_off_keeps_clusters_of_cores),
		cmocka_unit_test(llc_of_other_size),
		cmocka_unit_test(llc_keeps_cores_whole),
		cmocka_unit_test(llc_by_name),
		cmocka_unit_test(llc_without_cache_files),
		cmocka_unit_test(what_the_kernel_said_stays_by_level),
		cmocka_unit_test(what_the_kernel_said_does_not_undo_the_edit),
		cmocka_unit_test(impossible_edits),
		STAGED(edits_and_files_come_to_the_same),
		STAGED(kernel_and_settings_are_the_recorded_ones),
		STAGED(other_cpus),
		STAGED(not_consistent),
		STAGED(without_topology),
		STAGED(odd_but_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
