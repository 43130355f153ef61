/* Reading the waker graph, and its thresholds. */
#include "export/graph.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "export/run.h"
#include "report/text.h"

#define KIND_SHIFT 12 /* of a node's number, if it is no task */

const char *const rwk_pair_distance_names[RWK_PAIR_COUNT] = {
	"same_cpu", "smt", "llc", "node", "remote", "unknown"};

const char *rwk_node_kind_name(enum rwk_node_kind kind)
{
	static const char *const names[RWK_NODE_COUNT] = {
		"task", "idle", "softirq", "hardirq", "nmi", "unknown"};

	return names[kind];
}

struct loading {
	struct rwk_export_graph *g;
	size_t cap_node, cap_pair;
	struct rwk_map index; /* key → place in node */
};

static int no_memory(struct rwk_diag *diag)
{
	return rwk_diag_push(diag, -ENOMEM, "cannot export the graph: why=out of memory");
}

static int add_node(struct loading *l, const struct rwk_export_node *n, size_t *ret)
{
	struct rwk_export_graph *g = l->g;
	int err = rwk_vec_grow(&g->node, &l->cap_node, g->nr_node + 1, sizeof(*n));

	if (!err)
		err = rwk_map_set(&l->index, (uint64_t)n->key, (int32_t)g->nr_node);
	if (err)
		return err;
	*ret = g->nr_node;
	g->node[g->nr_node++] = *n;
	return 0;
}

/* Whatever a file holds: a number that is none of ours is the unknown node. */
static int find_node(struct loading *l, int64_t key, size_t *ret)
{
	struct rwk_export_node n = {.key = key, .cpu = RWK_NONE};
	int64_t kind = -key >> KIND_SHIFT;
	int32_t *at = rwk_map_find(&l->index, (uint64_t)key);

	if (at) {
		*ret = (size_t)*at;
		return 0;
	}
	if (key >= 0 || kind <= RWK_NODE_TASK || kind >= RWK_NODE_UNKNOWN) {
		n.kind = RWK_NODE_UNKNOWN;
	} else {
		n.kind = (enum rwk_node_kind)kind;
		n.cpu = (int32_t)(-key & ((1 << KIND_SHIFT) - 1)) - 1;
	}
	return add_node(l, &n, ret);
}

static int load_nodes(struct loading *l, struct rwk_query *q, struct rwk_diag *diag)
{
	int ret;

	while ((ret = rwk_query_step(q, diag)) == 1) {
		struct rwk_value name = rwk_query_value(q, 1);
		struct rwk_export_node n = {.key = rwk_export_int(q, 0, 0),
			.cpu = RWK_NONE,
			.tid = rwk_export_int(q, 2, RWK_NONE),
			.nr_tasks = rwk_export_int(q, 3, 0),
			.pcpu_kthread = rwk_export_int(q, 4, 0) == 1};
		size_t at;

		if (name.type != RWK_VALUE_NULL) {
			n.name = rwk_text_of_value(&name, &n.name_size);
			if (!n.name)
				return no_memory(diag);
		}
		if (add_node(l, &n, &at)) {
			free(n.name);
			return no_memory(diag);
		}
	}
	return ret;
}

static int load_pair(struct loading *l, struct rwk_query *q, const struct rwk_export_options *opt,
	struct rwk_diag *diag)
{
	struct rwk_export_graph *g = l->g;
	struct rwk_export_pair p = {.count = rwk_export_int(q, 2, 0),
		.context_unknown = rwk_export_int(q, 3, 0),
		.decisions = rwk_export_int(q, 4, 0),
		.moved = rwk_export_int(q, 5, 0),
		.moved_known = rwk_export_int(q, 6, 0),
		.sync = rwk_export_int(q, 7, 0),
		.sync_known = rwk_export_int(q, 8, 0),
		.nr_waits = rwk_export_int(q, 15, 0),
		.median_wait = rwk_export_int(q, 16, RWK_NS_NONE),
		.max_wait = rwk_export_int(q, 17, RWK_NS_NONE),
		.mutual = rwk_export_int(q, 18, 0) == 1};

	for (int i = 0; i < RWK_PAIR_COUNT; i++)
		p.distance[i] = rwk_export_int(q, 9 + i, 0);
	if (find_node(l, rwk_export_int(q, 0, 0), &p.waker) ||
		find_node(l, rwk_export_int(q, 1, 0), &p.wakee))
		return no_memory(diag);
	g->all_pairs++;
	g->all_wakings += p.count;
	g->node[p.waker].made += p.count;
	g->node[p.wakee].received += p.count;
	/* They come by count, so that the first that is left out is the first of all such. */
	if (p.count < opt->min_count || (opt->top && g->nr_pair >= (size_t)opt->top))
		return 0;
	if (rwk_vec_grow(&g->pair, &l->cap_pair, g->nr_pair + 1, sizeof(p)))
		return no_memory(diag);
	g->pair[g->nr_pair++] = p;
	g->wakings += p.count;
	g->node[p.waker].shown = g->node[p.wakee].shown = true;
	return 0;
}

