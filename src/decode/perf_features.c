/*
 * Features to facts.  perf took them from files of sysfs, and as such files
 * they are given on: what they mean is for those to say who read the real ones.
 */
#include "decode/perf_features.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/vec.h"

#define CPU_DIR    "sys/devices/system/cpu"
#define NODE_DIR   "sys/devices/system/node"
#define MAX_STRING 8192 /* with its padding; a list of 1024 CPUs has less */
#define MAX_WORD   128
#define MAX_NODES  1024
#define MAX_CACHES 16 /* of one CPU */

static int add_fact(struct rwk_perf_features *f, const char *content, const char *path, ...)
	__attribute__((format(printf, 3, 4)));

static int add_fact(struct rwk_perf_features *f, const char *content, const char *path, ...)
{
	struct rwk_trace_info *info = f->info;
	struct rwk_trace_fact fact = {0};
	va_list args;
	int err = rwk_vec_grow(&info->fact, &f->cap_facts, info->nr_facts + 1, sizeof(*info->fact));

	if (err)
		return err;
	va_start(args, path);
	if (vasprintf(&fact.path, path, args) < 0)
		fact.path = NULL;
	va_end(args);
	fact.content = strdup(content);
	if (!fact.path || !fact.content) {
		free(fact.path);
		free(fact.content);
		return -ENOMEM;
	}
	info->fact[info->nr_facts++] = fact;
	return 0;
}

/* A string with its length in front, padded, into buf; "" after an error. */
static void read_string(struct rwk_cursor *c, char *buf, uint32_t size)
{
	uint32_t len = rwk_cursor_u32(c);
	const unsigned char *p = NULL;

	buf[0] = '\0';
	if (!c->err && len >= size)
		c->err = -EBADMSG;
	else
		p = rwk_cursor_take(c, len);
	if (p) {
		memcpy(buf, p, len);
		buf[len] = '\0';
	}
}

/* A list of CPUs, with the shortest text for it in text; false when it is none, or empty. */
static bool read_set(
	struct rwk_perf_features *f, struct rwk_cursor *c, char *text, struct rwk_cpuset *ret)
{
	rwk_cpuset_zero(ret);
	read_string(c, text, MAX_STRING);
	if (c->err)
		return false;
	if (rwk_parse_cpulist(text, ret)) {
		c->err = -EBADMSG;
		return false;
	}
	rwk_cpuset_foreach (cpu, ret) {
		if (cpu >= f->nr_cpus)
			f->nr_cpus = cpu + 1;
	}
	rwk_format_cpulist(ret, text, MAX_STRING);
	return !rwk_cpuset_empty(ret);
}

static void set_online(struct rwk_perf_features *f, const struct rwk_cpuset *set)
{
	/* Their ids are worth more than the count that was there before. */
	if (!f->online_known)
		rwk_cpuset_zero(&f->online);
	f->online_known = true;
	rwk_cpuset_foreach (cpu, set)
		rwk_cpuset_add(&f->online, cpu);
}

/* Lists of CPUs that belong together: a fact of each of their CPUs. */
static int read_siblings(struct rwk_perf_features *f, struct rwk_cursor *c, const char *name,
	struct rwk_cpuset *seen, bool online)
{
	char *text = malloc(MAX_STRING);
	uint32_t nr = rwk_cursor_u32(c);
	int err = text ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < nr && !err && !c->err; i++) {
		struct rwk_cpuset set;

		if (!read_set(f, c, text, &set))
			continue;
		if (online)
			set_online(f, &set);
		rwk_cpuset_foreach (cpu, &set) {
			if (rwk_cpuset_has(seen, cpu) || err)
				continue;
			rwk_cpuset_add(seen, cpu);
			err = add_fact(f, text, CPU_DIR "/cpu%d/topology/%s", cpu, name);
		}
	}
	free(text);
	return err;
}

