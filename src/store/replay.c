/*
 * Verdicts to the database: one transaction over a pass, under the file's
 * ordinary journal, so that a crash leaves the file as it was.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "store/replay_store.h"
#include "store/verdict_count.h"
#include "store/writer.h"

struct slot {
	int id;
	const char *name; /* of the policy */
	size_t nr_reasons, nr_details;
	bool summary_only;
	struct rwk_verdict_counts counts;
};

struct rwk_replay_writer {
	struct slot *slot;
	size_t nr;
	int64_t base; /* of the run */
	struct rwk_machine *recorded;
	const struct rwk_machine *machine; /* that distances are counted by */
	int64_t machine_id; /* of another machine than the recorded one; 0: that one */
	struct rwk_placements placements;
	struct rwk_verdict_item item[RWK_BULK_ROWS];
	struct rwk_price_item price[RWK_BULK_ROWS];
};

static size_t nr_names(const char *const *names)
{
	size_t nr = 0;

	while (names && names[nr])
		nr++;
	return nr;
}

static int refuse_policy(const struct rwk_replay_row *r, struct rwk_diag *diag, const char *why)
{
	return rwk_diag_push(diag, -EINVAL, "cannot replay: policy=%s params=%s why=%s",
		r->policy->name, r->params, why);
}

static const char *kernel_of(const struct rwk_replay_row *r)
{
	return r->kernel ? r->kernel : "linux";
}

static int check(const struct rwk_replay_row *rows, size_t nr, struct rwk_diag *diag)
{
	for (size_t i = 0; i < nr; i++) {
		const struct rwk_replay_row *r = &rows[i];

		if (nr_names(r->policy->reasons) > RWK_MAX_REASONS ||
			nr_names(r->policy->details) > 1 << RWK_BITS_VERDICT_DETAIL_WIDTH)
			return refuse_policy(r, diag, "more than 256 reasons or details");
		if (r->run_id != rows[0].run_id)
			return refuse_policy(r, diag, "another run than the first");
		if (r->elsewhere != rows[0].elsewhere)
			return refuse_policy(r, diag, "another machine than the first");
		for (size_t k = 0; k < i; k++) {
			if (!strcmp(rows[k].policy->name, r->policy->name) &&
				!strcmp(rows[k].params, r->params) &&
				!strcmp(rows[k].mode, r->mode) &&
				!strcmp(kernel_of(&rows[k]), kernel_of(r)))
				return refuse_policy(r, diag, "given twice");
		}
	}
	return 0;
}

static int run_with_int(struct rwk_db *db, const char *name, int64_t value, struct rwk_diag *diag)
{
	sqlite3_stmt *st;
	struct rwk_bind b;
	int err = rwk_db_prepare(db, name, diag, &st);

	if (err)
		return err;
	b = rwk_bind_begin(st);
	rwk_bind_int(&b, value);
	err = rwk_bind_run(&b, db, "write a replay", diag);
	sqlite3_finalize(st);
	return err;
}

/* Removes the replay that this one replaces. */
static int remove_same(struct rwk_db *db, const struct rwk_replay_row *r, struct rwk_diag *diag)
{
	sqlite3_stmt *st;
	struct rwk_bind b;
	int64_t id = 0;
	int err = rwk_db_prepare(db, "select_same_replay", diag, &st);

	if (err)
		return err;
	b = rwk_bind_begin(st);
	rwk_bind_int(&b, r->run_id);
	rwk_bind_text(&b, r->policy->name);
	rwk_bind_text(&b, r->params);
	rwk_bind_text(&b, r->mode);
	rwk_bind_text(&b, kernel_of(r));
	rwk_bind_text(&b, r->elsewhere ? r->elsewhere->spec : NULL);
	err = rwk_db_step(db, st, "read replays", diag);
	if (err == 1)
		id = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	if (err <= 0)
		return err;
	err = run_with_int(db, "delete_verdicts", id, diag);
	if (!err)
		err = run_with_int(db, "delete_prices", id, diag);
	if (!err)
		err = run_with_int(db, "delete_replay_counts", id, diag);
	if (!err)
		err = run_with_int(db, "delete_replay_edges", id, diag);
	if (!err)
		err = run_with_int(db, "delete_replay_price", id, diag);
	if (!err)
		err = run_with_int(db, "delete_replay", id, diag);
	return err;
}

