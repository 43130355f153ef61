/* The SQL function fetch(). */
#include "store/fetch.h"

#define POINTER_TYPE "rwk_fetch"

static void put(struct rwk_fetch *f, int column, sqlite3_value *value)
{
	f->value[column] = sqlite3_value_int64(value);
	if (!f->value[column] && sqlite3_value_type(value) == SQLITE_NULL)
		f->nulls |= 1u << column;
}

static void fetch(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct rwk_fetch *f = argc ? sqlite3_value_pointer(argv[0], POINTER_TYPE) : NULL;

	if (!f || argc - 1 > RWK_FETCH_MAX) {
		sqlite3_result_error(ctx, "fetch() is for shipped statements only", -1);
		return;
	}
	f->nulls = 0;
	for (int i = 1; i < argc; i++)
		put(f, i - 1, argv[i]);
}

int rwk_fetch_register(struct rwk_db *db, struct rwk_diag *diag)
{
	/* A view in a file from outside may not call it. */
	int rc = sqlite3_create_function_v2(db->handle, "fetch", -1,
		SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL, fetch, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : rwk_db_fail(db, diag, "register fetch()");
}

void rwk_fetch_bind(struct rwk_bind *b, struct rwk_fetch *f)
{
	int rc = sqlite3_bind_pointer(b->st, ++b->nr, f, POINTER_TYPE, NULL);

	if (b->rc == SQLITE_OK)
		b->rc = rc;
}

void rwk_fetch_sorted(struct rwk_fetch *f, sqlite3_stmt *st)
{
	f->nulls = 0;
	for (int i = 0; i < sqlite3_column_count(st) && i < RWK_FETCH_MAX; i++)
		put(f, i, sqlite3_column_value(st, i));
}
