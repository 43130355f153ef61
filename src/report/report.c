/* Running a report's statements one after the other through a renderer. */
#include "report/report.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/param.h"
#include "report/registry.h"
#include "report/render.h"

#define SECTION   "-- section: "
#define OPTIONAL  "-- section if any: "
#define MAX_TITLE 128

const struct rwk_report *rwk_report_at(size_t index)
{
	for (size_t i = 0; rwk_reports[i].name; i++) {
		if (i == index)
			return &rwk_reports[i];
	}
	return NULL;
}

const struct rwk_report *rwk_report_find(const char *name)
{
	for (size_t i = 0; rwk_reports[i].name; i++) {
		if (!strcmp(rwk_reports[i].name, name))
			return &rwk_reports[i];
	}
	return NULL;
}

static const struct {
	const char *name;
	const struct rwk_renderer_ops *ops;
} formats[] = {
	[RWK_FORMAT_TABLE] = {"table", &rwk_render_table},
	[RWK_FORMAT_CSV] = {"csv", &rwk_render_csv},
	[RWK_FORMAT_JSON] = {"json", &rwk_render_json},
};

int rwk_format_parse(const char *text, enum rwk_format *ret)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!strcmp(formats[i].name, text)) {
			*ret = (enum rwk_format)i;
			return 0;
		}
	}
	return -EINVAL;
}

static void free_columns(struct rwk_render *r)
{
	for (int i = 0; r->column && i < r->nr_columns; i++)
		free(r->column[i]);
	free(r->column);
	r->column = NULL;
	r->nr_columns = 0;
}

static bool is_taken(const struct rwk_render *r, int before, const char *name)
{
	for (int i = 0; i < before; i++) {
		if (!strcmp(r->column[i], name))
			return true;
	}
	return false;
}

/* Names as they are, a repeated one with a number: an object's keys differ. */
static int take_columns(struct rwk_render *r, const struct rwk_query *q)
{
	int nr = rwk_query_nr_columns(q);

	r->column = calloc((size_t)nr + 1, sizeof(*r->column));
	if (!r->column)
		return -ENOMEM;
	r->nr_columns = nr;
	for (int i = 0; i < nr; i++) {
		const char *name = rwk_query_column_name(q, i);

		r->column[i] = strdup(name);
		for (int k = 2; r->column[i] && is_taken(r, i, r->column[i]); k++) {
			free(r->column[i]);
			if (asprintf(&r->column[i], "%s_%d", name, k) < 0)
				r->column[i] = NULL;
		}
		if (!r->column[i])
			return -ENOMEM;
	}
	return 0;
}

static int no_memory(struct rwk_diag *diag, int err)
{
	return rwk_diag_push(diag, err, "cannot print the result: why=%s", strerror(-err));
}

/* A statement that only prepares for others. */
static int run_silent(struct rwk_query *q, struct rwk_diag *diag)
{
	int ret;

	do {
		ret = rwk_query_step(q, diag);
	} while (ret == 1);
	return ret;
}

static int run_statement(struct rwk_render *r, const struct rwk_renderer_ops *ops,
	struct rwk_query *q, struct rwk_diag *diag)
{
	int err = take_columns(r, q), ret;

	if (err)
		return no_memory(diag, err);
	r->nr_sections++;
	r->nr_rows = 0;
	/* The first row before any output: a statement that fails at once prints nothing. */
	ret = rwk_query_step(q, diag);
	if (ret < 0)
		return ret;
	if (!ret && r->optional && ops == &rwk_render_table) {
		free_columns(r);
		return 0;
	}
	err = ops->section(r);
	while (!err && ret == 1) {
		err = ops->row(r, q);
		if (err)
			break;
		r->nr_rows++;
		ret = rwk_query_step(q, diag);
		if (ret < 0)
			return ret;
	}
	if (!err)
		err = ops->section_end(r);
	free_columns(r);
	return err ? no_memory(diag, err) : 0;
}

