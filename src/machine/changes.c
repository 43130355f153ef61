/*
 * Compares two snapshots.  CPUs and domains are compared by what they mean, as
 * the files of a CPU that went offline go with it; settings by their text.
 */
#include "machine/changes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/vec.h"
#include "machine/snapshot.h"

#define CHANGED     "rewake/changed/"
#define NR_CHANGES  "rewake/changes"
#define CPULIST_LEN 8192

struct compare {
	const struct rwk_snapshot *before, *after;
	struct rwk_snapshot *found; /* entries and tasks to add, in any order */
	int64_t nr;
};

static int put(struct compare *c, const char *content, const char *path, ...)
	__attribute__((format(printf, 3, 4)));

/* A change: counted, also where its path is too long to be an entry. */
static int put(struct compare *c, const char *content, const char *path, ...)
{
	char full[RWK_SNAPSHOT_MAX_PATH + 64] = CHANGED;
	size_t base = strlen(CHANGED);
	va_list ap;
	int len;

	va_start(ap, path);
	len = vsnprintf(full + base, sizeof(full) - base, path, ap);
	va_end(ap);
	c->nr++;
	if (len < 0 || base + (size_t)len > RWK_SNAPSHOT_MAX_PATH || !rwk_snapshot_path_ok(full))
		return 0;
	return rwk_snapshot_append_file(c->found, full, content);
}

/* --- settings --- */

/* Files that are counters, or whose meaning is compared instead; entries of the recorder. */
static bool is_compared(const char *path)
{
	static const char *const left_out[] = {"config/", "rewake/", "proc/schedstat",
		"proc/sys/kernel/sched_domain/", "sys/devices/system/cpu/cpu",
		"sys/devices/system/cpu/online", "sys/devices/system/node/",
		"sys/kernel/debug/sched/domains/", "sys/kernel/debug/sched/features",
		"sys/kernel/debug/sched_features", "sys/kernel/sched_ext/nr_rejected"};

	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++) {
		if (!strncmp(path, left_out[i], strlen(left_out[i])))
			return false;
	}
	return true;
}

static int path_cmp(const void *path, const void *entry)
{
	return strcmp(path, ((const struct rwk_snapshot_entry *)entry)->path);
}

/* Absent and never looked for are different things. */
static bool is_listed(const struct rwk_snapshot *snap, const char *path)
{
	return snap->nr_files &&
	       bsearch(path, snap->file, snap->nr_files, sizeof(*snap->file), path_cmp);
}

/* Files of one task or control group: they come and go with it, which is no change of the machine.
 */
static bool is_of_one(const char *path)
{
	return !strncmp(path, "sys/fs/cgroup/", 14) ||
	       (!strncmp(path, "proc/", 5) && path[5] >= '0' && path[5] <= '9');
}

static int put_setting(struct compare *c, const char *path, const char *old, const char *new)
{
	size_t old_len = old ? strcspn(old, "\n") : 0, new_len = new ? strcspn(new, "\n") : 0;
	char *text;
	int err;

	if (asprintf(&text, "%.*s -> %.*s\n", old ? (int)old_len : 6, old ? old : "absent",
		    new ? (int)new_len : 6, new ? new : "absent") < 0)
		return -ENOMEM;
	err = put(c, text, "setting/%s", path);
	free(text);
	return err;
}

static int compare_settings(struct compare *c)
{
	const char *path, *content;
	int err = 0;

	for (size_t i = 0; !err && rwk_snapshot_file_at(c->after, i, &path, &content); i++) {
		const char *old = rwk_snapshot_file(c->before, path);

		if (!is_compared(path) || (!old && !content) ||
			(old && content && !strcmp(old, content)))
			continue;
		if (!is_of_one(path) || (old && content))
			err = put_setting(c, path, old, content);
		else if (!is_listed(c->before, path))
			err = rwk_snapshot_append_file(c->found, path, content);
	}
	for (size_t i = 0; !err && rwk_snapshot_file_at(c->before, i, &path, &content); i++) {
		if (content && is_compared(path) && !is_of_one(path) &&
			!rwk_snapshot_file(c->after, path) && !is_listed(c->after, path))
			err = put_setting(c, path, content, NULL);
	}
	return err;
}

