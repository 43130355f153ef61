/*
 * The counters of a replay: everything that the summary says about it, counted
 * while its verdicts are stored, so that no report has to read them all.
 */
#ifndef SRC_STORE_VERDICT_COUNT_H
#define SRC_STORE_VERDICT_COUNT_H

#include "graph/graph.h"
#include "store/bits.h"
#include "store/db.h"
#include "store/placements.h"

#define RWK_MAX_REASONS (1 << RWK_BITS_VERDICT_REASON_WIDTH)

enum rwk_place { RWK_PLACE_STAYS, RWK_PLACE_MOVES, RWK_PLACE_UNKNOWN, RWK_PLACE_COUNT };

/* What struct rwk_races counts. */
enum rwk_race {
	RWK_RACE_MISSES,
	RWK_RACE_IN_CALL,
	RWK_RACE_NEAR_ENTRY,
	RWK_RACE_EITHER,
	RWK_RACE_COUNT
};

/* Forks or execs: whether the CPU is the same, and whether both are idle. */
struct rwk_slow_counts {
	int64_t decisions, agree;
	int64_t idle; /* the kernel's CPU was idle */
	int64_t idle_agree; /* and the policy's was too */
};

struct rwk_verdict_counts {
	int64_t verdicts, decisions, agree, interesting, interesting_agree, unanswered;
	int64_t with_unknown, violations;
	struct rwk_slow_counts fork, exec; /* apart from all of the above but violations */
	/* Differing decisions: [kernel][policy]. */
	int64_t place[RWK_PLACE_COUNT][RWK_PLACE_COUNT];
	int64_t waker_distance[RWK_DIST_COUNT][RWK_DIST_COUNT];
	int64_t prev_distance[RWK_DIST_COUNT][RWK_DIST_COUNT];
	int64_t unknown_input[RWK_BITS_VERDICT_UNKNOWN_WIDTH];
	/* Columns of what follows: agrees, and 2 more if interesting. */
	int64_t reason[4][RWK_MAX_REASONS];
	int64_t provenance[4][RWK_PROVENANCE_COUNT * RWK_BITS_SOURCES];
	int64_t history[4][RWK_HISTORY_COUNT];
	int64_t hidden[RWK_HIDDEN_COUNT]; /* misses by what would explain them */
	int64_t race[RWK_RACE_COUNT];
	int64_t price[RWK_PRICE_COUNT][RWK_PRICE_COUNT]; /* differing decisions: [kernel][policy] */
	rwk_ns idle_wait; /* RWK_NS_NONE unknown */
	int64_t nr_idle_waits;
};

/* row must have been checked: its reason is below RWK_MAX_REASONS.  kernel: NULL for an exec. */
void rwk_verdict_count(struct rwk_verdict_counts *counts, const struct rwk_machine *machine,
	const struct rwk_verdict_row *row, const struct rwk_placement *kernel);

/* Writes them to t_replay and t_replay_count. */
int rwk_verdict_counts_put(const struct rwk_verdict_counts *counts, struct rwk_db *db,
	int replay_id, struct rwk_diag *diag);

#endif
