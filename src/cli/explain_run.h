/* One decision of a run, replayed up to there and explained. */
#ifndef SRC_CLI_EXPLAIN_RUN_H
#define SRC_CLI_EXPLAIN_RUN_H

#include <stdio.h>

#include "cli/replay_session.h"

struct rwk_explain_request {
	struct rwk_replay_request replay; /* policies to explain, and how state is kept */
	struct rwk_moment_want want; /* the first decision like this */
	bool json;
	int around; /* decisions before and after it that are listed too */
};

/* Writes to out.  -ENOENT: no such decision. */
int rwk_explain_run(const struct rwk_explain_request *req, FILE *out, struct rwk_diag *diag);

#endif
