/*
 * From snapshot to struct rwk_machine: runs the steps and owns the result.
 */
#include "machine/build.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

static const char *build_vfile(const struct rwk_build *b, const char *path, va_list ap)
	__attribute__((format(printf, 2, 0)));

static const char *build_vfile(const struct rwk_build *b, const char *path, va_list ap)
{
	char text[256];
	int n = vsnprintf(text, sizeof(text), path, ap);

	if (!b->snap || n < 0 || (size_t)n >= sizeof(text))
		return NULL;
	return rwk_snapshot_file(b->snap, text);
}

const char *rwk_build_file(const struct rwk_build *b, const char *path, ...)
{
	const char *content;
	va_list ap;

	va_start(ap, path);
	content = build_vfile(b, path, ap);
	va_end(ap);
	return content;
}

int rwk_build_int(
	const struct rwk_build *b, int64_t min, int64_t max, int64_t *ret, const char *path, ...)
{
	const char *content;
	char number[32];
	size_t len;
	va_list ap;

	va_start(ap, path);
	content = build_vfile(b, path, ap);
	va_end(ap);
	if (!content)
		return -ENOENT;
	len = strcspn(content, "\n");
	if (len >= sizeof(number) || (content[len] && content[len + 1]))
		return -EINVAL;
	memcpy(number, content, len);
	number[len] = '\0';
	return rwk_parse_i64(number, min, max, ret);
}

void rwk_build_contradiction(struct rwk_build *b, int cpu)
{
	if (b->anomalies)
		rwk_anomaly_add(b->anomalies, RWK_AN_BAD_SIDECAR, RWK_NS_NONE, cpu, RWK_NONE);
}

/* Every CPU by itself, in no domain: what holds until something is known. */
static void reset_cpus(struct rwk_machine *m)
{
	for (int i = 0; i < m->nr_cpu_ids; i++) {
		struct rwk_machine_cpu *cpu = &m->cpu[i];

		cpu->core = i;
		cpu->cluster = i;
		cpu->llc = RWK_NONE;
		cpu->node = RWK_NONE;
		cpu->package = RWK_NONE;
		cpu->capacity = 1024;
		rwk_cpuset_zero(&cpu->smt);
		rwk_cpuset_add(&cpu->smt, i);
	}
}

/* CPUs of the snapshot and those that the trace uses beyond it. */
static void mark_present(struct rwk_build *b, int min_cpus)
{
	struct rwk_machine *m = b->m;
	bool listed = !rwk_cpuset_empty(&b->present);

	for (int i = 0; i < m->nr_cpu_ids; i++) {
		m->cpu[i].present = !listed || rwk_cpuset_has(&b->present, i);
		m->cpu[i].online = !listed || rwk_cpuset_has(&m->online, i);
		if (!listed)
			rwk_cpuset_add(&m->online, i);
	}
	/* Of the ids below min_cpus only the last one is known to be used. */
	if (listed && min_cpus > 0 && !m->cpu[min_cpus - 1].present) {
		m->cpu[min_cpus - 1].present = true;
		rwk_build_contradiction(b, min_cpus - 1);
	}
}

/* Of a CPU that is in either set it must be known what it shares with others. */
static void take_sets(struct rwk_build *b)
{
	struct rwk_machine *m = b->m;

	for (int i = 0; i < m->nr_cpu_ids; i++) {
		bool known =
			rwk_cpuset_has(&b->sets->online, i) || rwk_cpuset_has(&b->sets->domains, i);

		if (known && b->m->cpu[i].present)
			rwk_cpuset_add(&m->online, i);
		else
			rwk_cpuset_del(&m->online, i);
	}
}

/* A core is what is online of it. */
static void leave_sets(struct rwk_build *b)
{
	struct rwk_machine *m = b->m;

	rwk_cpuset_and(&m->online, &m->online, &b->sets->online);
	m->active = b->sets->active;
	m->smt_active = false;
	for (int i = 0; i < m->nr_cpu_ids; i++) {
		struct rwk_machine_cpu *c = &m->cpu[i];

		c->online = rwk_cpuset_has(&m->online, i);
		rwk_cpuset_and(&c->smt, &c->smt, &m->online);
		rwk_cpuset_add(&c->smt, i);
		c->core = rwk_cpuset_next(&c->smt, 0);
		m->smt_active |= c->online && rwk_cpuset_weight(&c->smt) > 1;
	}
}

static int build_steps(struct rwk_build *b, const char *release, int min_cpus)
{
	struct rwk_machine *m = b->m;
	int err = rwk_build_ids(b, min_cpus, &m->online, &m->nr_cpu_ids);

	if (err)
		return err;
	/* A machine without any CPU still gets an array: calloc(0) may be NULL. */
	m->cpu = calloc((size_t)m->nr_cpu_ids + 1, sizeof(*m->cpu));
	b->cpu = calloc((size_t)m->nr_cpu_ids + 1, sizeof(*b->cpu));
	if (!m->cpu || !b->cpu)
		return -ENOMEM;
	reset_cpus(m);
	mark_present(b, min_cpus);
	m->active = m->online;
	if (b->sets)
		take_sets(b);
	rwk_build_settings(b, release);
	err = rwk_build_topology(b);
	if (!err && m->topology_known) {
		err = rwk_build_nodes(b);
		if (!err) {
			rwk_build_domains(b);
			err = rwk_build_llcs(b);
		}
	}
	if (b->sets && !err)
		leave_sets(b);
	return err;
}

int rwk_machine_build(const struct rwk_snapshot *snap, const char *release, int min_cpus,
	struct rwk_anomalies *anomalies, struct rwk_diag *diag, struct rwk_machine **ret)
{
	return rwk_machine_build_of(snap, release, min_cpus, NULL, anomalies, diag, ret);
}

int rwk_machine_build_of(const struct rwk_snapshot *snap, const char *release, int min_cpus,
	const struct rwk_build_sets *sets, struct rwk_anomalies *anomalies, struct rwk_diag *diag,
	struct rwk_machine **ret)
{
	struct rwk_build b = {.snap = snap, .sets = sets, .anomalies = anomalies, .diag = diag};
	int err = -ENOMEM;

	if (min_cpus < 0 || min_cpus > RWK_MAX_CPUS)
		return rwk_diag_push(diag, -ERANGE,
			"cannot build the machine: cpu=%d why=CPU ids end at %d", min_cpus - 1,
			RWK_MAX_CPUS - 1);
	b.m = calloc(1, sizeof(*b.m));
	if (b.m)
		err = build_steps(&b, release, min_cpus);
	free(b.cpu);
	free(b.node);
	free(b.distance);
	if (err) {
		rwk_machine_destroy(b.m);
		return rwk_diag_push(diag, err, "cannot build the machine: why=%s", strerror(-err));
	}
	*ret = b.m;
	return 0;
}

void rwk_machine_destroy(struct rwk_machine *m)
{
	if (!m)
		return;
	free(m->cpu);
	free(m->llc);
	free(m);
}
