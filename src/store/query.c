/*
 * Statements of users and reports.  What they may do is decided by what they
 * would do rather than by how they begin: writing is refused by the compiled
 * statement's own account; what does harm without writing to the file is
 * refused while it is compiled.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/handle.h"

struct rwk_query {
	struct rwk_store *store;
	sqlite3_stmt *st;
};

/* Pragmas that only tell something; with an argument most others change something. */
static bool pragma_tells(const char *name, const char *argument)
{
	static const char *const any[] = {"table_info", "table_xinfo", "table_list", "index_list",
		"index_info", "index_xinfo", "foreign_key_list", "integrity_check", "quick_check",
		"function_list", "module_list", "pragma_list", "collation_list", "database_list",
		"compile_options"};
	static const char *const plain[] = {"application_id", "user_version", "page_count",
		"page_size", "freelist_count", "encoding", "schema_version", "data_version"};

	for (size_t i = 0; i < sizeof(any) / sizeof(any[0]); i++) {
		if (!sqlite3_stricmp(name, any[i]))
			return true;
	}
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (!sqlite3_stricmp(name, plain[i]))
			return !argument;
	}
	return false;
}

static int authorize(void *ctx, int action, const char *first, const char *second,
	const char *database, const char *view)
{
	(void)ctx;
	(void)database;
	(void)view;
	switch (action) {
	case SQLITE_ATTACH:
	case SQLITE_DETACH:
	case SQLITE_TRANSACTION:
	case SQLITE_SAVEPOINT:
		return SQLITE_DENY;
	case SQLITE_FUNCTION:
		/* second is the function; it is off by default, and stays off here in any case. */
		return second && !sqlite3_stricmp(second, "load_extension") ? SQLITE_DENY
									    : SQLITE_OK;
	case SQLITE_PRAGMA:
		return pragma_tells(first, second) ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_OK;
	}
}

/* The same, but that temporary tables may be made, filled and dropped. */
static int authorize_shipped(void *ctx, int action, const char *first, const char *second,
	const char *database, const char *view)
{
	switch (action) {
	case SQLITE_INSERT:
	case SQLITE_UPDATE:
	case SQLITE_DELETE:
		return database && !strcmp(database, "temp") ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_CREATE_TEMP_TABLE:
	case SQLITE_CREATE_TEMP_INDEX: /* of primary keys */
	case SQLITE_DROP_TEMP_TABLE:
	case SQLITE_DROP_TEMP_INDEX:
		return SQLITE_OK;
	case SQLITE_READ:
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE:
	case SQLITE_FUNCTION:
	case SQLITE_PRAGMA:
		return authorize(ctx, action, first, second, database, view);
	default:
		return SQLITE_DENY;
	}
}

static int prepare_error(struct rwk_store *store, int rc, const char *sql, struct rwk_diag *diag)
{
	int at = sqlite3_error_offset(store->db.handle);

	if (rc == SQLITE_AUTH)
		return rwk_diag_push(
			diag, -EACCES, "cannot run the statement: why=it would do more than read");
	if (rc == SQLITE_ERROR && at >= 0)
		return rwk_diag_push(diag, -EINVAL,
			"cannot run the statement: near=\"%.40s\" why=%s", sql + at,
			sqlite3_errmsg(store->db.handle));
	return rwk_db_fail(&store->db, diag, "run the statement");
}

static int prepare(struct rwk_store *store, const char *sql, bool shipped, struct rwk_diag *diag,
	struct rwk_query **ret, const char **ret_tail)
{
	struct rwk_query *q;
	sqlite3_stmt *st;
	const char *tail;
	int rc;

