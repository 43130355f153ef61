/*
 * Three histogram triggers, which are kept in the order of the events by the kernel itself:
 *
 *   waking  keyed by the wakee: w is the time of its last sched_waking
 *   out     keyed by who goes off a CPU: takes w away, as it was woken while it ran
 *   in      keyed by who gets onto one: takes w away; the difference goes into the event
 *
 * A variable that is used in an expression is unset by that, even where the table of the
 * expression has no room left; "out" is there for nothing else.
 */
#include "record/trigger_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <event-parse.h>
#include <tracefs.h>

#include "record/dynevent.h"
#include "record/filter.h"
#include "record/instance.h"
#include "record/rate.h"
#include "record/trigger_table.h"
#include "record/watch.h"

#define BUFFER_KB 64 /* per CPU, for events of which the first one is enough */
#define OUT_TABLE 128 /* what is in it is of no interest */
#define CHECK_NS  1000000000

struct rwk_trigger_kernel {
	struct rwk_instance instance;
	const struct rwk_record_filter *filter;
	char event[RWK_OWNER_LEN + sizeof(RWK_TRIGGER_EVENT)];
	bool event_made;
	struct tep_handle *tep;
	struct tep_event *late;
	struct tep_format_field *ran, *latency, *tid, *comm;
	int fd; /* of the instance's trace_pipe, never read: it tells that there is something */
	int table;
	int64_t forks_left; /* until a table may be full */
	int64_t forks; /* as the kernel counts them */
	rwk_ns next_check;
	struct rwk_record_trigger first; /* the earliest of a look */
	int64_t gaps, renewed, dropped;
};

void rwk_trigger_kernel_lack(const char *tracing_dir, char why[RWK_RECORD_TRIGGER_WHY])
{
	char path[4096];

	why[0] = '\0';
	snprintf(path, sizeof(path), "%s/events/sched/sched_switch/hist", tracing_dir);
	if (access(path, R_OK)) {
		snprintf(why, RWK_RECORD_TRIGGER_WHY,
			"the kernel has no histogram triggers (CONFIG_HIST_TRIGGERS)");
		return;
	}
	snprintf(path, sizeof(path), "%s/synthetic_events", tracing_dir);
	if (access(path, R_OK | W_OK))
		snprintf(why, RWK_RECORD_TRIGGER_WHY,
			"the kernel has no synthetic events that can be made "
			"(CONFIG_SYNTH_EVENTS)");
}

static int add_trigger(struct rwk_trigger_kernel *k, const char *event, char *text,
	const char *condition, struct rwk_diag *diag)
{
	char name[128], *all = NULL;
	int err;

	if (!text || !condition || asprintf(&all, "%s if %s", text, condition) < 0)
		return rwk_diag_push(diag, -ENOMEM, "no trigger: why=no memory");
	snprintf(name, sizeof(name), "events/sched/%s/trigger", event);
	err = rwk_instance_append(&k->instance, name, all, diag);
	free(all);
	return err;
}

static char *__attribute__((format(printf, 1, 2))) format_text(const char *fmt, ...)
{
	char *text;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	return len < 0 ? NULL : text;
}

/* Where the recording does not look, nobody has to be compared; but forgetting is for all. */
static int add_triggers(struct rwk_trigger_kernel *k, struct rwk_diag *diag)
{
	const char *clock = k->instance.setup.clock;
	char *wakee = rwk_filter_format_about(k->filter, "pid", "comm");
	char *next = rwk_filter_format_about(k->filter, "next_pid", "next_comm");
	char *waking =
		format_text("hist:keys=pid:w=common_timestamp:size=%d:clock=%s", k->table, clock);
	char *out = format_text(
		"hist:keys=prev_pid:x=common_timestamp-$w:size=%d:clock=%s", OUT_TABLE, clock);
	char *in = format_text("hist:keys=next_pid:ran=common_timestamp:"
			       "latency=common_timestamp-$w:size=%d:clock=%s:"
			       "onmatch(sched.sched_waking).trace(%s,$ran,$latency,next_pid,"
			       "next_comm)",
		k->table, clock, k->event);
	int64_t tasks = 0;
	int err = rwk_trigger_count_tasks(&tasks, &k->forks, diag);

	k->forks_left = k->table - tasks;
	if (!err)
		err = add_trigger(k, "sched_waking", waking, wakee, diag);
	if (!err)
		err = add_trigger(k, "sched_switch", out, "prev_pid != 0", diag);
	if (!err)
		err = add_trigger(k, "sched_switch", in, next, diag);
	free(wakee);
	free(next);
	free(waking);
	free(out);
	free(in);
	return err;
}

int rwk_trigger_kernel_clear(const char *instance_dir)
{
	/* Those that use the others' variables before those that have them. */
	static const char *const events[] = {"sched_switch", "sched_waking"};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		char path[4096];
		int fd;

		snprintf(path, sizeof(path), "%s/events/sched/%s/trigger", instance_dir, events[i]);
		fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		close(fd);
	}
	return 0;
}

