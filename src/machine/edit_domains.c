/* What the kernel said of its domains, before and after an edit. */
#include "machine/edit.h"

#include <stdio.h>
#include <string.h>

#define DOMAIN_DIR RWK_EDIT_DOMAIN_DIR

/* What a kernel decides about a level, not what the level is. */
#define KEPT_FLAGS                                                                                 \
	(RWK_SD_BALANCE_EXEC | RWK_SD_BALANCE_FORK | RWK_SD_BALANCE_WAKE | RWK_SD_WAKE_AFFINE)

static bool starts_with(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool is_domain_file(const char *path)
{
	return !strcmp(path, "proc/schedstat") || starts_with(path, DOMAIN_DIR) ||
	       starts_with(path, "proc/sys/kernel/sched_domain/");
}

int rwk_snapshot_drop_domains(struct rwk_snapshot *snap)
{
	return rwk_edit_drop_files(snap, is_domain_file);
}

bool rwk_edit_same_spans(const struct rwk_machine *a, const struct rwk_machine *b)
{
	for (int cpu = 0; cpu < a->nr_cpu_ids; cpu++) {
		const struct rwk_machine_cpu *x = &a->cpu[cpu], *y = &b->cpu[cpu];

		if (x->nr_domains != y->nr_domains)
			return false;
		for (int i = 0; i < x->nr_domains; i++) {
			if (x->domain[i].level != y->domain[i].level ||
				!rwk_cpuset_equal(&x->domain[i].span, &y->domain[i].span))
				return false;
		}
	}
	return true;
}

/* The nth of cpu's domains of that level, NULL if there are not so many. */
static const struct rwk_domain *find_domain(
	const struct rwk_machine_cpu *c, enum rwk_domain_level level, int nth)
{
	for (int i = 0; i < c->nr_domains; i++) {
		if (c->domain[i].level == level && !nth--)
			return &c->domain[i];
	}
	return NULL;
}

static int nth_of_level(const struct rwk_machine_cpu *c, int index)
{
	int nth = 0;

	for (int i = 0; i < index; i++)
		nth += c->domain[i].level == c->domain[index].level;
	return nth;
}

static int put_domain(const struct rwk_edit *e, int cpu, int index, const struct rwk_domain *d)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} names[] = {
		{RWK_SD_BALANCE_EXEC, "SD_BALANCE_EXEC"},
		{RWK_SD_BALANCE_FORK, "SD_BALANCE_FORK"},
		{RWK_SD_BALANCE_WAKE, "SD_BALANCE_WAKE"},
		{RWK_SD_WAKE_AFFINE, "SD_WAKE_AFFINE"},
		{RWK_SD_SHARE_CPUCAPACITY, "SD_SHARE_CPUCAPACITY"},
		{RWK_SD_SHARE_LLC, "SD_SHARE_LLC"},
		{RWK_SD_CLUSTER, "SD_CLUSTER"},
		{RWK_SD_NUMA, "SD_NUMA"},
		{RWK_SD_ASYM_CPUCAPACITY, "SD_ASYM_CPUCAPACITY SD_ASYM_CPUCAPACITY_FULL"},
	};
	char flags[512], pct[32];
	int err, len = 0;

	flags[0] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (d->flags & names[i].flag)
			len += snprintf(
				flags + len, sizeof(flags) - (size_t)len, "%s ", names[i].name);
	}
	snprintf(flags + len, sizeof(flags) - (size_t)len, "\n");
	snprintf(pct, sizeof(pct), "%d\n", d->imbalance_pct);
	err = rwk_edit_put(e, rwk_domain_level_name(d->level, e->m->kernel),
		DOMAIN_DIR "cpu%d/domain%d/name", cpu, index);
	/* Without any flag the file tells nothing: the derived ones would come back. */
	if (!err && len)
		err = rwk_edit_put(e, flags, DOMAIN_DIR "cpu%d/domain%d/flags", cpu, index);
	if (!err)
		err = rwk_edit_put(e, pct, DOMAIN_DIR "cpu%d/domain%d/imbalance_pct", cpu, index);
	return err;
}

/* What said has otherwise than ruled, into c, which is the CPU to be; whether there is any. */
static bool keep_cpu(const struct rwk_machine_cpu *said, const struct rwk_machine_cpu *ruled,
	struct rwk_machine_cpu *c)
{
	bool differs = false;

	for (int i = 0; i < c->nr_domains; i++) {
		struct rwk_domain *d = &c->domain[i];
		int nth = nth_of_level(c, i);
		const struct rwk_domain *s = find_domain(said, d->level, nth);
		const struct rwk_domain *r = find_domain(ruled, d->level, nth);

		if (!s || !r || (s->flags == r->flags && s->imbalance_pct == r->imbalance_pct))
			continue;
		differs = true;
		/* What is shared, and who sees every capacity, depends on the span. */
		d->flags = (s->flags & KEPT_FLAGS) | (d->flags & ~(uint32_t)KEPT_FLAGS);
		d->imbalance_pct = s->imbalance_pct;
	}
	return differs;
}

void rwk_edit_keep_machine(
	struct rwk_machine *m, const struct rwk_machine *said, const struct rwk_machine *plain)
{
	for (int cpu = 0; cpu < m->nr_cpu_ids; cpu++)
		keep_cpu(&said->cpu[cpu], &plain->cpu[cpu], &m->cpu[cpu]);
}

int rwk_edit_keep_details(
	const struct rwk_edit *e, const struct rwk_machine *plain, const struct rwk_machine *edited)
{
	int err = 0;

	for (int cpu = 0; cpu < edited->nr_cpu_ids && !err; cpu++) {
		struct rwk_machine_cpu to_be = edited->cpu[cpu];
		bool differs = keep_cpu(&e->m->cpu[cpu], &plain->cpu[cpu], &to_be);

		for (int i = 0; i < to_be.nr_domains && differs && !err; i++)
			err = put_domain(e, cpu, i, &to_be.domain[i]);
	}
	return err;
}
