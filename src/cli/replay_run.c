/* Replaying policies over a run, into its database. */
#include "cli/replay_run.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define NR_BUFFERED 4096 /* verdicts of one policy that go to the store at once */

const char *const rwk_default_policies[] = {"recorded", "linux", "prev", "waker", "v5.9", "lawall",
	"gorman", "vagin", "sis-sync", "affine-off", NULL};

struct buffer {
	struct rwk_verdict_row row[NR_BUFFERED];
	size_t nr;
};

/* Where the verdicts go. */
struct output {
	struct rwk_session *s;
	struct buffer *buffer; /* [s->nr_policy] */
	int *replay_id; /* [s->nr_policy] */
	int64_t nr_verdicts;
};

static int flush(struct output *o, size_t index)
{
	struct buffer *b = &o->buffer[index];
	int err = rwk_store_replay_put(o->s->store, o->replay_id[index], b->row, b->nr, o->s->diag);

	o->nr_verdicts += (int64_t)b->nr;
	b->nr = 0;
	return err;
}

static int take_verdict(void *ctx, size_t index, const struct rwk_verdict_row *row)
{
	struct output *o = ctx;
	struct buffer *b = &o->buffer[index];

	b->row[b->nr++] = *row;
	return b->nr == NR_BUFFERED ? flush(o, index) : 0;
}

static int begin(struct output *o)
{
	struct rwk_session *s = o->s;
	struct rwk_replay_row *rows = calloc(s->nr_policy + 1, sizeof(*rows));
	int err;

	o->buffer = calloc(s->nr_policy + 1, sizeof(*o->buffer));
	o->replay_id = calloc(s->nr_policy + 1, sizeof(*o->replay_id));
	if (!rows || !o->buffer || !o->replay_id) {
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
			.run_id = s->run_id};
	err = rwk_store_replay_begin(s->store, rows, s->nr_policy, s->diag, o->replay_id);
	free(rows);
	return err;
}

static int run(struct output *o, struct rwk_replay_stats *stats)
{
	struct rwk_session *s = o->s;
	struct rwk_replay_options opt;
	int err = rwk_session_fit(s);

	if (err)
		return err;
	opt = rwk_session_options(s);
	opt.policy = s->policy;
	opt.nr_policy = s->nr_policy;
	opt.verdict = take_verdict;
	opt.verdict_ctx = o;
	err = rwk_session_replay(s, &opt, "replay", stats);
	for (size_t i = 0; i < s->nr_policy && !err; i++)
		err = flush(o, i);
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
	struct rwk_session s;
	struct output o = {.s = &s};
	struct rwk_replay_stats stats = {0};
	bool begun = false;
	double start = now();
	int err = rwk_session_open(&s, req, true, diag);

	*ret = (struct rwk_replay_result){0};
	if (!err) {
		err = begin(&o);
		begun = !err;
	}
	if (!err)
		err = run(&o, &stats);
	if (!err)
		err = rwk_store_replay_commit(s.store, diag);
	else if (begun)
		rwk_store_replay_rollback(s.store);
	ret->nr_events = stats.nr_events;
	ret->nr_decisions = stats.nr_decisions;
	ret->nr_verdicts = o.nr_verdicts;
	ret->nr_skipped = s.nr_skipped;
	ret->seconds = now() - start;
	free(o.buffer);
	free(o.replay_id);
	rwk_session_close(&s);
	return err;
}

int rwk_replay_audit_run(
	const struct rwk_replay_request *req, struct rwk_diag *diag, struct rwk_audit *ret)
{
	struct rwk_replay_options opt;
	struct rwk_replay_stats stats;
	struct rwk_session s;
	int err = rwk_session_open(&s, req, false, diag);

	*ret = (struct rwk_audit){0};
	if (!err && !s.kernel.policy)
		err = rwk_diag_push(diag, -ENODATA, "the recorded kernel's version is unknown");
	if (!err) {
		opt = rwk_session_options(&s);
		opt.audit = ret;
		err = rwk_session_replay(&s, &opt, "audit", &stats);
	}
	if (!err && !ret->nr_decisions)
		err = rwk_diag_push(diag, -ENODATA, "the run has no recorded hidden values");
	rwk_session_close(&s);
	return err;
}
