/* The new file that runs are gathered in, from its temporary to its name. */
#include "store/merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/attach.h"
#include "store/copy.h"
#include "store/new_file.h"
#include "store/temporary.h"

struct rwk_merge {
	struct rwk_db db; /* db.path is the temporary */
	char *path; /* final name */
	char *part;
	bool replace;
	struct rwk_copy copy;
};

int rwk_merge_open(const char *path, bool replace, struct rwk_mask *mask, struct rwk_diag *diag,
	struct rwk_merge **ret)
{
	struct rwk_merge *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return rwk_diag_push(diag, -ENOMEM, "cannot create %s: why=out of memory", path);
	m->replace = replace;
	err = rwk_new_file_open(path, replace, diag, &m->db);
	if (err) {
		free(m);
		return err;
	}
	err = rwk_new_file_fill(&m->db, diag);
	/* What comes in may be from anybody. */
	sqlite3_db_config(m->db.handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(m->db.handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	if (!err)
		err = rwk_db_run(&m->db, "merge/pragma", diag);
	if (!err)
		err = rwk_copy_init(&m->copy, &m->db, mask, diag);
	m->path = strdup(path);
	if (!err && (!m->path || asprintf(&m->part, "%s.part", m->db.path) < 0)) {
		m->part = NULL;
		err = rwk_diag_push(diag, -ENOMEM, "cannot create %s: why=out of memory", path);
	}
	if (err) {
		rwk_merge_close(m);
		return err;
	}
	*ret = m;
	return 0;
}

const char *rwk_merge_part(const struct rwk_merge *m)
{
	return m->part;
}

int rwk_merge_add(struct rwk_merge *m, const char *path, struct rwk_diag *diag)
{
	int err = rwk_db_attach(&m->db, path, "source", diag);

	if (err)
		return err;
	err = rwk_db_run(&m->db, "begin", diag);
	if (!err && m->copy.mask)
		err = rwk_copy_prepare_mask(&m->copy, diag);
	if (!err)
		err = rwk_copy_source(&m->copy, diag);
	if (!err)
		err = rwk_db_run(&m->db, "commit", diag);
	if (!err)
		err = rwk_db_run(&m->db, "merge/detach", diag);
	/* The file is thrown away then: there is nothing to undo. */
	return err ? rwk_diag_push(diag, err, "cannot take over the runs of %s", path) : 0;
}

int rwk_merge_nr_runs(const struct rwk_merge *m)
{
	return (int)m->copy.nr_runs;
}

int rwk_merge_finish(struct rwk_merge *m, struct rwk_diag *diag)
{
	int err;

	/* Closing the handle may write, so that its result counts. */
	if (sqlite3_close(m->db.handle) != SQLITE_OK)
		return rwk_db_fail(&m->db, diag, "close the database");
	m->db.handle = NULL;
	err = rwk_temporary_publish(m->db.path, m->path, m->replace, diag);
	if (!err) {
		free(m->db.path);
		m->db.path = NULL;
	}
	return err;
}

void rwk_merge_close(struct rwk_merge *m)
{
	if (!m)
		return;
	if (m->db.path)
		unlink(m->db.path);
	rwk_db_close(&m->db);
	rwk_copy_finish(&m->copy);
	free(m->part);
	free(m->path);
	free(m);
}
