/* What a replay must know of the whole run before it begins. */
#ifndef SRC_REPLAY_PREPASS_H
#define SRC_REPLAY_PREPASS_H

#include "replay/first_look.h"
#include "replay/sync_votes.h"

struct rwk_prepass {
	struct rwk_sync_votes *sync;
	struct rwk_first_look *look;
};

/* Reads the feed to its end.  0 or negative errno with a cause; finish it either way. */
int rwk_prepass_run(const struct rwk_feed *feed, int nr_cpus, const struct rwk_task_row *task,
	size_t nr_task, struct rwk_diag *diag, struct rwk_prepass *ret);
void rwk_prepass_finish(struct rwk_prepass *pre);

#endif
