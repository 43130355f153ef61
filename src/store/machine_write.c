/*
 * The machine in the database: the snapshot's files as they are, and beside
 * them what they mean, for people who write SQL.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "store/writer.h"

#define MAX_SETTING 4096 /* longer files are kept, but are no setting */

struct sheet {
	struct rwk_db *db;
	struct rwk_diag *diag;
	int machine_id;
	const struct rwk_store_run *run;
	const struct rwk_machine *m;
	const struct rwk_snapshot *snap; /* may be NULL */
};

static int with_statement(
	struct sheet *s, const char *name, int (*fill)(struct sheet *s, sqlite3_stmt *st))
{
	sqlite3_stmt *st;
	int err = rwk_db_prepare(s->db, name, s->diag, &st);

	if (err)
		return err;
	err = fill(s, st);
	sqlite3_finalize(st);
	return err;
}

static int fill_machine(struct sheet *s, sqlite3_stmt *st)
{
	const struct rwk_machine *m = s->m;
	struct rwk_bind b = rwk_bind_begin(st);
	char kernel[64];

	snprintf(kernel, sizeof(kernel), "%d.%d.%d", m->kernel.major, m->kernel.minor,
		m->kernel.patch);
	rwk_bind_int(&b, s->machine_id);
	rwk_bind_name(&b, s->run->machine_file);
	rwk_bind_name(&b, s->snap ? rwk_snapshot_release(s->snap) : NULL);
	rwk_bind_text(&b, m->kernel.major ? kernel : NULL);
	rwk_bind_int(&b, m->topology_known);
	if (m->topology_known) {
		rwk_bind_int(&b, m->smt_active);
		rwk_bind_int(&b, m->cluster_active);
		rwk_bind_int(&b, m->asym_capacity);
	} else {
		rwk_bind_null(&b);
		rwk_bind_null(&b);
		rwk_bind_null(&b);
	}
	rwk_bind_int(&b, m->nr_cpu_ids);
	rwk_bind_id(&b, m->topology_known ? m->nr_llc : RWK_NONE);
	rwk_bind_id(&b, m->topology_known ? m->nr_nodes : RWK_NONE);
	return rwk_bind_run(&b, s->db, "write the machine", s->diag);
}

static int fill_files(struct sheet *s, sqlite3_stmt *st)
{
	const char *path, *content;
	int err = 0;

	for (size_t i = 0; !err && s->snap && rwk_snapshot_file_at(s->snap, i, &path, &content);
		i++) {
		struct rwk_bind b = rwk_bind_begin(st);

		rwk_bind_int(&b, s->machine_id);
		rwk_bind_text(&b, path);
		rwk_bind_text(&b, content);
		err = rwk_bind_run(&b, s->db, "write the machine's files", s->diag);
	}
	return err;
}

static int fill_cpus(struct sheet *s, sqlite3_stmt *st)
{
	const struct rwk_machine *m = s->m;
	int err = 0;

	for (int cpu = 0; cpu < m->nr_cpu_ids && !err; cpu++) {
		const struct rwk_machine_cpu *c = &m->cpu[cpu];
		struct rwk_bind b = rwk_bind_begin(st);

		if (!c->present)
			continue;
		rwk_bind_int(&b, s->machine_id);
		rwk_bind_int(&b, cpu);
		rwk_bind_int(&b, c->online);
		if (m->topology_known) {
			rwk_bind_id(&b, c->core);
			rwk_bind_id(&b, c->cluster);
			rwk_bind_id(&b, c->llc == RWK_NONE ? RWK_NONE : m->llc[c->llc].first_cpu);
			rwk_bind_id(&b, c->node);
			rwk_bind_id(&b, c->package);
			rwk_bind_int(&b, c->capacity);
		} else {
			for (int i = 0; i < 6; i++)
				rwk_bind_null(&b);
		}
		err = rwk_bind_run(&b, s->db, "write the machine's CPUs", s->diag);
	}
	return err;
}

static void flag_names(uint32_t flags, char *buf, size_t size)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} names[] = {
		{RWK_SD_BALANCE_EXEC, "BALANCE_EXEC"},
		{RWK_SD_BALANCE_FORK, "BALANCE_FORK"},
		{RWK_SD_BALANCE_WAKE, "BALANCE_WAKE"},
		{RWK_SD_WAKE_AFFINE, "WAKE_AFFINE"},
		{RWK_SD_SHARE_CPUCAPACITY, "SHARE_CPUCAPACITY"},
		{RWK_SD_SHARE_LLC, "SHARE_LLC"},
		{RWK_SD_CLUSTER, "CLUSTER"},
		{RWK_SD_NUMA, "NUMA"},
		{RWK_SD_ASYM_CPUCAPACITY, "ASYM_CPUCAPACITY"},
	};
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && used < size; i++) {
		if (flags & names[i].flag)
			used += (size_t)snprintf(
				buf + used, size - used, "%s%s", used ? " " : "", names[i].name);
	}
}