/* machine_id 0: the recorded one. */
static int add_replay(struct rwk_db *db, const struct rwk_replay_row *r, int64_t machine_id,
	struct rwk_diag *diag, int *ret_id)
{
	sqlite3_stmt *st;
	struct rwk_bind b;
	int64_t policy_id;
	int err = rwk_policy_row(db, r->policy, diag, &policy_id);

	if (!err)
		err = rwk_db_prepare(db, "insert_replay", diag, &st);
	if (err)
		return err;
	b = rwk_bind_begin(st);
	rwk_bind_int(&b, r->run_id);
	rwk_bind_int(&b, policy_id);
	rwk_bind_text(&b, r->params);
	rwk_bind_text(&b, r->mode);
	rwk_bind_text(&b, kernel_of(r));
	rwk_bind_int(&b, r->summary_only);
	rwk_bind_text(&b, REWAKE_VERSION);
	if (machine_id)
		rwk_bind_int(&b, machine_id);
	else
		rwk_bind_null(&b);
	err = rwk_bind_run(&b, db, "write a replay", diag);
	sqlite3_finalize(st);
	*ret_id = (int)sqlite3_last_insert_rowid(db->handle);
	return err;
}

static int add_slot(struct rwk_store *store, struct rwk_replay_writer *w,
	const struct rwk_replay_row *r, struct rwk_diag *diag, int *ret_id)
{
	struct slot *s = &w->slot[w->nr];
	int err = remove_same(&store->db, r, diag);

	if (!err)
		err = add_replay(&store->db, r, w->machine_id, diag, ret_id);
	if (err)
		return err;
	s->id = *ret_id;
	s->name = r->policy->name;
	s->summary_only = r->summary_only;
	s->nr_reasons = nr_names(r->policy->reasons);
	s->nr_details = nr_names(r->policy->details);
	s->counts.idle_wait = RWK_NS_NONE;
	w->nr++;
	return 0;
}

static void destroy(struct rwk_store *store)
{
	struct rwk_replay_writer *w = store->replay;

	rwk_bulk_finish(&store->verdicts);
	rwk_bulk_finish(&store->prices);
	rwk_placements_finish(&w->placements);
	rwk_machine_destroy(w->recorded);
	free(w->slot);
	free(w);
	store->replay = NULL;
}

/* The machine of the pass: its row, if it is not the run's. */
static int add_machine(struct rwk_store *store, struct rwk_replay_writer *w,
	const struct rwk_replay_row *r, struct rwk_diag *diag)
{
	const struct rwk_replay_machine *other = r->elsewhere;
	struct rwk_store_run sheet = {0};
	int err = rwk_store_machine(store, r->run_id, diag, &w->recorded, NULL);

	w->machine = w->recorded;
	if (err || !other)
		return err;
	w->machine = other->machine;
	err = rwk_db_get_int(&store->db, "next_machine", diag, &w->machine_id);
	if (!err && w->machine_id > INT32_MAX)
		err = rwk_diag_push(diag, -EBADMSG,
			"cannot add a machine: file=%s why=the database is damaged",
			store->db.path);
	if (err)
		return err;
	sheet.machine = other->machine;
	sheet.snapshot = other->snapshot;
	sheet.machine_file = other->spec;
	return rwk_writer_put_machine(&store->db, (int)w->machine_id, &sheet, diag);
}

int rwk_store_replay_begin(struct rwk_store *store, const struct rwk_replay_row *rows, size_t nr,
	struct rwk_diag *diag, int *ret_ids)
{
	struct rwk_replay_writer *w;
	int err;