/* --- features --- */

static const char *features_of(const struct rwk_snapshot *snap)
{
	const char *text = rwk_snapshot_file(snap, "sys/kernel/debug/sched/features");

	return text ? text : rwk_snapshot_file(snap, "sys/kernel/debug/sched_features");
}

/* 1 on ("X"), 0 off ("NO_X"), -1 not there. */
static int feature_in(const char *text, const char *name, size_t len)
{
	for (const char *p = text; *p; p += strcspn(p, " \t\n")) {
		size_t n;
		bool no;

		p += strspn(p, " \t\n");
		n = strcspn(p, " \t\n");
		no = n > 3 && !strncmp(p, "NO_", 3);
		if (n - (no ? 3 : 0) == len && !strncmp(p + (no ? 3 : 0), name, len))
			return !no;
	}
	return -1;
}

static int compare_features(struct compare *c)
{
	const char *old = features_of(c->before), *new = features_of(c->after);
	int err = 0;

	if (!old || !new)
		return 0;
	for (const char *p = old; *p && !err; p += strcspn(p, " \t\n")) {
		bool no;
		int now;
		size_t len;

		p += strspn(p, " \t\n");
		len = strcspn(p, " \t\n");
		no = len > 3 && !strncmp(p, "NO_", 3);
		if (no) {
			p += 3;
			len -= 3;
		}
		now = len ? feature_in(new, p, len) : -1;
		if (now >= 0 && now == no)
			err = put(c, now ? "off -> on\n" : "on -> off\n", "feature/%.*s", (int)len,
				p);
	}
	return err;
}

/* --- CPUs and domains --- */

static int put_cpus(struct compare *c, const char *name, const struct rwk_cpuset *a,
	const struct rwk_cpuset *b, int nr)
{
	struct rwk_cpuset only;
	char list[CPULIST_LEN], text[CPULIST_LEN + 1];

	rwk_cpuset_zero(&only);
	for (int cpu = 0; cpu < nr; cpu++) {
		if (rwk_cpuset_has(a, cpu) && !rwk_cpuset_has(b, cpu))
			rwk_cpuset_add(&only, cpu);
	}
	if (rwk_cpuset_empty(&only))
		return 0;
	rwk_format_cpulist(&only, list, sizeof(list));
	snprintf(text, sizeof(text), "%s\n", list);
	return put(c, text, "%s", name);
}

