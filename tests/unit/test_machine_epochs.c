/*
 * Machines whose CPUs come and go: the domains of each time are those of the CPUs that
 * were there, and rows that cannot be true are not followed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/parse.h"
#include "machine/epochs.h"
#include "machine/seen.h"
#include "machine/variant.h"
#include "snapshot_build.h"

#define CPU    "sys/devices/system/cpu/"
#define NODE   "sys/devices/system/node/"
#define DOMAIN "sys/kernel/debug/sched/domains/cpu%d/domain%d/"

/* The CPUs of first … first + size - 1 that are online. */
static void put_group(struct rwk_snapshot *snap, const struct rwk_cpuset *online, int first,
	int size, const char *path)
{
	struct rwk_cpuset set;
	char list[64];

	rwk_cpuset_zero(&set);
	for (int cpu = first; cpu < first + size; cpu++) {
		if (rwk_cpuset_has(online, cpu))
			rwk_cpuset_add(&set, cpu);
	}
	rwk_format_cpulist(&set, list, sizeof(list));
	put(snap, list, "%s", path);
}

/* As the kernel shows it: 8 CPUs, cores of 2, caches and nodes of 4; nothing of those offline. */
static struct rwk_snapshot *machine(const char *online)
{
	struct rwk_snapshot *snap;
	struct rwk_cpuset cpus;
	char path[128];

	assert_int_equal(rwk_parse_cpulist(online, &cpus), 0);
	assert_int_equal(rwk_snapshot_create(&snap), 0);
	assert_int_equal(rwk_snapshot_set_release(snap, "6.1.1"), 0);
	put(snap, online, CPU "online");
	put(snap, "0-7\n", CPU "present");
	rwk_cpuset_foreach (cpu, &cpus) {
		snprintf(path, sizeof(path), CPU "cpu%d/topology/thread_siblings_list", cpu);
		put_group(snap, &cpus, cpu / 2 * 2, 2, path);
		snprintf(path, sizeof(path), CPU "cpu%d/cache/index3/shared_cpu_list", cpu);
		put_group(snap, &cpus, cpu / 4 * 4, 4, path);
		put(snap, "3\n", CPU "cpu%d/cache/index3/level", cpu);
		put(snap, "Unified\n", CPU "cpu%d/cache/index3/type", cpu);
	}
	put_group(snap, &cpus, 0, 4, NODE "node0/cpulist");
	put_group(snap, &cpus, 4, 4, NODE "node1/cpulist");
	put(snap, "10 20\n", NODE "node0/distance");
	put(snap, "20 10\n", NODE "node1/distance");
	return snap;
}

struct scene {
	struct rwk_snapshot *snap;
	struct rwk_machine *m;
	struct rwk_epochs *e;
};

static void open_scene(struct scene *s, struct rwk_snapshot *snap, const char *rows)
{
	s->snap = snap;
	if (rows)
		put(snap, rows, RWK_HOTPLUG_ROWS);
	assert_int_equal(rwk_machine_build(snap, "", 0, NULL, NULL, &s->m), 0);
	assert_int_equal(rwk_epochs_open(snap, s->m, NULL, &s->e), 0);
}

static void close_scene(struct scene *s)
{
	rwk_epochs_close(s->e);
	rwk_machine_destroy(s->m);
	rwk_snapshot_destroy(s->snap);
}

/* Domains of cpu as "SMT 0-1 MC 0-3", then its threads and its cache's. */
static void assert_domains(const struct rwk_machine *m, int cpu, const char *want)
{
	const struct rwk_machine_cpu *c = &m->cpu[cpu];
	char text[512] = "", list[64];
	size_t len = 0;

	for (int i = 0; i < c->nr_domains; i++) {
		rwk_format_cpulist(&c->domain[i].span, list, sizeof(list));
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s %s ",
			rwk_domain_level_name(c->domain[i].level, m->kernel), list);
	}
	rwk_format_cpulist(&c->smt, list, sizeof(list));
	len += (size_t)snprintf(text + len, sizeof(text) - len, "threads %s llc ", list);
	if (c->llc == RWK_NONE)
		snprintf(list, sizeof(list), "none");
	else
		rwk_format_cpulist(&m->llc[c->llc].cpus, list, sizeof(list));
	snprintf(text + len, sizeof(text) - len, "%s", list);
	assert_string_equal(text, want);
}

static const struct rwk_machine *at(struct scene *s, size_t index)
{
	const struct rwk_machine *m;

	assert_int_equal(rwk_epochs_machine(s->e, index, NULL, &m), 0);
	return m;
}