static int load_run(struct rwk_export_graph *g, struct rwk_query *q, struct rwk_diag *diag)
{
	int err = rwk_query_step(q, diag), width;
	struct rwk_value file;
	char *text;
	size_t size;

	if (err < 0)
		return err;
	file = rwk_query_value(q, 0);
	text = rwk_text_of_value(&file, &size);
	g->file = text ? rwk_text_for_table(text, size, &width) : NULL;
	free(text);
	g->nr_gaps = rwk_export_int(q, 1, 0);
	g->nr_lost = rwk_export_int(q, 2, RWK_NONE);
	g->truncated = rwk_export_int(q, 3, 0) == 1;
	return g->file ? 0 : no_memory(diag);
}

static int load(struct loading *l, struct rwk_store *store, const struct rwk_export_options *opt,
	struct rwk_diag *diag)
{
	struct rwk_query *q;
	int64_t run_id;
	int err = rwk_export_run(store, opt->run_id, diag, &run_id);

	if (err)
		return err;
	err = rwk_export_query(store, "graph_run", run_id, diag, &q);
	if (err)
		return err;
	err = load_run(l->g, q, diag);
	rwk_query_close(q);
	if (!err)
		err = rwk_export_query(store, "graph_node", run_id, diag, &q);
	if (err)
		return err;
	rwk_query_bind_int(q, ":by_task", opt->by_task);
	err = load_nodes(l, q, diag);
	rwk_query_close(q);
	if (!err)
		err = rwk_export_query(store, "graph_edge", run_id, diag, &q);
	if (err)
		return err;
	rwk_query_bind_int(q, ":by_task", opt->by_task);
	while (!err && (err = rwk_query_step(q, diag)) == 1)
		err = load_pair(l, q, opt, diag);
	rwk_query_close(q);
	return err;
}

int rwk_export_graph_load(struct rwk_export_graph *g, struct rwk_store *store,
	const struct rwk_export_options *opt, struct rwk_diag *diag)
{
	struct loading l = {.g = g};
	int err;

	*g = (struct rwk_export_graph){0};
	err = load(&l, store, opt, diag);
	rwk_map_finish(&l.index);
	return err;
}

void rwk_export_graph_finish(struct rwk_export_graph *g)
{
	for (size_t i = 0; i < g->nr_node; i++)
		free(g->node[i].name);
	free(g->node);
	free(g->pair);
	free(g->file);
	*g = (struct rwk_export_graph){0};
}

char *rwk_export_node_label(const struct rwk_export_node *n)
{
	char *text;
	int width;

	if (n->kind == RWK_NODE_TASK)
		return n->name ? rwk_text_for_table(n->name, n->name_size, &width) : strdup("?");
	if (n->cpu == RWK_NONE)
		return strdup(rwk_node_kind_name(n->kind));
	if (asprintf(&text, "%s of CPU %" PRId32, rwk_node_kind_name(n->kind), n->cpu) < 0)
		return NULL;
	return text;
}

char *rwk_export_graph_title(const struct rwk_export_graph *g)
{
	char lost[64] = "", *text;

	if (g->nr_lost == RWK_NONE)
		snprintf(lost, sizeof(lost), "; %" PRId64 " gaps, unknown number of events lost",
			g->nr_gaps);
	else if (g->nr_lost || g->nr_gaps)
		snprintf(lost, sizeof(lost), "; %" PRId64 " gaps, %" PRId64 " events lost",
			g->nr_gaps, g->nr_lost);
	if (asprintf(&text,
		    "%s: who wakes whom; %zu of %" PRId64 " pairs, %" PRId64 " of %" PRId64
		    " wakings%s%s",
		    g->file, g->nr_pair, g->all_pairs, g->wakings, g->all_wakings, lost,
		    g->truncated ? "; the trace is truncated" : "") < 0)
		return NULL;
	return text;
}

int rwk_export_graph_write(struct rwk_store *store, const struct rwk_export_options *opt,
	int (*put)(FILE *out, const struct rwk_export_graph *g), FILE *out, struct rwk_diag *diag)
{
	struct rwk_export_graph g;
	int err = rwk_export_graph_load(&g, store, opt, diag);

	if (!err && put(out, &g))
		err = rwk_diag_push(diag, -ENOMEM, "cannot export the graph: why=out of memory");
	rwk_export_graph_finish(&g);
	return err ? err : rwk_export_check(out, diag);
}
