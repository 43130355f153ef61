/* The two databases are attached to a nameless one, which holds what is made of them. */
#include "store/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/ranksum.h"
#include "base/vec.h"
#include "store/attach.h"
#include "store/handle.h"

/* ---- SQL functions ---- */

static bool z_of(sqlite3_value **argv, double *ret)
{
	for (int i = 0; i < 4; i++) {
		if (sqlite3_value_type(argv[i]) == SQLITE_NULL)
			return false;
	}
	return rwk_ranksum_z(sqlite3_value_double(argv[0]), sqlite3_value_double(argv[1]),
		sqlite3_value_double(argv[2]), sqlite3_value_double(argv[3]), ret);
}

/* mann_whitney_z(U, N_A, N_B, TIES); NULL where there is none. */
static void sql_z(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	double z;

	(void)argc;
	if (z_of(argv, &z))
		sqlite3_result_double(ctx, z);
}

/* mann_whitney_p(U, N_A, N_B, TIES) by the normal approximation. */
static void sql_p(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	double z;

	(void)argc;
	if (z_of(argv, &z))
		sqlite3_result_double(ctx, rwk_ranksum_normal_p(z));
}

static void sql_least_p(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	sqlite3_int64 a = sqlite3_value_int64(argv[0]), b = sqlite3_value_int64(argv[1]);

	(void)argc;
	if (a >= 0 && b >= 0)
		sqlite3_result_double(ctx, rwk_ranksum_least_p((size_t)a, (size_t)b));
}

struct sample {
	struct rwk_ranksum_value *value;
	size_t nr, cap;
};

/* mann_whitney_runs_p(IS_B, VALUE), an aggregate. */
static void sql_runs_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct sample *s = sqlite3_aggregate_context(ctx, sizeof(*s));

	(void)argc;
	if (!s || rwk_vec_grow(&s->value, &s->cap, s->nr + 1, sizeof(*s->value))) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	s->value[s->nr++] = (struct rwk_ranksum_value){
		sqlite3_value_double(argv[1]), sqlite3_value_int(argv[0]) != 0};
}

static void sql_runs_final(sqlite3_context *ctx)
{
	struct sample *s = sqlite3_aggregate_context(ctx, 0);
	bool known = false;
	double p;

	if (!s)
		return;
	if (rwk_ranksum_p(s->value, s->nr, &known, &p))
		sqlite3_result_error_nomem(ctx);
	else if (known)
		sqlite3_result_double(ctx, p);
	free(s->value);
}

static int register_functions(struct rwk_db *db, struct rwk_diag *diag)
{
	static const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
	sqlite3 *h = db->handle;

	if (sqlite3_create_function(h, "mann_whitney_z", 4, flags, NULL, sql_z, NULL, NULL) ||
		sqlite3_create_function(h, "mann_whitney_p", 4, flags, NULL, sql_p, NULL, NULL) ||
		sqlite3_create_function(
			h, "mann_whitney_least_p", 2, flags, NULL, sql_least_p, NULL, NULL) ||
		sqlite3_create_function(h, "mann_whitney_runs_p", 2, flags, NULL, NULL,
			sql_runs_step, sql_runs_final))
		return rwk_db_fail(db, diag, "register a function");
	return 0;
}

/* ---- the sides ---- */

static int add_run(struct rwk_db *db, sqlite3_stmt *st, const char *name,
	const struct rwk_side *side, const int *run, struct rwk_diag *diag)
{
	struct rwk_bind b = rwk_bind_begin(st);
	int err;

	rwk_bind_text(&b, name);
	if (run)
		rwk_bind_int(&b, *run);
	else
		rwk_bind_null(&b);
	err = rwk_bind_run(&b, db, "choose runs", diag);
	if (err || sqlite3_changes(db->handle))
		return err;
	if (!run)
		return rwk_diag_push(diag, -ENOENT, "%s holds no run", side->path);
	return rwk_diag_push(diag, -ENOENT, "%s has no run %d", side->path, *run);
}

static int add_side(
	struct rwk_db *db, const char *name, const struct rwk_side *side, struct rwk_diag *diag)
{
	sqlite3_stmt *st;
	int err = rwk_db_prepare(db, "compare/add_run", diag, &st);

	if (err)
		return err;
	if (!side->run)
		err = add_run(db, st, name, side, NULL, diag);
	for (size_t i = 0; side->run && i < side->nr_runs && !err; i++)
		err = add_run(db, st, name, side, &side->run[i], diag);
	sqlite3_finalize(st);
	return err;
}

static int open_sides(struct rwk_store *s, const struct rwk_side *a, const struct rwk_side *b,
	struct rwk_diag *diag)
{
	struct rwk_db *db = &s->db;
	int err;

	db->path = strdup(a->path);
	if (!db->path || sqlite3_open_v2("", &db->handle,
				 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI |
					 SQLITE_OPEN_NOMUTEX,
				 NULL) != SQLITE_OK)
		return rwk_diag_push(diag, -ENOMEM, "cannot compare: why=out of memory");
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	err = rwk_db_run(db, "pragma_open", diag);
	if (!err)
		err = register_functions(db, diag);
	if (!err)
		err = rwk_db_attach(db, a->path, "a", diag);
	if (!err)
		err = rwk_db_attach(db, b->path, "b", diag);
	/* One state of each file for all statements. */
	if (!err)
		err = rwk_db_run(db, "begin", diag);
	if (!err)
		err = rwk_db_run(db, "compare/side", diag);
	if (!err)
		err = add_side(db, "A", a, diag);
	if (!err)
		err = add_side(db, "B", b, diag);
	return err ? err : rwk_db_run(db, "compare/views", diag);
}

int rwk_store_open_sides(const struct rwk_side *a, const struct rwk_side *b, struct rwk_diag *diag,
	struct rwk_store **ret)
{
	struct rwk_store *s = calloc(1, sizeof(*s));
	int err = s ? open_sides(s, a, b, diag)
		    : rwk_diag_push(diag, -ENOMEM, "cannot compare: why=out of memory");

	if (err) {
		if (s)
			rwk_db_close(&s->db);
		free(s);
		return err;
	}
	*ret = s;
	return 0;
}
