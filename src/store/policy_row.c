/*
 * Policies in the database.  One whose texts or reasons have changed since is
 * another policy: verdicts of the old one keep their names.
 */
#include <errno.h>
#include <string.h>

#include "store/replay_store.h"

enum { REASON, DETAIL, KIND_COUNT };

static const char *const *names_of(const struct rwk_policy *p, int kind)
{
	return kind == REASON ? p->reasons : p->details;
}

/* Whether the stored names are exactly the policy's. */
static int same_names(struct rwk_db *db, sqlite3_stmt *st, int64_t id, const struct rwk_policy *p,
	struct rwk_diag *diag, bool *ret)
{
	size_t seen[KIND_COUNT] = {0};
	struct rwk_bind b = rwk_bind_begin(st);
	bool same = true;
	int err;

	rwk_bind_int(&b, id);
	while ((err = rwk_db_step(db, st, "read policies", diag)) == 1) {
		int kind = sqlite3_column_int(st, 0);
		const char *name = (const char *)sqlite3_column_text(st, 2);
		const char *const *names;

		if (kind < 0 || kind >= KIND_COUNT || !name) {
			same = false;
			continue;
		}
		names = names_of(p, kind);
		if (!same || !names || !names[seen[kind]] || strcmp(names[seen[kind]], name) ||
			sqlite3_column_int64(st, 1) != (int64_t)seen[kind])
			same = false;
		else
			seen[kind]++;
	}
	for (int kind = 0; kind < KIND_COUNT && same; kind++) {
		const char *const *names = names_of(p, kind);

		same = !names || !names[seen[kind]];
	}
	*ret = same;
	return err;
}

static void bind_texts(struct rwk_bind *b, const struct rwk_policy *p)
{
	rwk_bind_text(b, p->name);
	rwk_bind_name(b, p->summary);
	rwk_bind_name(b, p->origin);
	rwk_bind_name(b, p->base);
}

static int find(struct rwk_db *db, const struct rwk_policy *p, struct rwk_diag *diag, int64_t *ret)
{
	sqlite3_stmt *st = NULL, *names = NULL;
	struct rwk_bind b;
	int err = rwk_db_prepare(db, "select_policies", diag, &st);

	if (!err)
		err = rwk_db_prepare(db, "select_policy_reasons", diag, &names);
	if (err)
		goto out;
	b = rwk_bind_begin(st);
	bind_texts(&b, p);
	while ((err = rwk_db_step(db, st, "read policies", diag)) == 1) {
		int64_t id = sqlite3_column_int64(st, 0);
		bool same;

		err = same_names(db, names, id, p, diag, &same);
		if (err)
			break;
		if (same) {
			*ret = id;
			break;
		}
	}
out:
	sqlite3_finalize(names);
	sqlite3_finalize(st);
	return err;
}

static int add_names(
	struct rwk_db *db, const struct rwk_policy *p, int64_t id, struct rwk_diag *diag)
{
	sqlite3_stmt *st;
	int err = rwk_db_prepare(db, "insert_policy_reason", diag, &st);

	if (err)
		return err;
	for (int kind = 0; kind < KIND_COUNT; kind++) {
		const char *const *names = names_of(p, kind);

		for (size_t i = 0; names && names[i] && !err; i++) {
			struct rwk_bind b = rwk_bind_begin(st);

			rwk_bind_int(&b, id);
			rwk_bind_int(&b, kind);
			rwk_bind_int(&b, (int64_t)i);
			rwk_bind_text(&b, names[i]);
			err = rwk_bind_run(&b, db, "write a policy", diag);
		}
	}
	sqlite3_finalize(st);
	return err;
}

int rwk_policy_row(
	struct rwk_db *db, const struct rwk_policy *policy, struct rwk_diag *diag, int64_t *ret_id)
{
	sqlite3_stmt *st;
	struct rwk_bind b;
	int64_t id = 0;
	int err = find(db, policy, diag, &id);

	if (err < 0 || id) {
		*ret_id = id;
		return err < 0 ? err : 0;
	}
	err = rwk_db_prepare(db, "insert_policy", diag, &st);
	if (err)
		return err;
	b = rwk_bind_begin(st);
	bind_texts(&b, policy);
	err = rwk_bind_run(&b, db, "write a policy", diag);
	sqlite3_finalize(st);
	if (err)
		return err;
	*ret_id = sqlite3_last_insert_rowid(db->handle);
	return add_names(db, policy, *ret_id, diag);
}
