/* Replaying policies over a run. */
#include "cli/replay_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/message.h"
#include "cli/progress.h"
#include "machine/variant.h"
#include "store/store.h"

#define RUN_ID      1 /* one run per file so far */
#define NR_BUFFERED 4096 /* verdicts of one policy that go to the store at once */

const char *const rwk_default_policies[] = {"recorded", "linux", "prev", "waker", "v5.9", "lawall",
	"gorman", "vagin", "sis-sync", "affine-off", NULL};

struct buffer {
	struct rwk_verdict_row row[NR_BUFFERED];
	size_t nr;
};

struct session {
	const struct rwk_replay_request *req;
	struct rwk_store *store;
	struct rwk_machine *machine;
	struct rwk_variant other; /* its machine NULL: policies decide for the recorded one */
	struct rwk_replay_machine stored; /* the same for the store */
	struct rwk_task_row *task;
	size_t nr_task;
	struct rwk_policy_instance *policy;
	size_t nr_policy;
	struct rwk_policy_instance kernel, kernel_elsewhere;
	struct rwk_prepass pre;
	struct rwk_fit *fit; /* calibrated mode: how the run began */
	bool whole; /* the run holds every CPU's beginning */
	struct buffer *buffer; /* [nr_policy] */
	int *replay_id; /* [nr_policy] */
	int64_t nr_verdicts;
	struct rwk_progress progress;
	struct rwk_diag *diag;
};

static int flush(struct session *s, size_t index)
{
	struct buffer *b = &s->buffer[index];
	int err = rwk_store_replay_put(s->store, s->replay_id[index], b->row, b->nr, s->diag);

	s->nr_verdicts += (int64_t)b->nr;
	b->nr = 0;
	return err;
}

static int take_verdict(void *ctx, size_t index, const struct rwk_verdict_row *row)
{
	struct session *s = ctx;
	struct buffer *b = &s->buffer[index];

	b->row[b->nr++] = *row;
	return b->nr == NR_BUFFERED ? flush(s, index) : 0;
}

static int show_progress(void *ctx, int64_t nr_events)
{
	struct session *s = ctx;

	rwk_progress_update(&s->progress, -1, nr_events);
	return 0;
}

/* The recorded machine, and the one to decide for if it is another. */
static int open_machines(struct session *s)
{
	struct rwk_snapshot *snap = NULL;
	int err = rwk_store_machine(s->store, RUN_ID, s->diag, &s->machine, &snap);

	if (!err && s->req->machine) {
		err = rwk_variant_open(s->req->machine, snap, s->machine, s->diag, &s->other);
		s->stored = (struct rwk_replay_machine){
			s->req->machine, s->other.machine, s->other.snapshot};
	}
	/* Say it: caches that cross nodes, which the kernel cuts there, are easily written down. */
	if (!err && s->other.machine && rwk_machine_same_topology(s->other.machine, s->machine))
		rwk_msg_note("%s: a kernel sees the recorded topology there, so that no answer can "
			     "differ",
			s->req->machine);
	rwk_snapshot_destroy(snap);
	return err;
}

/* Side effects follow the recorded kernel; without its version they stay unknown. */
static int open_kernel(
	struct session *s, const struct rwk_machine *machine, struct rwk_policy_instance *ret)
{
	struct rwk_policy_env env = {.machine = machine};
	struct rwk_diag quiet = {0};

	if (s->req->kernel)
		return rwk_policy_open(s->req->kernel, &env, s->diag, ret);
	if (rwk_policy_open("linux", &env, &quiet, ret))
		*ret = (struct rwk_policy_instance){0};
	return 0;
}

