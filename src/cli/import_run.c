/* Importing one trace. */
#include "cli/import_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check/findings.h"
#include "cli/appeared.h"
#include "cli/changes_note.h"
#include "cli/cpu_counters.h"
#include "cli/epoch_rows.h"
#include "cli/exit.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/task_processes.h"
#include "cli/trace_machine.h"
#include "config.h"
#include "decode/decoder.h"
#include "graph/graph.h"
#include "record/archive_stream.h"
#include "store/store.h"

/* The store's sink with the graph listening to the wakeups. */
struct fan_out {
	struct rwk_row_sink store;
	struct rwk_graph *graph;
	int64_t nr_wakeups;
};

struct import {
	const struct rwk_import_options *opt;
	struct rwk_unpacked unpacked; /* of an archive; else its trace is NULL */
	const char *path; /* what to read: that trace, or the one that was named */
	struct rwk_decode *dec;
	struct rwk_trace_machine tm;
	struct rwk_anomalies anomalies;
	struct rwk_order *order;
	struct rwk_skew skew; /* by which clocks were shifted */
	struct rwk_skew left; /* what the orders say of them after that */
	struct rwk_graph *graph;
	struct rwk_timeline *tl;
	struct rwk_store_writer *writer;
	struct fan_out fan;
	rwk_ns first_ts, last_ts;
	int64_t nr_events;
};

static const char *const probe_modes[] = {[RWK_PROBE_ALL] = "all",
	[RWK_PROBE_FLAGS] = "flags",
	[RWK_PROBE_NR] = "nr",
	[RWK_PROBE_NONE] = "none"};

int rwk_probe_mode_parse(const char *text, enum rwk_probe_mode *ret)
{
	for (size_t i = 0; i < sizeof(probe_modes) / sizeof(probe_modes[0]); i++) {
		if (!strcmp(text, probe_modes[i])) {
			*ret = (enum rwk_probe_mode)i;
			return 0;
		}
	}
	return -EINVAL;
}

/* Without the slashes that a folder's name may end in. */
static size_t name_length(const char *trace)
{
	size_t n = strlen(trace);

	while (n > 1 && trace[n - 1] == '/')
		n--;
	return n;
}

void rwk_import_default_output(const char *trace, char *buf, size_t size)
{
	const char *base, *dot, *end;

	if (!strcmp(trace, "-"))
		trace = "stdin";
	end = trace + name_length(trace);
	for (base = end; base > trace && base[-1] != '/'; base--)
		;
	dot = memrchr(base, '.', (size_t)(end - base));
	if (!dot || dot == base)
		dot = end;
	snprintf(buf, size, "%.*s.db", (int)(dot - base), base);
}

static int fan_wakeup(void *ctx, const struct rwk_wakeup_row *row)
{
	struct fan_out *fan = ctx;
	int err = rwk_graph_add(fan->graph, row);

	fan->nr_wakeups++;
	return err ? err : fan->store.wakeup(fan->store.ctx, row);
}

#define FORWARD(name)                                                                              \
	static int fan_##name(void *ctx, const struct rwk_##name##_row *row)                       \
	{                                                                                          \
		struct fan_out *fan = ctx;                                                         \
                                                                                                   \
		return fan->store.name(fan->store.ctx, row);                                       \
	}
FORWARD(slice)
FORWARD(probe)
FORWARD(probe_cpu)
FORWARD(migration)
FORWARD(orphan)
FORWARD(nr)
FORWARD(loss)
#undef FORWARD

