/* What the kernel is told, and what is told to people. */
#include "record/filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracefs.h>

#include "base/parse.h"

#define MAX_ROUNDS 8 /* until no child has come while we looked */

static bool has_tasks(const struct rwk_record_filter *filter)
{
	return filter->nr_pids || filter->cgroup;
}

/* "KEY: VALUE", a line each, of what was asked for. */
static void describe_wish(const struct rwk_record_filter *filter, FILE *out)
{
	char cpus[128];

	if (filter->by_cpu) {
		rwk_format_cpulist(&filter->cpus, cpus, sizeof(cpus));
		fprintf(out, "cpus: %s\n", cpus);
	}
	for (int i = 0; i < filter->nr_pids; i++)
		fprintf(out, "%s%d%s", i ? "," : "pid: ", filter->pid[i],
			i == filter->nr_pids - 1 ? "\n" : "");
	if (filter->cgroup)
		fprintf(out, "cgroup: %.*s\n", RWK_FILTER_NOTE / 2, filter->cgroup);
	for (int i = 0; i < filter->nr_comms; i++)
		fprintf(out, "comm: %s\n", filter->comm[i]);
}

void rwk_filter_describe(const struct rwk_record_filter *filter, char buf[RWK_FILTER_NOTE])
{
	const char *sep = "";
	FILE *out;

	buf[0] = '\0';
	if (!filter->by_cpu && !has_tasks(filter) && !filter->nr_comms)
		return;
	out = fmemopen(buf, RWK_FILTER_NOTE, "w");
	if (!out)
		return;
	describe_wish(filter, out);
	fputs("unknown: ", out);
	if (filter->by_cpu) {
		fputs("what other CPUs ran and whether they were idle, and wakeups made there",
			out);
		sep = "; ";
	}
	if (has_tasks(filter)) {
		fprintf(out,
			"%swhat CPUs ran between these tasks and whether they were idle, and "
			"wakeups among other tasks",
			sep);
		sep = "; ";
	}
	if (filter->cgroup)
		fprintf(out, "%swhoever joined the group later without being born in it", sep);
	if (filter->nr_comms)
		fprintf(out,
			"%swhat CPUs ran between tasks of these names and whether they were idle, "
			"wakeups among others, and what a task did while it had another name",
			sep);
	fputc('\n', out);
	fclose(out);
}

void rwk_filter_format_mask(const struct rwk_cpuset *cpus, char buf[RWK_FILTER_MASK])
{
	size_t len = 0;
	bool begun = false;

	buf[0] = '\0';
	for (int word = RWK_MAX_CPUS / 32 - 1; word >= 0; word--) {
		unsigned int bits = 0;

		for (int i = 0; i < 32; i++)
			bits |= (unsigned int)rwk_cpuset_has(cpus, word * 32 + i) << i;
		if (!bits && !begun && word)
			continue;
		len += (size_t)snprintf(
			buf + len, RWK_FILTER_MASK - len, begun ? ",%08x" : "%x", bits);
		begun = true;
	}
}

static int no_tasks(
	const struct rwk_record_filter *filter, int none, int err, struct rwk_diag *diag)
{
	if (none)
		return rwk_diag_push(
			diag, err, "cannot record process %d: why=there is none", none);
	if (filter->cgroup)
		return rwk_diag_push(diag, err, "cannot record control group: cgroup=%s why=%s",
			filter->cgroup,
			err == -ESRCH    ? "there is no task in it"
			: err == -ENOENT ? "there is none; a folder below /sys/fs/cgroup, or the "
					   "name of one in /proc/PID/cgroup"
					 : strerror(-err));
	return rwk_diag_push(diag, err, "cannot record processes: why=%s", strerror(-err));
}

