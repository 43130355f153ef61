/* An instance, through libtracefs. */
#include "record/instance.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tracefs.h>

#include "base/parse.h"

#define UNUSED_KB        16
#define DESTROY_TRIES    50
#define DESTROY_PAUSE_NS 20000000

const char *const rwk_record_events[RWK_RECORD_NR_EVENTS] = {
	"sched_waking", "sched_wakeup", "sched_wakeup_new", "sched_migrate_task", "sched_switch"};

static int write_failed(struct rwk_instance *inst, const char *name, const char *value, int err,
	struct rwk_diag *diag)
{
	return rwk_diag_push(diag, err, "cannot set %s: instance=%s value=%s why=%s", name,
		tracefs_instance_get_name(inst->handle), value, strerror(-err));
}

int rwk_instance_set(
	struct rwk_instance *inst, const char *name, const char *value, struct rwk_diag *diag)
{
	errno = 0;
	if (tracefs_instance_file_write(inst->handle, name, value) < 0)
		return write_failed(inst, name, value, errno ? -errno : -EIO, diag);
	return 0;
}

int rwk_instance_append(
	struct rwk_instance *inst, const char *name, const char *value, struct rwk_diag *diag)
{
	errno = 0;
	if (tracefs_instance_file_append(inst->handle, name, value) < 0)
		return write_failed(inst, name, value, errno ? -errno : -EIO, diag);
	return 0;
}

bool rwk_instance_has(const struct rwk_instance *inst, const char *name)
{
	return tracefs_file_exists(inst->handle, name);
}

/* What a recording can do without, which is said. */
static void do_without(struct rwk_instance *inst, const char *file, const char *so)
{
	size_t len = strlen(inst->without);

	snprintf(inst->without + len, sizeof(inst->without) - len, "%sno %s: %s", len ? "; " : "",
		file, so);
}

/* All CPUs, or with a filter those that record, the others having next to nothing. */
static int resize(struct rwk_instance *inst, bool filtered)
{
	size_t kb = (size_t)inst->setup.buffer_kb;
	bool each = true;
	char name[64];

	rwk_cpuset_foreach (cpu, &inst->setup.cpus) {
		snprintf(name, sizeof(name), "per_cpu/cpu%d/buffer_size_kb", cpu);
		each &= rwk_instance_has(inst, name);
	}
	if (filtered && !each)
		do_without(inst, "per_cpu/cpuN/buffer_size_kb",
			"CPUs that are not recorded have buffers of that size, too");
	if (!filtered || !each)
		return tracefs_instance_set_buffer_size(inst->handle, kb, -1);
	if (tracefs_instance_set_buffer_size(inst->handle, UNUSED_KB, -1))
		return -1;
	rwk_cpuset_foreach (cpu, &inst->setup.cpus) {
		if (tracefs_instance_set_buffer_size(inst->handle, kb, cpu))
			return -1;
	}
	return 0;
}

static int set_buffer(struct rwk_instance *inst, bool filtered, struct rwk_diag *diag)
{
	const struct rwk_setup *setup = &inst->setup;
	long long subbuf_kb = 0;

	errno = 0;
	if (resize(inst, filtered)) {
		int err = errno ? -errno : -EIO;

		return rwk_diag_push(diag, err,
			"cannot get the buffers: kb_per_cpu=%" PRId64
			" cpus=%d why=%s; choose less with -b",
			setup->buffer_kb, rwk_cpuset_weight(&setup->cpus), strerror(-err));
	}
	/* Newer kernels can have larger pages than the machine. */
	inst->page_size = (size_t)sysconf(_SC_PAGESIZE);
	if (!tracefs_instance_file_read_number(inst->handle, "buffer_subbuf_size_kb", &subbuf_kb) &&
		subbuf_kb > 0 && subbuf_kb <= 65536)
		inst->page_size = (size_t)subbuf_kb * 1024;
	return 0;
}

int rwk_instance_enable(
	struct rwk_instance *inst, const char *system, const char *event, struct rwk_diag *diag)
{
	char name[256];

