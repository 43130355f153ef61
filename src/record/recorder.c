/*
 * One recording from beginning to end: what has to be there, the order in
 * which things start and stop, and that all of it is gone afterwards.
 */
#include "record/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/archive_stream.h"
#include "record/assemble.h"
#include "record/filter.h"
#include "record/flight.h"
#include "record/leftover.h"
#include "record/recorder.h"
#include "record/tracefs_root.h"
#include "record/trail.h"
#include "record/view.h"
#include "record/watch.h"

#define NS_PER_MS  INT64_C(1000000)
#define STOP_GRACE (1000 * NS_PER_MS) /* for a command that got the same Ctrl-C */

/* Four descriptors per CPU are more than the usual limit on large machines. */
static void raise_nofile(struct rwk_recorder *r)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &r->nofile)) {
		r->nofile = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
		return;
	}
	limit = r->nofile;
	limit.rlim_cur = limit.rlim_max;
	r->nofile_raised = !setrlimit(RLIMIT_NOFILE, &limit);
}

static bool is_stopped(const struct rwk_recorder *r)
{
	return r->opt->stop && *r->opt->stop;
}

/* tracefs, what has to be in it, and nothing of recorders that are dead. */
static int prepare_tracefs(struct rwk_recorder *r)
{
	char without[RWK_TRACEFS_WITHOUT];
	int err = rwk_tracefs_find(r->diag, &r->tracing_dir);

	if (!err)
		err = rwk_tracefs_check_events(r->tracing_dir, r->diag);
	if (!err)
		err = rwk_tracefs_use(r->tracing_dir, r->diag);
	if (err)
		return err;
	rwk_tracefs_without(r->tracing_dir, without);
	if (without[0] && r->opt->tell)
		r->opt->tell(without);
	err = rwk_owner_self(&r->self);
	if (err)
		return rwk_diag_push(
			r->diag, err, "cannot tell who I am: dir=/proc why=%s", strerror(-err));
	rwk_leftovers_remove(r->tracing_dir, r->opt->output, &r->self, r->opt->tell);
	return 0;
}

static int prepare_workdir(struct rwk_recorder *r)
{
	char *parent = rwk_workdir_parent(r->opt->output);

	if (!parent)
		return rwk_diag_push(r->diag, -ENOMEM, "cannot record: why=no memory");
	/* Noted first: a kill between the two leaves a note, which a later recorder finds. */
	rwk_trail_leave(RWK_TRAIL_DIR, &r->self, parent);
	free(parent);
	return rwk_workdir_create(&r->work, r->opt->output, &r->self, r->diag);
}

static void tell_probe(const struct rwk_recorder *r)
{
	const struct rwk_record_probe *p = &r->result.probe;
	const char *level = rwk_probe_level_name(p->level);
	char text[RWK_RECORD_PROBE_WHY + 64];

	if (!r->opt->tell)
		return;
	if (p->asked != p->level || p->why[0]) {
		snprintf(text, sizeof(text), "probe: %s%s%s", level, p->why[0] ? ": " : "", p->why);
		r->opt->tell(text);
	}
	if (p->level == RWK_PROBE_LEVEL_STATE)
		r->opt->tell("probe: state reads every CPU at each wakeup, which slows the machine "
			     "and has hung emulated ones; hidden is for everyday use");
}

static int prepare_extra(struct rwk_recorder *r)
{
	int err = rwk_extra_choose(r->opt, r->tracing_dir, &r->extra, r->diag);

	if (!err)
		err = rwk_extra_enable(&r->extra, &r->opt->filter, &r->instance, r->diag);
	if (err || (!r->extra.event[0].system && !r->extra.nr))
		return err;
	r->result.extra = rwk_extra_format(&r->extra);
	return r->result.extra ? 0
			       : rwk_diag_push(r->diag, -ENOMEM, "cannot record: why=no memory");
}

