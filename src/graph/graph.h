/*
 * The waker→wakee graph: edges accumulate from wakeup rows while a trace
 * streams by, then freeze to an array sorted by waker and wakee.
 */
#ifndef SRC_GRAPH_GRAPH_H
#define SRC_GRAPH_GRAPH_H

#include <rewake/machine.h>

#include "timeline/rows.h"

/* How far two CPUs are apart, nearest first. */
enum rwk_distance {
	RWK_DIST_SAME_CPU,
	RWK_DIST_SMT,
	RWK_DIST_LLC,
	RWK_DIST_NODE,
	RWK_DIST_REMOTE,
	RWK_DIST_UNKNOWN,
	RWK_DIST_COUNT
};

enum rwk_distance rwk_distance(const struct rwk_machine *m, int cpu_a, int cpu_b);

struct rwk_edge {
	int32_t waker_utid, wakee_utid;
	int64_t count; /* wakings, every kind */
	int64_t decisions; /* of them kind DECISION */
	int64_t from_irq; /* of them in interrupt context: the waker was merely interrupted */
	int64_t sync, sync_known;
	int64_t distance[RWK_DIST_COUNT]; /* waker CPU → target CPU of decisions */
	int64_t moved; /* decisions whose target is not the previous CPU */
	int64_t nr_run; /* with known time to first run */
	rwk_ns sum_run_ns, max_run_ns;
	/* After freeze: */
	bool mutual; /* the opposite edge exists */
	int32_t waker_fanout; /* distinct wakees of the waker */
};

struct rwk_graph;

int rwk_graph_create(const struct rwk_machine *m, struct rwk_graph **ret);
void rwk_graph_destroy(struct rwk_graph *g);
int rwk_graph_add(struct rwk_graph *g, const struct rwk_wakeup_row *row);
/* Sorts and completes; no add afterwards.  *ret_edges belongs to the graph. */
int rwk_graph_freeze(struct rwk_graph *g, const struct rwk_edge **ret_edges, size_t *ret_nr);

#endif