static int open_rows(struct import *im, struct rwk_diag *diag)
{
	const struct rwk_trace_info *info = rwk_decode_info(im->dec);
	struct rwk_timeline_options to = {.machine = im->tm.machine,
		.probe = im->opt->probe,
		.partial = im->tm.snap && rwk_snapshot_file(im->tm.snap, "rewake/filter"),
		.probed = im->opt->probe <= RWK_PROBE_FLAGS && info->has_format[RWK_EV_SEL],
		.sink = {.ctx = &im->fan,
			.slice = fan_slice,
			.wakeup = fan_wakeup,
			.probe = fan_probe,
			.probe_cpu = fan_probe_cpu,
			.migration = fan_migration,
			.orphan = fan_orphan,
			.nr = fan_nr,
			.loss = fan_loss}};
	char left[4096];
	bool was_left = rwk_store_leftover(im->opt->output, left, sizeof(left));
	int err = rwk_store_writer_open(im->opt->output, im->opt->replace, diag, &im->writer);

	if (err)
		return err;
	if (was_left && access(left, F_OK))
		rwk_msg_note("%s: removed %s, which an import that was killed had left",
			im->opt->output, left);
	im->fan.store = rwk_store_writer_sink(im->writer);
	err = rwk_graph_create(im->tm.machine, &im->graph);
	if (!err)
		err = rwk_order_create(&im->order);
	if (err)
		return rwk_diag_push(diag, err, "cannot build the graph: out of memory");
	im->fan.graph = im->graph;
	if (im->tm.snap && rwk_snapshot_nr_tasks(im->tm.snap)) {
		to.affinity = rwk_trace_machine_affinity;
		to.affinity_ctx = im->tm.snap;
	}
	return rwk_timeline_create(&to, diag, &im->tl);
}

static int read_events(struct import *im, struct rwk_diag *diag)
{
	const struct rwk_trace_info *info = rwk_decode_info(im->dec);
	struct rwk_progress progress;
	struct rwk_event ev;
	int err;

	rwk_progress_begin(&progress, "import");
	while ((err = rwk_decode_next(im->dec, &ev, diag)) == 1) {
		if (im->first_ts == RWK_NS_NONE)
			im->first_ts = ev.ts;
		im->last_ts = ev.ts;
		if (info->anomalies.of[RWK_AN_SOME_TASKS_ONLY].count)
			rwk_timeline_is_partial(im->tl);
		err = rwk_timeline_event(im->tl, &ev);
		if (!err)
			err = rwk_order_event(im->order, &ev);
		if (err) {
			err = rwk_diag_push(diag, err,
				"cannot keep the rows of event %" PRId64 ": %s", im->nr_events,
				strerror(-err));
			break;
		}
		if (!(++im->nr_events & 0x3fff))
			rwk_progress_update(&progress, rwk_decode_permille(im->dec), im->nr_events);
	}
	rwk_progress_end(&progress);
	if (!err) {
		err = rwk_timeline_finish(im->tl);
		if (err)
			rwk_diag_push(diag, err, "cannot keep the last rows: %s", strerror(-err));
	}
	return err;
}

/*
 * All CPUs with events were observed in between (L5, L6): a CPU that overwrote events
 * begins late, one that had no room left for them ends early.  any: some CPU overwrote,
 * which one is not known.
 */
static void trusted_window(
	const struct rwk_run_cpu_row *cpu, size_t nr, bool any, struct rwk_run_row *run)
{
	run->trusted_from = run->first_ts;
	run->trusted_to = run->last_ts;
	for (size_t i = 0; i < nr; i++) {
		if (!cpu[i].observed)
			continue;
		if ((any || cpu[i].overrun > 0) && cpu[i].first_ts > run->trusted_from)
			run->trusted_from = cpu[i].first_ts;
		if (cpu[i].dropped > 0 && cpu[i].last_ts < run->trusted_to)
			run->trusted_to = cpu[i].last_ts;
	}
	if (run->trusted_from > run->trusted_to)
		run->trusted_from = run->trusted_to = RWK_NS_NONE;
}

