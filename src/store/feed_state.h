/* State of a feed, and the reading of rows into it. */
#ifndef SRC_STORE_FEED_STATE_H
#define SRC_STORE_FEED_STATE_H

#include "store/handle.h"
#include "store/pending.h"

/* Where the next event can come from; of equal numbers the first one wins. */
enum rwk_feed_origin {
	FROM_SLICE, /* "who was there" comes before the event that shows it */
	FROM_LOSS,
	FROM_WAKEUP,
	FROM_PROBE,
	FROM_MIGRATION,
	FROM_ORPHAN,
	FROM_NR,
	FROM_HEAP,
	ORIGIN_COUNT
};

struct rwk_feed_task {
	int32_t tid;
	char comm[RWK_COMM_LEN];
};

struct rwk_feed_state {
	struct rwk_db *db;
	struct rwk_cursor slices, wakeups, probes, llcs, cpus, migrations, orphans, nrs, losses;
	int64_t seq[ORIGIN_COUNT]; /* of the next event there; INT64_MAX none */

	/* Read ahead by one. */
	struct rwk_slice_row slice;
	struct rwk_migration_row migration;
	struct rwk_orphan_row orphan;
	struct rwk_nr_row nr;
	struct rwk_loss_row loss;
	struct rwk_llc_row llc;
	bool llc_valid;
	struct rwk_probe_cpu_row cpu;
	bool cpu_valid;
	int64_t last_wakeup_id; /* read */
	bool wakeups_ended, probes_ended;
	struct rwk_pending pending;

	struct rwk_feed_task *task; /* [utid - 1] */
	size_t nr_tasks, task_cap;
	struct rwk_slice_row last[RWK_MAX_CPUS]; /* of each CPU; id 0: none yet */

	/* What the caller may still look at. */
	struct rwk_probe_cpu *probed; /* [RWK_MAX_CPUS]; NULL: the run has no such row */
	struct rwk_pending_wakeup *shown_wakeup;
	struct rwk_pending_probe *shown_probe;
	bool shown_waking;
};

int rwk_feed_damaged(
	const struct rwk_feed_state *f, const char *what, int64_t id, struct rwk_diag *diag);
int rwk_feed_no_memory(struct rwk_diag *diag);

/* Opens the cursors and reads the tasks and each cursor's first row. */
int rwk_feed_state_open(struct rwk_feed_state *f, int run_id, struct rwk_diag *diag);
void rwk_feed_state_close(struct rwk_feed_state *f);

/* The next row after the one that was used. */
int rwk_feed_refill_slice(struct rwk_feed_state *f, struct rwk_diag *diag);
int rwk_feed_refill_migration(struct rwk_feed_state *f, struct rwk_diag *diag);
int rwk_feed_refill_orphan(struct rwk_feed_state *f, struct rwk_diag *diag);
int rwk_feed_refill_nr(struct rwk_feed_state *f, struct rwk_diag *diag);
int rwk_feed_refill_loss(struct rwk_feed_state *f, struct rwk_diag *diag);
/* The queues of wakeups and probes, and the numbers of everything in pending. */
int rwk_feed_refill_queues(struct rwk_feed_state *f, struct rwk_diag *diag);

/* The CPUs of that probe, to which the caller has come, into f->probed; their number or negative
 * errno. */
int rwk_feed_read_cpus(struct rwk_feed_state *f, int64_t seq, struct rwk_diag *diag);

/* Reads probes until the one with that number is there; *ret NULL if there is none. */
int rwk_feed_find_probe(struct rwk_feed_state *f, int64_t seq, struct rwk_diag *diag,
	struct rwk_pending_probe **ret);
/* The wakeup that a probe names: behind, or ahead for a new task; *ret NULL if there is none. */
int rwk_feed_find_wakeup(struct rwk_feed_state *f, int64_t id, struct rwk_diag *diag,
	struct rwk_pending_wakeup **ret);

#endif