static int clear(struct rwk_trigger_kernel *k, struct rwk_diag *diag)
{
	char *dir = tracefs_instance_get_dir(k->instance.handle);
	int err = dir ? rwk_trigger_kernel_clear(dir) : -ENOMEM;

	if (err)
		rwk_diag_push(diag, err, "cannot take triggers back: instance=%s why=%s",
			dir ? dir : "", strerror(-err));
	tracefs_put_tracing_file(dir);
	return err;
}

static int make_event(
	struct rwk_trigger_kernel *k, const struct rwk_owner *owner, struct rwk_diag *diag)
{
	char id[RWK_OWNER_LEN], text[sizeof(k->event) + 64];

	rwk_owner_format(owner, '_', id);
	snprintf(k->event, sizeof(k->event), RWK_TRIGGER_EVENT "%s", id);
	snprintf(text, sizeof(text), "%s u64 ran; u64 latency; pid_t tid; char comm[16]", k->event);
	errno = 0;
	if (tracefs_instance_file_append(NULL, "synthetic_events", text) < 0) {
		int err = errno ? -errno : -EIO;

		return rwk_diag_push(
			diag, err, "cannot make a synthetic event: why=%s", strerror(-err));
	}
	k->event_made = true;
	return 0;
}

static int find_fields(struct rwk_trigger_kernel *k, struct rwk_diag *diag)
{
	static const char *const systems[] = {RWK_TRIGGER_SYSTEM, NULL};

	k->tep = tracefs_local_events_system(k->instance.dir, systems);
	k->late = k->tep ? tep_find_event_by_name(k->tep, RWK_TRIGGER_SYSTEM, k->event) : NULL;
	if (k->late) {
		k->ran = tep_find_field(k->late, "ran");
		k->latency = tep_find_field(k->late, "latency");
		k->tid = tep_find_field(k->late, "tid");
		k->comm = tep_find_field(k->late, "comm");
	}
	if (k->ran && k->latency && k->tid && k->comm)
		return 0;
	return rwk_diag_push(diag, -ENODATA, "the kernel made no synthetic event: event=%s/%s",
		RWK_TRIGGER_SYSTEM, k->event);
}

/* Only what lasts too long, so that nothing else is ever read. */
static int enable_event(struct rwk_trigger_kernel *k, rwk_ns limit, struct rwk_diag *diag)
{
	char name[sizeof(k->event) + 64], text[64];
	int err;

	snprintf(name, sizeof(name), "events/" RWK_TRIGGER_SYSTEM "/%s/filter", k->event);
	snprintf(text, sizeof(text), "latency > %" PRId64, limit);
	err = rwk_instance_set(&k->instance, name, text, diag);
	return err ? err : rwk_instance_enable(&k->instance, RWK_TRIGGER_SYSTEM, k->event, diag);
}