static int prepare_instance(struct rwk_recorder *r)
{
	const struct rwk_record_filter *filter = &r->opt->filter;
	const struct rwk_cpuset *only = filter->by_cpu ? &filter->cpus : NULL;
	struct rwk_setup setup = {.buffer_kb = r->opt->buffer_kb};
	int err = 0;

	if (r->opt->flight.on) {
		err = rwk_setup_choose(NULL, r->opt->buffer_kb, only, &setup, r->diag);
		if (!err)
			err = rwk_flight_size(r->opt, r->tracing_dir, &setup, r->diag);
	}
	if (err)
		return err;
	err = rwk_instance_create(
		&r->instance, r->tracing_dir, &r->self, "", setup.buffer_kb, only, r->diag);
	if (!err && r->instance.without[0] && r->opt->tell)
		r->opt->tell(r->instance.without);
	if (!err)
		err = rwk_instance_enable_sched(&r->instance, r->diag);
	if (!err)
		err = rwk_filter_apply(filter, &r->instance, r->diag);
	return err ? err : prepare_extra(r);
}

/* A flight recorder writes all at once, in the end: it had better fit. */
static int check_flight_room(const struct rwk_recorder *r)
{
	int64_t need = 2 * rwk_setup_total_kb(&r->instance.setup), room;

	room = rwk_watch_room(r->work.fd) / 1024;
	if (room >= need)
		return 0;
	return rwk_diag_push(r->diag, -ENOSPC,
		"the disk is full: writing what the buffers hold may take %lld KB, %lld are free",
		(long long)need, (long long)room);
}

static int send_pages(void *ctx, int cpu, const void *pages, size_t len)
{
	return rwk_archive_put_pages(ctx, cpu, pages, len, NULL);
}

/* What takes the events: the threads, and what looks at how they keep up. */
static int prepare_buffers(struct rwk_recorder *r)
{
	const struct rwk_setup *setup = &r->instance.setup;
	int64_t max = r->opt->max_bytes, page = (int64_t)r->instance.page_size;
	struct rwk_drain_options opt = {.max_bytes = max, .hold = r->opt->flight.on};
	char text[128];
	int err;

	/* The page that each CPU is just filling must fit. */
	if (max && max < 2 * page * rwk_cpuset_weight(&setup->cpus))
		return rwk_diag_push(r->diag, -ERANGE,
			"at most %lld bytes are too few for %d CPUs with pages of %lld bytes",
			(long long)max, rwk_cpuset_weight(&setup->cpus), (long long)page);
	/* A reservation holds also while nobody finds the time to look at the disk. */
	if (!r->opt->stream && !r->opt->flight.on) {
		int64_t most = rwk_watch_most_bytes(rwk_watch_room(r->work.fd));

		if (most && (!max || most < max) &&
			most >= 2 * page * rwk_cpuset_weight(&setup->cpus))
			opt.max_bytes = most;
	}
	if (max)
		opt.near_bytes = rwk_watch_near_bytes(max, rwk_setup_total_kb(setup) * 1024);
	if (r->opt->flight.on) {
		err = check_flight_room(r);
		if (err)
			return err;
	}
	if (r->opt->stream) {
		opt.take = send_pages;
		opt.take_ctx = r->opt->stream;
	}
	if (rwk_loss_init(&r->loss, &setup->cpus, !r->opt->flight.on))
		return rwk_diag_push(r->diag, -ENOMEM, "cannot watch the buffers: why=no memory");
	r->result.buffer_kb = setup->buffer_kb;
	snprintf(text, sizeof(text), "buffers: %lld KB on each of %d CPUs, %lld KB in all",
		(long long)setup->buffer_kb, rwk_cpuset_weight(&setup->cpus),
		(long long)rwk_setup_total_kb(setup));
	if (r->opt->tell)
		r->opt->tell(text);
	return rwk_drain_start(&r->instance, r->work.fd, &opt, r->diag, &r->drain);
}

