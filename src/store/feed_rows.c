/* Reading ahead: each cursor by one row, wakeups and probes by as many as their links need. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "store/bits.h"
#include "store/feed_state.h"

int rwk_feed_damaged(
	const struct rwk_feed_state *f, const char *what, int64_t id, struct rwk_diag *diag)
{
	return rwk_diag_push(diag, -EBADMSG,
		"cannot read events: file=%s %s=%lld why=the database is damaged", f->db->path,
		what, (long long)id);
}

int rwk_feed_no_memory(struct rwk_diag *diag)
{
	return rwk_diag_push(diag, -ENOMEM, "cannot read events: why=out of memory");
}

int rwk_feed_refill_slice(struct rwk_feed_state *f, struct rwk_diag *diag)
{
	int ret = rwk_cursor_slice(&f->slices, &f->slice, diag);

	f->seq[FROM_SLICE] = ret == 1 ? f->slice.seq : INT64_MAX;
	return ret < 0 ? ret : 0;
}

int rwk_feed_refill_migration(struct rwk_feed_state *f, struct rwk_diag *diag)
{
	int ret;

	/* Those that were only concluded are no events. */
	do {
		ret = rwk_cursor_migration(&f->migrations, &f->migration, diag);
	} while (ret == 1 && f->migration.synthetic);
	f->seq[FROM_MIGRATION] = ret == 1 ? f->migration.seq : INT64_MAX;
	return ret < 0 ? ret : 0;
}

int rwk_feed_refill_orphan(struct rwk_feed_state *f, struct rwk_diag *diag)
{
	int ret = rwk_cursor_orphan(&f->orphans, &f->orphan, diag);

	f->seq[FROM_ORPHAN] = ret == 1 ? f->orphan.seq : INT64_MAX;
	return ret < 0 ? ret : 0;
}

int rwk_feed_refill_nr(struct rwk_feed_state *f, struct rwk_diag *diag)
{
	int ret = rwk_cursor_nr(&f->nrs, &f->nr, diag);

	f->seq[FROM_NR] = ret == 1 ? f->nr.seq : INT64_MAX;
	return ret < 0 ? ret : 0;
}

int rwk_feed_refill_loss(struct rwk_feed_state *f, struct rwk_diag *diag)
{
	int ret = rwk_cursor_loss(&f->losses, &f->loss, diag);

	f->seq[FROM_LOSS] = ret == 1 ? f->loss.seq : INT64_MAX;
	return ret < 0 ? ret : 0;
}

static int refill_llc(struct rwk_feed_state *f, struct rwk_diag *diag)
{
	int ret = rwk_cursor_probe_llc(&f->llcs, &f->llc, diag);

	f->llc_valid = ret == 1;
	return ret < 0 ? ret : 0;
}

static int refill_cpu(struct rwk_feed_state *f, struct rwk_diag *diag)
{
	int ret = rwk_cursor_probe_cpu(&f->cpus, &f->cpu, diag);

	f->cpu_valid = ret == 1;
	return ret < 0 ? ret : 0;
}

int rwk_feed_read_cpus(struct rwk_feed_state *f, int64_t seq, struct rwk_diag *diag)
{
	int nr = 0;

	if (f->cpu_valid && !f->probed) {
		f->probed = calloc(RWK_MAX_CPUS, sizeof(*f->probed));
		if (!f->probed)
			return rwk_feed_no_memory(diag);
	}
	while (f->cpu_valid && f->cpu.seq <= seq) {
		int err;

		/* Each CPU once, in order: so there is room for them. */
		if (f->cpu.seq < seq || (nr && f->cpu.of.cpu <= f->probed[nr - 1].cpu))
			return rwk_feed_damaged(f, "state of a CPU", f->cpu.seq, diag);
		f->probed[nr++] = f->cpu.of;
		err = refill_cpu(f, diag);
		if (err)
			return err;
	}
	return nr;
}

/* One more wakeup into the queue.  1, 0 no more, negative errno. */
static int read_wakeup(struct rwk_feed_state *f, struct rwk_diag *diag)
{
	struct rwk_wakeup_row row;
	int ret = f->wakeups_ended ? 0 : rwk_cursor_wakeup(&f->wakeups, &row, diag);

	if (ret <= 0) {
		f->wakeups_ended = true;
		return ret;
	}
	f->last_wakeup_id = row.id;
	if (f->pending.nr_wakeups == RWK_PENDING_MAX_AHEAD)
		return rwk_feed_damaged(f, "wakeup", row.id, diag);
	return rwk_pending_add_wakeup(&f->pending, &row) ? 1 : rwk_feed_no_memory(diag);
}

/* One more probe with its cache domains into the queue. */
static int read_probe(
	struct rwk_feed_state *f, struct rwk_diag *diag, struct rwk_pending_probe **ret_probe)
{
	struct rwk_pending_probe *probe;
	struct rwk_ev_probe *v;
	int ret;

	if (f->probes_ended)
		return 0;
	if (f->pending.nr_probes == RWK_PENDING_MAX_AHEAD)
		return rwk_feed_damaged(f, "probe", f->pending.first_probe->row.seq, diag);
	probe = rwk_pending_new_probe(&f->pending);
	if (!probe)
		return rwk_feed_no_memory(diag);
	ret = rwk_cursor_probe(&f->probes, &probe->row, diag);
	if (ret <= 0) {
		f->probes_ended = true;
		return ret;
	}
	v = &probe->row.values;
	while (f->llc_valid && f->llc.seq <= probe->row.seq) {
		if (f->llc.seq < probe->row.seq || v->nr_llc == RWK_PROBE_MAX_LLC)
			return rwk_feed_damaged(f, "probe", f->llc.seq, diag);
		v->llc[v->nr_llc].first_cpu = f->llc.first_cpu;
		v->llc[v->nr_llc].nr_idle_scan = f->llc.nr_idle_scan;
		v->llc[v->nr_llc].has_idle_cores = f->llc.has_idle_cores;
		v->nr_llc++;
		ret = refill_llc(f, diag);
		if (ret)
			return ret;
	}
	rwk_pending_add_probe(&f->pending, probe);
	*ret_probe = probe;
	return 1;
}