	sqlite3_set_authorizer(store->db.handle, shipped ? authorize_shipped : authorize, NULL);
	rc = sqlite3_prepare_v2(store->db.handle, sql, -1, &st, &tail);
	sqlite3_set_authorizer(store->db.handle, NULL, NULL);
	if (rc != SQLITE_OK)
		return prepare_error(store, rc, sql, diag);
	if (st && !shipped && !sqlite3_stmt_readonly(st)) {
		sqlite3_finalize(st);
		return rwk_diag_push(
			diag, -EACCES, "cannot run the statement: why=it would do more than read");
	}
	*ret_tail = tail;
	if (!st) {
		*ret = NULL;
		return 0;
	}
	q = calloc(1, sizeof(*q));
	if (!q) {
		sqlite3_finalize(st);
		return rwk_diag_push(diag, -ENOMEM, "cannot run the statement: why=out of memory");
	}
	q->store = store;
	q->st = st;
	*ret = q;
	return 0;
}

int rwk_query_prepare(struct rwk_store *store, const char *sql, struct rwk_diag *diag,
	struct rwk_query **ret, const char **ret_tail)
{
	return prepare(store, sql, false, diag, ret, ret_tail);
}

int rwk_query_prepare_shipped(struct rwk_store *store, const char *sql, struct rwk_diag *diag,
	struct rwk_query **ret, const char **ret_tail)
{
	return prepare(store, sql, true, diag, ret, ret_tail);
}

int rwk_query_bind_value(
	struct rwk_query *q, const char *name, const struct rwk_value *value, struct rwk_diag *diag)
{
	int at = sqlite3_bind_parameter_index(q->st, name), rc = SQLITE_OK;

	if (!at)
		return 0;
	switch (value->type) {
	case RWK_VALUE_NULL:
		rc = sqlite3_bind_null(q->st, at);
		break;
	case RWK_VALUE_INT:
		rc = sqlite3_bind_int64(q->st, at, value->i);
		break;
	case RWK_VALUE_REAL:
		rc = sqlite3_bind_double(q->st, at, value->r);
		break;
	case RWK_VALUE_TEXT:
		rc = sqlite3_bind_text(q->st, at, value->text, value->size, SQLITE_TRANSIENT);
		break;
	case RWK_VALUE_BLOB:
		rc = sqlite3_bind_blob(q->st, at, value->text, value->size, SQLITE_TRANSIENT);
		break;
	}
	return rc == SQLITE_OK ? 0 : rwk_db_fail(&q->store->db, diag, "set a parameter");
}

int rwk_query_nr_columns(const struct rwk_query *q)
{
	return sqlite3_column_count(q->st);
}

const char *rwk_query_column_name(const struct rwk_query *q, int column)
{
	const char *name = sqlite3_column_name(q->st, column);

	return name ? name : "";
}

bool rwk_query_bind_int(struct rwk_query *q, const char *name, int64_t value)
{
	int at = sqlite3_bind_parameter_index(q->st, name);

	return at && sqlite3_bind_int64(q->st, at, value) == SQLITE_OK;
}

int rwk_query_step(struct rwk_query *q, struct rwk_diag *diag)
{
	return rwk_db_step(&q->store->db, q->st, "run the statement", diag);
}

struct rwk_value rwk_query_value(const struct rwk_query *q, int column)
{
	struct rwk_value v = {0};

	switch (sqlite3_column_type(q->st, column)) {
	case SQLITE_INTEGER:
		v.type = RWK_VALUE_INT;
		v.i = sqlite3_column_int64(q->st, column);
		break;
	case SQLITE_FLOAT:
		v.type = RWK_VALUE_REAL;
		v.r = sqlite3_column_double(q->st, column);
		break;
	case SQLITE_TEXT:
	case SQLITE_BLOB:
		v.type = sqlite3_column_type(q->st, column) == SQLITE_TEXT ? RWK_VALUE_TEXT
									   : RWK_VALUE_BLOB;
		v.text = sqlite3_column_blob(q->st, column);
		v.size = sqlite3_column_bytes(q->st, column);
		if (!v.text)
			v.text = "";
		break;
	default:
		v.type = RWK_VALUE_NULL;
		break;
	}
	return v;
}

void rwk_query_close(struct rwk_query *q)
{
	if (!q)
		return;
	sqlite3_finalize(q->st);
	free(q);
}