	snprintf(name, sizeof(name), "events/%s/%s/enable", system, event);
	return rwk_instance_set(inst, name, "1", diag);
}

void rwk_instance_disable(struct rwk_instance *inst, const char *system, const char *event)
{
	char name[256];

	snprintf(name, sizeof(name), "events/%s/%s/enable", system, event);
	tracefs_instance_file_write(inst->handle, name, "0");
}

int rwk_instance_enable_sched(struct rwk_instance *inst, struct rwk_diag *diag)
{
	int err = 0;

	for (int i = 0; i < RWK_RECORD_NR_EVENTS && !err; i++)
		err = rwk_instance_enable(inst, "sched", rwk_record_events[i], diag);
	return err;
}

/* Without these there is no recording, or none of which one knows whether it is whole. */
static int check_needed(const struct rwk_instance *inst, struct rwk_diag *diag)
{
	static const char *const needed[] = {"tracing_on", "buffer_size_kb"};
	char missing[256] = "", name[64];
	size_t len = 0;

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (!rwk_instance_has(inst, needed[i]))
			len += (size_t)snprintf(missing + len, sizeof(missing) - len, "%s%s",
				len ? "," : "", needed[i]);
	}
	rwk_cpuset_foreach (cpu, &inst->setup.cpus) {
		snprintf(name, sizeof(name), "per_cpu/cpu%d/stats", cpu);
		if (rwk_instance_has(inst, name))
			continue;
		snprintf(missing + len, sizeof(missing) - len, "%s%s", len ? "," : "", name);
		break; /* the first one says enough */
	}
	if (missing[0])
		return rwk_diag_push(diag, -ENODATA,
			"tracefs lacks files that are needed: instance=%s missing=%s",
			tracefs_instance_get_name(inst->handle), missing);
	return 0;
}

int rwk_instance_set_up(struct rwk_instance *inst, int64_t buffer_kb, const struct rwk_cpuset *only,
	struct rwk_diag *diag)
{
	int err = rwk_setup_choose(inst->handle, buffer_kb, only, &inst->setup, diag);

	if (!err)
		err = check_needed(inst, diag);
	if (!err)
		err = rwk_instance_set(inst, "tracing_on", "0", diag);
	/* Others' defaults may have been inherited: when full, the oldest events go. */
	if (!err && rwk_instance_has(inst, "options/overwrite"))
		err = rwk_instance_set(inst, "options/overwrite", "1", diag);
	else if (!err)
		do_without(inst, "options/overwrite",
			"which events a full buffer loses is the kernel's choice");
	if (!err && rwk_instance_has(inst, "trace_clock"))
		err = rwk_instance_set(inst, "trace_clock", inst->setup.clock, diag);
	else if (!err)
		do_without(inst, "trace_clock",
			"the kernel's own clock is taken, and CPUs may disagree in it");
	return err ? err : set_buffer(inst, only != NULL, diag);
}

int rwk_instance_create(struct rwk_instance *ret, const char *dir, const struct rwk_owner *owner,
	const char *role, int64_t buffer_kb, const struct rwk_cpuset *only, struct rwk_diag *diag)
{
	struct rwk_instance inst = {.dir = dir};
	char id[RWK_OWNER_LEN], name[RWK_OWNER_LEN + 32];
	int err;

	rwk_owner_format(owner, '-', id);
	snprintf(name, sizeof(name), RWK_INSTANCE_PREFIX "%s%s", id, role);
	errno = 0;
	inst.handle = tracefs_instance_create(name);
	if (!inst.handle) {
		err = errno ? -errno : -EIO;
		rwk_diag_push(diag, err,
			"cannot create a trace instance: dir=%s/instances/%s why=%s", dir, name,
			strerror(-err));
		return err;
	}
	/* An instance that was there already is somebody else's: neither used nor removed. */
	if (!tracefs_instance_is_new(inst.handle)) {
		tracefs_instance_free(inst.handle);
		return rwk_diag_push(diag, -EEXIST,
			"cannot create a trace instance: dir=%s/instances/%s why=it exists already",
			dir, name);
	}
	err = rwk_instance_set_up(&inst, buffer_kb, only, diag);
	if (err) {
		rwk_instance_destroy(&inst, diag);
		return err;
	}
	*ret = inst;
	return 0;
}

