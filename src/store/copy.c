/*
 * Runs from one database into another.  Everything goes run by run and table
 * by table in the order of keys, so that the bytes of the result depend on the
 * runs and their order alone, not on the files that they came in.
 */
#include "store/copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "store/bits.h"

#define MAX_RUN   ((INT64_C(1) << (63 - RWK_BITS_RUN_SHIFT)) - 1)
#define MINUTE_NS INT64_C(60000000000)

static int damaged(struct rwk_diag *diag, const char *why)
{
	return rwk_diag_push(diag, -EBADMSG, "cannot copy: why=the database is damaged (%s)", why);
}

/* ---- functions that sql/merge uses ---- */

/* moved(ID): the id that it has in the run as it is here. */
static void sql_moved(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	const struct rwk_copy *c = sqlite3_user_data(ctx);
	int64_t id = sqlite3_value_int64(argv[0]);
	int type = sqlite3_value_type(argv[0]);

	(void)argc;
	if (type == SQLITE_NULL)
		return;
	if (type != SQLITE_INTEGER || id >> RWK_BITS_RUN_SHIFT != c->from_run - 1) {
		sqlite3_result_error_code(ctx, SQLITE_CORRUPT);
		return;
	}
	sqlite3_result_int64(ctx, rwk_bits_run_base((int)c->to_run) + (id & RWK_BITS_ID_MASK));
}

static void result_owned(sqlite3_context *ctx, int err, char *text)
{
	if (err)
		sqlite3_result_error_nomem(ctx);
	else if (text)
		sqlite3_result_text(ctx, text, -1, free);
}

/* shown(WHAT, VALUE): the value, or what stands for it. */
static void sql_shown(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	const struct rwk_copy *c = sqlite3_user_data(ctx);
	const char *what = (const char *)sqlite3_value_text(argv[0]);
	const char *text;
	char *shown = NULL;
	int err;

	(void)argc;
	if (!c->mask || sqlite3_value_type(argv[1]) == SQLITE_NULL) {
		sqlite3_result_value(ctx, argv[1]);
		return;
	}
	if (!strcmp(what, "tid")) {
		sqlite3_result_int64(ctx, rwk_mask_tid(c->mask, sqlite3_value_int64(argv[1])));
		return;
	}
	text = (const char *)sqlite3_value_text(argv[1]);
	err = text ? rwk_mask_text(
			     c->mask, what, text, (size_t)sqlite3_value_bytes(argv[1]), &shown)
		   : -ENOMEM;
	result_owned(ctx, err, shown);
}

/* shown_path(PATH, CONTENT) of an entry of a snapshot; NULL: it is not to be shown. */
static void sql_shown_path(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	const struct rwk_copy *c = sqlite3_user_data(ctx);
	const char *path = (const char *)sqlite3_value_text(argv[0]);
	char *shown = NULL;
	int err;

	(void)argc;
	if (!c->mask || !path) {
		sqlite3_result_value(ctx, argv[0]);
		return;
	}
	err = rwk_mask_path(c->mask, path, (const char *)sqlite3_value_text(argv[1]), &shown);
	result_owned(ctx, err, shown);
}

/* shown_content(PATH, CONTENT) of an entry of a snapshot. */
static void sql_shown_content(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	const struct rwk_copy *c = sqlite3_user_data(ctx);
	const char *path = (const char *)sqlite3_value_text(argv[0]);
	const char *content;
	char *shown = NULL;
	int err;

	(void)argc;
	if (!c->mask || !path || sqlite3_value_type(argv[1]) == SQLITE_NULL) {
		sqlite3_result_value(ctx, argv[1]);
		return;
	}
	content = (const char *)sqlite3_value_text(argv[1]);
	err = content ? rwk_mask_content(c->mask, path, content, &shown) : -ENOMEM;
	result_owned(ctx, err, shown);
}

