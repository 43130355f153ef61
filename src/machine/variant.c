/*
 * The machine that a replay decides for in place of the recorded one: read,
 * checked to be one on which the recording could have happened, and given the
 * recorded kernel.
 */
#include "machine/variant.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "machine/snapshot.h"

#define RECORDED    "recorded"
#define CPU_DIR     "sys/devices/system/cpu/"
#define NODE_DIR    "sys/devices/system/node/"
#define CPULIST_LEN 8192 /* of the longest list of RWK_MAX_CPUS CPUs */

struct opening {
	const char *spec;
	const struct rwk_snapshot *recorded_snap; /* may be NULL */
	const struct rwk_machine *recorded;
	struct rwk_diag *diag;
	struct rwk_snapshot *snap;
	struct rwk_machine *m;
};

static int fail(const struct opening *o, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int fail(const struct opening *o, int err, const char *fmt, ...)
{
	char why[384];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return rwk_diag_push(
		o->diag, err, "cannot decide for that machine: machine=%s why=%s", o->spec, why);
}

/* ---- reading ---- */

/* From now on it runs the recorded kernel. */
static int set_kernel(const struct opening *o)
{
	int err = rwk_snapshot_set_kernel(o->snap, o->recorded->kernel);

	return err ? fail(o, err, "%s", strerror(-err)) : 0;
}

static int read_recorded(struct opening *o, const char *edits)
{
	int err;

	if (!o->recorded_snap)
		return fail(o, -ENODATA,
			"the run has no machine sidecar, so that there is nothing to edit");
	err = rwk_snapshot_copy(o->recorded_snap, &o->snap);
	if (err)
		return fail(o, err, "%s", strerror(-err));
	err = set_kernel(o);
	return err ? err : rwk_snapshot_edit(o->snap, edits, o->diag);
}

/* What another kernel said of its domains is not what the recorded one would say. */
static int read_file(struct opening *o)
{
	struct rwk_version own = {0}, kernel = o->recorded->kernel;
	int err = rwk_snapshot_load(o->spec, o->diag, &o->snap);

	if (err)
		return err;
	rwk_parse_version(rwk_snapshot_release(o->snap), &own);
	if (own.major && (own.major != kernel.major || own.minor != kernel.minor)) {
		err = rwk_snapshot_drop_domains(o->snap);
		if (err)
			return fail(o, err, "%s", strerror(-err));
	}
	return set_kernel(o);
}

/* ---- checking ---- */

/* A list of CPUs that share something: of existing ones, cpu among them (RWK_NONE: no matter). */
static int check_list(const struct opening *o, const char *path, const char *content, int cpu)
{
	struct rwk_cpuset set;

	if (rwk_parse_cpulist(content, &set))
		return fail(o, -EBADMSG, "%s is no list of CPUs", path);
	if (cpu != RWK_NONE && !rwk_cpuset_has(&set, cpu))
		return fail(o, -EBADMSG, "%s does not name CPU %d", path, cpu);
	rwk_cpuset_foreach (c, &set) {
		if (c >= o->m->nr_cpu_ids || !o->m->cpu[c].present)
			return fail(o, -EBADMSG, "%s names CPU %d, which there is not", path, c);
	}
	return 0;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);

	return n >= k && !strcmp(text + n - k, end);
}

/* The CPU whose folder path is in and the rest of path; RWK_NONE if it is in none. */
static int cpu_of(const char *path, const char **ret_rest)
{
	int cpu, used = 0;

	if (strncmp(path, CPU_DIR "cpu", strlen(CPU_DIR "cpu")) ||
		sscanf(path + strlen(CPU_DIR "cpu"), "%4d/%n", &cpu, &used) != 1 || !used ||
		cpu < 0)
		return RWK_NONE;
	*ret_rest = path + strlen(CPU_DIR "cpu") + used;
	return cpu;
}

