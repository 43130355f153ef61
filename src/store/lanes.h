/*
 * The kinds of rows on their way into the database.  A lane says how large its
 * rows are, what the table looks like as which sqlite3 sees a batch of them,
 * and how a row becomes that table's columns.
 */
#ifndef SRC_STORE_LANES_H
#define SRC_STORE_LANES_H

#include <sqlite3.h>

#include "store/store.h"

enum rwk_lane {
	RWK_LANE_SLICE,
	RWK_LANE_WAKEUP,
	RWK_LANE_PROBE,
	RWK_LANE_PROBE_LLC,
	RWK_LANE_PROBE_CPU,
	RWK_LANE_MIGRATION,
	RWK_LANE_ORPHAN,
	RWK_LANE_NR,
	RWK_LANE_LOSS,
	RWK_LANE_VERDICT,
	RWK_LANE_PRICE,
	RWK_LANE_COUNT
};

/* A probe without its array: what t_probe holds. */
struct rwk_probe_item {
	int64_t seq, ret_seq, wakeup_id;
	rwk_ns ts, ret_ts;
	int32_t cpu, utid, answer, prev_cpu;
	uint32_t wake_flags;
	int32_t flips, recent_cpu, nr_cpus_allowed, last_wakee_tid;
	bool has_hidden;
};

struct rwk_probe_llc_item {
	int64_t seq;
	int32_t pos, first_cpu, nr_idle_scan, has_idle_cores;
};

struct rwk_loss_item {
	int64_t id;
	struct rwk_loss_row row;
};

struct rwk_verdict_item {
	int64_t wakeup_id;
	int64_t bits;
};

struct rwk_price_item {
	int64_t wakeup_id;
	rwk_ns wait_ns, kernel_wait_ns; /* RWK_NS_NONE where bits say another kind than busy */
	int64_t bits;
};

struct rwk_lane_desc {
	const char *module; /* name of the table in SQL */
	const char *columns; /* its declaration */
	const char *insert; /* name of the statement that copies it */
	size_t row_size; /* rows start with the int64_t by which they are ordered */
	/* base is added to every id: the run, or for verdicts the replay. */
	void (*column)(sqlite3_context *ctx, const void *row, int column, int64_t base);
	bool numbered; /* the first column is the table's key, and counts up in most rows */
};

extern const struct rwk_lane_desc rwk_lanes[RWK_LANE_COUNT];

#endif