static void assert_epoch(const struct scene *s, size_t index, rwk_ns from, bool changing,
	bool rebuilt, const char *online, const char *active, const char *domains)
{
	const struct rwk_epoch *e = rwk_epochs_at(s->e, index);
	char list[64];

	assert_int_equal(e->from, from);
	assert_int_equal(e->changing, changing);
	assert_int_equal(e->rebuilt, rebuilt);
	rwk_format_cpulist(&e->online, list, sizeof(list));
	assert_string_equal(list, online);
	rwk_format_cpulist(&e->active, list, sizeof(list));
	assert_string_equal(list, active);
	rwk_format_cpulist(&e->domains, list, sizeof(list));
	assert_string_equal(list, domains);
}

/* Up to 6.9: domains keep a dead CPU until a worker has built them anew. */
static void goes(void **state)
{
	struct scene s;

	(void)state;
	open_scene(
		&s, machine("0-7\n"), "100 100 inactive 1\n200 260 offline 1\n900 910 domains\n");
	assert_null(rwk_epochs_why(s.e));
	assert_int_equal(rwk_epochs_nr(s.e), 6);
	assert_epoch(&s, 0, RWK_NS_NONE, false, false, "0-7", "0-7", "0-7");
	assert_epoch(&s, 1, 100, false, false, "0-7", "0,2-7", "0-7");
	assert_epoch(&s, 2, 200, true, false, "0-7", "0,2-7", "0-7");
	assert_epoch(&s, 3, 260, false, false, "0,2-7", "0,2-7", "0-7");
	assert_epoch(&s, 4, 900, true, true, "0,2-7", "0,2-7", "");
	assert_epoch(&s, 5, 910, false, true, "0,2-7", "0,2-7", "0,2-7");

	assert_ptr_equal(at(&s, 0), s.m);
	assert_domains(at(&s, 1), 0, "SMT 0-1 MC 0-3 NUMA 0-7 threads 0-1 llc 0-3");
	assert_true(at(&s, 2)->changing);
	assert_domains(at(&s, 3), 0, "SMT 0-1 MC 0-3 NUMA 0-7 threads 0 llc 0-3");
	assert_false(rwk_cpuset_has(&at(&s, 3)->active, 1));
	assert_false(at(&s, 3)->cpu[1].online);
	assert_int_equal(at(&s, 3)->cpu[1].node, 0);
	assert_domains(at(&s, 4), 0, "threads 0 llc none");
	assert_domains(at(&s, 5), 0, "MC 0,2-3 NUMA 0,2-7 threads 0 llc 0,2-3");
	assert_domains(at(&s, 5), 3, "SMT 2-3 MC 0,2-3 NUMA 0,2-7 threads 2-3 llc 0,2-3");
	assert_domains(at(&s, 5), 1, "threads 1 llc none");
	/* The other half of the machine has lost the dead CPU and nothing else. */
	assert_domains(at(&s, 5), 5, "SMT 4-5 MC 4-7 NUMA 0,2-7 threads 4-5 llc 4-7");
	assert_true(at(&s, 5)->smt_active);
	close_scene(&s);
}

/* A CPU of which the first look saw nothing. */
static void comes(void **state)
{
	struct rwk_snapshot *snap = machine("0-4,6-7\n"), *later = machine("0-7\n");
	const char *rows = "50 80 online 5\n90 90 active 5\n90 95 domains\n";
	struct scene s;

	(void)state;
	assert_int_equal(rwk_seen_add(snap, later), 0);
	assert_string_equal(
		rwk_snapshot_file(snap, RWK_SEEN CPU "cpu5/topology/thread_siblings_list"),
		"4-5\n");
	assert_string_equal(rwk_snapshot_file(snap, RWK_SEEN NODE "node1/cpulist"), "4-7\n");
	/* The first look stays what it was. */
	assert_string_equal(rwk_snapshot_file(snap, NODE "node1/cpulist"), "4,6-7");
	open_scene(&s, snap, rows);
	assert_null(rwk_epochs_why(s.e));
	assert_domains(s.m, 4, "MC 4,6-7 NUMA 0-4,6-7 threads 4 llc 4,6-7");
	assert_epoch(&s, rwk_epochs_nr(s.e) - 1, 95, false, true, "0-7", "0-7", "0-7");
	assert_domains(
		at(&s, rwk_epochs_nr(s.e) - 1), 4, "SMT 4-5 MC 4-7 NUMA 0-7 threads 4-5 llc 4-7");
	assert_domains(
		at(&s, rwk_epochs_nr(s.e) - 1), 5, "SMT 4-5 MC 4-7 NUMA 0-7 threads 4-5 llc 4-7");
	close_scene(&s);
	rwk_snapshot_destroy(later);
}

/* It came, and nobody looked. */
static void unknown_comes(void **state)
{
	struct scene s;

	(void)state;
	open_scene(&s, machine("0-4,6-7\n"), "50 80 online 5\n90 90 active 5\n90 95 domains\n");
	assert_string_equal(rwk_epochs_why(s.e), "nothing is known of a CPU that came later");
	assert_int_equal(rwk_epochs_nr(s.e), 1);
	close_scene(&s);
}

