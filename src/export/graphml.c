/*
 * The waker graph as GraphML, for Gephi, yEd, networkx and others: everything
 * that is known of nodes and pairs as typed data.  What is unknown is left out.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/graph.h"
#include "export/run.h"
#include "report/text.h"

/* text is one for terminals; XML lacks a few characters more. */
static void put_text(FILE *out, const char *text)
{
	size_t size = strlen(text);

	for (size_t i = 0; i < size;) {
		uint32_t c;
		int len = rwk_text_decode(text + i, size - i, &c);

		if (c == '&')
			fputs("&amp;", out);
		else if (c == '<')
			fputs("&lt;", out);
		else if (c == '>')
			fputs("&gt;", out);
		else if (c == 0xfffe || c == 0xffff)
			fprintf(out, "\\u{%x}", c);
		else
			fwrite(text + i, 1, (size_t)len, out);
		i += (size_t)len;
	}
}

/* What each key is for; its type is that of the function that writes it. */
static const struct {
	const char *of, *name, *type;
} keys[] = {
	{"graph", "title", "string"},
	{"graph", "file", "string"},
	{"graph", "all_pairs", "long"},
	{"graph", "all_wakings", "long"},
	{"graph", "gaps", "long"},
	{"graph", "lost", "long"},
	{"node", "label", "string"},
	{"node", "kind", "string"},
	{"node", "cpu", "long"},
	{"node", "tid", "long"},
	{"node", "tasks", "long"},
	{"node", "pcpu_kthread", "boolean"},
	{"node", "made", "long"},
	{"node", "received", "long"},
	{"edge", "count", "long"},
	{"edge", "context_unknown", "long"},
	{"edge", "decisions", "long"},
	{"edge", "moved", "long"},
	{"edge", "moved_known", "long"},
	{"edge", "sync", "long"},
	{"edge", "sync_known", "long"},
	{"edge", "d_same_cpu", "long"},
	{"edge", "d_smt", "long"},
	{"edge", "d_llc", "long"},
	{"edge", "d_node", "long"},
	{"edge", "d_remote", "long"},
	{"edge", "d_unknown", "long"},
	{"edge", "share_same_cpu", "double"},
	{"edge", "share_smt", "double"},
	{"edge", "share_llc", "double"},
	{"edge", "share_node", "double"},
	{"edge", "share_remote", "double"},
	{"edge", "share_unknown", "double"},
	{"edge", "waits", "long"},
	{"edge", "median_wait_ns", "long"},
	{"edge", "max_wait_ns", "long"},
	{"edge", "mutual", "boolean"},
};

static void put_int(FILE *out, const char *of, const char *name, int64_t value)
{
	fprintf(out, "<data key=\"%s_%s\">%" PRId64 "</data>", of, name, value);
}

static void put_string(FILE *out, const char *of, const char *name, const char *value)
{
	fprintf(out, "<data key=\"%s_%s\">", of, name);
	put_text(out, value);
	fputs("</data>", out);
}

static void put_bool(FILE *out, const char *of, const char *name, bool value)
{
	fprintf(out, "<data key=\"%s_%s\">%s</data>", of, name, value ? "true" : "false");
}

static int put_node(FILE *out, size_t index, const struct rwk_export_node *n)
{
	char *label = rwk_export_node_label(n);

	if (!label)
		return -ENOMEM;
	fprintf(out, "<node id=\"n%zu\">", index);
	put_string(out, "node", "label", label);
	free(label);
	put_string(out, "node", "kind", rwk_node_kind_name(n->kind));
	if (n->cpu != RWK_NONE)
		put_int(out, "node", "cpu", n->cpu);
	if (n->kind == RWK_NODE_TASK) {
		put_int(out, "node", "tid", n->tid);
		put_int(out, "node", "tasks", n->nr_tasks);
		put_bool(out, "node", "pcpu_kthread", n->pcpu_kthread);
	}
	put_int(out, "node", "made", n->made);
	put_int(out, "node", "received", n->received);
	fputs("</node>\n", out);
	return 0;
}

static void put_distances(FILE *out, const struct rwk_export_pair *p)
{
	for (int i = 0; i < RWK_PAIR_COUNT; i++)
		fprintf(out, "<data key=\"edge_d_%s\">%" PRId64 "</data>",
			rwk_pair_distance_names[i], p->distance[i]);
	for (int i = 0; p->decisions && i < RWK_PAIR_COUNT; i++)
		fprintf(out, "<data key=\"edge_share_%s\">%.6f</data>", rwk_pair_distance_names[i],
			(double)p->distance[i] / (double)p->decisions);
}

static void put_pair(FILE *out, const struct rwk_export_pair *p)
{
	fprintf(out, "<edge source=\"n%zu\" target=\"n%zu\">", p->waker, p->wakee);
	put_int(out, "edge", "count", p->count);
	put_int(out, "edge", "context_unknown", p->context_unknown);
	put_int(out, "edge", "decisions", p->decisions);
	if (p->moved_known)
		put_int(out, "edge", "moved", p->moved);
	put_int(out, "edge", "moved_known", p->moved_known);
	if (p->sync_known)
		put_int(out, "edge", "sync", p->sync);
	put_int(out, "edge", "sync_known", p->sync_known);
	put_distances(out, p);
	put_int(out, "edge", "waits", p->nr_waits);
	if (p->median_wait != RWK_NS_NONE) {
		put_int(out, "edge", "median_wait_ns", p->median_wait);
		put_int(out, "edge", "max_wait_ns", p->max_wait);
	}
	put_bool(out, "edge", "mutual", p->mutual);
	fputs("</edge>\n", out);
}

static int put_graph(FILE *out, const struct rwk_export_graph *g)
{
	char *title = rwk_export_graph_title(g);
	int err = 0;

	if (!title)
		return -ENOMEM;
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
		out);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		fprintf(out, "<key id=\"%s_%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n",
			keys[i].of, keys[i].name, keys[i].of, keys[i].name, keys[i].type);
	fputs("<graph id=\"wakers\" edgedefault=\"directed\">\n", out);
	put_string(out, "graph", "title", title);
	free(title);
	put_string(out, "graph", "file", g->file);
	put_int(out, "graph", "all_pairs", g->all_pairs);
	put_int(out, "graph", "all_wakings", g->all_wakings);
	put_int(out, "graph", "gaps", g->nr_gaps);
	if (g->nr_lost != RWK_NONE)
		put_int(out, "graph", "lost", g->nr_lost);
	fputc('\n', out);
	for (size_t i = 0; !err && i < g->nr_node; i++) {
		if (g->node[i].shown)
			err = put_node(out, i, &g->node[i]);
	}
	for (size_t i = 0; !err && i < g->nr_pair; i++)
		put_pair(out, &g->pair[i]);
	fputs("</graph>\n</graphml>\n", out);
	return err;
}

int rwk_export_graphml(struct rwk_store *store, const struct rwk_export_options *opt, FILE *out,
	struct rwk_diag *diag)
{
	return rwk_export_graph_write(store, opt, put_graph, out, diag);
}