int rwk_copy_init(
	struct rwk_copy *c, struct rwk_db *db, struct rwk_mask *mask, struct rwk_diag *diag)
{
	static const struct {
		const char *name;
		int nr_args;
		void (*run)(sqlite3_context *ctx, int argc, sqlite3_value **argv);
	} table[] = {{"moved", 1, sql_moved}, {"shown", 2, sql_shown},
		{"shown_path", 2, sql_shown_path}, {"shown_content", 2, sql_shown_content}};

	*c = (struct rwk_copy){.db = db, .mask = mask};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (sqlite3_create_function(db->handle, table[i].name, table[i].nr_args,
			    SQLITE_UTF8, c, table[i].run, NULL, NULL) != SQLITE_OK)
			return rwk_db_fail(db, diag, "register a function");
	}
	return 0;
}

void rwk_copy_finish(struct rwk_copy *c)
{
	rwk_map_finish(&c->machine);
	rwk_map_finish(&c->policy);
}

/* ---- statements ---- */

/* Prepares sql/merge/<name>.sql with as many of the arguments as it takes; RWK_NS_NONE is NULL. */
static int prepare(struct rwk_copy *c, const char *name, const int64_t *arg, int nr,
	struct rwk_diag *diag, sqlite3_stmt **ret, struct rwk_bind *ret_bind)
{
	char full[64];
	int err;

	snprintf(full, sizeof(full), "merge/%s", name);
	err = rwk_db_prepare(c->db, full, diag, ret);
	if (err)
		return err;
	*ret_bind = rwk_bind_begin(*ret);
	for (int i = 0; i < nr && i < sqlite3_bind_parameter_count(*ret); i++)
		rwk_bind_ns(ret_bind, arg[i]);
	return 0;
}

static int run(
	struct rwk_copy *c, const char *name, const int64_t *arg, int nr, struct rwk_diag *diag)
{
	sqlite3_stmt *st;
	struct rwk_bind b;
	int err = prepare(c, name, arg, nr, diag, &st, &b);

	if (err)
		return err;
	err = rwk_bind_run(&b, c->db, "copy rows", diag);
	sqlite3_finalize(st);
	return err;
}

/* The first row's integers; RWK_NS_NONE for NULL.  1, or 0 without a row. */
static int get(struct rwk_copy *c, const char *name, int64_t arg, struct rwk_diag *diag, int nr_ret,
	int64_t *ret)
{
	sqlite3_stmt *st;
	struct rwk_bind b;
	int err = prepare(c, name, &arg, 1, diag, &st, &b);

	if (err)
		return err;
	err = rwk_db_step(c->db, st, "read the database", diag);
	for (int i = 0; i < nr_ret && err == 1; i++)
		ret[i] = rwk_column_int(st, i, RWK_NS_NONE);
	sqlite3_finalize(st);
	return err;
}

static int run_all(struct rwk_copy *c, const char *const *name, size_t nr_names, const int64_t *arg,
	int nr, struct rwk_diag *diag)
{
	int err = 0;

	for (size_t i = 0; i < nr_names && !err; i++)
		err = run(c, name[i], arg, nr, diag);
	return err;
}

#define RUN_ALL(c, names, arg, nr, diag)                                                           \
	run_all(c, names, sizeof(names) / sizeof((names)[0]), arg, nr, diag)

/* ---- what runs and replays refer to ---- */

/* The number here of what the source calls id: known, equal to one here, or a copy. */
static int refer(struct rwk_copy *c, struct rwk_map *map, const char *same, int64_t id,
	int64_t *nr_here, const char *const *table, size_t nr_tables, struct rwk_diag *diag,
	int64_t *ret)
{
	const int32_t *known = rwk_map_find(map, (uint64_t)id);
	int64_t here = 0;
	int err = 0;

	if (known) {
		*ret = *known;
		return 0;
	}
	/* What is masked does not equal what it was; there is one source then. */
	if (!c->mask)
		err = get(c, same, id, diag, 1, &here);
	if (err < 0)
		return err;
	if (!err) {
		int64_t arg[] = {id, here = ++*nr_here};

		err = run_all(c, table, nr_tables, arg, 2, diag);
		if (err)
			return err;
	}
	if (rwk_map_set(map, (uint64_t)id, (int32_t)here))
		return rwk_diag_push(diag, -ENOMEM, "cannot copy: why=out of memory");
	*ret = here;
	return 0;
}