	if (!store->writable || store->replay || !nr)
		return rwk_diag_push(diag, -EINVAL, "cannot replay: file=%s why=%s", store->db.path,
			!nr             ? "no policy"
			: store->replay ? "a replay is being written"
					: "opened read-only");
	err = check(rows, nr, diag);
	if (err)
		return err;
	w = calloc(1, sizeof(*w));
	if (w)
		w->slot = calloc(nr, sizeof(*w->slot));
	if (!w || !w->slot) {
		free(w);
		return rwk_diag_push(diag, -ENOMEM, "cannot replay: why=out of memory");
	}
	w->base = rwk_bits_run_base(rows[0].run_id);
	err = rwk_db_run(&store->db, "begin", diag);
	if (err) {
		free(w->slot);
		free(w);
		return err;
	}
	store->replay = w;
	err = add_machine(store, w, &rows[0], diag);
	if (!err)
		err = rwk_placements_init(&w->placements, &store->db, rows[0].run_id, diag);
	if (!err)
		err = rwk_bulk_init(&store->verdicts, &store->db, RWK_LANE_VERDICT, 0, diag);
	if (!err)
		err = rwk_bulk_init(&store->prices, &store->db, RWK_LANE_PRICE, 0, diag);
	for (size_t i = 0; i < nr && !err; i++)
		err = add_slot(store, w, &rows[i], diag, &ret_ids[i]);
	if (!err)
		err = rwk_db_run(&store->db, "delete_unused_policies", diag);
	if (!err)
		err = rwk_db_run(&store->db, "delete_unused_machines", diag);
	if (err)
		rwk_store_replay_rollback(store);
	return err;
}

static int64_t pack(const struct rwk_verdict_row *r)
{
	return rwk_bits_put_cpu(r->cpu, RWK_BITS_VERDICT_CPU) |
	       rwk_bits_put(r->agrees, RWK_BITS_VERDICT_AGREES) |
	       rwk_bits_put(r->comparable, RWK_BITS_VERDICT_COMPARABLE) |
	       rwk_bits_put(r->interesting, RWK_BITS_VERDICT_INTERESTING) |
	       rwk_bits_put(r->violation, RWK_BITS_VERDICT_VIOLATION) |
	       rwk_bits_put(r->reason, RWK_BITS_VERDICT_REASON) |
	       rwk_bits_put(r->detail, RWK_BITS_VERDICT_DETAIL) |
	       rwk_bits_put(r->unknown, RWK_BITS_VERDICT_UNKNOWN);
}

static struct rwk_price_item pack_price(int64_t base, const struct rwk_verdict_row *r)
{
	const struct rwk_price *p = &r->price;

	return (struct rwk_price_item){.wakeup_id = base + r->wakeup_id,
		.wait_ns = p->kind == RWK_PRICE_BUSY ? p->wait_ns : RWK_NS_NONE,
		.kernel_wait_ns =
			p->kernel_kind == RWK_PRICE_BUSY ? p->kernel_wait_ns : RWK_NS_NONE,
		.bits = rwk_bits_put(p->kind, RWK_BITS_PRICE_KIND) |
			rwk_bits_put(p->kernel_kind, RWK_BITS_PRICE_KERNEL_KIND) |
			rwk_bits_put(p->passed_idle, RWK_BITS_PRICE_PASSED_IDLE) |
			rwk_bits_put(p->waker_slept, RWK_BITS_PRICE_WAKER_SLEPT) |
			rwk_bits_put(r->attributed ? r->hidden + 1 : 0, RWK_BITS_PRICE_HIDDEN)};
}

/* A policy may come from outside: what it answers is checked. */
static int check_verdict(
	const struct slot *s, const struct rwk_verdict_row *r, struct rwk_diag *diag)
{
	if ((r->type == RWK_WAKE_EXEC || r->wakeup_id >= 1) && rwk_bits_cpu_fits(r->cpu) &&
		r->reason < s->nr_reasons && (!r->detail || r->detail < s->nr_details))
		return 0;
	return rwk_diag_push(diag, -ERANGE,
		"cannot store a verdict: policy=%s wakeup=%lld cpu=%d reason=%u detail=%u "
		"why=the policy has no such reason or detail, or there is no such CPU",
		s->name, (long long)r->wakeup_id, r->cpu, r->reason, r->detail);
}

/* *ret_item is to be stored if *ret_stored: an exec woke nobody and is only counted. */
static int take(struct rwk_store *store, struct slot *s, const struct rwk_verdict_row *r,
	struct rwk_verdict_item *ret_item, bool *ret_stored, struct rwk_diag *diag)
{
	const struct rwk_placement *kernel = NULL;
	int err = check_verdict(s, r, diag);

