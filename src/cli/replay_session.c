/* Opening a run for replays. */
#include "cli/replay_session.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/message.h"

static int show_progress(void *ctx, int64_t nr_events)
{
	struct rwk_session *s = ctx;

	rwk_progress_update(&s->progress, -1, nr_events);
	return 0;
}

/* The machine to decide for in place of the recorded one, with the same CPUs coming and going. */
static int open_other(struct rwk_session *s, const struct rwk_snapshot *snap)
{
	const struct rwk_snapshot *all = rwk_epochs_snapshot(s->epochs);
	const struct rwk_machine *recorded = rwk_epochs_all(s->epochs);
	int err = rwk_variant_open(s->req->machine, all ? all : snap, recorded, s->diag, &s->other);

	if (err)
		return err;
	s->stored =
		(struct rwk_replay_machine){s->req->machine, s->other.machine, s->other.snapshot};
	s->elsewhere = s->other.machine;
	/* Say it: caches that cross nodes, which the kernel cuts there, are easily written down. */
	if (rwk_machine_same_topology(s->other.machine, recorded))
		rwk_msg_note("%s: a kernel sees the recorded topology there, so that no answer can "
			     "differ",
			s->req->machine);
	if (!all)
		return 0;
	err = rwk_epochs_of_variant(
		s->epochs, s->other.snapshot, s->other.machine, s->diag, &s->epochs_elsewhere);
	return err ? err : rwk_epochs_machine(s->epochs_elsewhere, 0, s->diag, &s->elsewhere);
}

static int open_epochs(struct rwk_session *s, const struct rwk_snapshot *snap)
{
	struct rwk_epoch *of = NULL;
	size_t nr = 0;
	int err = rwk_store_epochs(s->store, s->run_id, s->diag, &of, &nr);

	if (!err)
		err = rwk_epochs_restore(snap, s->machine, of, nr, s->diag, &s->epochs);
	free(of);
	return err;
}

/* The recorded machine with its task groups, and the one to decide for if it is another. */
static int open_machines(struct rwk_session *s)
{
	struct rwk_snapshot *snap = NULL;
	int err = rwk_store_machine(s->store, s->run_id, s->diag, &s->machine, &snap);

	if (!err)
		err = rwk_task_groups_open(snap, s->machine->kernel, s->diag, &s->groups);
	if (!err)
		err = open_epochs(s, snap);
	if (!err)
		err = rwk_epochs_machine(s->epochs, 0, s->diag, &s->beginning);
	if (!err && s->req->machine)
		err = open_other(s, snap);
	rwk_snapshot_destroy(snap);
	return err;
}

/* Side effects follow the recorded kernel; without its version they stay unknown. */
static int open_kernel(
	struct rwk_session *s, const struct rwk_machine *machine, struct rwk_policy_instance *ret)
{
	struct rwk_policy_env env = {.machine = machine};
	struct rwk_diag quiet = {0};

	if (s->req->kernel)
		return rwk_policy_open(s->req->kernel, &env, s->diag, ret);
	if (rwk_policy_open("linux", &env, &quiet, ret))
		*ret = (struct rwk_policy_instance){0};
	return 0;
}

static int open_policies(struct rwk_session *s)
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
			s->nr_skipped++;
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

/* Sync hints of a run without probes, and how it began, need a look at the whole of it first. */
static int look_over(struct rwk_session *s)
{
	struct rwk_feed feed;
	int err = rwk_store_overwritten(s->store, s->run_id, s->diag);

	if (err < 0)
		return err;
	s->whole = !err;
	err = rwk_store_feed_open(s->store, s->run_id, s->diag, &feed);
	if (err)
		return err;
	err = rwk_prepass_run(&feed, s->machine->nr_cpu_ids, s->task, s->nr_task, s->diag, &s->pre);
	rwk_store_feed_close(&feed);
	return err;
}

int rwk_session_nr_runs(const char *database, struct rwk_diag *diag)
{
	struct rwk_store *store;
	int nr = rwk_store_open(database, true, diag, &store);

	if (nr)
		return nr;
	nr = rwk_store_nr_runs(store, diag);
	rwk_store_close(store);
	return nr;
}

static int choose_run(struct rwk_session *s)
{
	int nr = rwk_store_nr_runs(s->store, s->diag);

	s->run_id = s->req->run_id ? s->req->run_id : 1;
	if (nr > 1 && !s->req->run_id)
		return rwk_diag_push(s->diag, -EINVAL, "%s holds %d runs; --run N says which one",
			s->req->database, nr);
	return nr < 0 ? nr : 0;
}

