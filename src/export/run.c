/* Choosing the run, and asking for its rows. */
#include "export/run.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT "export/"
#define VIEW   "FROM replay"

/* The names are ours, so that one that is missing is a bug. */
static const char *text_of(const char *name)
{
	const struct rwk_sql_file *f = rwk_sql_files;

	while (strncmp(f->name, EXPORT, strlen(EXPORT)) || strcmp(f->name + strlen(EXPORT), name)) {
		f++;
		assert(f->name);
	}
	return f->text;
}

static int prepare(struct rwk_store *store, const char *text, int64_t run_id, struct rwk_diag *diag,
	struct rwk_query **ret)
{
	const char *tail;
	int err = rwk_query_prepare(store, text, diag, ret, &tail);

	/* Not every statement asks for it. */
	if (!err)
		rwk_query_bind_int(*ret, ":run", run_id);
	return err;
}

int rwk_export_query(struct rwk_store *store, const char *name, int64_t run_id,
	struct rwk_diag *diag, struct rwk_query **ret)
{
	return prepare(store, text_of(name), run_id, diag, ret);
}

int rwk_export_query_view(struct rwk_store *store, const char *name, const char *view,
	int64_t run_id, struct rwk_diag *diag, struct rwk_query **ret)
{
	const char *text = text_of(name), *at = strstr(text, VIEW);
	char *sql;
	int err;

	assert(at);
	if (asprintf(&sql, "%.*sFROM %s%s", (int)(at - text), text, view, at + strlen(VIEW)) < 0)
		return rwk_diag_push(diag, -ENOMEM, "cannot export %s: why=out of memory", view);
	err = prepare(store, sql, run_id, diag, ret);
	free(sql);
	return err;
}

int64_t rwk_export_int(const struct rwk_query *q, int column, int64_t if_null)
{
	struct rwk_value v = rwk_query_value(q, column);

	return v.type == RWK_VALUE_INT ? v.i : if_null;
}

int rwk_export_run(struct rwk_store *store, int64_t run_id, struct rwk_diag *diag, int64_t *ret)
{
	struct rwk_query *q;
	int err = rwk_export_query(store, "run", run_id, diag, &q);

	if (err)
		return err;
	err = rwk_query_step(q, diag);
	if (err == 1)
		*ret = rwk_export_int(q, 0, 0);
	rwk_query_close(q);
	if (err)
		return err < 0 ? err : 0;
	if (!run_id)
		return rwk_diag_push(diag, -ENOENT, "the file has no run");
	return rwk_diag_push(diag, -ENOENT, "the file has no run %" PRId64, run_id);
}

int rwk_export_check(FILE *out, struct rwk_diag *diag)
{
	if (!fflush(out) && !ferror(out))
		return 0;
	return rwk_diag_push(
		diag, errno ? -errno : -EIO, "cannot write: why=%s", strerror(errno ? errno : EIO));
}
