/* The waker graph as the page's data. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/graph.h"
#include "export/html_json.h"
#include "export/html_page.h"

/* Tasks without a name are nodes of their own, which their thread ids tell apart. */
static char *label_of(const struct rwk_export_node *n)
{
	char *text;

	if (n->kind != RWK_NODE_TASK || n->name || n->tid < 0)
		return rwk_export_node_label(n);
	return asprintf(&text, "? (tid %" PRId64 ")", n->tid) < 0 ? NULL : text;
}

static int put_nodes(FILE *out, const struct rwk_export_graph *g)
{
	const char *between = "\n";

	for (size_t i = 0; i < g->nr_node; i++) {
		const struct rwk_export_node *n = &g->node[i];
		char *label;

		if (!n->shown)
			continue;
		label = label_of(n);
		if (!label)
			return -ENOMEM;
		fprintf(out, "%s[%zu,", between, i);
		rwk_html_json_plain(out, label);
		fprintf(out, ",\"%s\",%" PRId64 ",%" PRId64 ",%" PRId64 "]",
			rwk_node_kind_name(n->kind), n->nr_tasks, n->made, n->received);
		free(label);
		between = ",\n";
	}
	return 0;
}

static void put_time(FILE *out, rwk_ns ns)
{
	if (ns == RWK_NS_NONE)
		fputs(",null", out);
	else
		fprintf(out, ",%" PRId64, (int64_t)ns);
}

static void put_pair(FILE *out, const struct rwk_export_pair *p)
{
	fprintf(out,
		"[%zu,%zu,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64,
		p->waker, p->wakee, p->count, p->decisions, p->moved, p->moved_known, p->sync,
		p->sync_known);
	for (int i = 0; i < RWK_PAIR_COUNT; i++)
		fprintf(out, ",%" PRId64, p->distance[i]);
	put_time(out, p->median_wait);
	put_time(out, p->max_wait);
	fprintf(out, ",%d]", p->mutual);
}

int rwk_html_graph(FILE *out, struct rwk_store *store, const struct rwk_export_options *opt,
	struct rwk_diag *diag)
{
	struct rwk_export_graph g = {0};
	int err = rwk_export_graph_load(&g, store, opt, diag);

	if (err)
		goto out;
	fputs("\"nodes\":{\"columns\":[\"node\",\"name\",\"kind\",\"tasks\",\"made\",\"received\"],"
	      "\"rows\":[",
		out);
	err = put_nodes(out, &g);
	if (err) {
		rwk_diag_push(diag, err, "cannot write the page: why=%s", strerror(-err));
		goto out;
	}
	fputs("]},\n\"pairs\":{\"columns\":[\"waker\",\"wakee\",\"count\",\"decisions\",\"moved\","
	      "\"moved_known\",\"sync\",\"sync_known\"",
		out);
	for (int i = 0; i < RWK_PAIR_COUNT; i++)
		fprintf(out, ",\"%s\"", rwk_pair_distance_names[i]);
	fputs(",\"median_wait\",\"max_wait\",\"mutual\"],\"rows\":[", out);
	for (size_t i = 0; i < g.nr_pair; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_pair(out, &g.pair[i]);
	}
	fprintf(out, "]},\n\"all_pairs\":%" PRId64 ",\"all_wakings\":%" PRId64, g.all_pairs,
		g.all_wakings);
out:
	rwk_export_graph_finish(&g);
	return err;
}
