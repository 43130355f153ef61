/*
 * The waker graph in the language of Graphviz.  Numbers stand as attributes of
 * their own beside the labels, so that gvpr and others can read them.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/graph.h"
#include "export/run.h"

/* Within quotes.  A backslash begins an escape there, an ampersand an HTML entity. */
static void put_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '&')
			fputs("&amp;", out);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else
			fputc(*text, out);
	}
}

static const char *shape_of(const struct rwk_export_node *n)
{
	switch (n->kind) {
	case RWK_NODE_TASK:
		return n->pcpu_kthread ? "component" : "box";
	case RWK_NODE_IDLE:
		return "ellipse";
	case RWK_NODE_UNKNOWN:
		return "plaintext";
	default:
		return "diamond";
	}
}

static int put_node(FILE *out, size_t index, const struct rwk_export_node *n)
{
	char *label = rwk_export_node_label(n);

	if (!label)
		return -ENOMEM;
	fprintf(out, "\tn%zu [label=\"", index);
	put_text(out, label);
	free(label);
	if (n->kind == RWK_NODE_TASK && n->nr_tasks > 1)
		fprintf(out, "\\n%" PRId64 " tasks", n->nr_tasks);
	else if (n->kind == RWK_NODE_TASK)
		fprintf(out, "\\ntid %" PRId64, n->tid);
	fprintf(out, "\", shape=%s, kind=%s", shape_of(n), rwk_node_kind_name(n->kind));
	if (n->kind == RWK_NODE_TASK)
		fprintf(out, ", tasks=%" PRId64 ", tid=%" PRId64, n->nr_tasks, n->tid);
	if (n->cpu != RWK_NONE)
		fprintf(out, ", cpu=%" PRId32, n->cpu);
	fprintf(out, ", made=%" PRId64 ", received=%" PRId64 "];\n", n->made, n->received);
	return 0;
}

/* "same_cpu 20 %, llc 80 %" of the decisions. */
static void put_shares(FILE *out, const struct rwk_export_pair *p)
{
	const char *before = "\\n";

	for (int i = 0; i < RWK_PAIR_COUNT; i++) {
		if (!p->distance[i])
			continue;
		fprintf(out, "%s%s %.0f %%", before, rwk_pair_distance_names[i],
			100.0 * (double)p->distance[i] / (double)p->decisions);
		before = ", ";
	}
}

static void put_pair(FILE *out, const struct rwk_export_pair *p)
{
	fprintf(out, "\tn%zu -> n%zu [label=\"%" PRId64, p->waker, p->wakee, p->count);
	if (p->median_wait != RWK_NS_NONE)
		fprintf(out, "\\nwait %.1f us", (double)p->median_wait / 1e3);
	put_shares(out, p);
	fprintf(out, "\", penwidth=%.1f, weight=%d", 1 + log10((double)p->count),
		1 + (int)log10((double)p->count));
	fprintf(out, ", count=%" PRId64 ", decisions=%" PRId64, p->count, p->decisions);
	if (p->moved_known)
		fprintf(out, ", moved=%" PRId64, p->moved);
	if (p->sync_known)
		fprintf(out, ", sync=%" PRId64 ", sync_known=%" PRId64, p->sync, p->sync_known);
	for (int i = 0; i < RWK_PAIR_COUNT; i++)
		fprintf(out, ", d_%s=%" PRId64, rwk_pair_distance_names[i], p->distance[i]);
	if (p->median_wait != RWK_NS_NONE)
		fprintf(out, ", median_wait_ns=%" PRId64 ", max_wait_ns=%" PRId64, p->median_wait,
			p->max_wait);
	fprintf(out, ", mutual=%d];\n", p->mutual);
}

static int put_graph(FILE *out, const struct rwk_export_graph *g)
{
	char *title = rwk_export_graph_title(g);
	int err = 0;

	if (!title)
		return -ENOMEM;
	fputs("digraph wakers {\n\tgraph [label=\"", out);
	put_text(out, title);
	fputs("\", labelloc=t, charset=\"UTF-8\"];\n", out);
	free(title);
	for (size_t i = 0; !err && i < g->nr_node; i++) {
		if (g->node[i].shown)
			err = put_node(out, i, &g->node[i]);
	}
	for (size_t i = 0; !err && i < g->nr_pair; i++)
		put_pair(out, &g->pair[i]);
	fputs("}\n", out);
	return err;
}

int rwk_export_dot(struct rwk_store *store, const struct rwk_export_options *opt, FILE *out,
	struct rwk_diag *diag)
{
	return rwk_export_graph_write(store, opt, put_graph, out, diag);
}
