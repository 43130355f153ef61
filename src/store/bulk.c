/* The virtual table behind INSERT … SELECT: forward only, no constraints, no writes. */
#include "store/bulk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct table {
	sqlite3_vtab base;
	struct rwk_bulk *in;
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct rwk_bulk *in;
	size_t at;
	bool follows; /* the row at hand has the id that sqlite3 gives to one without */
};

static int table_connect(
	sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **ret, char **error)
{
	struct rwk_bulk *in = aux;
	struct table *t;
	int rc = sqlite3_declare_vtab(db, in->lane->columns);

	(void)argc;
	(void)argv;
	(void)error;
	if (rc != SQLITE_OK)
		return rc;
	t = calloc(1, sizeof(*t));
	if (!t)
		return SQLITE_NOMEM;
	t->in = in;
	*ret = &t->base;
	return SQLITE_OK;
}

static int table_disconnect(sqlite3_vtab *base)
{
	free(base);
	return SQLITE_OK;
}

static int table_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	(void)base;
	info->estimatedCost = 1000;
	return SQLITE_OK;
}

static int cursor_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
	struct cursor *c = calloc(1, sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	c->in = ((struct table *)base)->in;
	*ret = &c->base;
	return SQLITE_OK;
}

static int cursor_close(sqlite3_vtab_cursor *base)
{
	free(base);
	return SQLITE_OK;
}

static void look(struct cursor *c)
{
	struct rwk_bulk *in = c->in;
	int64_t key = c->at < in->nr ? in->order[c->at].key : 0;

	c->follows = in->lane->numbered && in->max_key > 0 && key > in->max_key &&
		     key - in->max_key == 1;
	if (key > in->max_key)
		in->max_key = key;
}

static int cursor_filter(
	sqlite3_vtab_cursor *base, int number, const char *string, int argc, sqlite3_value **argv)
{
	(void)number;
	(void)string;
	(void)argc;
	(void)argv;
	((struct cursor *)base)->at = 0;
	look((struct cursor *)base);
	return SQLITE_OK;
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
	((struct cursor *)base)->at++;
	look((struct cursor *)base);
	return SQLITE_OK;
}

static int cursor_eof(sqlite3_vtab_cursor *base)
{
	const struct cursor *c = (struct cursor *)base;

	return c->at >= c->in->nr;
}

static int cursor_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int column)
{
	const struct cursor *c = (struct cursor *)base;
	const struct rwk_bulk *in = c->in;

	/* Numbered by sqlite3, a row is appended without a search for its place. */
	if (column || !c->follows)
		in->lane->column(ctx, in->order[c->at].row, column, in->base);
	return SQLITE_OK;
}

static int cursor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	*ret = (sqlite3_int64)((struct cursor *)base)->at;
	return SQLITE_OK;
}

static const sqlite3_module bulk_module = {
	.xConnect = table_connect,
	.xDisconnect = table_disconnect,
	.xBestIndex = table_best_index,
	.xOpen = cursor_open,
	.xClose = cursor_close,
	.xFilter = cursor_filter,
	.xNext = cursor_next,
	.xEof = cursor_eof,
	.xColumn = cursor_column,
	.xRowid = cursor_rowid,
};

int rwk_bulk_init(struct rwk_bulk *in, struct rwk_db *db, enum rwk_lane lane, int64_t base,
	struct rwk_diag *diag)
{
	*in = (struct rwk_bulk){.lane = &rwk_lanes[lane], .base = base};
	in->order = calloc(RWK_BULK_ROWS, sizeof(*in->order));
	if (!in->order)
		return rwk_diag_push(diag, -ENOMEM, "cannot write rows: why=out of memory");
	if (sqlite3_create_module(db->handle, in->lane->module, &bulk_module, in) != SQLITE_OK)
		return rwk_db_fail(db, diag, "register an input table");
	return rwk_db_prepare(db, in->lane->insert, diag, &in->insert);
}

void rwk_bulk_finish(struct rwk_bulk *in)
{
	sqlite3_finalize(in->insert);
	free(in->order);
	in->insert = NULL;
	in->order = NULL;
}

static int compare(const void *a, const void *b)
{
	int64_t x = ((const struct rwk_ordered *)a)->key, y = ((const struct rwk_ordered *)b)->key;

	return x < y ? -1 : x > y;
}

/*
 * Rows come nearly sorted, which insertion sort likes; rows in no order at all
 * must not take it quadratic time.
 */
static void sort(struct rwk_ordered *v, size_t nr)
{
	size_t moves = nr * 8;

	for (size_t i = 1; i < nr; i++) {
		struct rwk_ordered x = v[i];
		size_t k = i;

		for (; k && v[k - 1].key > x.key && moves; k--, moves--)
			v[k] = v[k - 1];
		v[k] = x;
		if (!moves) {
			qsort(v, nr, sizeof(*v), compare);
			return;
		}
	}
}

int rwk_bulk_insert(
	struct rwk_bulk *in, struct rwk_db *db, const void *rows, size_t nr, struct rwk_diag *diag)
{
	const char *row = rows;
	int err = 0;

	while (nr && !err) {
		in->nr = nr < RWK_BULK_ROWS ? nr : RWK_BULK_ROWS;
		for (size_t i = 0; i < in->nr; i++, row += in->lane->row_size) {
			memcpy(&in->order[i].key, row, sizeof(in->order[i].key));
			in->order[i].row = row;
		}
		sort(in->order, in->nr);
		nr -= in->nr;
		err = rwk_db_step(db, in->insert, "write rows", diag);
	}
	in->nr = 0;
	return err;
}