	*ret_stored = r->type != RWK_WAKE_EXEC;
	if (!err && *ret_stored)
		err = rwk_placements_get(
			&store->replay->placements, &store->db, r->wakeup_id, diag, &kernel);
	if (err)
		return err;
	if (*ret_stored && !kernel->present)
		return rwk_diag_push(diag, -ENOENT,
			"cannot store a verdict: file=%s wakeup=%lld why=no such wakeup",
			store->db.path, (long long)r->wakeup_id);
	rwk_verdict_count(&s->counts, store->replay->machine, r, kernel);
	*ret_item = (struct rwk_verdict_item){store->replay->base + r->wakeup_id, pack(r)};
	return 0;
}

int rwk_store_replay_put(struct rwk_store *store, int replay_id, const struct rwk_verdict_row *rows,
	size_t nr, struct rwk_diag *diag)
{
	struct rwk_replay_writer *w = store->replay;
	struct slot *s = NULL;
	size_t filled = 0, priced = 0;
	int err = 0;

	for (size_t i = 0; w && i < w->nr; i++) {
		if (w->slot[i].id == replay_id)
			s = &w->slot[i];
	}
	if (!s)
		return rwk_diag_push(diag, -EINVAL,
			"cannot store verdicts: file=%s replay=%d why=it was not begun",
			store->db.path, replay_id);
	store->verdicts.base = replay_id;
	store->prices.base = replay_id;
	for (size_t i = 0; i < nr && !err; i++) {
		bool stored;

		err = take(store, s, &rows[i], &w->item[filled], &stored, diag);
		if (err)
			break;
		if (s->summary_only)
			continue;
		if (stored && rows[i].priced)
			w->price[priced++] = pack_price(w->base, &rows[i]);
		filled += stored;
		if (!filled || (filled < RWK_BULK_ROWS && i + 1 < nr))
			continue;
		err = rwk_bulk_insert(&store->verdicts, &store->db, w->item, filled, diag);
		if (!err)
			err = rwk_bulk_insert(&store->prices, &store->db, w->price, priced, diag);
		filled = priced = 0;
	}
	return err;
}

void rwk_store_replay_conclude(struct rwk_store *store, const struct rwk_replay_stats *stats)
{
	struct rwk_replay_writer *w = store->replay;

	for (size_t i = 0; w && i < w->nr; i++) {
		struct rwk_verdict_counts *c = &w->slot[i].counts;

		c->idle_wait = stats->idle_wait_ns;
		c->nr_idle_waits = stats->nr_idle_waits;
		if (i != stats->kernel_policy)
			continue;
		c->race[RWK_RACE_MISSES] = stats->races.misses;
		c->race[RWK_RACE_IN_CALL] = stats->races.in_call;
		c->race[RWK_RACE_NEAR_ENTRY] = stats->races.near_entry;
		c->race[RWK_RACE_EITHER] = stats->races.either;
	}
}

/* Its counts; those of its prices from their rows, as these need the idle wait, known only now. */
static int put_counts(struct rwk_store *store, const struct slot *s, struct rwk_diag *diag)
{
	int err = rwk_verdict_counts_put(&s->counts, &store->db, s->id, diag);

	if (!err)
		err = run_with_int(&store->db, "insert_replay_edges", s->id, diag);
	if (!err)
		err = run_with_int(&store->db, "insert_replay_price", s->id, diag);
	return err;
}

int rwk_store_replay_commit(struct rwk_store *store, struct rwk_diag *diag)
{
	struct rwk_replay_writer *w = store->replay;
	int err = 0;

	if (!w)
		return rwk_diag_push(diag, -EINVAL,
			"cannot keep verdicts: file=%s why=none were begun", store->db.path);
	for (size_t i = 0; i < w->nr && !err; i++)
		err = put_counts(store, &w->slot[i], diag);
	if (!err)
		err = rwk_db_run(&store->db, "commit", diag);
	if (err) {
		rwk_store_replay_rollback(store);
		return err;
	}
	destroy(store);
	return 0;
}

int rwk_store_replay_rollback(struct rwk_store *store)
{
	int rc = SQLITE_OK;

	if (!store->replay)
		return 0;
	destroy(store);
	/* Some failures have rolled back already. */
	if (!sqlite3_get_autocommit(store->db.handle))
		rc = sqlite3_exec(
			store->db.handle, rwk_sql_text("query/rollback"), NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : -EIO;
}