int rwk_instance_switch(struct rwk_instance *inst, bool on, struct rwk_diag *diag)
{
	return rwk_instance_set(inst, "tracing_on", on ? "1" : "0", diag);
}

int rwk_instance_open_cpu(struct rwk_instance *inst, int cpu, struct rwk_diag *diag)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "per_cpu/cpu%d/trace_pipe_raw", cpu);
	errno = 0;
	fd = tracefs_instance_file_open(inst->handle, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		int err = errno ? -errno : -EIO;

		return rwk_diag_push(diag, err, "cannot open CPU buffer: cpu=%d why=%s%s", cpu,
			strerror(-err),
			err == -EMFILE ? "; raise the limit of open files (ulimit -n)" : "");
	}
	return fd;
}

/* "  123.000456" seconds; clocks that count something else have no point in it. */
static void parse_seconds(const char *text, rwk_ns *ret)
{
	int64_t sec, usec;
	char s[24], us[8];

	if (sscanf(text, " %19[0-9].%6[0-9]", s, us) == 2 && strlen(us) == 6 &&
		!rwk_parse_i64(s, 0, INT64_MAX / 1000000000 - 1, &sec) &&
		!rwk_parse_i64(us, 0, 999999, &usec))
		*ret = sec * 1000000000 + usec * 1000;
}

void rwk_stats_parse(const char *text, struct rwk_record_cpu *ret)
{
	const struct {
		const char *name;
		int64_t *value;
	} fields[] = {
		{"entries: ", &ret->entries},
		{"overrun: ", &ret->overrun},
		{"commit overrun: ", &ret->commit_overrun},
		{"dropped events: ", &ret->dropped},
		{"read events: ", &ret->read_events},
	};

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, "oldest event ts:", 16))
			parse_seconds(line + 16, &ret->oldest_ns);
		if (!strncmp(line, "now ts:", 7))
			parse_seconds(line + 7, &ret->now_ns);
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
			size_t len = strlen(fields[i].name), digits;
			char number[24];

			if (strncmp(line, fields[i].name, len))
				continue;
			digits = strspn(line + len, "0123456789");
			if (!digits || digits >= sizeof(number))
				continue;
			memcpy(number, line + len, digits);
			number[digits] = '\0';
			rwk_parse_i64(number, 0, INT64_MAX, fields[i].value);
		}
	}
}

int rwk_instance_read_stats(
	struct rwk_instance *inst, int cpu, struct rwk_record_cpu *ret, struct rwk_diag *diag)
{
	char name[64], *text;

	snprintf(name, sizeof(name), "per_cpu/cpu%d/stats", cpu);
	text = tracefs_instance_file_read(inst->handle, name, NULL);
	if (!text)
		return rwk_diag_push(diag, -EIO, "cannot read statistics: cpu=%d", cpu);
	rwk_stats_parse(text, ret);
	snprintf(ret->stats, sizeof(ret->stats), "%s", text);
	free(text);
	return 0;
}

int rwk_instance_destroy(struct rwk_instance *inst, struct rwk_diag *diag)
{
	const struct timespec pause = {.tv_nsec = DESTROY_PAUSE_NS};
	int err = 0;

	if (!inst->handle)
		return 0;
	/* Busy for a moment after its files were closed. */
	for (int i = 0; i < DESTROY_TRIES; i++) {
		errno = 0;
		if (!tracefs_instance_destroy(inst->handle)) {
			err = 0;
			break;
		}
		err = errno ? -errno : -EIO;
		if (err != -EBUSY)
			break;
		nanosleep(&pause, NULL);
	}
	if (err)
		rwk_diag_push(diag, err,
			"cannot remove the trace instance: dir=%s/instances/%s why=%s", inst->dir,
			tracefs_instance_get_name(inst->handle), strerror(-err));
	tracefs_instance_free(inst->handle);
	inst->handle = NULL;
	return err;
}
