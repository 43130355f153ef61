/* Replaying policies over a run in a database. */
#ifndef SRC_CLI_REPLAY_RUN_H
#define SRC_CLI_REPLAY_RUN_H

#include "cli/replay_session.h"

/*
 * Audits the rebuilt state of a run with recorded hidden values against them
 * (replay/audit.h).  -ENODATA when the run has none.
 */
int rwk_replay_audit_run(
	const struct rwk_replay_request *req, struct rwk_diag *diag, struct rwk_audit *ret);

struct rwk_replay_result {
	int64_t nr_events, nr_decisions, nr_verdicts;
	double seconds;
	size_t nr_skipped;
};

int rwk_replay_request_run(
	const struct rwk_replay_request *req, struct rwk_diag *diag, struct rwk_replay_result *ret);

/* What `analyze` and `replay` without -p use; ends with NULL. */
extern const char *const rwk_default_policies[];

#endif