static int cpu_rows(struct import *im, struct rwk_run_cpu_row **ret)
{
	const struct rwk_trace_info *info = rwk_decode_info(im->dec);
	int nr = im->tm.machine->nr_cpu_ids;
	struct rwk_run_cpu_row *rows = calloc((size_t)nr + 1, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	for (int cpu = 0; cpu < nr; cpu++) {
		const struct rwk_trace_cpu *tc = cpu < info->nr_cpus ? &info->cpu[cpu] : NULL;
		struct rwk_cpu_counters count = rwk_cpu_counters(info, im->tm.snap, cpu);

		rows[cpu] = (struct rwk_run_cpu_row){.cpu = cpu,
			.nr_events = tc ? tc->nr_events : 0,
			.entries = count.entries,
			.overrun = count.overrun,
			.dropped = count.dropped,
			.skew_ns = im->skew.of[cpu].skew_ns,
			.skew_low_ns =
				im->skew.of[cpu].skew_ns ? im->skew.of[cpu].low_ns : RWK_NS_NONE,
			.skew_high_ns =
				im->skew.of[cpu].skew_ns ? im->skew.of[cpu].high_ns : RWK_NS_NONE};
		rwk_timeline_cpu_span(im->tl, cpu, &rows[cpu].first_ts, &rows[cpu].last_ts);
		rows[cpu].observed = rows[cpu].first_ts != RWK_NS_NONE;
		if (!rows[cpu].observed && im->tm.machine->cpu[cpu].online)
			rwk_anomaly_add(
				&im->anomalies, RWK_AN_CPU_UNOBSERVED, RWK_NS_NONE, cpu, RWK_NONE);
	}
	*ret = rows;
	return 0;
}

static int close_rows(struct import *im, struct rwk_diag *diag)
{
	const struct rwk_trace_info *info = rwk_decode_info(im->dec);
	struct rwk_store_run run = {.run = {.file = im->opt->trace,
					    .format = info->format,
					    .formats_from = info->formats_from,
					    .release = info->release,
					    .probe_mode = probe_modes[im->opt->probe],
					    .tool_version = REWAKE_VERSION,
					    .first_ts = im->first_ts,
					    .last_ts = im->last_ts,
					    .nr_cpus = info->nr_cpus,
					    .nr_lost = rwk_total_lost(info, im->tm.snap),
					    .truncated = info->truncated,
					    .truncated_at = info->truncated_at},
		.machine = im->tm.machine,
		.snapshot = im->tm.snap,
		.machine_file = im->tm.file,
		.anomalies = &im->anomalies};
	struct rwk_run_cpu_row *cpu = NULL;
	struct rwk_epoch *epoch = NULL;
	struct rwk_task_row *tasks;
	struct rwk_store_setting *setting;
	char clock[64];
	int err;

	setting = calloc(info->nr_notes + 1, sizeof(*setting));
	if (!setting)
		return rwk_diag_push(diag, -ENOMEM, "cannot finish the run: out of memory");
	for (size_t i = 0; i < info->nr_notes; i++)
		setting[i] = (struct rwk_store_setting){info->note[i].path, info->note[i].content};
	run.setting = setting;
	run.nr_setting = info->nr_notes;
	snprintf(clock, sizeof(clock), "%s%s", im->opt->decode.host_clock ? "host:" : "",
		info->clock);
	run.run.clock = clock;
	if (!info->release[0] && im->tm.snap)
		run.run.release = rwk_snapshot_release(im->tm.snap);
	memcpy(run.run.nr_events, info->nr_events, sizeof(run.run.nr_events));
	rwk_anomalies_merge(&im->anomalies, &info->anomalies);
	rwk_anomalies_merge(&im->anomalies, rwk_timeline_anomalies(im->tl));
	rwk_anomalies_merge(&im->anomalies, rwk_order_anomalies(im->order));
	err = cpu_rows(im, &cpu);
	if (!err)
		err = rwk_skew_solve(im->order, NULL, &im->left);
	if (!err)
		err = rwk_timeline_tasks(im->tl, &tasks, &run.nr_task);
	if (!err)
		err = rwk_graph_freeze(im->graph, &run.edge, &run.nr_edge);
	if (err) {
		rwk_diag_push(diag, err, "cannot finish the run: out of memory");
		goto out;
	}
	for (size_t i = 0; im->tm.snap && i < run.nr_task; i++) {
		const struct rwk_snapshot_task *st =
			tasks[i].generation || !tasks[i].tid
				? NULL
				: rwk_trace_machine_task(im->tm.snap, tasks[i].tid);

		if (st) {
			tasks[i].policy = st->policy;
			tasks[i].cgroup = st->cgroup;
		}
	}
	err = im->tm.snap ? rwk_appeared_forget(im->tm.snap, tasks, run.nr_task) : 0;
	if (!err)
		err = rwk_task_processes(&info->processes, tasks, run.nr_task);
	if (err) {
		rwk_diag_push(diag, err, "cannot finish the run: out of memory");
		goto out;
	}
	trusted_window(cpu, (size_t)im->tm.machine->nr_cpu_ids, info->nr_overwritten > 0, &run.run);
	run.cpu = cpu;
	run.nr_cpu = (size_t)im->tm.machine->nr_cpu_ids;
	run.task = tasks;
	err = rwk_epoch_rows(
		im->tm.snap, im->tm.machine, &im->opt->decode, diag, &epoch, &run.nr_epoch);
	run.epoch = epoch;
	if (!err)
		err = rwk_store_writer_finish(im->writer, &run, diag);
out:
	free(epoch);
	free(setting);
	free(cpu);
	return err;
}

/* "file=x.dat cpu=3 offset=0x10", leaving out what does not apply. */
static void place(const struct import *im, const struct rwk_anomaly *a, char *buf, size_t size)
{
	int n = snprintf(buf, size, "file=%s", im->opt->trace);

	if (a->first_cpu >= 0 && n < (int)size)
		n += snprintf(buf + n, size - (size_t)n, " cpu=%d", a->first_cpu);
	if (a->first_offset >= 0 && n < (int)size)
		snprintf(buf + n, size - (size_t)n, " offset=0x%" PRIx64, a->first_offset);
}

/* Whether the recorder has left out CPUs or tasks: then replays lack what those did. */
static bool tell_filter(const struct import *im)
{
	const char *note = im->tm.snap ? rwk_snapshot_file(im->tm.snap, "rewake/filter") : NULL;
	const char *unknown = note ? strstr(note, "unknown: ") : NULL;

	if (!note)
		return false;
	rwk_msg_note("%s: recorded with a filter (rewake/filter in machine_setting)%s%.*s",
		im->opt->trace, unknown ? "; unknown: " : "",
		unknown ? (int)strcspn(unknown + 9, "\n") : 0, unknown ? unknown + 9 : "");
	return true;
}

/* Clocks that were shifted, or should have been. */
static bool tell_skew(const struct import *im)
{
	int nr = 0;

	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++)
		nr += im->skew.of[cpu].skew_ns != 0;
	if (nr)
		rwk_msg_note("%s: the clocks of %d CPUs were shifted (skew_ns in run_cpu)",
			im->opt->trace, nr);
	else if (im->opt->skew.mode == RWK_SKEW_AUTO && im->skew.state != RWK_SKEW_NONE)
		rwk_msg_note("%s: clocks of CPUs differ, but by how much cannot be told (%s): "
			     "nothing was shifted",
			im->opt->trace, rwk_skew_state_name(im->skew.state));
	else if (im->skew.searched && im->skew.state == RWK_SKEW_NONE)
		rwk_msg_note("%s: %" PRId64 " tasks came out of their sleep without a waking; no "
			     "shift of clocks explains that, and nothing was shifted",
			im->opt->trace, im->skew.nr_uncaused);
	if (im->left.state == RWK_SKEW_NONE)
		return nr > 0;
	rwk_msg_note("%s: %" PRId64 " effects come before their causes on another CPU, as if "
		     "clocks differed; see rewake check%s",
		im->opt->trace, im->left.nr_impossible,
		im->opt->skew.mode == RWK_SKEW_AS_IS ? " and --skew" : "");
	return true;
}