/* All that the kernel keeps in its domains begins anew, also where they come out the same. */
static void goes_and_comes(void **state)
{
	struct scene s;

	(void)state;
	open_scene(&s, machine("0-7\n"),
		"10 10 inactive 1\n10 15 domains\n20 21 offline 1\n"
		"30 31 online 1\n40 40 active 1\n40 45 domains\n");
	assert_null(rwk_epochs_why(s.e));
	assert_epoch(&s, rwk_epochs_nr(s.e) - 1, 45, false, true, "0-7", "0-7", "0-7");
	assert_ptr_equal(at(&s, rwk_epochs_nr(s.e) - 1), s.m);
	close_scene(&s);
}

/* What the kernel said beyond its rules goes for the machine that is left, too. */
static void keeps_flags(void **state)
{
	struct rwk_snapshot *snap = machine("0-7\n");
	struct scene s;

	(void)state;
	for (int cpu = 0; cpu < 8; cpu++) {
		static const char *const said[3][3] = {
			{"SMT\n",
				"SD_BALANCE_EXEC SD_BALANCE_FORK SD_WAKE_AFFINE "
				"SD_SHARE_CPUCAPACITY SD_SHARE_PKG_RESOURCES\n",
				"110\n"},
			{"MC\n",
				"SD_BALANCE_EXEC SD_BALANCE_FORK SD_WAKE_AFFINE "
				"SD_SHARE_PKG_RESOURCES\n",
				"117\n"},
			{"NUMA\n", "SD_BALANCE_FORK SD_NUMA\n", "131\n"}};

		for (int i = 0; i < 3; i++) {
			put(snap, said[i][0], DOMAIN "name", cpu, i);
			put(snap, said[i][1], DOMAIN "flags", cpu, i);
			put(snap, said[i][2], DOMAIN "imbalance_pct", cpu, i);
		}
	}
	open_scene(&s, snap, "10 10 inactive 1\n10 15 domains\n20 21 offline 1\n");
	assert_null(rwk_epochs_why(s.e));
	for (size_t i = 0; i < rwk_epochs_nr(s.e); i++) {
		const struct rwk_machine_cpu *c = &at(&s, i)->cpu[2];

		if (rwk_cpuset_empty(&rwk_epochs_at(s.e, i)->domains))
			continue;
		assert_int_equal(c->nr_domains, 3);
		assert_int_equal(c->domain[2].flags, RWK_SD_BALANCE_FORK | RWK_SD_NUMA);
		assert_int_equal(c->domain[2].imbalance_pct, 131);
	}
	assert_int_equal(rwk_epochs_all(s.e)->cpu[2].domain[2].imbalance_pct, 131);
	close_scene(&s);
}

static void nothing(void **state)
{
	struct scene s;

	(void)state;
	open_scene(&s, machine("0-7\n"), "");
	assert_int_equal(rwk_epochs_nr(s.e), 1);
	assert_null(rwk_epochs_why(s.e));
	assert_ptr_equal(rwk_epochs_all(s.e), s.m);
	assert_null(rwk_epochs_snapshot(s.e));
	close_scene(&s);
	open_scene(&s, machine("0-7\n"), NULL);
	assert_int_equal(rwk_epochs_nr(s.e), 1);
	close_scene(&s);
}

static void not_followed(void **state)
{
	static const char *const rows[] = {"x\n", "1 2 offline\n", "1 2 domains 3\n",
		"2 1 offline 1\n", "-1 1 offline 1\n", "1 2 away 1\n", "1 2 offline 1 1\n",
		"1 2 offline 8\n", "1 2 offline 99999\n", "1 2 online 1\n3 4 online 1\n",
		"1 1 inactive 1\n2 2 inactive 1\n", "1 1 inactive 1\n2 3 offline 1\n",
		"end 2 offline 1\n", "1 9223372036854775807 offline 1\n", "1 2 offline 1\n\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct scene s;

		open_scene(&s, machine("0-7\n"), rows[i]);
		if (!rwk_epochs_why(s.e))
			fail_msg("followed: %s", rows[i]);
		assert_int_equal(rwk_epochs_nr(s.e), 1);
		assert_ptr_equal(at(&s, 0), s.m);
		close_scene(&s);
	}
}