static int refer_machine(struct rwk_copy *c, int64_t id, struct rwk_diag *diag, int64_t *ret)
{
	static const char *const table[] = {"machine", "machine_file", "machine_cpu",
		"machine_domain", "machine_cache", "machine_node", "machine_setting"};

	return refer(c, &c->machine, "same_machine", id, &c->nr_machines, table,
		sizeof(table) / sizeof(table[0]), diag, ret);
}

static int refer_policy(struct rwk_copy *c, int64_t id, struct rwk_diag *diag, int64_t *ret)
{
	static const char *const table[] = {"policy", "policy_reason"};

	return refer(c, &c->policy, "same_policy", id, &c->nr_policies, table,
		sizeof(table) / sizeof(table[0]), diag, ret);
}

/* ---- replays ---- */

static int copy_replay(struct rwk_copy *c, sqlite3_stmt *st, struct rwk_diag *diag)
{
	static const char *const table[] = {
		"replay_count", "verdict", "price", "replay_price", "replay_edge"};
	int64_t id = sqlite3_column_int64(st, 0);
	int64_t machine = rwk_column_int(st, 2, RWK_NS_NONE);
	int64_t arg[5] = {id, ++c->nr_replays, c->to_run};
	int err = refer_policy(c, sqlite3_column_int64(st, 1), diag, &arg[3]);

	arg[4] = RWK_NS_NONE;
	if (!err && machine != RWK_NS_NONE)
		err = refer_machine(c, machine, diag, &arg[4]);
	if (!err)
		err = run(c, "replay", arg, 5, diag);
	return err ? err : RUN_ALL(c, table, arg, 2, diag);
}

static int copy_replays(struct rwk_copy *c, struct rwk_diag *diag)
{
	sqlite3_stmt *st;
	struct rwk_bind b;
	int err = prepare(c, "replays", &c->from_run, 1, diag, &st, &b);

	if (err)
		return err;
	while ((err = rwk_db_step(c->db, st, "read replays", diag)) == 1) {
		err = copy_replay(c, st, diag);
		if (err)
			break;
	}
	sqlite3_finalize(st);
	return err;
}

/* ---- what is to be hidden ---- */

static int take_tid(struct rwk_copy *c, sqlite3_stmt *st)
{
	return rwk_mask_add_tid(c->mask, sqlite3_column_int64(st, 0));
}

static int take_text(struct rwk_copy *c, sqlite3_stmt *st)
{
	const char *path = (const char *)sqlite3_column_text(st, 0);

	return path ? rwk_mask_add_tids_of(c->mask, path, (const char *)sqlite3_column_text(st, 1))
		    : -ENOMEM;
}

/* shown() has been called: what tasks name first gets the first numbers, not what the alphabet has.
 */
static int take_nothing(struct rwk_copy *c, sqlite3_stmt *st)
{
	(void)c;
	(void)st;
	return 0;
}

int rwk_copy_prepare_mask(struct rwk_copy *c, struct rwk_diag *diag)
{
	static const struct {
		const char *name;
		int (*take)(struct rwk_copy *c, sqlite3_stmt *st);
	} table[] = {{"tids", take_tid}, {"texts", take_text}, {"groups", take_nothing}};
	int err = 0;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]) && !err; i++) {
		sqlite3_stmt *st;
		struct rwk_bind b;

		err = prepare(c, table[i].name, NULL, 0, diag, &st, &b);
		if (err)
			return err;
		while ((err = rwk_db_step(c->db, st, "read names", diag)) == 1) {
			err = table[i].take(c, st);
			if (!err)
				continue;
			rwk_diag_push(diag, err, "cannot read names: why=out of memory");
			break;
		}
		sqlite3_finalize(st);
	}
	rwk_mask_sort_tids(c->mask);
	return err;
}

/* ---- runs ---- */