/* -1: the kernel did not say, as of CPUs that are offline. */
static int add_id(struct rwk_perf_features *f, int cpu, const char *name, uint32_t value)
{
	char text[16];

	if (value > INT32_MAX)
		return 0;
	snprintf(text, sizeof(text), "%" PRIu32, value);
	return add_fact(f, text, CPU_DIR "/cpu%d/topology/%s", cpu, name);
}

static int read_topology(struct rwk_perf_features *f, struct rwk_cursor *c)
{
	int err = read_siblings(f, c, "core_siblings_list", &f->has_package, false);

	if (!err && !c->err)
		err = read_siblings(f, c, "thread_siblings_list", &f->has_core, true);
	/* The first versions end here. */
	for (int cpu = 0; cpu < f->nr_available && !err && !c->err && c->pos < c->end; cpu++) {
		uint32_t core = rwk_cursor_u32(c), package = rwk_cursor_u32(c);

		if (c->err)
			break;
		err = add_id(f, cpu, "core_id", core);
		if (!err)
			err = add_id(f, cpu, "physical_package_id", package);
	}
	return err;
}

static int read_nodes(struct rwk_perf_features *f, struct rwk_cursor *c)
{
	char *text = malloc(MAX_STRING);
	uint32_t nr = rwk_cursor_u32(c);
	struct rwk_cpuset seen, set;
	int err = text ? 0 : -ENOMEM;

	rwk_cpuset_zero(&seen);
	if (nr > MAX_NODES)
		c->err = -EBADMSG;
	for (uint32_t i = 0; i < nr && !err && !c->err; i++) {
		uint32_t node = rwk_cursor_u32(c);

		rwk_cursor_skip(c, 16); /* memory, in all and free */
		read_set(f, c, text, &set); /* empty: a node of memory only */
		if (!c->err && (node >= MAX_NODES || rwk_cpuset_has(&seen, (int)node)))
			c->err = -EBADMSG;
		if (c->err)
			break;
		rwk_cpuset_add(&seen, (int)node);
		err = add_fact(f, text, NODE_DIR "/node%" PRIu32 "/cpulist", node);
	}
	if (!err && !rwk_cpuset_empty(&seen)) {
		rwk_format_cpulist(&seen, text, MAX_STRING);
		err = add_fact(f, text, NODE_DIR "/online");
	}
	free(text);
	return err;
}

/* One cache, as a fact of each CPU that shares it. */
static int add_cache(struct rwk_perf_features *f, const struct rwk_cpuset *cpus, uint32_t level,
	const char *type, const char *size, const char *list)
{
	char number[16];
	int err = 0;

	snprintf(number, sizeof(number), "%" PRIu32, level);
	rwk_cpuset_foreach (cpu, cpus) {
		int n = f->nr_caches[cpu];

		if (n == MAX_CACHES || err)
			continue;
		f->nr_caches[cpu]++;
		err = add_fact(f, number, CPU_DIR "/cpu%d/cache/index%d/level", cpu, n);
		if (!err)
			err = add_fact(f, type, CPU_DIR "/cpu%d/cache/index%d/type", cpu, n);
		if (!err)
			err = add_fact(f, size, CPU_DIR "/cpu%d/cache/index%d/size", cpu, n);
		if (!err)
			err = add_fact(
				f, list, CPU_DIR "/cpu%d/cache/index%d/shared_cpu_list", cpu, n);
	}
	return err;
}

static int read_caches(struct rwk_perf_features *f, struct rwk_cursor *c)
{
	char *list = malloc(MAX_STRING);
	uint32_t version = rwk_cursor_u32(c), nr = rwk_cursor_u32(c);
	int err = list ? 0 : -ENOMEM;

	for (uint32_t i = 0; version == 1 && i < nr && !err && !c->err; i++) {
		char type[MAX_WORD], size[MAX_WORD];
		uint32_t level = rwk_cursor_u32(c);
		struct rwk_cpuset cpus;

		rwk_cursor_skip(c, 12); /* line size, sets, ways */
		read_string(c, type, sizeof(type));
		read_string(c, size, sizeof(size));
		if (read_set(f, c, list, &cpus))
			err = add_cache(f, &cpus, level, type, size, list);
	}
	free(list);
	return err;
}

