/*
 * tracefs and an instance of it, through libtracefs.
 */
#include "record/instance.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <tracefs.h>

#include "base/parse.h"

/*
 * Room for bursts while a drain sleeps (at most 100 ms): 4 MB hold some 80000
 * events, more than a CPU can produce in that time.  On machines with many
 * CPUs all buffers together stay below a limit that nobody misses.
 */
#define DEFAULT_KB        4096
#define DEFAULT_TOTAL_KB  (256 << 10)
#define DEFAULT_MEM_SHARE 16 /* and never more than this part of the memory */
#define DESTROY_TRIES     50
#define DESTROY_PAUSE_NS  20000000

const char *const rwk_record_events[RWK_RECORD_NR_EVENTS] = {
	"sched_waking", "sched_wakeup", "sched_wakeup_new", "sched_migrate_task", "sched_switch"};

int rwk_tracefs_find(struct rwk_diag *diag, char **ret_dir)
{
	struct mntent entry;
	char buf[8192], *dir = NULL;
	char instances[4096];
	FILE *mounts;

	/* With debugfs alone, tracefs mounts itself when this path is touched. */
	access("/sys/kernel/debug/tracing/trace_clock", F_OK);
	mounts = setmntent("/proc/self/mounts", "r");
	while (mounts && !dir && getmntent_r(mounts, &entry, buf, sizeof(buf))) {
		if (!strcmp(entry.mnt_type, "tracefs"))
			dir = strdup(entry.mnt_dir);
	}
	if (mounts)
		endmntent(mounts);
	if (!dir) {
		if (geteuid())
			return rwk_diag_push(diag, -EPERM,
				"needs root, or write permission on tracefs: uid=%ld",
				(long)geteuid());
		return rwk_diag_push(diag, -ENODEV,
			"tracefs is not mounted: mount -t tracefs nodev /sys/kernel/tracing");
	}
	snprintf(instances, sizeof(instances), "%s/instances", dir);
	if (access(instances, R_OK | W_OK | X_OK)) {
		int err = errno == ENOENT ? -ENODEV : errno == EROFS ? -EROFS : -EPERM;

		if (err == -EPERM)
			rwk_diag_push(diag, err,
				"needs root, or write permission on tracefs: dir=%s uid=%ld",
				instances, (long)geteuid());
		else
			rwk_diag_push(diag, err, "tracefs cannot be used: dir=%s why=%s", instances,
				strerror(errno));
		free(dir);
		return err;
	}
	*ret_dir = dir;
	return 0;
}

int rwk_tracefs_check_events(const char *dir, struct rwk_diag *diag)
{
	char missing[256] = "";

	for (int i = 0; i < RWK_RECORD_NR_EVENTS; i++) {
		char path[4096];

		snprintf(
			path, sizeof(path), "%s/events/sched/%s/format", dir, rwk_record_events[i]);
		if (!access(path, R_OK))
			continue;
		if (missing[0])
			strcat(missing, ",");
		strcat(missing, rwk_record_events[i]); /* all five fit */
	}
	if (missing[0])
		return rwk_diag_push(diag, -ENODATA,
			"this kernel lacks events that are needed: dir=%s/events/sched missing=%s",
			dir, missing);
	return 0;
}

int rwk_tracefs_use(const char *dir, struct rwk_diag *diag)
{
	/* Says why in its own words on stderr otherwise. */
	tracefs_set_loglevel(TEP_LOG_NONE);
	if (tracefs_set_tracing_dir((char *)(uintptr_t)dir))
		return rwk_diag_push(
			diag, -ENOMEM, "cannot use tracefs: dir=%s", dir ? dir : "none");
	return 0;
}

static int write_knob(
	struct rwk_instance *inst, const char *name, const char *value, struct rwk_diag *diag)
{
	errno = 0;
	if (tracefs_instance_file_write(inst->handle, name, value) < 0) {
		int err = errno ? -errno : -EIO;

		return rwk_diag_push(diag, err, "cannot set %s: instance=%s value=%s why=%s", name,
			tracefs_instance_get_name(inst->handle), value, strerror(-err));
	}
	return 0;
}

static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	/* The current one is in brackets. */
	for (const char *p = text; *p; p += strcspn(p, " []\n")) {
		p += strspn(p, " []\n");
		if (strcspn(p, " []\n") == len && !strncmp(p, word, len))
			return true;
	}
	return false;
}

static bool clocksource_is_slow(void)
{
	static const char *const slow[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"};
	char name[64] = "";
	FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");

	if (f && !fgets(name, sizeof(name), f))
		name[0] = '\0';
	if (f)
		fclose(f);
	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++) {
		if (!strncmp(name, slow[i], strlen(slow[i])))
			return true;
	}
	return false;
}

/*
 * Streams of several CPUs are merged by time, so the clock must be one for all
 * of them.  "local", the kernel's default, is not on every machine; "mono" is,
 * costs about the same and can be matched with other logs.  Where reading the
 * machine's clock source means a slow device access in every event, "global" is
 * ordered as well.
 */
