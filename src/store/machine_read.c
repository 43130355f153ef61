/* The machine of a run, built anew from the snapshot's files that the database keeps. */
#include <errno.h>
#include <string.h>

#include "store/handle.h"

static int read_files(struct rwk_store *store, int64_t machine_id, struct rwk_snapshot *snap,
	struct rwk_diag *diag, size_t *ret_nr)
{
	sqlite3_stmt *st;
	struct rwk_bind b;
	int err = rwk_db_prepare(&store->db, "select_machine_files", diag, &st);

	if (err)
		return err;
	b = rwk_bind_begin(st);
	rwk_bind_int(&b, machine_id);
	for (*ret_nr = 0; (err = rwk_db_step(&store->db, st, "read the machine", diag)) == 1;
		(*ret_nr)++) {
		const char *path = (const char *)sqlite3_column_text(st, 0);

		err = path ? rwk_snapshot_add_file(
				     snap, path, (const char *)sqlite3_column_text(st, 1))
			   : -EBADMSG;
		if (err) {
			rwk_diag_push(diag, err, "cannot read the machine: file=%s why=%s",
				store->db.path, strerror(-err));
			break;
		}
	}
	sqlite3_finalize(st);
	return err;
}

/* *ret NULL: the run has no snapshot. */
static int read_snapshot(
	struct rwk_store *store, sqlite3_stmt *st, struct rwk_diag *diag, struct rwk_snapshot **ret)
{
	const char *release = (const char *)sqlite3_column_text(st, 2);
	struct rwk_snapshot *snap;
	size_t nr_files = 0;
	int err = rwk_snapshot_create(&snap);

	if (err)
		return rwk_diag_push(diag, err, "cannot read the machine: why=%s", strerror(-err));
	err = read_files(store, sqlite3_column_int64(st, 0), snap, diag, &nr_files);
	if (!err && release) {
		err = rwk_snapshot_set_release(snap, release);
		if (err)
			rwk_diag_push(diag, err, "cannot read the machine: why=%s", strerror(-err));
	}
	if (err || !nr_files) {
		rwk_snapshot_destroy(snap);
		snap = NULL;
	}
	if (!err)
		*ret = snap;
	return err;
}

static int build_machine(struct rwk_store *store, sqlite3_stmt *st, struct rwk_diag *diag,
	struct rwk_machine **ret, struct rwk_snapshot **ret_snapshot)
{
	const char *release = (const char *)sqlite3_column_text(st, 1);
	int64_t nr_cpus = sqlite3_column_int64(st, 3), nr_cpu_ids = sqlite3_column_int64(st, 4);
	struct rwk_anomalies anomalies = {0}; /* counted at import already */
	struct rwk_snapshot *snap = NULL;
	int err;

	if (nr_cpus < 0 || nr_cpus > RWK_MAX_CPUS || nr_cpu_ids < 0 || nr_cpu_ids > RWK_MAX_CPUS)
		return rwk_diag_push(diag, -EBADMSG,
			"cannot read the machine: file=%s cpus=%lld why=the database is damaged",
			store->db.path, (long long)nr_cpu_ids);
	err = read_snapshot(store, st, diag, &snap);
	if (err)
		return err;
	err = rwk_machine_build(snap, release ? release : "", (int)(snap ? nr_cpus : nr_cpu_ids),
		&anomalies, diag, ret);
	if (!err && ret_snapshot)
		*ret_snapshot = snap;
	else
		rwk_snapshot_destroy(snap);
	return err;
}

int rwk_store_machine(struct rwk_store *store, int run_id, struct rwk_diag *diag,
	struct rwk_machine **ret, struct rwk_snapshot **ret_snapshot)
{
	sqlite3_stmt *st;
	struct rwk_bind b;
	int err = rwk_db_prepare(&store->db, "select_machine", diag, &st);

	if (err)
		return err;
	b = rwk_bind_begin(st);
	rwk_bind_int(&b, run_id);
	err = rwk_db_step(&store->db, st, "read the machine", diag);
	if (err == 1)
		err = build_machine(store, st, diag, ret, ret_snapshot);
	else if (!err)
		err = rwk_diag_push(diag, -ENOENT,
			"cannot read the machine: file=%s run=%d why=no such run", store->db.path,
			run_id);
	sqlite3_finalize(st);
	return err;
}