/* Of the processes and the group together; *ret is to be freed. */
static int find_tasks(
	const struct rwk_record_filter *filter, int **ret, size_t *ret_nr, struct rwk_diag *diag)
{
	int *ids = NULL, *more = NULL, *all, none = 0, err = 0;
	size_t nr = 0, nr_more = 0;
	char *group = NULL;

	if (filter->nr_pids)
		err = rwk_filter_find_tasks(
			"/proc", filter->pid, filter->nr_pids, &ids, &nr, &none);
	if (!err && filter->cgroup)
		err = rwk_filter_find_group(filter->cgroup, &group);
	if (!err && group)
		err = rwk_filter_find_group_tasks(group, &more, &nr_more);
	free(group);
	if (!err && nr_more) {
		all = realloc(ids, (nr + nr_more) * sizeof(*ids));
		if (all) {
			memcpy(all + nr, more, nr_more * sizeof(*all));
			ids = all;
			nr += nr_more;
		} else {
			err = -ENOMEM;
		}
	}
	free(more);
	if (err) {
		free(ids);
		return no_tasks(filter, none, err, diag);
	}
	*ret = ids;
	*ret_nr = nr;
	return 0;
}

int rwk_filter_check(const struct rwk_record_filter *filter, struct rwk_diag *diag)
{
	size_t nr;
	int *ids;
	int err = has_tasks(filter) ? find_tasks(filter, &ids, &nr, diag) : 0;

	if (!err && has_tasks(filter))
		free(ids);
	return err;
}

/* Children that come while the list is made are found by the kernel or by the next round. */
static int set_tasks(
	const struct rwk_record_filter *filter, struct rwk_instance *inst, struct rwk_diag *diag)
{
	size_t before = 0;

	if (!rwk_instance_has(inst, "set_event_pid") ||
		!rwk_instance_has(inst, "options/event-fork"))
		return rwk_diag_push(diag, -ENODATA,
			"this kernel cannot record a process with its children: "
			"missing=set_event_pid,options/event-fork");
	for (int round = 0; round < MAX_ROUNDS; round++) {
		size_t nr = 0;
		int *ids;
		int err = round ? 0 : rwk_instance_set(inst, "options/event-fork", "1", diag);

		if (!err)
			err = find_tasks(filter, &ids, &nr, diag);
		if (err)
			return err;
		for (size_t i = 0; i < nr && !err; i++) {
			char text[16];

			snprintf(text, sizeof(text), "%d", ids[i]);
			err = rwk_instance_append(inst, "set_event_pid", text, diag);
		}
		free(ids);
		if (err || nr == before)
			return err;
		before = nr;
	}
	return 0;
}

bool rwk_filter_comm_ok(const char *comm)
{
	size_t len = strlen(comm);

	/* A string in the kernel's filter ends at the quote, and there is no way to write one. */
	if (!len || len >= RWK_RECORD_COMM_LEN || strchr(comm, '"'))
		return false;
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)comm[i] < ' ')
			return false;
	}
	return true;
}