/* "KEY: VALUE" of a text of lines; 0 characters without it. */
static const char *value_of(const char *text, const char *key, int *ret_len)
{
	size_t len = strlen(key);

	*ret_len = 0;
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) || strncmp(line + len, ": ", 2))
			continue;
		*ret_len = (int)strcspn(line + len + 2, "\n");
		return line + len + 2;
	}
	return "";
}

/* What a flight recorder was ended by. */
static void tell_trigger(const struct import *im)
{
	const char *note = im->tm.snap ? rwk_snapshot_file(im->tm.snap, "rewake/trigger") : NULL;
	int len[4];
	const char *at = value_of(note, "fired_ns", &len[0]);
	const char *latency = value_of(note, "latency_ns", &len[1]);
	const char *tid = value_of(note, "tid", &len[2]), *comm = value_of(note, "comm", &len[3]);

	if (len[1])
		rwk_msg_note(
			"%s: ended by its trigger at %.*s ns: %.*s (%.*s) ran %.*s ns after it "
			"was woken",
			im->opt->trace, len[0], at, len[3], comm, len[2], tid, len[1], latency);
}

/* What an archive lacks or has too much; whether it degrades. */
static bool tell_unpacked(const struct import *im)
{
	const struct rwk_unpacked *u = &im->unpacked;

	if (u->nr_ignored)
		rwk_msg_note("%s: %d members of the archive are unknown here, and left out",
			im->opt->trace, u->nr_ignored);
	if (u->cut)
		rwk_msg_note("%s: not all of the recording is there (%s); what was is imported%s",
			im->opt->trace, u->why, u->sidecar ? "" : ", and of the machine nothing");
	return u->cut;
}

