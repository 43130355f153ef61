/*
 * A run, or all runs of the file, as one page for a browser: what is shown is
 * counted here, by SQL, and drawn there.  However long a run is, its part of the
 * page is bounded.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "export/html_json.h"
#include "export/html_page.h"
#include "export/run.h"

/* Of all runs together; each gets its share, but not less than the second number. */
#define MAX_CELLS 30000
#define MIN_CELLS 2000
#define MAX_ROWS  1000
#define MIN_ROWS  50

/* Members of a run's object, and the statement of each. */
static const struct {
	const char *key, *statement;
} parts[] = {
	{"run", "html_run"},
	{"cpus", "html_cpus"},
	{"anomalies", "html_anomalies"},
	{"gaps", "html_gaps"},
	{"heat", "html_heat"},
	{"kinds", "html_kinds"},
	{"waits", "html_waits"},
	{"longest", "html_longest"},
	{"tasks", "html_tasks"},
	{"policies", "html_policies"},
	{"prices", "html_prices"},
	{"price_pairs", "html_price_pairs"},
	{"differences", "html_differences"},
	{"reasons", "html_reasons"},
	{"unknown_inputs", "html_unknown_inputs"},
	{"known_by", "html_known_by"},
};

struct limits {
	int64_t cells, rows;
};

static int64_t share(int64_t all, int64_t least, size_t nr)
{
	int64_t each = all / (int64_t)nr;

	return each < least ? least : each;
}

static int list_runs(struct rwk_store *store, int64_t run_id, struct rwk_diag *diag, int64_t **ret,
	size_t *ret_nr)
{
	struct rwk_query *q;
	int64_t *run = NULL;
	size_t nr = 0;
	int err = rwk_export_query(store, "html_runs", run_id, diag, &q);

	if (err)
		return err;
	while ((err = rwk_query_step(q, diag)) == 1) {
		int64_t *more = reallocarray(run, nr + 1, sizeof(*run));

		if (!more) {
			err = rwk_diag_push(
				diag, -ENOMEM, "cannot write the page: why=out of memory");
			break;
		}
		run = more;
		run[nr++] = rwk_export_int(q, 0, 0);
	}
	rwk_query_close(q);
	if (err) {
		free(run);
		return err;
	}
	*ret = run;
	*ret_nr = nr;
	return 0;
}

/* How much time a column of the heat map stands for. */
static int find_bin(struct rwk_store *store, int64_t run_id, const struct limits *max,
	struct rwk_diag *diag, int64_t *ret_ns)
{
	struct rwk_query *q;
	int err = rwk_export_query(store, "html_bin", run_id, diag, &q);

	if (err)
		return err;
	rwk_query_bind_int(q, ":cells", max->cells);
	err = rwk_query_step(q, diag);
	if (err == 1)
		*ret_ns = rwk_export_int(q, 0, INT64_MAX);
	rwk_query_close(q);
	if (!err)
		return rwk_diag_push(diag, -ENOENT, "the file has no run %" PRId64, run_id);
	return err < 0 ? err : 0;
}

static int put_part(FILE *out, struct rwk_store *store, size_t part, int64_t run_id,
	const struct limits *max, int64_t bin_ns, struct rwk_diag *diag)
{
	struct rwk_query *q;
	int err = rwk_export_query(store, parts[part].statement, run_id, diag, &q);

	if (err)
		return err;
	/* Each of them asks for some of these. */
	rwk_query_bind_int(q, ":bin", bin_ns);
	rwk_query_bind_int(q, ":rows", max->rows);
	fprintf(out, "\"%s\":", parts[part].key);
	err = rwk_html_json_rows(out, q, diag);
	fputs(",\n", out);
	rwk_query_close(q);
	return err;
}

static int put_run(FILE *out, struct rwk_store *store, const struct rwk_export_options *opt,
	int64_t run_id, const struct limits *max, struct rwk_diag *diag)
{
	struct rwk_export_options graph = *opt;
	int64_t bin_ns = 0;
	int err = find_bin(store, run_id, max, diag, &bin_ns);

	fprintf(out, "{\"id\":%" PRId64 ",\n", run_id);
	for (size_t i = 0; !err && i < sizeof(parts) / sizeof(parts[0]); i++)
		err = put_part(out, store, i, run_id, max, bin_ns, diag);
	if (err)
		return err;
	graph.run_id = run_id;
	if (!graph.top || graph.top > max->rows)
		graph.top = max->rows;
	err = rwk_html_graph(out, store, &graph, diag);
	fputs("}", out);
	return err;
}

int rwk_export_html(struct rwk_store *store, const struct rwk_export_options *opt, FILE *out,
	struct rwk_diag *diag)
{
	int64_t *run;
	size_t nr;
	struct limits max;
	int err;

	if (!rwk_html_page.before)
		return rwk_diag_push(diag, -ENOTSUP,
			"this rewake was built without the page: needed=\"meson option html, "
			"package "
			"node-d3\"");
	err = list_runs(store, opt->run_id, diag, &run, &nr);
	if (err)
		return err;
	if (!nr) {
		free(run);
		return rwk_diag_push(diag, -ENOENT, "the file has no such run");
	}
	max.cells = share(MAX_CELLS, MIN_CELLS, nr);
	max.rows = share(MAX_ROWS, MIN_ROWS, nr);
	fputs(rwk_html_page.before, out);
	fputs("{\"version\":\"" REWAKE_VERSION "\",\n\"runs\":[", out);
	for (size_t i = 0; !err && i < nr; i++) {
		fputs(i ? ",\n" : "\n", out);
		err = put_run(out, store, opt, run[i], &max, diag);
	}
	free(run);
	if (err)
		return err;
	fputs("]}", out);
	fputs(rwk_html_page.after, out);
	return rwk_export_check(out, diag);
}