/* The title that p's line begins, if it does so with mark. */
static bool take_title(const char *p, const char *mark, char title[MAX_TITLE])
{
	if (strncmp(p, mark, strlen(mark)))
		return false;
	p += strlen(mark);
	snprintf(title, MAX_TITLE, "%.*s", (int)strcspn(p, "\n"), p);
	return true;
}

/* Past blanks and comment lines; the last section title among them goes to title. */
static const char *skip_comments(const char *p, char title[MAX_TITLE], bool *ret_optional)
{
	for (;;) {
		while (isspace((unsigned char)*p))
			p++;
		if (strncmp(p, "--", 2))
			return p;
		if (take_title(p, SECTION, title))
			*ret_optional = false;
		else if (take_title(p, OPTIONAL, title))
			*ret_optional = true;
		p += strcspn(p, "\n");
	}
}

static int run_report(struct rwk_render *r, const struct rwk_renderer_ops *ops,
	struct rwk_store *store, const struct rwk_report_args *args, struct rwk_diag *diag)
{
	const char *p = args->report->sql;
	char title[MAX_TITLE] = "";
	int err = 0;

	while (!err && *(p = skip_comments(p, title, &r->optional))) {
		struct rwk_query *q;

		err = rwk_query_prepare_shipped(store, p, diag, &q, &p);
		if (err || !q)
			break;
		err = rwk_report_args_bind(args, q, diag);
		r->title = title;
		if (!err && rwk_query_nr_columns(q))
			err = run_statement(r, ops, q, diag);
		else if (!err)
			err = run_silent(q, diag);
		rwk_query_close(q);
	}
	return err ? rwk_diag_push(diag, err, "cannot run report %s", args->report->name) : 0;
}

static int run_query(struct rwk_render *r, const struct rwk_renderer_ops *ops,
	struct rwk_store *store, const char *sql, struct rwk_diag *diag)
{
	struct rwk_query *q, *more = NULL;
	const char *tail;
	int err = rwk_query_prepare(store, sql, diag, &q, &tail);

	if (err)
		return err;
	if (!q)
		return rwk_diag_push(diag, -EINVAL, "cannot run the statement: why=there is none");
	err = rwk_query_prepare(store, tail, diag, &more, &tail);
	if (!err && more)
		err = rwk_diag_push(diag, -EINVAL,
			"cannot run the statement: why=there is more than one, and a result is one "
			"table");
	if (!err)
		err = run_statement(r, ops, q, diag);
	rwk_query_close(more);
	rwk_query_close(q);
	return err;
}

static int run(struct rwk_store *store, const struct rwk_report_args *args, const char *sql,
	enum rwk_format format, FILE *out, struct rwk_diag *diag)
{
	const struct rwk_renderer_ops *ops = formats[format].ops;
	struct rwk_render r = {.out = out, .sections = args != NULL};
	int err = ops->begin(&r);

	if (err)
		no_memory(diag, err);
	else if (args)
		err = run_report(&r, ops, store, args, diag);
	else
		err = run_query(&r, ops, store, sql, diag);
	if (!err)
		err = ops->end(&r);
	ops->finish(&r);
	free_columns(&r);
	if (!err && (fflush(out) || ferror(out)))
		err = rwk_diag_push(
			diag, -EIO, "cannot print the result: why=the output cannot be written");
	return err;
}

int rwk_report_run_with(struct rwk_store *store, const struct rwk_report_args *args,
	enum rwk_format format, FILE *out, struct rwk_diag *diag)
{
	return run(store, args, NULL, format, out, diag);
}

int rwk_report_run(struct rwk_store *store, const struct rwk_report *report, enum rwk_format format,
	FILE *out, struct rwk_diag *diag)
{
	struct rwk_report_args args;
	int err = rwk_report_args_init(report, diag, &args);

	return err ? err : run(store, &args, NULL, format, out, diag);
}

int rwk_report_query(struct rwk_store *store, const char *sql, enum rwk_format format, FILE *out,
	struct rwk_diag *diag)
{
	return run(store, NULL, sql, format, out, diag);
}
