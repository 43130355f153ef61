/*
 * What the kernel said of its domains: names, flags and imbalance_pct from
 * debugfs (5.10: procfs), spans from /proc/schedstat.  The derived domains are
 * checked against it and corrected by it; where the two differ, that is
 * counted, and the kernel's own word holds as far as it is complete.
 */
#include "machine/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct recorded {
	bool has_span, has_name, has_flags, has_pct;
	struct rwk_cpuset span;
	char name[16];
	uint32_t flags;
	int pct;
};

/* Length of the word at p; words end at a blank or the end of the line. */
static size_t word_len(const char *p)
{
	return strcspn(p, " \t\n");
}

static bool word_is(const char *p, const char *word)
{
	return word_len(p) == strlen(word) && !strncmp(p, word, strlen(word));
}

static const char *next_word(const char *p)
{
	p += word_len(p);
	return p + strspn(p, " \t");
}

/*
 * "ff,ffffffff": a mask in groups of 32 bits, highest first.  Only CPUs of the
 * machine are taken; false for anything else than a mask.
 */
static bool parse_mask(const char *p, const struct rwk_cpuset *valid, struct rwk_cpuset *ret)
{
	size_t len = word_len(p);
	int bit = 0, in_group = 0;
	struct rwk_cpuset set;

	rwk_cpuset_zero(&set);
	if (!len)
		return false;
	for (size_t i = len; i-- > 0;) {
		char digit[2] = {p[i], '\0'}, *end;
		unsigned long v;

		if (p[i] == ',') {
			if (in_group != 8)
				return false;
			in_group = 0;
			continue;
		}
		v = strtoul(digit, &end, 16);
		if (*end || end == digit || in_group++ == 8)
			return false;
		for (int k = 0; k < 4; k++, bit++) {
			if ((v >> k & 1) && bit < RWK_MAX_CPUS)
				rwk_cpuset_add(&set, bit);
		}
	}
	rwk_cpuset_and(ret, &set, valid);
	return true;
}

/* The line after p that starts with word, before one that starts with "cpu". */
static const char *next_domain_line(const char *p, const char *word)
{
	while ((p = strchr(p, '\n'))) {
		p++;
		if (!strncmp(p, "cpu", 3))
			return NULL;
		if (word_is(p, word))
			return p;
	}
	return NULL;
}

void rwk_build_index_schedstat(struct rwk_build *b)
{
	const char *p = rwk_build_file(b, "proc/schedstat");

	for (; p; p = strchr(p, '\n')) {
		int cpu = 0, digits = 0;

		p += *p == '\n';
		if (strncmp(p, "cpu", 3))
			continue;
		for (const char *d = p + 3; *d >= '0' && *d <= '9' && digits < 5; d++, digits++)
			cpu = cpu * 10 + (*d - '0');
		if (digits && (size_t)digits + 3 == word_len(p) && cpu < b->m->nr_cpu_ids)
			b->cpu[cpu].schedstat = p;
	}
}

/* "domain0 03 …", from version 17 on "domain0 SMT 03 …". */
static void read_span(const struct rwk_build *b, int cpu, int index, struct recorded *ret)
{
	const char *p = b->cpu[cpu].schedstat;
	char word[16];

	snprintf(word, sizeof(word), "domain%d", index);
	if (p)
		p = next_domain_line(p, word);
	if (!p)
		return;
	p = next_word(p);
	ret->has_span = parse_mask(p, &b->active, &ret->span);
	if (!ret->has_span && word_len(p) < sizeof(ret->name)) {
		memcpy(ret->name, p, word_len(p));
		ret->name[word_len(p)] = '\0';
		ret->has_name = word_len(p) > 0;
		ret->has_span = parse_mask(next_word(p), &b->active, &ret->span);
	}
}

/* Names as kernels print them; numbers, as before 5.9, tell nothing reliable. */
static bool parse_flags(const struct rwk_build *b, const char *text, uint32_t *ret)
{
	static const struct {
		const char *name;
		uint32_t flag;
	} table[] = {
		{"SD_BALANCE_EXEC", RWK_SD_BALANCE_EXEC},
		{"SD_BALANCE_FORK", RWK_SD_BALANCE_FORK},
		{"SD_BALANCE_WAKE", RWK_SD_BALANCE_WAKE},
		{"SD_WAKE_AFFINE", RWK_SD_WAKE_AFFINE},
		{"SD_SHARE_CPUCAPACITY", RWK_SD_SHARE_CPUCAPACITY},
		{"SD_SHARE_PKG_RESOURCES", RWK_SD_SHARE_LLC},
		{"SD_SHARE_LLC", RWK_SD_SHARE_LLC},
		{"SD_CLUSTER", RWK_SD_CLUSTER},
		{"SD_NUMA", RWK_SD_NUMA},
		{"SD_ASYM_CPUCAPACITY_FULL", RWK_SD_ASYM_CPUCAPACITY},
	};
	/* Where there is no _FULL yet, the plain flag has its meaning. */
	bool plain_asym = b->m->kernel.major &&
			  rwk_version_cmp(b->m->kernel, (struct rwk_version){5, 14, 0}) < 0;
	uint32_t flags = 0;
	bool any = false;

	for (const char *p = text; word_len(p); p = next_word(p)) {
		if (strncmp(p, "SD_", 3))
			return false;
		any = true;
		for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
			if (word_is(p, table[i].name))
				flags |= table[i].flag;
		}
		if (plain_asym && word_is(p, "SD_ASYM_CPUCAPACITY"))
			flags |= RWK_SD_ASYM_CPUCAPACITY;
	}
	*ret = flags;
	return any;
}