int rwk_feed_refill_queues(struct rwk_feed_state *f, struct rwk_diag *diag)
{
	struct rwk_pending *p = &f->pending;
	struct rwk_pending_probe *probe;
	int ret = 0;

	if (!p->first_wakeup)
		ret = read_wakeup(f, diag);
	if (ret >= 0 && !p->first_probe)
		ret = read_probe(f, diag, &probe);
	if (ret < 0)
		return ret;
	f->seq[FROM_WAKEUP] = p->first_wakeup ? p->first_wakeup->row.seq : INT64_MAX;
	f->seq[FROM_PROBE] = p->first_probe ? p->first_probe->row.seq : INT64_MAX;
	f->seq[FROM_HEAP] = p->nr_heap ? p->heap[0].seq : INT64_MAX;
	return 0;
}

int rwk_feed_find_probe(struct rwk_feed_state *f, int64_t seq, struct rwk_diag *diag,
	struct rwk_pending_probe **ret)
{
	struct rwk_pending_probe *p = f->pending.first_probe;
	int err = 0;

	while (p && p->row.seq < seq && p->next)
		p = p->next;
	while (!p || p->row.seq < seq) {
		err = read_probe(f, diag, &p);
		if (err <= 0)
			break;
	}
	*ret = err >= 0 && p && p->row.seq == seq ? p : NULL;
	return err < 0 ? err : 0;
}

int rwk_feed_find_wakeup(struct rwk_feed_state *f, int64_t id, struct rwk_diag *diag,
	struct rwk_pending_wakeup **ret)
{
	while (f->last_wakeup_id < id) {
		int err = read_wakeup(f, diag);

		if (err < 0)
			return err;
		if (!err)
			break;
	}
	*ret = rwk_pending_find(&f->pending, id);
	return 0;
}

static int read_tasks(struct rwk_feed_state *f, int run_id, struct rwk_diag *diag)
{
	sqlite3_stmt *st;
	struct rwk_bind b;
	int err = rwk_db_prepare(f->db, "select_tasks", diag, &st);

	if (err)
		return err;
	b = rwk_bind_begin(st);
	rwk_bind_int(&b, rwk_bits_run_base(run_id));
	rwk_bind_int(&b, rwk_bits_run_base(run_id + 1));
	while ((err = rwk_db_step(f->db, st, "read tasks", diag)) == 1) {
		int64_t utid = rwk_bits_sub(sqlite3_column_int64(st, 0), rwk_bits_run_base(run_id));

		if (utid != (int64_t)f->nr_tasks + 1 || utid > INT32_MAX) {
			err = rwk_feed_damaged(f, "utid", utid, diag);
			break;
		}
		if (rwk_vec_grow(&f->task, &f->task_cap, f->nr_tasks + 1, sizeof(*f->task))) {
			err = rwk_feed_no_memory(diag);
			break;
		}
		f->task[f->nr_tasks].tid = sqlite3_column_int(st, 1);
		rwk_column_comm(st, 4, f->task[f->nr_tasks].comm);
		f->nr_tasks++;
	}
	sqlite3_finalize(st);
	return err;
}

int rwk_feed_state_open(struct rwk_feed_state *f, int run_id, struct rwk_diag *diag)
{
	const struct {
		struct rwk_cursor *cursor;
		const char *statement, *what;
	} open[] = {
		{&f->slices, "feed_slice", "slices"},
		{&f->wakeups, "feed_wakeup", "wakeups"},
		{&f->probes, "feed_probe", "probes"},
		{&f->llcs, "feed_probe_llc", "cache domains of probes"},
		{&f->cpus, "feed_probe_cpu", "CPUs of probes"},
		{&f->migrations, "feed_migration", "migrations"},
		{&f->orphans, "feed_orphan", "orphan wakeups"},
		{&f->nrs, "feed_nr", "changes of nr_running"},
		{&f->losses, "feed_loss", "losses"},
	};
	int err;

	rwk_pending_init(&f->pending);
	err = read_tasks(f, run_id, diag);
	for (size_t i = 0; i < sizeof(open) / sizeof(open[0]) && !err; i++)
		err = rwk_cursor_open(
			open[i].cursor, f->db, open[i].statement, open[i].what, run_id, diag);
	if (!err)
		err = rwk_feed_refill_slice(f, diag);
	if (!err)
		err = rwk_feed_refill_migration(f, diag);
	if (!err)
		err = rwk_feed_refill_orphan(f, diag);
	if (!err)
		err = rwk_feed_refill_nr(f, diag);
	if (!err)
		err = rwk_feed_refill_loss(f, diag);
	if (!err)
		err = refill_llc(f, diag);
	if (!err)
		err = refill_cpu(f, diag);
	return err;
}

void rwk_feed_state_close(struct rwk_feed_state *f)
{
	struct rwk_cursor *cursor[] = {&f->slices, &f->wakeups, &f->probes, &f->llcs, &f->cpus,
		&f->migrations, &f->orphans, &f->nrs, &f->losses};

	for (size_t i = 0; i < sizeof(cursor) / sizeof(cursor[0]); i++)
		rwk_cursor_close(cursor[i]);
	rwk_pending_finish(&f->pending);
	free(f->probed);
	free(f->task);
}
