/* Questions about one moment of a run. */
#include <errno.h>
#include <stdio.h>

#include "store/bits.h"
#include "store/handle.h"

static int32_t local_id(sqlite3_stmt *st, int column, int64_t base)
{
	int64_t id = rwk_bits_sub(rwk_column_int(st, column, base + RWK_NONE), base);

	return id > 0 && id <= INT32_MAX ? (int32_t)id : RWK_NONE;
}

static int32_t cpu_of(sqlite3_stmt *st, int column)
{
	int64_t cpu = rwk_column_int(st, column, RWK_NONE);

	return cpu >= 0 && cpu < RWK_MAX_CPUS ? (int32_t)cpu : RWK_NONE;
}

static void bind_range(struct rwk_bind *b, int64_t base, const struct rwk_moment_want *want)
{
	int64_t end = rwk_bits_add(base, INT64_C(1) << RWK_BITS_RUN_SHIFT) - 1;
	int64_t from = rwk_bits_add(base, want->from_id);

	rwk_bind_int(b, want->backwards ? base : from);
	rwk_bind_int(b, want->backwards ? from - 1 : end);
}

static void reverse(struct rwk_moment *of, size_t nr)
{
	for (size_t i = 0; i < nr / 2; i++) {
		struct rwk_moment other = of[i];

		of[i] = of[nr - 1 - i];
		of[nr - 1 - i] = other;
	}
}

int rwk_store_find_decisions(struct rwk_store *store, int run_id,
	const struct rwk_moment_want *want, size_t nr, struct rwk_diag *diag,
	struct rwk_moment *ret, size_t *ret_nr)
{
	int64_t base = rwk_bits_run_base(run_id);
	sqlite3_stmt *st;
	struct rwk_bind b;
	int err;

	*ret_nr = 0;
	err = rwk_db_prepare(&store->db, "find_decisions", diag, &st);
	if (err)
		return err;
	b = rwk_bind_begin(st);
	bind_range(&b, base, want);
	rwk_bind_ns(&b, want->from_ts);
	rwk_bind_name(&b, want->name);
	rwk_bind_id(&b, want->tid);
	rwk_bind_int(&b, want->backwards ? -1 : 1);
	rwk_bind_int(&b, (int64_t)nr);
	while (*ret_nr < nr && (err = rwk_db_step(&store->db, st, "find decisions", diag)) == 1)
		ret[(*ret_nr)++] = (struct rwk_moment){
			.wakeup_id = rwk_bits_sub(sqlite3_column_int64(st, 0), base),
			.ts = sqlite3_column_int64(st, 1),
			.waker_utid = local_id(st, 2, base),
			.wakee_utid = local_id(st, 3, base),
			.cpu = cpu_of(st, 4),
			.prev_cpu = cpu_of(st, 5),
			.target_cpu = cpu_of(st, 6)};
	sqlite3_finalize(st);
	if (want->backwards)
		reverse(ret, *ret_nr);
	return err < 0 ? err : 0;
}

int rwk_store_wakeup_kind(struct rwk_store *store, int run_id, int64_t id, struct rwk_diag *diag,
	size_t size, char *ret_kind)
{
	sqlite3_stmt *st;
	struct rwk_bind b;
	int err = rwk_db_prepare(&store->db, "select_wakeup_kind", diag, &st);

	if (err)
		return err;
	*ret_kind = '\0';
	b = rwk_bind_begin(st);
	rwk_bind_int(&b, rwk_bits_add(rwk_bits_run_base(run_id), id));
	err = rwk_db_step(&store->db, st, "find a wakeup", diag);
	if (err == 1) {
		const unsigned char *kind = sqlite3_column_text(st, 0);

		snprintf(ret_kind, size, "%s", kind ? (const char *)kind : "unknown");
	}
	sqlite3_finalize(st);
	return err < 0 ? err : 0;
}

int rwk_store_ran_between(struct rwk_store *store, int run_id, int cpu, rwk_ns from, rwk_ns to,
	struct rwk_diag *diag, rwk_ran_fn *tell, void *ctx)
{
	int64_t base = rwk_bits_run_base(run_id);
	sqlite3_stmt *st;
	struct rwk_bind b;
	int err = rwk_db_prepare(&store->db, "select_ran", diag, &st);

	if (err)
		return err;
	b = rwk_bind_begin(st);
	rwk_bind_int(&b, run_id);
	rwk_bind_int(&b, cpu);
	rwk_bind_int(&b, from);
	rwk_bind_int(&b, to);
	while ((err = rwk_db_step(&store->db, st, "read who ran", diag)) == 1) {
		err = tell(ctx, local_id(st, 0, base), sqlite3_column_int64(st, 1));
		if (err)
			break;
	}
	sqlite3_finalize(st);
	return err;
}
