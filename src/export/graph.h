/* The waker graph of a run, as the files that write graphs need it. */
#ifndef SRC_EXPORT_GRAPH_H
#define SRC_EXPORT_GRAPH_H

#include "export/export.h"

/* In the order of sql/export/graph_edge.sql, which numbers them so. */
enum rwk_node_kind {
	RWK_NODE_TASK,
	RWK_NODE_IDLE,
	RWK_NODE_SOFTIRQ,
	RWK_NODE_HARDIRQ,
	RWK_NODE_NMI,
	RWK_NODE_UNKNOWN,
	RWK_NODE_COUNT
};

/* Where a pair's wakees were put, seen from the waker's CPU. */
enum rwk_pair_distance {
	RWK_PAIR_SAME_CPU,
	RWK_PAIR_SMT,
	RWK_PAIR_LLC,
	RWK_PAIR_NODE,
	RWK_PAIR_REMOTE,
	RWK_PAIR_UNKNOWN,
	RWK_PAIR_COUNT
};
extern const char *const rwk_pair_distance_names[RWK_PAIR_COUNT];

struct rwk_export_node {
	int64_t key; /* graph_edge.sql */
	enum rwk_node_kind kind;
	int32_t cpu; /* of an interrupt or idle task; RWK_NONE: of all */
	char *name; /* of a task, name_size bytes of any value; NULL unknown */
	size_t name_size;
	int64_t tid; /* of a task, the lowest of several */
	int64_t nr_tasks; /* of that name in the run */
	bool pcpu_kthread; /* all of them are bound kernel threads */
	int64_t made, received; /* wakings, those of pairs left out included */
	bool shown; /* part of a pair that was kept */
};

struct rwk_export_pair {
	size_t waker, wakee; /* indices of nodes */
	int64_t count, context_unknown, decisions, moved, moved_known, sync, sync_known;
	int64_t distance[RWK_PAIR_COUNT]; /* of decisions */
	int64_t nr_waits; /* wakings with a known time to first run */
	rwk_ns median_wait, max_wait; /* of these; RWK_NS_NONE: there are none */
	bool mutual;
};

struct rwk_export_graph {
	char *file; /* trace, as a text for terminals */
	int64_t nr_gaps;
	int64_t nr_lost; /* RWK_NONE: some gap has no number */
	bool truncated;
	struct rwk_export_node *node; /* tasks by utid, then the others as they come */
	size_t nr_node;
	struct rwk_export_pair *pair; /* those kept, heaviest first */
	size_t nr_pair;
	int64_t all_pairs, all_wakings, wakings; /* before the thresholds; of the pairs kept */
};

/* To be finished in any case. */
int rwk_export_graph_load(struct rwk_export_graph *g, struct rwk_store *store,
	const struct rwk_export_options *opt, struct rwk_diag *diag);
void rwk_export_graph_finish(struct rwk_export_graph *g);

/* Loads the graph and has put write it.  put: 0 or -ENOMEM; output is checked here. */
int rwk_export_graph_write(struct rwk_store *store, const struct rwk_export_options *opt,
	int (*put)(FILE *out, const struct rwk_export_graph *g), FILE *out, struct rwk_diag *diag);

/* "task", "idle" … */
const char *rwk_node_kind_name(enum rwk_node_kind kind);
/* "postgres", "softirq", "idle of CPU 3" as a text for terminals; free() it.  NULL: out of memory.
 */
char *rwk_export_node_label(const struct rwk_export_node *n);
/* "oltp.dat: who wakes whom; …": what is shown, left out and lost; free() it. */
char *rwk_export_graph_title(const struct rwk_export_graph *g);

#endif