static int fill_domains(struct sheet *s, sqlite3_stmt *st)
{
	const struct rwk_machine *m = s->m;
	int err = 0;

	for (int cpu = 0; m->topology_known && cpu < m->nr_cpu_ids; cpu++) {
		const struct rwk_machine_cpu *c = &m->cpu[cpu];

		for (int level = 0; level < c->nr_domains && !err; level++) {
			const struct rwk_domain *d = &c->domain[level];
			struct rwk_bind b = rwk_bind_begin(st);
			char flags[256];

			flag_names(d->flags, flags, sizeof(flags));
			rwk_bind_int(&b, s->machine_id);
			rwk_bind_int(&b, cpu);
			rwk_bind_int(&b, level);
			rwk_bind_text(&b, rwk_domain_level_name(d->level, m->kernel));
			rwk_bind_text(&b, flags);
			rwk_bind_int(&b, d->imbalance_pct);
			rwk_bind_cpus(&b, &d->span);
			err = rwk_bind_run(&b, s->db, "write scheduling domains", s->diag);
		}
	}
	return err;
}

/* Content of a file of the snapshot, up to its newline, in buf; NULL if absent or longer. */
static const char *short_file(const struct sheet *s, const char *path, char *buf, size_t size)
{
	const char *text = s->snap ? rwk_snapshot_file(s->snap, path) : NULL;
	size_t len = text ? strcspn(text, "\n") : 0;

	if (!text || len >= size)
		return NULL;
	memcpy(buf, text, len);
	buf[len] = '\0';
	return buf;
}

static int put_cache(struct sheet *s, sqlite3_stmt *st, int number, int level, const char *type,
	const char *size, const struct rwk_cpuset *cpus)
{
	struct rwk_bind b = rwk_bind_begin(st);

	rwk_bind_int(&b, s->machine_id);
	rwk_bind_int(&b, number);
	rwk_bind_id(&b, level);
	rwk_bind_text(&b, type);
	rwk_bind_text(&b, size);
	rwk_bind_int(&b, rwk_cpuset_next(cpus, 0));
	rwk_bind_int(&b, rwk_cpuset_weight(cpus));
	rwk_bind_cpus(&b, cpus);
	return rwk_bind_run(&b, s->db, "write caches", s->diag);
}

/* Caches as sysfs has them; each is listed by every CPU that shares it and kept from the lowest. */
static int put_cpu_caches(struct sheet *s, sqlite3_stmt *st, int cpu, int *number)
{
	int err = 0;

	for (int index = 0; index < 16 && !err; index++) {
		char path[128], level[16], type[32], size[32], list[4096];
		struct rwk_cpuset cpus;
		int64_t nr;
		int base = snprintf(path, sizeof(path),
			"sys/devices/system/cpu/cpu%d/cache/index%d/", cpu, index);

#define FILE_OF(name, buf)                                                                         \
	(snprintf(path + base, sizeof(path) - (size_t)base, "%s", name),                           \
		short_file(s, path, buf, sizeof(buf)))
		if (!FILE_OF("level", level) || rwk_parse_i64(level, 0, 100, &nr) ||
			!FILE_OF("type", type) || !FILE_OF("shared_cpu_list", list) ||
			rwk_parse_cpulist(list, &cpus) || rwk_cpuset_next(&cpus, 0) != cpu)
			continue;
		err = put_cache(s, st, (*number)++, (int)nr, type, FILE_OF("size", size), &cpus);
#undef FILE_OF
	}
	return err;
}

static int fill_caches(struct sheet *s, sqlite3_stmt *st)
{
	const struct rwk_machine *m = s->m;
	int number = 0, err = 0;

	for (int cpu = 0; s->snap && cpu < m->nr_cpu_ids && !err; cpu++)
		err = put_cpu_caches(s, st, cpu, &number);
	for (int i = 0; m->topology_known && i < m->nr_llc && !err; i++)
		err = put_cache(s, st, number++, RWK_NONE, "llc domain", NULL, &m->llc[i].cpus);
	return err;
}