static int prepare_hotplug(struct rwk_recorder *r)
{
	int err = rwk_hotplug_start(r->tracing_dir, &r->self, &r->result.probe,
		r->result.hotplug.why, r->diag, &r->hotplug);

	/* What happened before is older than what the watch will see. */
	if (!err)
		rwk_watch_online(r->result.hotplug.begin);
	return err;
}

/* Everything that can fail without having touched the machine comes first. */
static int prepare(struct rwk_recorder *r)
{
	const struct rwk_record_options *opt = r->opt;
	int err;

	if (opt->buffer_kb &&
		(opt->buffer_kb < RWK_RECORD_MIN_KB || opt->buffer_kb > RWK_RECORD_MAX_KB))
		return rwk_diag_push(r->diag, -ERANGE,
			"buffer of %lld KB: why=%d to %d are possible", (long long)opt->buffer_kb,
			RWK_RECORD_MIN_KB, RWK_RECORD_MAX_KB);
	if (opt->max_bytes && opt->max_bytes < RWK_RECORD_MIN_BYTES)
		return rwk_diag_push(r->diag, -ERANGE, "at most %lld bytes: why=%d are the least",
			(long long)opt->max_bytes, RWK_RECORD_MIN_BYTES);
	if (opt->max_bytes && opt->flight.on)
		return rwk_diag_push(r->diag, -EINVAL,
			"a flight recorder has the size of its buffers: why=max_bytes is set");
	/* A stream takes neither here: whoever receives it has them. */
	if (opt->trigger_ns && !opt->flight.on)
		return rwk_diag_push(
			r->diag, -EINVAL, "a trigger ends a flight recorder: why=it is none");
	err = opt->stream ? 0 : rwk_assemble_find_tool(r->diag, &r->tool);
	if (!err)
		err = prepare_tracefs(r);
	if (!err && !opt->stream)
		err = prepare_workdir(r);
	raise_nofile(r);
	/* Before any thread and file: the child should have none of them. */
	if (!err && opt->command)
		err = r->result.command_err = rwk_command_prepare(
			&r->command, opt->command, &r->nofile, opt->command_to_stderr, r->diag);
	if (!err)
		err = prepare_instance(r);
	if (!err) {
		err = rwk_probe_create(
			&r->probe, opt, &r->instance, &r->self, &r->result.probe, r->diag);
		if (!err)
			tell_probe(r);
	}
	for (int i = 0; i < r->probe.nr_events && !err; i++)
		err = rwk_filter_apply_event(&opt->filter, &r->instance, r->probe.group,
			r->probe.format[i].name, r->diag);
	if (!err)
		err = prepare_hotplug(r);
	if (!err)
		err = prepare_buffers(r);
	if (!err && opt->trigger_ns)
		err = rwk_trigger_start(opt, r->tracing_dir, &r->self, r->diag, &r->trigger);
	if (!err && is_stopped(r))
		err = rwk_diag_push(r->diag, -EINTR, "stopped before the recording began");
	return err;
}

