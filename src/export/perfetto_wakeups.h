/* Wakeups and losses on tracks of their own, with what policies answered. */
#ifndef SRC_EXPORT_PERFETTO_WAKEUPS_H
#define SRC_EXPORT_PERFETTO_WAKEUPS_H

#include "export/perfetto_tasks.h"

#define RWK_PF_TRACKS 3 /* per CPU */

struct rwk_pf_replay {
	int64_t replay_id;
	uint64_t label; /* number of its name as a key */
	struct rwk_query *verdicts; /* in the order of wakeups */
	int64_t wakeup_id; /* of the verdict at hand; INT64_MAX: no more */
};

/* Room for the annotations of one event, made once. */
struct rwk_pf_notes;

struct rwk_pf_wakeups {
	struct rwk_pf_out *out;
	struct rwk_pf_tasks *tasks;
	struct rwk_diag *diag;
	struct rwk_pf_replay *replay;
	size_t nr_replay;
	struct rwk_pf_notes *notes;
	bool has_root, has_track[RWK_MAX_CPUS][RWK_PF_TRACKS];
};

/* Replays of the run; zeroed but for out, tasks and diag before.  To be finished in any case. */
int rwk_pf_wakeups_open(struct rwk_pf_wakeups *w, struct rwk_store *store, int64_t run_id);
void rwk_pf_wakeups_finish(struct rwk_pf_wakeups *w);

/* The row that q, sql/export/perfetto_wakeup.sql, is at. */
int rwk_pf_wakeups_put(struct rwk_pf_wakeups *w, const struct rwk_query *q);
/* The row that q, sql/export/perfetto_loss.sql, is at. */
int rwk_pf_wakeups_put_loss(struct rwk_pf_wakeups *w, const struct rwk_query *q);

#endif