/* Every list from which the topology is built. */
static int check_lists(const struct opening *o)
{
	static const char *const topology[] = {"topology/thread_siblings_list",
		"topology/core_cpus_list", "topology/cluster_cpus_list",
		"topology/core_siblings_list", "topology/package_cpus_list"};
	const char *path, *content;
	int err = 0;

	for (size_t i = 0; !err && rwk_snapshot_file_at(o->snap, i, &path, &content); i++) {
		const char *rest = NULL;
		int cpu = content ? cpu_of(path, &rest) : RWK_NONE;
		bool is_list =
			rest && !strncmp(rest, "cache/", 6) && ends_with(rest, "/shared_cpu_list");

		for (size_t k = 0; rest && k < sizeof(topology) / sizeof(topology[0]); k++)
			is_list |= !strcmp(rest, topology[k]);
		/* Those of CPUs that are offline are empty, and nobody reads them. */
		if (is_list && rwk_cpuset_has(&o->m->online, cpu))
			err = check_list(o, path, content, cpu);
		else if (content && !strncmp(path, NODE_DIR "node", strlen(NODE_DIR "node")) &&
			 ends_with(path, "/cpulist"))
			err = check_list(o, path, content, RWK_NONE);
	}
	return err;
}

static void present_cpus(const struct rwk_machine *m, struct rwk_cpuset *ret)
{
	rwk_cpuset_zero(ret);
	for (int cpu = 0; cpu < m->nr_cpu_ids; cpu++) {
		if (m->cpu[cpu].present)
			rwk_cpuset_add(ret, cpu);
	}
}

static int check_set(const struct opening *o, const char *what, const struct rwk_cpuset *there,
	const struct rwk_cpuset *recorded, const char *hint)
{
	char a[CPULIST_LEN], b[CPULIST_LEN];

	if (rwk_cpuset_equal(there, recorded))
		return 0;
	rwk_format_cpulist(there, a, sizeof(a));
	rwk_format_cpulist(recorded, b, sizeof(b));
	return fail(
		o, -ERANGE, "its %s CPUs are %.80s, those of the run %.80s%s", what, a, b, hint);
}

static int check_cpus(const struct opening *o)
{
	struct rwk_cpuset there, recorded;
	int err;

	present_cpus(o->m, &there);
	present_cpus(o->recorded, &recorded);
	if (rwk_cpuset_empty(&there))
		return fail(o, -ENODATA, "it has no CPUs: no cpu folders?");
	err = check_set(o, "present", &there, &recorded, "");
	if (!err)
		err = check_set(o, "online", &o->m->online, &o->recorded->online,
			"; tasks ran there as recorded: no CPU may come or go (SMT off: "
			"recorded,smt=off)");
	for (int cpu = 0; cpu < o->recorded->nr_cpu_ids && !err; cpu++) {
		if (o->m->cpu[cpu].capacity != o->recorded->cpu[cpu].capacity)
			err = fail(o, -ERANGE,
				"the capacity of CPU %d is %d, in the run %d; how long tasks run "
				"is as recorded",
				cpu, o->m->cpu[cpu].capacity, o->recorded->cpu[cpu].capacity);
	}
	return err;
}

/* The next file of sysfs' CPUs and nodes, from index on. */
static const char *next_fact(const struct rwk_snapshot *snap, size_t *index, const char **ret_path)
{
	const char *content;

	while (rwk_snapshot_file_at(snap, *index, ret_path, &content)) {
		(*index)++;
		if (content && !strncmp(*ret_path, "sys/devices/system/", 19))
			return content;
	}
	*ret_path = NULL;
	return NULL;
}

/*
 * The recorded picture once more.  A machine may have been odd already when it
 * was recorded; that other facts come to the same once the contradictory ones are
 * left out is no excuse.
 */
static bool is_recorded_again(const struct opening *o)
{
	size_t i = 0, k = 0;
	const char *a, *b, *x, *y;

	if (!o->recorded_snap || !rwk_machine_same_topology(o->m, o->recorded))
		return false;
	do {
		x = next_fact(o->snap, &i, &a);
		y = next_fact(o->recorded_snap, &k, &b);
		if (!x || !y)
			return !x && !y;
	} while (!strcmp(a, b) && !strcmp(x, y));
	return false;
}