static int read_nr_cpus(struct rwk_perf_features *f, struct rwk_cursor *c, struct rwk_diag *diag)
{
	uint32_t online = rwk_cursor_u32(c), available = rwk_cursor_u32(c);

	if (c->err)
		return 0;
	if (available > RWK_MAX_CPUS)
		return rwk_diag_push(diag, -ERANGE,
			"cannot read perf.data: file=%s offset=0x%llx cpus=%u why=CPU ids from %d "
			"on "
			"are not supported",
			c->file ? c->file->path : "?", (unsigned long long)rwk_cursor_offset(c),
			available, RWK_MAX_CPUS);
	f->nr_available = (int)available;
	if ((int)available > f->nr_cpus)
		f->nr_cpus = (int)available;
	/* As many as there are: then it is these, whatever else is known. */
	if (online == available && !f->online_known) {
		for (int cpu = 0; cpu < (int)available; cpu++)
			rwk_cpuset_add(&f->online, cpu);
	}
	return 0;
}

static int read_release(struct rwk_perf_features *f, struct rwk_cursor *c)
{
	char text[sizeof(f->info->release)];

	read_string(c, text, sizeof(text));
	if (!text[0])
		return 0;
	memcpy(f->info->release, text, sizeof(text));
	return add_fact(f, text, "proc/sys/kernel/osrelease");
}

static int read_host(struct rwk_perf_features *f, struct rwk_cursor *c)
{
	char text[MAX_WORD];

	read_string(c, text, sizeof(text));
	return text[0] ? add_fact(f, text, "proc/sys/kernel/hostname") : 0;
}

int rwk_perf_feature_read(
	struct rwk_perf_features *f, uint64_t feature, struct rwk_cursor *c, struct rwk_diag *diag)
{
	int err = 0;

	if (feature >= RWK_PERF_FEATURE_COUNT || feature > RWK_PERF_FEATURE_LAST) {
		rwk_anomaly_add(&f->info->anomalies, RWK_AN_UNKNOWN_RECORD, RWK_NS_NONE, RWK_NONE,
			rwk_cursor_offset(c));
		return 0;
	}
	if (f->seen[feature / 64] >> (feature % 64) & 1)
		return 0;
	f->seen[feature / 64] |= UINT64_C(1) << (feature % 64);
	switch (feature) {
	case RWK_PERF_FEATURE_HOSTNAME:
		err = read_host(f, c);
		break;
	case RWK_PERF_FEATURE_OSRELEASE:
		err = read_release(f, c);
		break;
	case RWK_PERF_FEATURE_NRCPUS:
		err = read_nr_cpus(f, c, diag);
		break;
	case RWK_PERF_FEATURE_CPU_TOPOLOGY:
		err = read_topology(f, c);
		break;
	case RWK_PERF_FEATURE_NUMA_TOPOLOGY:
		err = read_nodes(f, c);
		break;
	case RWK_PERF_FEATURE_CACHE:
		err = read_caches(f, c);
		break;
	case RWK_PERF_FEATURE_DIR_FORMAT:
		f->directory = true;
		break;
	case RWK_PERF_FEATURE_COMPRESSED:
		f->compressed = true;
		break;
	default:
		break;
	}
	if (err)
		return err;
	if (c->err && c->err != -EBADMSG)
		return c->err;
	if (c->err)
		rwk_anomaly_add(&f->info->anomalies, RWK_AN_BAD_RECORD, RWK_NS_NONE, RWK_NONE,
			rwk_cursor_offset(c));
	return 0;
}

int rwk_perf_features_end(struct rwk_perf_features *f)
{
	char text[MAX_STRING];

	if (rwk_cpuset_empty(&f->online))
		return 0;
	rwk_format_cpulist(&f->online, text, sizeof(text));
	return add_fact(f, text, CPU_DIR "/online");
}