static int choose_clock(struct rwk_instance *inst, struct rwk_diag *diag)
{
	char *clocks = tracefs_instance_file_read(inst->handle, "trace_clock", NULL);
	const char *choice = "local";

	if (clocks && has_word(clocks, "mono") && !clocksource_is_slow())
		choice = "mono";
	else if (clocks && has_word(clocks, "global"))
		choice = "global";
	free(clocks);
	snprintf(inst->clock, sizeof(inst->clock), "%s", choice);
	return write_knob(inst, "trace_clock", choice, diag);
}

/* CPUs that can run something: the possible ones beyond have buffers that stay empty. */
static int find_cpus(struct rwk_instance *inst, struct rwk_diag *diag)
{
	static const char path[] = "/sys/devices/system/cpu/present";
	char text[4096] = "";
	FILE *f = fopen(path, "re");
	int err;

	if (f && !fgets(text, sizeof(text), f))
		text[0] = '\0';
	if (f)
		fclose(f);
	err = rwk_parse_cpulist(text, &inst->cpus);
	if (err)
		return rwk_diag_push(diag, err, "cannot tell the CPUs: file=%s why=%s", path,
			err == -ERANGE ? "more than this program supports" : "malformed");
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++) {
		char name[64];
		bool listed = rwk_cpuset_has(&inst->cpus, cpu);

		snprintf(name, sizeof(name), "per_cpu/cpu%d/trace_pipe_raw", cpu);
		if (!tracefs_file_exists(inst->handle, name))
			rwk_cpuset_del(&inst->cpus, cpu);
		else if (!text[0] && !listed)
			rwk_cpuset_add(&inst->cpus, cpu);
	}
	if (rwk_cpuset_empty(&inst->cpus))
		return rwk_diag_push(diag, -ENODEV, "tracefs has no CPU buffers: instance=%s",
			tracefs_instance_get_name(inst->handle));
	return 0;
}

static int64_t default_buffer_kb(const struct rwk_instance *inst)
{
	int64_t pages = sysconf(_SC_PHYS_PAGES), page_kb = sysconf(_SC_PAGESIZE) / 1024;
	int64_t total = DEFAULT_TOTAL_KB, kb;

	if (pages > 0 && pages * page_kb / DEFAULT_MEM_SHARE < total)
		total = pages * page_kb / DEFAULT_MEM_SHARE;
	kb = total / rwk_cpuset_weight(&inst->cpus);
	if (kb > DEFAULT_KB)
		kb = DEFAULT_KB;
	return kb < RWK_RECORD_MIN_KB ? RWK_RECORD_MIN_KB : kb;
}

static int set_buffer(struct rwk_instance *inst, int64_t buffer_kb, struct rwk_diag *diag)
{
	long long subbuf_kb = 0;

	inst->buffer_kb = buffer_kb ? buffer_kb : default_buffer_kb(inst);
	errno = 0;
	if (tracefs_instance_set_buffer_size(inst->handle, (size_t)inst->buffer_kb, -1)) {
		int err = errno ? -errno : -EIO;

		return rwk_diag_push(diag, err,
			"cannot get the buffers: kb_per_cpu=%" PRId64
			" cpus=%d why=%s; choose less with -b",
			inst->buffer_kb, rwk_cpuset_weight(&inst->cpus), strerror(-err));
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
	return write_knob(inst, name, "1", diag);
}

void rwk_instance_disable(struct rwk_instance *inst, const char *system, const char *event)
{
	char name[256];

	snprintf(name, sizeof(name), "events/%s/%s/enable", system, event);
	tracefs_instance_file_write(inst->handle, name, "0");
}

static int enable_events(struct rwk_instance *inst, struct rwk_diag *diag)
{
	int err = 0;

	for (int i = 0; i < RWK_RECORD_NR_EVENTS && !err; i++)
		err = rwk_instance_enable(inst, "sched", rwk_record_events[i], diag);
	return err;
}

int rwk_instance_create(struct rwk_instance *ret, const char *dir, const struct rwk_owner *owner,
	int64_t buffer_kb, struct rwk_diag *diag)
{
	struct rwk_instance inst = {.dir = dir};
	char id[RWK_OWNER_LEN], name[RWK_OWNER_LEN + sizeof(RWK_INSTANCE_PREFIX)];
	int err;

	rwk_owner_format(owner, '-', id);
	snprintf(name, sizeof(name), RWK_INSTANCE_PREFIX "%s", id);
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
	err = write_knob(&inst, "tracing_on", "0", diag);
	/* Others' defaults may have been inherited: when full, the oldest events go. */
	if (!err)
		err = write_knob(&inst, "options/overwrite", "1", diag);
	if (!err)
		err = choose_clock(&inst, diag);
	if (!err)
		err = find_cpus(&inst, diag);
	if (!err)
		err = set_buffer(&inst, buffer_kb, diag);
	if (!err)
		err = enable_events(&inst, diag);
	if (err) {
		rwk_instance_destroy(&inst, diag);
		return err;
	}
	*ret = inst;
	return 0;
}

int rwk_instance_switch(struct rwk_instance *inst, bool on, struct rwk_diag *diag)
{
	return write_knob(inst, "tracing_on", on ? "1" : "0", diag);
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