static char *domains_text(const struct rwk_machine *m, int cpu)
{
	char *text = NULL, list[CPULIST_LEN];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (int i = 0; i < m->cpu[cpu].nr_domains; i++) {
		const struct rwk_domain *d = &m->cpu[cpu].domain[i];

		rwk_format_cpulist(&d->span, list, sizeof(list));
		fprintf(out, "%s%s %s %d %%", i ? ", " : "",
			rwk_domain_level_name(d->level, m->kernel), list, d->imbalance_pct);
	}
	if (!m->cpu[cpu].nr_domains)
		fputs("none", out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static int compare_domains(
	struct compare *c, const struct rwk_machine *old, const struct rwk_machine *new, int cpu)
{
	char *a = domains_text(old, cpu), *b = domains_text(new, cpu), *both = NULL;
	int err = a && b ? 0 : -ENOMEM;

	if (!err && strcmp(a, b)) {
		if (asprintf(&both, "%s -> %s\n", a, b) < 0) {
			both = NULL;
			err = -ENOMEM;
		} else {
			err = put(c, both, "domains/cpu%d", cpu);
		}
	}
	free(a);
	free(b);
	free(both);
	return err;
}

static int compare_machines(
	struct compare *c, const struct rwk_machine *old, const struct rwk_machine *new)
{
	int nr = old->nr_cpu_ids > new->nr_cpu_ids ? old->nr_cpu_ids : new->nr_cpu_ids, err;

	err = put_cpus(c, "offline", &old->online, &new->online, nr);
	if (!err)
		err = put_cpus(c, "online", &new->online, &old->online, nr);
	if (!old->topology_known || !new->topology_known)
		return err;
	/* Of a CPU that went or came it is clear that it has other domains. */
	for (int cpu = 0; cpu < nr && !err; cpu++) {
		if (rwk_cpuset_has(&old->online, cpu) && rwk_cpuset_has(&new->online, cpu))
			err = compare_domains(c, old, new, cpu);
	}
	return err;
}

static int compare_cpus(struct compare *c, struct rwk_diag *diag)
{
	struct rwk_machine *old = NULL, *new = NULL;
	int err = rwk_machine_build(c->before, "", 0, NULL, diag, &old);

	if (!err)
		err = rwk_machine_build(c->after, "", 0, NULL, diag, &new);
	if (!err)
		err = compare_machines(c, old, new);
	rwk_machine_destroy(old);
	rwk_machine_destroy(new);
	return err;
}

/* --- tasks --- */

static void add_number(
	FILE *out, const char *name, int32_t unknown, int32_t old, int32_t new, bool *first)
{
	if (old == unknown || new == unknown || old == new)
		return;
	fprintf(out, "%s%s %" PRId32 " -> %" PRId32, *first ? "" : "; ", name, old, new);
	*first = false;
}

static int compare_task(
	struct compare *c, const struct rwk_snapshot_task *old, const struct rwk_snapshot_task *new)
{
	char *text = NULL, list[2][CPULIST_LEN];
	size_t size;
	bool first = true;
	FILE *out = open_memstream(&text, &size);
	int err = 0;

	if (!out)
		return -ENOMEM;
	if (old->allowed_known && new->allowed_known &&
		!rwk_cpuset_equal(&old->allowed, &new->allowed)) {
		rwk_format_cpulist(&old->allowed, list[0], sizeof(list[0]));
		rwk_format_cpulist(&new->allowed, list[1], sizeof(list[1]));
		fprintf(out, "allowed %s -> %s", list[0], list[1]);
		first = false;
	}
	add_number(out, "policy", RWK_NONE, old->policy, new->policy, &first);
	add_number(out, "prio", RWK_PRIO_UNKNOWN, old->prio, new->prio, &first);
	if (old->cgroup && new->cgroup && strcmp(old->cgroup, new->cgroup)) {
		fprintf(out, "%scgroup %s -> %s", first ? "" : "; ", old->cgroup, new->cgroup);
		first = false;
	}
	fputc('\n', out);
	if (fclose(out))
		err = -ENOMEM;
	if (!err && !first)
		err = put(c, text, "task/%" PRId32, old->tid);
	free(text);
	return err;
}

/* Both lists are in the order of tids. */
static int compare_tasks(struct compare *c)
{
	const struct rwk_snapshot *before = c->before, *after = c->after;
	char *appeared = NULL;
	size_t i = 0, size;
	FILE *out = open_memstream(&appeared, &size);
	int err = 0;

	if (!out)
		return -ENOMEM;
	for (size_t k = 0; k < after->nr_tasks && !err; k++) {
		const struct rwk_snapshot_task *new = &after->task[k];

		while (i < before->nr_tasks && before->task[i].tid < new->tid)
			i++;
		if (i == before->nr_tasks || before->task[i].tid != new->tid) {
			fprintf(out, "%" PRId32 "\n", new->tid);
			err = rwk_snapshot_append_task(c->found, new);
		} else if (before->task[i].started == new->started) {
			err = compare_task(c, &before->task[i], new);
		}
		/* Else another task has got the number of one that ended: nothing changed. */
	}
	if (fclose(out) && !err)
		err = -ENOMEM;
	if (!err && size)
		err = rwk_snapshot_append_file(c->found, CHANGED "appeared", appeared);
	free(appeared);
	return err;
}

static int add_found(struct compare *c, struct rwk_snapshot *snap)
{
	char text[32];
	int err = 0;

	for (size_t i = 0; i < c->found->nr_files && !err; i++)
		err = rwk_snapshot_append_file(
			snap, c->found->file[i].path, c->found->file[i].content);
	for (size_t i = 0; i < c->found->nr_tasks && !err; i++)
		err = rwk_snapshot_append_task(snap, &c->found->task[i]);
	rwk_snapshot_sort(snap);
	snprintf(text, sizeof(text), "%" PRId64 "\n", c->nr);
	return err ? err : rwk_snapshot_add_file(snap, NR_CHANGES, text);
}

int rwk_changes_add(
	struct rwk_snapshot *snap, const struct rwk_snapshot *after, struct rwk_diag *diag)
{
	struct compare c = {.before = snap, .after = after};
	int err = rwk_snapshot_create(&c.found);

	if (!err)
		err = compare_cpus(&c, diag);
	if (!err)
		err = compare_features(&c);
	if (!err)
		err = compare_settings(&c);
	if (!err)
		err = compare_tasks(&c);
	if (!err)
		err = add_found(&c, snap);
	rwk_snapshot_destroy(c.found);
	if (err)
		rwk_diag_push(diag, err, "cannot compare the machine before and after: why=%s",
			strerror(-err));
	return err;
}

/* --- reading --- */

static void read_cpus(const struct rwk_snapshot *snap, const char *path, struct rwk_cpuset *ret)
{
	const char *text = rwk_snapshot_file(snap, path);

	if (!text || rwk_parse_cpulist(text, ret))
		rwk_cpuset_zero(ret);
}

bool rwk_changes_read(const struct rwk_snapshot *snap, struct rwk_changes *ret)
{
	struct rwk_changes changes = {0};
	const char *path, *content;

	if (!rwk_snapshot_file(snap, NR_CHANGES))
		return false;
	read_cpus(snap, CHANGED "offline", &changes.offline);
	read_cpus(snap, CHANGED "online", &changes.online);
	for (size_t i = 0; rwk_snapshot_file_at(snap, i, &path, &content); i++) {
		if (strncmp(path, CHANGED, strlen(CHANGED)))
			continue;
		path += strlen(CHANGED);
		if (!strncmp(path, "feature/", 8) || !strncmp(path, "setting/", 8))
			changes.nr_settings++;
		else if (!strncmp(path, "domains/", 8))
			changes.nr_domain_cpus++;
		else if (!strncmp(path, "task/", 5))
			changes.nr_tasks++;
		else if (!strcmp(path, "appeared"))
			for (const char *p = content; p && *p; p++)
				changes.nr_appeared += *p == '\n';
	}
	*ret = changes;
	return true;
}

static int tid_cmp(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

int rwk_changes_appeared(const struct rwk_snapshot *snap, int32_t **ret, size_t *ret_nr)
{
	const char *text = rwk_snapshot_file(snap, CHANGED "appeared");
	int32_t *tid = NULL;
	size_t nr = 0, cap = 0;

	for (const char *p = text ? text : ""; *p;) {
		size_t len = strcspn(p, "\n");
		char number[16];
		int64_t value;

		if (len < sizeof(number)) {
			memcpy(number, p, len);
			number[len] = '\0';
			if (!rwk_parse_i64(number, 1, INT32_MAX, &value)) {
				if (rwk_vec_grow(&tid, &cap, nr + 1, sizeof(*tid))) {
					free(tid);
					return -ENOMEM;
				}
				tid[nr++] = (int32_t)value;
			}
		}
		p += len + (p[len] == '\n');
	}
	if (nr)
		qsort(tid, nr, sizeof(*tid), tid_cmp);
	*ret = tid;
	*ret_nr = nr;
	return 0;
}

bool rwk_changes_of_affinity(const struct rwk_snapshot *snap, int32_t tid)
{
	char path[64];
	const char *text;

	snprintf(path, sizeof(path), CHANGED "task/%" PRId32, tid);
	text = rwk_snapshot_file(snap, path);
	return text && !strncmp(text, "allowed ", 8);
}
