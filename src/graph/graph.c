/* Accumulating and freezing the waker→wakee graph. */
#include "graph/graph.h"

#include <errno.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/vec.h"

struct rwk_graph {
	const struct rwk_machine *machine;
	struct rwk_edge *edge;
	size_t nr, cap;
	struct rwk_map index; /* (waker, wakee) → index in edge */
};

enum rwk_distance rwk_distance(const struct rwk_machine *m, int a, int b)
{
	const struct rwk_machine_cpu *ca, *cb;

	if (a < 0 || b < 0 || a >= m->nr_cpu_ids || b >= m->nr_cpu_ids)
		return RWK_DIST_UNKNOWN;
	if (a == b)
		return RWK_DIST_SAME_CPU;
	if (!m->topology_known)
		return RWK_DIST_UNKNOWN;
	ca = &m->cpu[a];
	cb = &m->cpu[b];
	if (ca->core == cb->core)
		return RWK_DIST_SMT;
	if (rwk_machine_share_llc(m, a, b))
		return RWK_DIST_LLC;
	if (ca->node == RWK_NONE || cb->node == RWK_NONE)
		return RWK_DIST_UNKNOWN;
	return ca->node == cb->node ? RWK_DIST_NODE : RWK_DIST_REMOTE;
}

int rwk_graph_create(const struct rwk_machine *m, struct rwk_graph **ret)
{
	struct rwk_graph *g = calloc(1, sizeof(*g));

	if (!g)
		return -ENOMEM;
	g->machine = m;
	*ret = g;
	return 0;
}

void rwk_graph_destroy(struct rwk_graph *g)
{
	if (!g)
		return;
	free(g->edge);
	rwk_map_finish(&g->index);
	free(g);
}

static uint64_t key(int32_t waker, int32_t wakee)
{
	return (uint64_t)(uint32_t)waker << 32 | (uint32_t)wakee;
}

static int edge_get(struct rwk_graph *g, int32_t waker, int32_t wakee, struct rwk_edge **ret)
{
	int32_t *at = rwk_map_find(&g->index, key(waker, wakee));
	int err;

	if (!at) {
		err = rwk_vec_grow(&g->edge, &g->cap, g->nr + 1, sizeof(*g->edge));
		if (!err)
			err = rwk_map_set(&g->index, key(waker, wakee), (int32_t)g->nr);
		if (err)
			return err;
		g->edge[g->nr] = (struct rwk_edge){.waker_utid = waker, .wakee_utid = wakee};
		*ret = &g->edge[g->nr++];
		return 0;
	}
	*ret = &g->edge[*at];
	return 0;
}

int rwk_graph_add(struct rwk_graph *g, const struct rwk_wakeup_row *row)
{
	struct rwk_edge *e;
	int err = edge_get(g, row->waker_utid, row->wakee_utid, &e);

	if (err)
		return err;
	e->count++;
	if (row->context == RWK_CTX_HARDIRQ || row->context == RWK_CTX_SOFTIRQ ||
		row->context == RWK_CTX_NMI)
		e->from_irq++;
	if (row->sync_source != RWK_UNKNOWN) {
		e->sync_known++;
		e->sync += row->sync;
	}
	if (row->kind == RWK_KIND_DECISION) {
		e->decisions++;
		e->distance[rwk_distance(g->machine, row->cpu, row->target_cpu)]++;
		if (row->target_cpu != RWK_NONE && row->target_cpu != row->prev_cpu)
			e->moved++;
	}
	if (row->run_dur != RWK_NS_NONE) {
		e->nr_run++;
		e->sum_run_ns += row->run_dur;
		if (row->run_dur > e->max_run_ns)
			e->max_run_ns = row->run_dur;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct rwk_edge *x = a, *y = b;

	if (x->waker_utid != y->waker_utid)
		return x->waker_utid < y->waker_utid ? -1 : 1;
	return (x->wakee_utid > y->wakee_utid) - (x->wakee_utid < y->wakee_utid);
}

int rwk_graph_freeze(struct rwk_graph *g, const struct rwk_edge **ret_edges, size_t *ret_nr)
{
	if (g->nr)
		qsort(g->edge, g->nr, sizeof(*g->edge), compare);
	for (size_t i = 0; i < g->nr;) {
		size_t end = i;

		while (end < g->nr && g->edge[end].waker_utid == g->edge[i].waker_utid)
			end++;
		for (size_t k = i; k < end; k++) {
			struct rwk_edge *e = &g->edge[k];

			e->waker_fanout = (int32_t)(end - i);
			/* Sorting moved the edges, not which of them there are. */
			e->mutual =
				e->waker_utid != e->wakee_utid &&
				rwk_map_find(&g->index, key(e->wakee_utid, e->waker_utid)) != NULL;
		}
		i = end;
	}
	*ret_edges = g->edge;
	*ret_nr = g->nr;
	return 0;
}