char *rwk_filter_format_comm(const struct rwk_record_filter *filter, const char *const *field)
{
	const char *sep = "";
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (int i = 0; i < filter->nr_comms; i++) {
		const char *comm = filter->comm[i];

		for (int k = 0; field[k]; k++) {
			fprintf(out, "%s%s %s \"%s\"", sep, field[k],
				strpbrk(comm, "*?[") ? "~" : "==", comm);
			sep = " || ";
		}
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static int set_comm(const struct rwk_record_filter *filter, struct rwk_instance *inst,
	const char *system, const char *event, const char *const *field, struct rwk_diag *diag)
{
	char name[256], *text = rwk_filter_format_comm(filter, field);
	int err;

	if (!text)
		return rwk_diag_push(diag, -ENOMEM, "cannot filter by name: why=no memory");
	snprintf(name, sizeof(name), "events/%s/%s/filter", system, event);
	if (rwk_instance_has(inst, name))
		err = rwk_instance_set(inst, name, text, diag);
	else
		err = rwk_diag_push(diag, -ENODATA,
			"this kernel cannot record tasks by name: missing=%s", name);
	free(text);
	return err;
}

/* Whoever acts, and whom it is about: COMM is the name of the current task. */
static int set_comms(
	const struct rwk_record_filter *filter, struct rwk_instance *inst, struct rwk_diag *diag)
{
	static const char *const both[] = {"prev_comm", "next_comm", NULL}, *const other[] = {
										    "comm", "COMM",
										    NULL};
	int err = 0;

	for (int i = 0; i < RWK_RECORD_NR_EVENTS && !err; i++) {
		const char *event = rwk_record_events[i];

		err = set_comm(filter, inst, "sched", event,
			strcmp(event, "sched_switch") ? other : both, diag);
	}
	return err;
}

int rwk_filter_apply_event(const struct rwk_record_filter *filter, struct rwk_instance *inst,
	const char *system, const char *event, struct rwk_diag *diag)
{
	static const char *const waker[] = {"COMM", NULL};

	return filter->nr_comms ? set_comm(filter, inst, system, event, waker, diag) : 0;
}

int rwk_filter_apply(
	const struct rwk_record_filter *filter, struct rwk_instance *inst, struct rwk_diag *diag)
{
	char mask[RWK_FILTER_MASK];
	int err = 0;

	if (filter->by_cpu && !rwk_instance_has(inst, "tracing_cpumask"))
		return rwk_diag_push(diag, -ENODATA,
			"this kernel cannot record some CPUs only: missing=tracing_cpumask");
	if (filter->by_cpu) {
		rwk_filter_format_mask(&filter->cpus, mask);
		err = rwk_instance_set(inst, "tracing_cpumask", mask, diag);
	}
	if (!err && has_tasks(filter))
		err = set_tasks(filter, inst, diag);
	if (!err && filter->nr_comms)
		err = set_comms(filter, inst, diag);
	return err;
}

/* "CPU >= 0 && CPU <= 3 || CPU == 8" */
static void describe_cpus(const struct rwk_cpuset *cpus, FILE *out)
{
	const char *sep = "";

	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++) {
		int last = cpu;

		if (!rwk_cpuset_has(cpus, cpu))
			continue;
		while (last + 1 < RWK_MAX_CPUS && rwk_cpuset_has(cpus, last + 1))
			last++;
		if (last == cpu)
			fprintf(out, "%sCPU == %d", sep, cpu);
		else
			fprintf(out, "%sCPU >= %d && CPU <= %d", sep, cpu, last);
		sep = " || ";
		cpu = last;
	}
}

char *rwk_filter_format_about(
	const struct rwk_record_filter *filter, const char *tid_field, const char *comm_field)
{
	const char *const field[] = {comm_field, NULL};
	char *comms = filter->nr_comms ? rwk_filter_format_comm(filter, field) : NULL;
	char *text = NULL;
	size_t size;
	FILE *out = filter->nr_comms && !comms ? NULL : open_memstream(&text, &size);

	if (!out) {
		free(comms);
		return NULL;
	}
	fprintf(out, "%s != 0", tid_field);
	if (filter->by_cpu) {
		fputs(" && (", out);
		describe_cpus(&filter->cpus, out);
		fputs(")", out);
	}
	if (comms)
		fprintf(out, " && (%s)", comms);
	free(comms);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

int rwk_filter_apply_tasks(
	const struct rwk_record_filter *filter, struct rwk_instance *inst, struct rwk_diag *diag)
{
	return has_tasks(filter) ? set_tasks(filter, inst, diag) : 0;
}

int rwk_filter_apply_names(
	const struct rwk_record_filter *filter, struct rwk_instance *inst, struct rwk_diag *diag)
{
	static const char *const wakee[] = {"comm", NULL};
	static const char *const both[] = {"prev_comm", "next_comm", NULL};
	int err;

	if (!filter->nr_comms)
		return 0;
	err = set_comm(filter, inst, "sched", "sched_waking", wakee, diag);
	return err ? err : set_comm(filter, inst, "sched", "sched_switch", both, diag);
}

bool rwk_filter_has_task(
	const struct rwk_record_filter *filter, const struct rwk_instance *inst, int tid)
{
	bool found = false;
	char *text;

	if (!has_tasks(filter))
		return true;
	text = tracefs_instance_file_read(inst->handle, "set_event_pid", NULL);
	for (const char *p = text; p && *p && !found; p += strcspn(p, "\n"), p += *p == '\n')
		found = atoi(p) == tid;
	free(text);
	return found;
}
