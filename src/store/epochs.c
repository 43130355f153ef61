/* Which CPUs were there when: written with a run's facts, read for its replays. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/vec.h"
#include "store/handle.h"
#include "store/writer.h"

int rwk_writer_put_epochs(
	struct rwk_db *db, int run_id, const struct rwk_store_run *run, struct rwk_diag *diag)
{
	sqlite3_stmt *st;
	int err = rwk_db_prepare(db, "insert_cpu_epoch", diag, &st);

	if (err)
		return err;
	for (size_t i = 0; i < run->nr_epoch && !err; i++) {
		const struct rwk_epoch *e = &run->epoch[i];
		struct rwk_bind b = rwk_bind_begin(st);

		rwk_bind_int(&b, run_id);
		rwk_bind_int(&b, (int64_t)i);
		rwk_bind_ns(&b, e->from);
		rwk_bind_int(&b, e->changing);
		rwk_bind_int(&b, e->rebuilt);
		rwk_bind_cpus(&b, &e->online);
		rwk_bind_cpus(&b, &e->active);
		rwk_bind_cpus(&b, &e->domains);
		err = rwk_bind_run(&b, db, "write which CPUs were there", diag);
	}
	sqlite3_finalize(st);
	return err;
}

static bool read_cpus(sqlite3_stmt *st, int column, struct rwk_cpuset *ret)
{
	const char *text = (const char *)sqlite3_column_text(st, column);

	return text && !rwk_parse_cpulist(text, ret);
}

int rwk_store_epochs(struct rwk_store *store, int run_id, struct rwk_diag *diag,
	struct rwk_epoch **ret, size_t *ret_nr)
{
	struct rwk_epoch *epoch = NULL;
	size_t nr = 0, cap = 0;
	sqlite3_stmt *st;
	struct rwk_bind b;
	int err = rwk_db_prepare(&store->db, "select_cpu_epochs", diag, &st);

	if (err)
		return err;
	b = rwk_bind_begin(st);
	rwk_bind_int(&b, run_id);
	while ((err = rwk_db_step(&store->db, st, "read which CPUs were there", diag)) == 1) {
		struct rwk_epoch *e;

		err = rwk_vec_grow(&epoch, &cap, nr + 1, sizeof(*epoch));
		if (err) {
			rwk_diag_push(diag, err, "cannot read which CPUs were there: why=%s",
				strerror(-err));
			break;
		}
		e = &epoch[nr++];
		e->from = rwk_column_int(st, 0, RWK_NS_NONE);
		e->changing = sqlite3_column_int(st, 1);
		e->rebuilt = sqlite3_column_int(st, 2);
		if (!read_cpus(st, 3, &e->online) || !read_cpus(st, 4, &e->active) ||
			!read_cpus(st, 5, &e->domains)) {
			err = rwk_diag_push(diag, -EBADMSG,
				"cannot read which CPUs were there: file=%s epoch=%zu why=the "
				"database is damaged",
				store->db.path, nr - 1);
			break;
		}
	}
	sqlite3_finalize(st);
	if (err) {
		free(epoch);
		return err;
	}
	*ret = epoch;
	*ret_nr = nr;
	return 0;
}