/* What an operator must know of the import, on stderr; the exit code that goes with it. */
static int tell(const struct import *im)
{
	const struct rwk_trace_info *info = rwk_decode_info(im->dec);
	int64_t lost = rwk_total_lost(info, im->tm.snap);
	int64_t before = rwk_gaps_before(info, im->tm.snap);
	int64_t gaps = info->nr_events[RWK_EV_LOST] - before;
	char where[4200];
	int ret = RWK_EXIT_OK;

	for (enum rwk_anomaly_kind kind = 0; kind < RWK_AN_COUNT; kind++) {
		const struct rwk_anomaly *a = &im->anomalies.of[kind];

		if (!a->count || !rwk_anomaly_degrades(kind))
			continue;
		place(im, a, where, sizeof(where));
		rwk_msg_note("%s: %s count=%" PRId64 ": %s", rwk_anomaly_name(kind), where,
			a->count, rwk_anomaly_help(kind));
		ret = RWK_EXIT_DEGRADED;
	}
	if (info->truncated_why[0])
		rwk_msg_note("%s: read up to where this happened: %s", im->opt->trace,
			info->truncated_why);
	tell_trigger(im);
	if (tell_unpacked(im))
		ret = RWK_EXIT_DEGRADED;
	if (tell_filter(im))
		ret = RWK_EXIT_DEGRADED;
	if (tell_skew(im))
		ret = RWK_EXIT_DEGRADED;
	if (before)
		rwk_msg_note("%s: kept by a flight recorder; rewake/flight in machine_setting says "
			     "from when on all CPUs are in it",
			im->opt->trace);
	if (info->nr_left_out)
		rwk_msg_note("%s: %" PRId64
			     " events of further buffers left out, since another one has more of "
			     "their kind; --buffer NAME reads one alone",
			im->opt->trace, info->nr_left_out);
	if (lost == RWK_NONE)
		rwk_msg_note("%s: events were lost in %" PRId64
			     " gaps, how many is unknown, as is what they decided",
			im->opt->trace, gaps);
	else if (lost || gaps > 0)
		rwk_msg_note("%s: %" PRId64 " events were lost, in %" PRId64
			     " gaps; what they decided is unknown",
			im->opt->trace, lost, gaps > 0 ? gaps : 0);
	if (lost || gaps > 0)
		ret = RWK_EXIT_DEGRADED;
	/* Without any there was no recording of switches that one could miss in. */
	if (im->anomalies.of[RWK_AN_SWITCH_MISMATCH].count && info->nr_events[RWK_EV_SWITCH])
		rwk_msg_note("%s: %" PRId64
			     " switches are missing although no loss is reported; the "
			     "tasks around them are marked",
			im->opt->trace, im->anomalies.of[RWK_AN_SWITCH_MISMATCH].count);
	if (im->tm.snap) {
		char subject[4200];

		snprintf(subject, sizeof(subject), "%s: ", im->opt->trace);
		rwk_changes_note(subject, im->tm.snap);
	}
	if (!im->tm.machine->topology_known)
		rwk_msg_note(
			"%s: no machine sidecar, so that which CPUs share a cache is unknown and "
			"the kernel's rules cannot answer; --machine FILE names one",
			im->opt->trace);
	if (!info->nr_events[RWK_EV_WAKING] || !info->nr_events[RWK_EV_SWITCH]) {
		rwk_msg_note(
			"%s: no %s%s%s events, so that %s; record them with: rewake record -o NAME",
			im->opt->trace, info->nr_events[RWK_EV_WAKING] ? "" : "sched_waking",
			info->nr_events[RWK_EV_WAKING] || info->nr_events[RWK_EV_SWITCH] ? ""
											 : " and ",
			info->nr_events[RWK_EV_SWITCH] ? "" : "sched_switch",
			info->nr_events[RWK_EV_WAKING] ? "no CPU's state is known"
						       : "there is no wakeup to look at");
		ret = RWK_EXIT_ABSENT;
	}
	return ret;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

int rwk_import_run(const struct rwk_import_options *opt, struct rwk_diag *diag,
	struct rwk_import_result *ret, int *ret_exit)
{
	struct import im = {.opt = opt,
		.unpacked.work = RWK_WORKDIR_NONE,
		.first_ts = RWK_NS_NONE,
		.last_ts = RWK_NS_NONE};
	double start = now();
	int err;

	err = rwk_archive_unpack(opt->trace, opt->output, diag, &im.unpacked);
	im.path = im.unpacked.trace ? im.unpacked.trace : opt->trace;
	if (!err)
		err = rwk_decode_open_with(im.path, &opt->decode, diag, &im.dec);
	if (!err)
		err = rwk_skew_apply(&opt->skew, im.path, &opt->decode, im.dec, diag, &im.skew);
	if (!err)
		err = rwk_trace_machine_open(im.path, opt->machine, rwk_decode_info(im.dec),
			&im.anomalies, diag, &im.tm);
	/* Where its sidecar was for a moment is of no use to anybody. */
	if (!err && im.unpacked.trace && !opt->machine && im.tm.file[0])
		snprintf(im.tm.file, sizeof(im.tm.file), "%s", opt->trace);
	if (!err)
		err = open_rows(&im, diag);
	if (!err)
		err = read_events(&im, diag);
	if (!err)
		err = close_rows(&im, diag);
	if (!err) {
		*ret = (struct rwk_import_result){.nr_events = im.nr_events,
			.nr_wakeups = im.fan.nr_wakeups,
			.seconds = now() - start};
		*ret_exit = tell(&im);
	}
	rwk_timeline_destroy(im.tl);
	rwk_graph_destroy(im.graph);
	rwk_order_destroy(im.order);
	rwk_store_writer_close(im.writer);
	rwk_trace_machine_close(&im.tm);
	rwk_decode_close(im.dec);
	rwk_unpacked_finish(&im.unpacked);
	return err;
}