static int open_policies(struct session *s, size_t *ret_skipped)
{
	struct rwk_policy_env env = {.machine = s->other.machine ? s->other.machine : s->machine};
	int err;

	s->policy = calloc(s->req->nr_policy + 1, sizeof(*s->policy));
	if (!s->policy)
		return rwk_diag_push(s->diag, -ENOMEM, "cannot replay: out of memory");
	for (size_t i = 0; i < s->req->nr_policy; i++) {
		struct rwk_diag why = {0};

		err = rwk_policy_open(s->req->policy[i], &env, &why, &s->policy[s->nr_policy]);

		if (err == -ENODATA && s->req->skip_refused) {
			rwk_msg_error(&why, "left out");
			(*ret_skipped)++;
			continue;
		}
		if (err) {
			*s->diag = why;
			return err;
		}
		s->nr_policy++;
	}
	err = open_kernel(s, s->machine, &s->kernel);
	if (!err && s->other.machine)
		err = open_kernel(s, s->other.machine, &s->kernel_elsewhere);
	return err;
}

static int begin(struct session *s)
{
	struct rwk_replay_row *rows = calloc(s->nr_policy + 1, sizeof(*rows));
	int err;

	s->buffer = calloc(s->nr_policy + 1, sizeof(*s->buffer));
	s->replay_id = calloc(s->nr_policy + 1, sizeof(*s->replay_id));
	if (!rows || !s->buffer || !s->replay_id) {
		free(rows);
		return rwk_diag_push(s->diag, -ENOMEM, "cannot replay: out of memory");
	}
	for (size_t i = 0; i < s->nr_policy; i++)
		rows[i] = (struct rwk_replay_row){.policy = s->policy[i].policy,
			.params = s->policy[i].params,
			.mode = s->req->calibrated ? "calibrated" : "open",
			.kernel = s->req->kernel,
			.elsewhere = s->other.machine ? &s->stored : NULL,
			.summary_only = s->req->summary_only,
			.run_id = RUN_ID};
	err = rwk_store_replay_begin(s->store, rows, s->nr_policy, s->diag, s->replay_id);
	free(rows);
	return err;
}

/* Sync hints of a run without probes, and how it began, need a look at the whole of it first. */
static int look_over(struct session *s)
{
	struct rwk_feed feed;
	int err = rwk_store_overwritten(s->store, RUN_ID, s->diag);

	if (err < 0)
		return err;
	s->whole = !err;
	err = rwk_store_feed_open(s->store, RUN_ID, s->diag, &feed);
	if (err)
		return err;
	err = rwk_prepass_run(&feed, s->machine->nr_cpu_ids, s->task, s->nr_task, s->diag, &s->pre);
	rwk_store_feed_close(&feed);
	return err;
}

static struct rwk_replay_options options(struct session *s)
{
	return (struct rwk_replay_options){.machine = s->machine,
		.task = s->task,
		.nr_task = s->nr_task,
		.kernel = s->kernel.policy ? &s->kernel : NULL,
		.sync = s->pre.sync,
		.look = s->whole ? s->pre.look : NULL,
		.calibrate = s->req->calibrated,
		.progress = show_progress,
		.ctx = s};
}

/* A first replay, of the kernel's own policy only, for how the run began. */
static int fit(struct session *s)
{
	struct rwk_replay_options opt = options(s);
	struct rwk_replay_stats stats;
	int err = rwk_fit_create(&s->fit);

	if (err)
		return rwk_diag_push(s->diag, err, "cannot replay: out of memory");
	err = rwk_store_feed_open(s->store, RUN_ID, s->diag, &opt.feed);
	if (err)
		return err;
	opt.collect = s->fit;
	rwk_progress_begin(&s->progress, "fit");
	err = rwk_replay_run(&opt, s->diag, &stats);
	rwk_progress_end(&s->progress);
	rwk_store_feed_close(&opt.feed);
	rwk_fit_conclude(s->fit);
	/* Hints are learned from the past only, not from what the first replay saw. */
	rwk_sync_votes_forget(s->pre.sync);
	return err;
}