/* One that had gone before the recording began, but after the machine was looked at. */
static void gone_before(void **state)
{
	struct scene s;

	(void)state;
	open_scene(&s, machine("0-7\n"), "30 31 online 1\n40 40 active 1\n40 45 domains\n");
	assert_null(rwk_epochs_why(s.e));
	assert_epoch(&s, 0, RWK_NS_NONE, false, false, "0,2-7", "0,2-7", "0,2-7");
	assert_domains(at(&s, 0), 0, "MC 0,2-3 NUMA 0,2-7 threads 0 llc 0,2-3");
	assert_ptr_equal(at(&s, rwk_epochs_nr(s.e) - 1), s.m);
	close_scene(&s);
	open_scene(&s, machine("0-7\n"), "40 40 active 1\n40 45 domains\n");
	assert_null(rwk_epochs_why(s.e));
	assert_epoch(&s, 0, RWK_NS_NONE, false, false, "0-7", "0,2-7", "0,2-7");
	close_scene(&s);
}

/* It must lead to what was there when it was over. */
static void another_end(void **state)
{
	static const char rows[] = "10 10 inactive 1\n20 21 offline 1\n30 31 domains\n";
	struct rwk_snapshot *snap = machine("0-7\n");
	struct scene s;

	(void)state;
	put(snap, "0-1,3-7\n", RWK_HOTPLUG_END);
	open_scene(&s, snap, rows);
	assert_string_equal(
		rwk_epochs_why(s.e), "the CPUs at the end are others than those that they lead to");
	close_scene(&s);
	snap = machine("0-7\n");
	put(snap, "0,2-7\n", RWK_HOTPLUG_END);
	open_scene(&s, snap, rows);
	assert_null(rwk_epochs_why(s.e));
	close_scene(&s);
	snap = machine("0-7\n");
	put(snap, "0-x\n", RWK_HOTPLUG_END);
	open_scene(&s, snap, rows);
	assert_non_null(rwk_epochs_why(s.e));
	close_scene(&s);
}

/* The machine was looked at before the recording began, and changed in between. */
static void another_beginning(void **state)
{
	struct rwk_snapshot *snap = machine("0-4,6-7\n"), *later = machine("0-7\n");
	struct scene s;

	(void)state;
	assert_int_equal(rwk_seen_add(snap, later), 0);
	put(snap, "0-7\n", RWK_HOTPLUG_BEGIN);
	open_scene(&s, snap, "");
	assert_null(rwk_epochs_why(s.e));
	assert_int_equal(rwk_epochs_nr(s.e), 1);
	assert_domains(at(&s, 0), 4, "SMT 4-5 MC 4-7 NUMA 0-7 threads 4-5 llc 4-7");
	close_scene(&s);
	rwk_snapshot_destroy(later);
	snap = machine("0-7\n");
	put(snap, "0-8\n", RWK_HOTPLUG_BEGIN);
	open_scene(&s, snap, "");
	assert_non_null(rwk_epochs_why(s.e));
	close_scene(&s);
}

/* A step that was not over when the recording was. */
static void unfinished(void **state)
{
	struct scene s;

	(void)state;
	open_scene(&s, machine("0-7\n"), "10 10 inactive 1\n20 end offline 1\n");
	assert_null(rwk_epochs_why(s.e));
	assert_int_equal(rwk_epochs_nr(s.e), 3);
	assert_epoch(&s, 2, 20, true, false, "0-7", "0,2-7", "0-7");
	close_scene(&s);
}

/* Policies may decide for a machine without SMT: the same CPUs go there. */
static void of_variant(void **state)
{
	struct rwk_variant other = {0};
	struct rwk_epochs *v;
	const struct rwk_machine *m;
	struct scene s;

	(void)state;
	open_scene(&s, machine("0-7\n"), "10 10 inactive 1\n10 15 domains\n20 21 offline 1\n");
	assert_int_equal(rwk_variant_open("recorded,smt=off", rwk_epochs_snapshot(s.e),
				 rwk_epochs_all(s.e), NULL, &other),
		0);
	assert_int_equal(rwk_epochs_of_variant(s.e, other.snapshot, other.machine, NULL, &v), 0);
	assert_int_equal(rwk_epochs_machine(v, 0, NULL, &m), 0);
	assert_domains(m, 0, "MC 0-3 NUMA 0-7 threads 0 llc 0-3");
	assert_int_equal(rwk_epochs_machine(v, rwk_epochs_nr(v) - 1, NULL, &m), 0);
	assert_domains(m, 0, "MC 0,2-3 NUMA 0,2-7 threads 0 llc 0,2-3");
	rwk_epochs_close(v);
	rwk_variant_finish(&other);
	close_scene(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goes),
		cmocka_unit_test(comes),
		cmocka_unit_test(unknown_comes),
		cmocka_unit_test(goes_and_comes),
		cmocka_unit_test(keeps_flags),
		cmocka_unit_test(nothing),
		cmocka_unit_test(not_followed),
		cmocka_unit_test(gone_before),
		cmocka_unit_test(another_end),
		cmocka_unit_test(another_beginning),
		cmocka_unit_test(unfinished),
		cmocka_unit_test(of_variant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