int rwk_session_open(struct rwk_session *s, const struct rwk_replay_request *req, bool writable,
	struct rwk_diag *diag)
{
	int err;

	*s = (struct rwk_session){.req = req, .diag = diag};
	err = rwk_store_open(req->database, writable, diag, &s->store);
	if (!err)
		err = choose_run(s);
	if (!err)
		err = open_machines(s);
	if (!err)
		err = rwk_store_tasks(s->store, s->run_id, diag, &s->task, &s->nr_task);
	if (!err)
		err = rwk_task_groups_find(&s->groups, s->task, s->nr_task, diag);
	if (!err)
		err = open_policies(s);
	return err ? err : look_over(s);
}

void rwk_session_close(struct rwk_session *s)
{
	for (size_t i = 0; i < s->nr_policy; i++)
		rwk_policy_close(&s->policy[i]);
	rwk_policy_close(&s->kernel);
	rwk_policy_close(&s->kernel_elsewhere);
	rwk_prepass_finish(&s->pre);
	rwk_fit_destroy(s->fit);
	free(s->policy);
	free(s->task);
	rwk_task_groups_finish(&s->groups);
	rwk_epochs_close(s->epochs);
	rwk_epochs_close(s->epochs_elsewhere);
	rwk_machine_destroy(s->machine);
	/* An unfinished pass counts by the other machine, and is undone here. */
	rwk_store_close(s->store);
	rwk_variant_finish(&s->other);
}

static rwk_ns change_from(void *ctx, size_t index)
{
	const struct rwk_session *s = ctx;

	return rwk_epochs_at(s->epochs, index + 1)->from;
}

static int take_change(
	void *ctx, size_t index, struct rwk_diag *diag, struct rwk_machine_change *ret)
{
	struct rwk_session *s = ctx;
	int err = rwk_epochs_machine(s->epochs, index + 1, diag, &ret->machine);

	ret->rebuilt = rwk_epochs_at(s->epochs, index + 1)->rebuilt;
	if (!err && s->epochs_elsewhere)
		err = rwk_epochs_machine(s->epochs_elsewhere, index + 1, diag, &ret->elsewhere);
	return err;
}

struct rwk_replay_options rwk_session_options(struct rwk_session *s)
{
	return (struct rwk_replay_options){.machine = s->beginning,
		.changes = {.ctx = s,
			.nr = rwk_epochs_nr(s->epochs) - 1,
			.from = change_from,
			.take = take_change},
		.task = s->task,
		.nr_task = s->nr_task,
		.groups = rwk_task_groups_facts(&s->groups),
		.kernel = s->kernel.policy ? &s->kernel : NULL,
		.elsewhere = s->elsewhere,
		.kernel_elsewhere = s->kernel_elsewhere.policy ? &s->kernel_elsewhere : NULL,
		.sync = s->pre.sync,
		.look = s->whole ? s->pre.look : NULL,
		.calibrate = s->req->calibrated,
		.begin = s->fit,
		.progress = show_progress,
		.ctx = s};
}

int rwk_session_replay(struct rwk_session *s, struct rwk_replay_options *opt, const char *what,
	struct rwk_replay_stats *ret)
{
	int err = rwk_store_feed_open(s->store, s->run_id, s->diag, &opt->feed);

	if (err)
		return err;
	rwk_progress_begin(&s->progress, what);
	err = rwk_replay_run(opt, s->diag, ret);
	rwk_progress_end(&s->progress);
	rwk_store_feed_close(&opt->feed);
	return err;
}

int rwk_session_fit(struct rwk_session *s)
{
	struct rwk_replay_options opt = rwk_session_options(s);
	struct rwk_replay_stats stats;
	int err;

	/* Without a model of the kernel nothing tells right from wrong. */
	if (!s->req->calibrated || !opt.kernel)
		return 0;
	err = rwk_fit_create(&s->fit);
	if (err)
		return rwk_diag_push(s->diag, err, "cannot replay: out of memory");
	opt.collect = s->fit;
	opt.elsewhere = NULL;
	opt.kernel_elsewhere = NULL;
	err = rwk_session_replay(s, &opt, "fit", &stats);
	rwk_fit_conclude(s->fit);
	/* Hints are learned from the past only, not from what the first replay saw. */
	rwk_sync_votes_forget(s->pre.sync);
	return err;
}