static int run(struct session *s, struct rwk_replay_stats *stats)
{
	struct rwk_replay_options opt = options(s);
	int err;

	if (s->req->calibrated && opt.kernel) {
		err = fit(s);
		if (err)
			return err;
	}
	opt.policy = s->policy;
	opt.nr_policy = s->nr_policy;
	opt.begin = s->fit;
	opt.elsewhere = s->other.machine;
	opt.kernel_elsewhere = s->kernel_elsewhere.policy ? &s->kernel_elsewhere : NULL;
	opt.verdict = take_verdict;
	err = rwk_store_feed_open(s->store, RUN_ID, s->diag, &opt.feed);
	if (err)
		return err;
	rwk_progress_begin(&s->progress, "replay");
	err = rwk_replay_run(&opt, s->diag, stats);
	rwk_progress_end(&s->progress);
	rwk_store_feed_close(&opt.feed);
	for (size_t i = 0; i < s->nr_policy && !err; i++)
		err = flush(s, i);
	if (!err)
		rwk_store_replay_conclude(s->store, stats);
	return err;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

int rwk_replay_request_run(
	const struct rwk_replay_request *req, struct rwk_diag *diag, struct rwk_replay_result *ret)
{
	struct session s = {.req = req, .diag = diag};
	struct rwk_replay_stats stats = {0};
	bool begun = false;
	double start = now();
	int err;

	*ret = (struct rwk_replay_result){0};
	err = rwk_store_open(req->database, true, diag, &s.store);
	if (!err)
		err = open_machines(&s);
	if (!err)
		err = rwk_store_tasks(s.store, RUN_ID, diag, &s.task, &s.nr_task);
	if (!err)
		err = open_policies(&s, &ret->nr_skipped);
	if (!err)
		err = look_over(&s);
	if (!err) {
		err = begin(&s);
		begun = !err;
	}
	if (!err)
		err = run(&s, &stats);
	if (!err)
		err = rwk_store_replay_commit(s.store, diag);
	else if (begun)
		rwk_store_replay_rollback(s.store);
	ret->nr_events = stats.nr_events;
	ret->nr_decisions = stats.nr_decisions;
	ret->nr_verdicts = s.nr_verdicts;
	ret->seconds = now() - start;
	for (size_t i = 0; i < s.nr_policy; i++)
		rwk_policy_close(&s.policy[i]);
	rwk_policy_close(&s.kernel);
	rwk_policy_close(&s.kernel_elsewhere);
	rwk_prepass_finish(&s.pre);
	rwk_fit_destroy(s.fit);
	free(s.policy);
	free(s.buffer);
	free(s.replay_id);
	free(s.task);
	rwk_machine_destroy(s.machine);
	/* An unfinished pass counts by it, and is undone here. */
	rwk_store_close(s.store);
	rwk_variant_finish(&s.other);
	return err;
}

int rwk_replay_audit_run(
	const struct rwk_replay_request *req, struct rwk_diag *diag, struct rwk_audit *ret)
{
	struct session s = {.req = req, .diag = diag};
	struct rwk_replay_options opt = {.audit = ret, .kernel = &s.kernel, .ctx = &s};
	struct rwk_replay_stats stats;
	size_t nr_skipped;
	bool fed = false;
	int err;

	*ret = (struct rwk_audit){0};
	err = rwk_store_open(req->database, false, diag, &s.store);
	if (!err)
		err = open_machines(&s);
	if (!err)
		err = rwk_store_tasks(s.store, RUN_ID, diag, &s.task, &s.nr_task);
	if (!err)
		err = open_policies(&s, &nr_skipped);
	if (!err && !s.kernel.policy)
		err = rwk_diag_push(diag, -ENODATA, "the recorded kernel's version is unknown");
	if (!err)
		err = look_over(&s);
	if (!err) {
		err = rwk_store_feed_open(s.store, RUN_ID, diag, &opt.feed);
		fed = !err;
	}
	if (!err) {
		opt.machine = s.machine;
		opt.task = s.task;
		opt.nr_task = s.nr_task;
		opt.look = s.whole ? s.pre.look : NULL;
		err = rwk_replay_run(&opt, diag, &stats);
	}
	if (fed)
		rwk_store_feed_close(&opt.feed);
	if (!err && !ret->nr_decisions)
		err = rwk_diag_push(diag, -ENODATA, "the run has no recorded hidden values");
	rwk_policy_close(&s.kernel);
	rwk_prepass_finish(&s.pre);
	free(s.policy);
	free(s.task);
	rwk_machine_destroy(s.machine);
	rwk_store_close(s.store);
	return err;
}