/* false when nothing is known of such a domain. */
static bool read_domain(const struct rwk_build *b, int cpu, int index, struct recorded *ret)
{
	static const char *const dirs[] = {
		"sys/kernel/debug/sched/domains", "proc/sys/kernel/sched_domain"};

	*ret = (struct recorded){0};
	read_span(b, cpu, index, ret);
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		const char *name = rwk_build_file(b, "%s/cpu%d/domain%d/name", dirs[i], cpu, index);
		const char *flags;
		int64_t pct;

		if (!name)
			continue;
		ret->has_name = word_len(name) && word_len(name) < sizeof(ret->name);
		if (ret->has_name) {
			memcpy(ret->name, name, word_len(name));
			ret->name[word_len(name)] = '\0';
		}
		flags = rwk_build_file(b, "%s/cpu%d/domain%d/flags", dirs[i], cpu, index);
		ret->has_flags = flags && parse_flags(b, flags, &ret->flags);
		ret->has_pct = !rwk_build_int(
			b, 100, 1000, &pct, "%s/cpu%d/domain%d/imbalance_pct", dirs[i], cpu, index);
		if (ret->has_pct)
			ret->pct = (int)pct;
		break;
	}
	return ret->has_span || ret->has_name;
}

/* Architectures have names of their own (BOOK, CACHE …): then the flags tell the level. */
static bool recorded_level(const struct recorded *r, enum rwk_domain_level *ret)
{
	static const struct {
		const char *name;
		enum rwk_domain_level level;
	} table[] = {
		{"SMT", RWK_LEVEL_SMT},
		{"CLS", RWK_LEVEL_CLS},
		{"MC", RWK_LEVEL_MC},
		{"CACHE", RWK_LEVEL_MC},
		{"DIE", RWK_LEVEL_PKG},
		{"PKG", RWK_LEVEL_PKG},
		{"NODE", RWK_LEVEL_PKG},
		{"NUMA", RWK_LEVEL_NUMA},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]) && r->has_name; i++) {
		if (!strcmp(r->name, table[i].name)) {
			*ret = table[i].level;
			return true;
		}
	}
	if (!r->has_flags)
		return false;
	if (r->flags & RWK_SD_SHARE_CPUCAPACITY)
		*ret = RWK_LEVEL_SMT;
	else if (r->flags & RWK_SD_CLUSTER)
		*ret = RWK_LEVEL_CLS;
	else if (r->flags & RWK_SD_SHARE_LLC)
		*ret = RWK_LEVEL_MC;
	else if (r->flags & RWK_SD_NUMA)
		*ret = RWK_LEVEL_NUMA;
	else
		*ret = RWK_LEVEL_PKG;
	return true;
}

static void apply_details(struct rwk_domain *d, const struct recorded *r)
{
	if (r->has_flags)
		d->flags = r->flags;
	if (r->has_pct)
		d->imbalance_pct = r->pct;
}

static bool agrees(const struct rwk_domain *d, const struct recorded *r)
{
	enum rwk_domain_level level;

	if (r->has_span && !rwk_cpuset_equal(&r->span, &d->span))
		return false;
	return !recorded_level(r, &level) || level == d->level;
}

/*
 * The kernel's domains differ from the derived ones, by a cpuset partition, a
 * hot-plug or a rule unknown here.  They can stand in for them when each has a
 * span around the last one and a level, whose flags are known or can be taken
 * over from the derived domain of that level.
 */
static void replace_domains(struct rwk_build *b, int cpu, const struct recorded *rec, int nr)
{
	struct rwk_machine_cpu *c = &b->m->cpu[cpu];
	struct rwk_domain domain[RWK_MAX_DOMAINS];

	for (int i = 0; i < nr; i++) {
		const struct rwk_domain *same = NULL;
		enum rwk_domain_level level;
		struct rwk_cpuset outside;

		if (!rec[i].has_span || !rwk_cpuset_has(&rec[i].span, cpu) ||
			!recorded_level(&rec[i], &level))
			return;
		if (i) {
			outside = rec[i - 1].span;
			rwk_cpuset_sub(&outside, &rec[i].span);
			if (!rwk_cpuset_empty(&outside))
				return;
		}
		for (int k = 0; k < c->nr_domains; k++) {
			if (c->domain[k].level == level)
				same = &c->domain[k];
		}
		if (!same && !(rec[i].has_flags && rec[i].has_pct))
			return;
		domain[i] = same ? *same : (struct rwk_domain){.level = level};
		domain[i].span = rec[i].span;
		apply_details(&domain[i], &rec[i]);
	}
	memcpy(c->domain, domain, (size_t)nr * sizeof(*domain));
	c->nr_domains = nr;
}

void rwk_build_recorded_domains(struct rwk_build *b, int cpu)
{
	struct rwk_machine_cpu *c = &b->m->cpu[cpu];
	struct recorded rec[RWK_MAX_DOMAINS];
	bool same;
	int nr = 0;

	while (nr < RWK_MAX_DOMAINS && read_domain(b, cpu, nr, &rec[nr]))
		nr++;
	if (!nr)
		return;
	same = nr == c->nr_domains;
	for (int i = 0; i < nr && same; i++)
		same = agrees(&c->domain[i], &rec[i]);
	if (!same) {
		rwk_build_contradiction(b, cpu);
		replace_domains(b, cpu, rec, nr);
		return;
	}
	for (int i = 0; i < nr; i++)
		apply_details(&c->domain[i], &rec[i]);
}