/* From switching on to having all pages out of the kernel. */
static int capture(struct rwk_recorder *r)
{
	struct rwk_watch watch = {.opt = r->opt,
		.command = &r->command,
		.drain = r->drain,
		.instance = &r->instance,
		.loss = &r->loss,
		.trigger = r->trigger,
		.work_fd = r->work.fd};
	struct rwk_record_probe before;
	int err, stop_err;

	/* The probes are on already, but nothing keeps what they see. */
	rwk_probe_read_profile(&r->probe, r->tracing_dir, &before.hits, &before.missed);
	err = r->opt->stream ? rwk_recorder_begin_stream(r) : 0;
	if (err)
		return err;
	err = rwk_instance_switch(&r->instance, true, r->diag);
	if (err)
		return err;
	watch.start = rwk_watch_now();
	rwk_loss_sample(&r->loss, &r->instance);
	if (r->opt->command)
		err = r->result.command_err = rwk_command_go(&r->command, r->diag);
	if (!err)
		r->result.end = rwk_watch_until_end(&watch);
	r->result.trigger = watch.fired;
	if (r->trigger)
		rwk_trigger_report(r->trigger, &r->result.trigger);
	stop_err = rwk_instance_switch(&r->instance, false, err ? NULL : r->diag);
	rwk_hotplug_end(r->hotplug);
	rwk_watch_online(r->result.hotplug.end);
	r->result.elapsed_ns = rwk_watch_now() - watch.start;
	rwk_recorder_read_profile(r, &before);
	if (r->opt->flight.on)
		rwk_recorder_find_window(r);
	if (!err)
		err = stop_err;
	if (r->opt->stream)
		rwk_archive_hurry(r->opt->stream);
	stop_err = rwk_drain_stop(r->drain, err ? NULL : r->diag);
	if (!err)
		err = stop_err;
	if (stop_err && r->opt->stream)
		rwk_archive_why(r->opt->stream, r->diag);
	if (!err && r->hotplug)
		r->result.hotplug.rows = rwk_hotplug_read(r->hotplug, r->result.hotplug.why);
	return err ? err : rwk_recorder_read_stats(r);
}

/* The machine as it was: files closed, instance removed, command ended, limit restored. */
static int dismantle(struct rwk_recorder *r, int err)
{
	int remove_err, probe_err, trigger_err, hotplug_err;

	rwk_drain_destroy(r->drain);
	r->drain = NULL;
	trigger_err = rwk_trigger_stop(r->trigger, r->diag);
	r->trigger = NULL;
	hotplug_err = rwk_hotplug_stop(r->hotplug, r->diag);
	r->hotplug = NULL;
	remove_err = rwk_instance_destroy(&r->instance, r->diag);
	/* The instance had them on, which would have kept them. */
	probe_err = rwk_probe_remove(&r->probe, r->diag);
	if (!remove_err)
		remove_err = probe_err ? probe_err : trigger_err ? trigger_err : hotplug_err;
	rwk_command_finish(&r->command, is_stopped(r) ? STOP_GRACE : 0);
	r->result.command_status = r->command.status;
	if (r->nofile_raised)
		setrlimit(RLIMIT_NOFILE, &r->nofile);
	return err ? err : remove_err;
}

const char *rwk_record_end_name(enum rwk_record_end end)
{
	static const char *const names[RWK_RECORD_END_COUNT] = {
		"stopped", "duration", "command", "size", "disk", "trigger", "failed"};

	return names[end];
}

int rwk_record_run(
	const struct rwk_record_options *opt, struct rwk_diag *diag, struct rwk_record_result *ret)
{
	struct rwk_recorder r = {
		.opt = opt, .diag = diag, .work = RWK_WORKDIR_NONE, .command = RWK_COMMAND_NONE};
	int err = prepare(&r);

	if (!err)
		err = capture(&r);
	err = dismantle(&r, err);
	if (!err)
		err = rwk_recorder_publish(&r);
	rwk_workdir_remove(&r.work);
	if (r.self.pid)
		rwk_trail_clear(RWK_TRAIL_DIR, &r.self);
	rwk_probe_finish(&r.probe);
	rwk_loss_finish(&r.loss);
	rwk_tracefs_use(NULL, NULL);
	free(r.tool);
	free(r.tracing_dir);
	if (err) {
		ret->command_err = r.result.command_err;
		rwk_record_result_finish(&r.result);
		return err;
	}
	memcpy(r.result.clock, r.instance.setup.clock, sizeof(r.result.clock));
	*ret = r.result;
	return 0;
}

void rwk_record_result_finish(struct rwk_record_result *result)
{
	for (int i = 0; i < result->nr_cpus; i++)
		free(result->cpu[i].losses);
	free(result->probe.events);
	free(result->hotplug.rows);
	free(result->extra);
	free(result->cpu);
	*result = (struct rwk_record_result){0};
}
