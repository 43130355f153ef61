/* A run in a database made ready to be replayed: shared by all who replay it. */
#ifndef SRC_CLI_REPLAY_SESSION_H
#define SRC_CLI_REPLAY_SESSION_H

#include "cli/progress.h"
#include "cli/task_groups.h"
#include "machine/epochs.h"
#include "machine/variant.h"
#include "replay/replay.h"
#include "store/store.h"

struct rwk_replay_request {
	const char *database;
	int run_id; /* 0: the only one */
	const char *const *policy; /* specs: NAME[,param=value…] */
	size_t nr_policy;
	const char *kernel; /* policy the recorded kernel ran; NULL: linux */
	const char *machine; /* to decide for, see machine/variant.h; NULL: the recorded one */
	bool calibrated; /* hidden values are corrected by recorded outcomes */
	bool summary_only; /* keep counts only */
	bool skip_refused; /* a policy that refuses this run is left out with a note (analyze) */
};

struct rwk_session {
	const struct rwk_replay_request *req;
	struct rwk_diag *diag;
	struct rwk_store *store;
	int run_id;
	struct rwk_machine *machine; /* as the snapshot was taken */
	const struct rwk_machine *beginning; /* as it was when the recording began */
	struct rwk_variant other; /* its machine NULL: policies decide for the recorded one */
	struct rwk_replay_machine stored; /* the same for the store */
	struct rwk_epochs *epochs; /* CPUs that came and went */
	struct rwk_epochs *epochs_elsewhere; /* NULL: as other */
	const struct rwk_machine *elsewhere; /* the other machine at the beginning, NULL none */
	struct rwk_task_row *task;
	size_t nr_task;
	struct rwk_task_groups groups;
	struct rwk_policy_instance *policy;
	size_t nr_policy, nr_skipped;
	struct rwk_policy_instance kernel, kernel_elsewhere; /* policy NULL: unknown */
	struct rwk_prepass pre;
	struct rwk_fit *fit; /* calibrated mode: how the run began */
	bool whole; /* the run holds every CPU's beginning */
	struct rwk_progress progress;
};

/*
 * Opens all of it and looks over the run.  0, or what failed, with a cause in
 * diag; close it either way.  req and diag must outlive it.
 */
int rwk_session_open(struct rwk_session *s, const struct rwk_replay_request *req, bool writable,
	struct rwk_diag *diag);
void rwk_session_close(struct rwk_session *s);

/* Runs of a database, which is upgraded if it is old; or a negative errno with a cause. */
int rwk_session_nr_runs(const char *database, struct rwk_diag *diag);

/* What to replay with: everything but whom to ask, for the caller to add. */
struct rwk_replay_options rwk_session_options(struct rwk_session *s);
/* Calibrated mode: a first replay that fits how the run began.  Before the options are taken. */
int rwk_session_fit(struct rwk_session *s);
/* Replays the run once; what names it on the progress line. */
int rwk_session_replay(struct rwk_session *s, struct rwk_replay_options *opt, const char *what,
	struct rwk_replay_stats *ret);

#endif