/*
 * How much to take off the times of a run.  Ticks are reckoned from zero, so
 * that only whole minutes go, in which every usual tick comes out even.
 */
static int find_shift(struct rwk_copy *c, struct rwk_diag *diag)
{
	int64_t first = RWK_NS_NONE;
	int err;

	c->shift_ns = 0;
	if (!c->mask || !rwk_mask_shifts_time(c->mask))
		return 0;
	err = get(c, "origin", c->from_run, diag, 1, &first);
	if (err < 0)
		return err;
	if (first != RWK_NS_NONE)
		c->shift_ns = first - first % MINUTE_NS;
	return 0;
}

/* low and high: ids between them are the run's. */
static int copy_run(struct rwk_copy *c, int64_t low, int64_t high, struct rwk_diag *diag)
{
	static const char *const table[] = {"run_event", "run_cpu", "cpu_epoch", "task", "slice",
		"wakeup", "probe", "probe_llc", "probe_cpu", "migration", "orphan", "nr", "loss",
		"anomaly", "edge", "wakeup_count"};
	int64_t machine = 0;
	int64_t arg[6];
	int err = find_shift(c, diag);

	if (!err)
		err = get(c, "machine_of", c->from_run, diag, 1, &machine);
	if (err >= 0)
		err = refer_machine(c, machine, diag, &machine);
	if (err)
		return err;
	arg[0] = c->from_run;
	arg[1] = low;
	arg[2] = high;
	arg[3] = c->to_run;
	arg[4] = c->shift_ns;
	arg[5] = machine;
	err = run(c, "run", arg, 6, diag);
	if (!err)
		err = RUN_ALL(c, table, arg, 6, diag);
	return err ? err : copy_replays(c, diag);
}

static int read_runs(struct rwk_copy *c, int64_t **ret, size_t *ret_nr, struct rwk_diag *diag)
{
	int64_t *run = NULL;
	size_t nr = 0, cap = 0;
	sqlite3_stmt *st;
	struct rwk_bind b;
	int err = prepare(c, "runs", NULL, 0, diag, &st, &b);

	if (err)
		return err;
	while ((err = rwk_db_step(c->db, st, "read runs", diag)) == 1) {
		err = rwk_vec_grow(&run, &cap, nr + 1, sizeof(*run));
		if (err) {
			rwk_diag_push(diag, err, "cannot copy: why=out of memory");
			break;
		}
		run[nr] = sqlite3_column_int64(st, 0);
		if (run[nr] < 1 || run[nr] > MAX_RUN) {
			err = damaged(diag, "a run's number is out of range");
			break;
		}
		nr++;
	}
	sqlite3_finalize(st);
	if (err) {
		free(run);
		return err;
	}
	*ret = run;
	*ret_nr = nr;
	return 0;
}

int rwk_copy_source(struct rwk_copy *c, struct rwk_diag *diag)
{
	int64_t *runs = NULL, stray = 0;
	size_t nr = 0;
	/* Between them the runs' ids cover all numbers, and moved() takes none of another run. */
	int64_t low = INT64_MIN + 1;
	int err = get(c, "stray", 0, diag, 1, &stray);

	if (err == 1)
		err = stray ? damaged(diag, "rows of no run") : read_runs(c, &runs, &nr, diag);
	if (!err && !nr)
		err = rwk_diag_push(diag, -EBADMSG, "cannot copy: why=it holds no run");
	for (size_t i = 0; i < nr && !err; i++) {
		int64_t high = i + 1 < nr ? rwk_bits_run_base((int)runs[i] + 1) - 1 : INT64_MAX;

		if (c->nr_runs == MAX_RUN) {
			err = rwk_diag_push(diag, -E2BIG, "cannot copy: why=too many runs");
			break;
		}
		c->from_run = runs[i];
		c->to_run = ++c->nr_runs;
		err = copy_run(c, low, high, diag);
		low = high + (high != INT64_MAX);
	}
	rwk_map_finish(&c->machine);
	rwk_map_finish(&c->policy);
	free(runs);
	return err;
}