static int set_up(struct rwk_trigger_kernel *k, const struct rwk_record_options *opt,
	const char *tracing_dir, const struct rwk_owner *owner, struct rwk_diag *diag)
{
	int64_t tasks, forks;
	int err = rwk_trigger_count_tasks(&tasks, &forks, diag);

	if (err)
		return err;
	k->table = rwk_trigger_table_size(tasks);
	if (!k->table)
		return rwk_diag_push(diag, -E2BIG,
			"more tasks than the kernel's tables take: tasks=%" PRId64, tasks);
	err = make_event(k, owner, diag);
	if (!err)
		err = rwk_instance_create(
			&k->instance, tracing_dir, owner, RWK_TRIGGER_ROLE, BUFFER_KB, NULL, diag);
	if (!err)
		err = find_fields(k, diag);
	/* Where there is no such file, nobody waits for more than one event. */
	if (!err && rwk_instance_has(&k->instance, "buffer_percent"))
		err = rwk_instance_set(&k->instance, "buffer_percent", "0", diag);
	if (!err)
		err = rwk_filter_apply_tasks(k->filter, &k->instance, diag);
	if (!err)
		err = add_triggers(k, diag);
	if (!err)
		err = enable_event(k, opt->trigger_ns, diag);
	if (!err) {
		k->fd = tracefs_instance_file_open(
			k->instance.handle, "trace_pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (k->fd < 0)
			err = rwk_diag_push(diag, errno ? -errno : -EIO,
				"cannot wait for the trigger: file=trace_pipe why=%s",
				strerror(errno));
	}
	return err ? err : rwk_instance_switch(&k->instance, true, diag);
}

int rwk_trigger_kernel_start(const struct rwk_record_options *opt, const char *tracing_dir,
	const struct rwk_owner *owner, struct rwk_diag *diag, struct rwk_trigger_kernel **ret,
	bool *ret_left)
{
	struct rwk_trigger_kernel *k = calloc(1, sizeof(*k));
	int err;

	if (!k)
		return rwk_diag_push(diag, -ENOMEM, "no trigger: why=no memory");
	k->filter = &opt->filter;
	k->fd = -1;
	err = set_up(k, opt, tracing_dir, owner, diag);
	if (!err) {
		*ret = k;
		return 0;
	}
	*ret_left = rwk_trigger_kernel_stop(k, diag) != 0;
	return err;
}

int rwk_trigger_kernel_fd(const struct rwk_trigger_kernel *kernel)
{
	return kernel->fd;
}

static int64_t number(struct tep_format_field *field, struct tep_record *record)
{
	unsigned long long value;

	return tep_read_number_field(field, record->data, &value) || value > INT64_MAX
		       ? -1
		       : (int64_t)value;
}

static int take(struct tep_event *event, struct tep_record *record, int cpu, void *ctx)
{
	struct rwk_trigger_kernel *k = ctx;
	struct rwk_record_trigger t = {.fired = true, .cpu = cpu};
	size_t len;

	if (record->missed_events)
		k->gaps++;
	if (event->id != k->late->id)
		return 0;
	len = (size_t)k->comm->size;
	t.ts = number(k->ran, record);
	t.latency = number(k->latency, record);
	t.tid = (int)number(k->tid, record);
	if (len > sizeof(t.comm) - 1)
		len = sizeof(t.comm) - 1;
	memcpy(t.comm, (const char *)record->data + k->comm->offset, len);
	if (t.ts < 0 || t.latency < 0 || t.tid <= 0 ||
		!rwk_filter_has_task(k->filter, &k->instance, t.tid))
		return 0;
	if (!k->first.fired || t.ts < k->first.ts)
		k->first = t;
	return 0;
}

static int64_t dropped_so_far(const struct rwk_trigger_kernel *k)
{
	int64_t now = k->dropped < 0 ? -1 : rwk_trigger_read_dropped(k->instance.handle);

	return now < 0 ? -1 : k->dropped + now;
}

/* The tables never forget a task, so they fill up: as many as there were, and have come since. */
static int renew_if_full(struct rwk_trigger_kernel *k, struct rwk_diag *diag)
{
	rwk_ns now = rwk_watch_now();
	int64_t switches, forks;
	int err;

	if (now < k->next_check)
		return 0;
	k->next_check = now + CHECK_NS;
	err = rwk_stat_read(&switches, &forks, diag);
	if (err)
		return err;
	if (forks - k->forks < k->forks_left)
		return 0;
	k->dropped = dropped_so_far(k);
	k->renewed++;
	err = clear(k, diag);
	return err ? err : add_triggers(k, diag);
}

int rwk_trigger_kernel_look(struct rwk_trigger_kernel *kernel, struct rwk_record_trigger *ret,
	bool *ret_fired, struct rwk_diag *diag)
{
	struct pollfd fd = {.fd = kernel->fd, .events = POLLIN};

	*ret_fired = false;
	if (poll(&fd, 1, 0) > 0) {
		kernel->first.fired = false;
		tracefs_iterate_raw_events(
			kernel->tep, kernel->instance.handle, NULL, 0, take, kernel);
		if (kernel->first.fired) {
			*ret = kernel->first;
			*ret_fired = true;
			return 0;
		}
	}
	return renew_if_full(kernel, diag);
}

void rwk_trigger_kernel_report(struct rwk_trigger_kernel *kernel, struct rwk_record_trigger *ret)
{
	ret->gaps = kernel->gaps;
	ret->renewed = kernel->renewed;
	ret->dropped = dropped_so_far(kernel);
}

int rwk_trigger_kernel_stop(struct rwk_trigger_kernel *kernel, struct rwk_diag *diag)
{
	struct tracefs_dynevent *event;
	int err = 0;

	if (!kernel)
		return 0;
	if (kernel->fd >= 0)
		close(kernel->fd);
	kernel->fd = -1;
	/* Triggers hold the instance, and it the event. */
	if (kernel->instance.handle)
		err = clear(kernel, diag);
	if (!err)
		err = rwk_instance_destroy(&kernel->instance, diag);
	if (!err && kernel->event_made) {
		event = tracefs_dynevent_get(
			TRACEFS_DYNEVENT_SYNTH, RWK_TRIGGER_SYSTEM, kernel->event);
		/* What is not there has been taken away by somebody, or was never made. */
		err = event ? rwk_dynevent_destroy_handle(event) : 0;
		if (err)
			rwk_diag_push(diag, err, "cannot remove an event: event=%s/%s why=%s",
				RWK_TRIGGER_SYSTEM, kernel->event, strerror(-err));
		tracefs_dynevent_free(event);
	}
	tep_free(kernel->tep);
	free(kernel);
	return err;
}