static int fill_nodes(struct sheet *s, sqlite3_stmt *st)
{
	const struct rwk_machine *m = s->m;
	int err = 0;

	for (int node = 0; m->topology_known && node < m->nr_nodes && !err; node++) {
		struct rwk_bind b = rwk_bind_begin(st);
		struct rwk_cpuset cpus;
		char path[64], distances[4096];

		rwk_cpuset_zero(&cpus);
		for (int cpu = 0; cpu < m->nr_cpu_ids; cpu++) {
			if (m->cpu[cpu].present && m->cpu[cpu].node == node)
				rwk_cpuset_add(&cpus, cpu);
		}
		snprintf(path, sizeof(path), "sys/devices/system/node/node%d/distance", node);
		rwk_bind_int(&b, s->machine_id);
		rwk_bind_int(&b, node);
		rwk_bind_cpus(&b, &cpus);
		rwk_bind_text(&b, short_file(s, path, distances, sizeof(distances)));
		err = rwk_bind_run(&b, s->db, "write nodes", s->diag);
	}
	return err;
}

static int put_setting(
	struct sheet *s, sqlite3_stmt *st, const char *name, const char *value, size_t len)
{
	struct rwk_bind b = rwk_bind_begin(st);
	char text[MAX_SETTING + 1];

	memcpy(text, value, len);
	text[len] = '\0';
	rwk_bind_int(&b, s->machine_id);
	rwk_bind_text(&b, name);
	rwk_bind_text(&b, text);
	return rwk_bind_run(&b, s->db, "write settings", s->diag);
}

static int put_number(struct sheet *s, sqlite3_stmt *st, const char *name, int64_t value)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%lld", (long long)value);

	return put_setting(s, st, name, text, (size_t)len);
}

/* Files that are settings rather than topology. */
static bool is_setting(const char *path)
{
	static const char *const folders[] = {"rewake/probe/", "rewake/change", "rewake/hotplug/",
		"rewake/loss/", "rewake/end", "rewake/buffer", "rewake/unread", "rewake/flight",
		"rewake/filter", "proc/sys/", "sys/kernel/debug/sched/", "sys/kernel/sched_ext/",
		"proc/cmdline", "sys/devices/system/cpu/smt/", "sys/devices/system/cpu/isolated",
		"sys/devices/system/cpu/nohz_full"};

	if (!strncmp(path, "sys/kernel/debug/sched/domains/", 31))
		return false;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (!strncmp(path, folders[i], strlen(folders[i])))
			return true;
	}
	return false;
}

static int fill_settings(struct sheet *s, sqlite3_stmt *st)
{
	const struct rwk_machine *m = s->m;
	const char *path, *content;
	int err = 0;

	if (m->hz)
		err = put_number(s, st, "hz", m->hz);
	if (!err && m->migration_cost_ns != RWK_NS_NONE)
		err = put_number(s, st, "migration_cost_ns", m->migration_cost_ns);
	if (!err && m->topology_known)
		err = put_number(s, st, "sched_ext", m->sched_ext_enabled);
	for (int i = 0; i < RWK_FEAT_COUNT && !err; i++) {
		char name[64];

		if (!m->feature_known[i])
			continue;
		snprintf(name, sizeof(name), "feature %s", rwk_feature_name((enum rwk_feature)i));
		err = m->feature[i] ? put_setting(s, st, name, "on", 2)
				    : put_setting(s, st, name, "off", 3);
	}
	for (size_t i = 0; !err && s->snap && rwk_snapshot_file_at(s->snap, i, &path, &content);
		i++) {
		size_t len = content ? strlen(content) : 0;

		if (!content || !is_setting(path))
			continue;
		if (len && content[len - 1] == '\n')
			len--;
		if (len <= MAX_SETTING)
			err = put_setting(s, st, path, content, len);
	}
	for (size_t i = 0; i < s->run->nr_setting && !err; i++) {
		struct rwk_bind b = rwk_bind_begin(st);

		rwk_bind_int(&b, s->machine_id);
		rwk_bind_text(&b, s->run->setting[i].name);
		rwk_bind_text(&b, s->run->setting[i].value);
		err = rwk_bind_run(&b, s->db, "write settings", s->diag);
	}
	return err;
}

int rwk_writer_put_machine(
	struct rwk_db *db, int machine_id, const struct rwk_store_run *run, struct rwk_diag *diag)
{
	struct sheet s = {db, diag, machine_id, run, run->machine, run->snapshot};
	static const struct {
		const char *statement;
		int (*fill)(struct sheet *s, sqlite3_stmt *st);
	} part[] = {
		{"insert_machine", fill_machine},
		{"insert_machine_file", fill_files},
		{"insert_machine_cpu", fill_cpus},
		{"insert_machine_domain", fill_domains},
		{"insert_machine_cache", fill_caches},
		{"insert_machine_node", fill_nodes},
		{"insert_machine_setting", fill_settings},
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]) && !err; i++)
		err = with_statement(&s, part[i].statement, part[i].fill);
	return err;
}
