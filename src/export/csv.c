/*
 * Every promised view as a file of its own, RFC 4180: a header, CRLF, quotes
 * where they are needed and doubled inside.  Bytes are kept, whatever they are;
 * NULL is an empty field, an empty text is "".  schema.md says what the columns
 * mean, and that a folder is ours.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/folder.h"
#include "export/run.h"
#include "report/schema_text.h"
#include "report/text.h"

#define VIEWS  "views/"
#define SUFFIX ".csv"
#define SCHEMA "schema.md"

static const char *view_name(const struct rwk_sql_file *f)
{
	return strncmp(f->name, VIEWS, strlen(VIEWS)) ? NULL : f->name + strlen(VIEWS);
}

static bool is_ours(const char *name)
{
	if (!strcmp(name, SCHEMA))
		return true;
	for (const struct rwk_sql_file *f = rwk_sql_files; f->name; f++) {
		const char *view = view_name(f);

		if (view && !strncmp(name, view, strlen(view)) &&
			!strcmp(name + strlen(view), SUFFIX))
			return true;
	}
	return false;
}

static bool has_column(const char *view_sql, const char *name)
{
	struct rwk_schema_column c;

	while (rwk_schema_next_column(&view_sql, &c)) {
		if ((size_t)c.name_len == strlen(name) && !strncmp(c.name, name, strlen(name)))
			return true;
	}
	return false;
}

/* The statement that picks a run's rows of a view, by what tells them apart. */
static const char *statement_for(const char *view_sql, int64_t run_id)
{
	static const char *const columns[][2] = {{"run_id", "view_of_run"},
		{"replay_id", "view_of_replay"}, {"machine_id", "view_of_machine"},
		{"policy_id", "view_of_policy"}};

	for (size_t i = 0; run_id && i < sizeof(columns) / sizeof(columns[0]); i++) {
		if (has_column(view_sql, columns[i][0]))
			return columns[i][1];
	}
	return "view";
}

static void put_field(FILE *out, const char *text, size_t size)
{
	if (size && !memchr(text, ',', size) && !memchr(text, '"', size) &&
		!memchr(text, '\n', size) && !memchr(text, '\r', size)) {
		fwrite(text, 1, size, out);
		return;
	}
	fputc('"', out);
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '"')
			fputc('"', out);
		fputc(text[i], out);
	}
	fputc('"', out);
}

static int put_value(FILE *out, const struct rwk_value *v)
{
	size_t size;
	char *text;

	if (v->type == RWK_VALUE_NULL)
		return 0;
	if (v->type == RWK_VALUE_INT) {
		fprintf(out, "%" PRId64, v->i);
		return 0;
	}
	if (v->type == RWK_VALUE_TEXT) {
		put_field(out, v->text, (size_t)v->size);
		return 0;
	}
	text = rwk_text_of_value(v, &size);
	if (!text)
		return -ENOMEM;
	put_field(out, text, size);
	free(text);
	return 0;
}

static int put_rows(struct rwk_query *q, FILE *out, struct rwk_diag *diag)
{
	int nr = rwk_query_nr_columns(q), ret;

	for (int i = 0; i < nr; i++) {
		const char *name = rwk_query_column_name(q, i);

		fputs(i ? "," : "", out);
		put_field(out, name, strlen(name));
	}
	fputs("\r\n", out);
	while ((ret = rwk_query_step(q, diag)) == 1) {
		for (int i = 0; i < nr; i++) {
			struct rwk_value v = rwk_query_value(q, i);

			fputs(i ? "," : "", out);
			if (put_value(out, &v))
				return rwk_diag_push(
					diag, -ENOMEM, "cannot write: why=out of memory");
		}
		fputs("\r\n", out);
		/* A disk that is full ends it now rather than after the last row. */
		if (ferror(out))
			return 0;
	}
	return ret;
}

static int put_view(struct rwk_store *store, const char *view, const char *sql, int64_t run_id,
	struct rwk_folder *folder, struct rwk_diag *diag)
{
	char name[128];
	struct rwk_query *q;
	FILE *out = NULL;
	int err = rwk_export_query_view(store, statement_for(sql, run_id), view, run_id, diag, &q);
	int closed;

	if (err)
		return err;
	snprintf(name, sizeof(name), "%s" SUFFIX, view);
	err = rwk_folder_open_file(folder, name, diag, &out);
	if (!err)
		err = put_rows(q, out, diag);
	rwk_query_close(q);
	closed = out ? rwk_folder_close_file(folder, name, out, err ? NULL : diag) : 0;
	return err ? err : closed;
}

static int put_schema(struct rwk_folder *folder, struct rwk_diag *diag)
{
	FILE *out;
	int err = rwk_folder_open_file(folder, SCHEMA, diag, &out);

	if (err)
		return err;
	rwk_schema_print(out, true);
	return rwk_folder_close_file(folder, SCHEMA, out, diag);
}

int rwk_export_csv(struct rwk_store *store, const struct rwk_export_options *opt, const char *dir,
	struct rwk_diag *diag)
{
	struct rwk_folder folder;
	int err = rwk_folder_open(&folder, dir, SCHEMA, is_ours, diag);

	if (!err)
		err = put_schema(&folder, diag);
	for (const struct rwk_sql_file *f = rwk_sql_files; !err && f->name; f++) {
		const char *view = view_name(f);

		if (view)
			err = put_view(store, view, f->text, opt->run_id, &folder, diag);
	}
	if (!err)
		err = rwk_folder_finish(&folder, diag);
	rwk_folder_close(&folder);
	return err;
}