static int check(const struct opening *o, const struct rwk_anomaly *contradictions)
{
	int err = check_cpus(o);

	if (err)
		return err;
	if (!o->m->topology_known)
		return fail(o, -ENODATA, "it does not tell which CPUs share a core and a cache");
	err = check_lists(o);
	if (!err && contradictions->count && !is_recorded_again(o))
		err = fail(o, -EBADMSG,
			"it contradicts itself, first at CPU %d: lists of CPUs that share "
			"something do not agree, a CPU is in two nodes, or its domains "
			"(proc/schedstat, sched/domains) do not follow from its caches",
			contradictions->first_cpu);
	return err;
}

/* ---- comparing ---- */

static bool same_cpu(const struct rwk_machine_cpu *x, const struct rwk_machine_cpu *y)
{
	if (x->present != y->present || x->online != y->online || x->core != y->core ||
		x->cluster != y->cluster || x->llc != y->llc || x->node != y->node ||
		x->package != y->package || x->capacity != y->capacity ||
		x->nr_domains != y->nr_domains || !rwk_cpuset_equal(&x->smt, &y->smt))
		return false;
	for (int i = 0; i < x->nr_domains; i++) {
		const struct rwk_domain *d = &x->domain[i], *e = &y->domain[i];

		if (d->level != e->level || d->flags != e->flags ||
			d->imbalance_pct != e->imbalance_pct ||
			!rwk_cpuset_equal(&d->span, &e->span))
			return false;
	}
	return true;
}

bool rwk_machine_same_topology(const struct rwk_machine *a, const struct rwk_machine *b)
{
	bool same = a->topology_known == b->topology_known && a->smt_active == b->smt_active &&
		    a->cluster_active == b->cluster_active &&
		    a->asym_capacity == b->asym_capacity && a->nr_cpu_ids == b->nr_cpu_ids &&
		    a->nr_llc == b->nr_llc && a->nr_nodes == b->nr_nodes;

	for (int i = 0; same && i < a->nr_llc; i++)
		same = rwk_cpuset_equal(&a->llc[i].cpus, &b->llc[i].cpus);
	for (int cpu = 0; same && cpu < a->nr_cpu_ids; cpu++)
		same = same_cpu(&a->cpu[cpu], &b->cpu[cpu]);
	return same;
}

/* ---- */

void rwk_machine_take_settings(struct rwk_machine *m, const struct rwk_machine *recorded)
{
	m->hz = recorded->hz;
	m->migration_cost_ns = recorded->migration_cost_ns;
	m->min_granularity_ns = recorded->min_granularity_ns;
	m->kernel = recorded->kernel;
	memcpy(m->feature_known, recorded->feature_known, sizeof(m->feature_known));
	memcpy(m->feature, recorded->feature, sizeof(m->feature));
	m->sched_ext_enabled = recorded->sched_ext_enabled;
}

int rwk_variant_open(const char *spec, const struct rwk_snapshot *recorded_snap,
	const struct rwk_machine *recorded, struct rwk_diag *diag, struct rwk_variant *ret)
{
	struct opening o = {
		.spec = spec, .recorded_snap = recorded_snap, .recorded = recorded, .diag = diag};
	struct rwk_anomalies anomalies = {0};
	size_t len = strlen(RECORDED);
	int err;

	if (!strncmp(spec, RECORDED, len) && spec[len] == ',')
		err = read_recorded(&o, spec + len + 1);
	else
		err = read_file(&o);
	if (!err)
		err = rwk_machine_build(o.snap, "", 0, &anomalies, diag, &o.m);
	if (!err)
		err = check(&o, &anomalies.of[RWK_AN_BAD_SIDECAR]);
	if (err) {
		rwk_machine_destroy(o.m);
		rwk_snapshot_destroy(o.snap);
		return err;
	}
	rwk_machine_take_settings(o.m, recorded);
	*ret = (struct rwk_variant){o.snap, o.m};
	return 0;
}

void rwk_variant_finish(struct rwk_variant *v)
{
	rwk_snapshot_destroy(v->snapshot);
	rwk_machine_destroy(v->machine);
	*v = (struct rwk_variant){0};
}
