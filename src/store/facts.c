/* The closing part of a run: tasks, edges, counts, anomalies, and the run's own row. */
#include <errno.h>
#include <stdlib.h>

#include "store/writer.h"

struct facts {
	struct rwk_db *db;
	struct rwk_diag *diag;
	int64_t base;
	const struct rwk_store_run *run;
	const struct rwk_store_writer *w;
};

/* Prepares a statement, lets fill put any number of rows through it. */
static int with_statement(
	struct facts *f, const char *name, int (*fill)(struct facts *f, sqlite3_stmt *st))
{
	sqlite3_stmt *st;
	int err = rwk_db_prepare(f->db, name, f->diag, &st);

	if (err)
		return err;
	err = fill(f, st);
	sqlite3_finalize(st);
	return err;
}

static int fill_run(struct facts *f, sqlite3_stmt *st)
{
	const struct rwk_run_row *r = &f->run->run;
	struct rwk_bind b = rwk_bind_begin(st);

	rwk_bind_int(&b, RWK_WRITER_RUN);
	rwk_bind_int(&b, RWK_WRITER_RUN); /* its machine */
	rwk_bind_text(&b, r->file ? r->file : "");
	rwk_bind_name(&b, r->format);
	rwk_bind_name(&b, r->release);
	rwk_bind_name(&b, r->clock);
	rwk_bind_name(&b, r->probe_mode);
	rwk_bind_text(&b, r->tool_version ? r->tool_version : "");
	rwk_bind_ns(&b, r->first_ts);
	rwk_bind_ns(&b, r->last_ts);
	rwk_bind_ns(&b, r->trusted_from);
	rwk_bind_ns(&b, r->trusted_to);
	rwk_bind_int(&b, r->nr_cpus);
	rwk_bind_id(&b, r->nr_lost);
	rwk_bind_int(&b, r->truncated);
	if (r->truncated)
		rwk_bind_int(&b, r->truncated_at);
	else
		rwk_bind_null(&b);
	rwk_bind_name(&b, r->formats_from);
	return rwk_bind_run(&b, f->db, "write the run", f->diag);
}

static int fill_events(struct facts *f, sqlite3_stmt *st)
{
	int err = 0;

	for (int i = 0; i < RWK_EV_COUNT && !err; i++) {
		struct rwk_bind b = rwk_bind_begin(st);

		rwk_bind_int(&b, RWK_WRITER_RUN);
		rwk_bind_int(&b, i);
		rwk_bind_text(&b, rwk_event_kind_name((enum rwk_event_kind)i));
		rwk_bind_int(&b, f->run->run.nr_events[i]);
		err = rwk_bind_run(&b, f->db, "write event counts", f->diag);
	}
	return err;
}

static int fill_cpus(struct facts *f, sqlite3_stmt *st)
{
	int err = 0;

	for (size_t i = 0; i < f->run->nr_cpu && !err; i++) {
		const struct rwk_run_cpu_row *c = &f->run->cpu[i];
		struct rwk_bind b = rwk_bind_begin(st);

		rwk_bind_int(&b, RWK_WRITER_RUN);
		rwk_bind_int(&b, c->cpu);
		rwk_bind_int(&b, c->observed);
		rwk_bind_id(&b, c->nr_events);
		rwk_bind_id(&b, c->entries);
		rwk_bind_id(&b, c->overrun);
		rwk_bind_id(&b, c->dropped);
		rwk_bind_ns(&b, c->first_ts);
		rwk_bind_ns(&b, c->last_ts);
		rwk_bind_int(&b, c->skew_ns);
		rwk_bind_ns(&b, c->skew_low_ns);
		rwk_bind_ns(&b, c->skew_high_ns);
		err = rwk_bind_run(&b, f->db, "write the run's CPUs", f->diag);
	}
	return err;
}

static int fill_tasks(struct facts *f, sqlite3_stmt *st)
{
	int err = 0;

	for (size_t i = 0; i < f->run->nr_task && !err; i++) {
		const struct rwk_task_row *t = &f->run->task[i];
		struct rwk_bind b = rwk_bind_begin(st);

		rwk_bind_int(&b, f->base + t->utid);
		rwk_bind_int(&b, t->tid);
		rwk_bind_int(&b, t->generation);
		rwk_bind_id(&b, t->idle_cpu);
		if (t->comm_known)
			rwk_bind_comm(&b, t->comm);
		else
			rwk_bind_null(&b);
		rwk_bind_ns(&b, t->first_ts);
		rwk_bind_ns(&b, t->last_ts);
		if (t->prio == RWK_PRIO_UNKNOWN)
			rwk_bind_null(&b);
		else
			rwk_bind_int(&b, t->prio);
		rwk_bind_int(&b, t->is_pcpu_kthread);
		if (t->allowed_known)
			rwk_bind_cpus(&b, &t->allowed);
		else
			rwk_bind_null(&b);
		rwk_bind_cpus(&b, &t->seen);
		rwk_bind_id(&b, t->policy);
		rwk_bind_text(&b, t->cgroup);
		rwk_bind_id(&b, t->tgid);
		err = rwk_bind_run(&b, f->db, "write tasks", f->diag);
	}
	return err;
}

static int64_t edge_end(const struct facts *f, int32_t utid)
{
	return f->base + (utid == RWK_NONE ? 0 : utid);
}

static int fill_edges(struct facts *f, sqlite3_stmt *st)
{
	int err = 0;

	for (size_t i = 0; i < f->run->nr_edge && !err; i++) {
		const struct rwk_edge *e = &f->run->edge[i];
		struct rwk_bind b = rwk_bind_begin(st);

		rwk_bind_int(&b, edge_end(f, e->waker_utid));
		rwk_bind_int(&b, edge_end(f, e->wakee_utid));
		rwk_bind_int(&b, e->count);
		rwk_bind_int(&b, e->decisions);
		rwk_bind_int(&b, e->from_irq);
		rwk_bind_int(&b, e->sync);
		rwk_bind_int(&b, e->sync_known);
		for (int d = 0; d < RWK_DIST_COUNT; d++)
			rwk_bind_int(&b, e->distance[d]);
		rwk_bind_int(&b, e->moved);
		rwk_bind_int(&b, e->nr_run);
		rwk_bind_int(&b, e->sum_run_ns);
		rwk_bind_int(&b, e->max_run_ns);
		rwk_bind_int(&b, e->mutual);
		rwk_bind_int(&b, e->waker_fanout);
		err = rwk_bind_run(&b, f->db, "write edges", f->diag);
	}
	return err;
}

static int fill_anomalies(struct facts *f, sqlite3_stmt *st)
{
	int err = 0;

	for (int i = 0; i < RWK_AN_COUNT && !err; i++) {
		const struct rwk_anomaly *a = &f->run->anomalies->of[i];
		struct rwk_bind b = rwk_bind_begin(st);

		if (!a->count)
			continue;
		rwk_bind_int(&b, RWK_WRITER_RUN);
		rwk_bind_int(&b, i);
		rwk_bind_text(&b, rwk_anomaly_name((enum rwk_anomaly_kind)i));
		rwk_bind_text(&b, rwk_anomaly_help((enum rwk_anomaly_kind)i));
		rwk_bind_int(&b, a->count);
		rwk_bind_ns(&b, a->first_ts);
		rwk_bind_id(&b, a->first_cpu);
		rwk_bind_id(&b, a->first_offset);
		err = rwk_bind_run(&b, f->db, "write anomalies", f->diag);
	}
	return err;
}

static int fill_counts(struct facts *f, sqlite3_stmt *st)
{
	int err = 0;

	for (int i = 0; i < 1 << RWK_BITS_COUNT_WIDTH && !err; i++) {
		struct rwk_bind b = rwk_bind_begin(st);

		if (!f->w->counts[i])
			continue;
		rwk_bind_int(&b, RWK_WRITER_RUN);
		rwk_bind_int(&b, i);
		rwk_bind_int(&b, f->w->counts[i]);
		err = rwk_bind_run(&b, f->db, "write wakeup counts", f->diag);
	}
	return err;
}

int rwk_writer_put_facts(
	struct rwk_store_writer *w, const struct rwk_store_run *run, struct rwk_diag *diag)
{
	struct facts f = {&w->db, diag, rwk_bits_run_base(RWK_WRITER_RUN), run, w};
	int err = rwk_writer_put_machine(&w->db, RWK_WRITER_RUN, run, diag);

	if (!err)
		err = rwk_writer_put_epochs(&w->db, RWK_WRITER_RUN, run, diag);
	if (!err)
		err = with_statement(&f, "insert_run", fill_run);
	if (!err)
		err = with_statement(&f, "insert_run_event", fill_events);
	if (!err)
		err = with_statement(&f, "insert_run_cpu", fill_cpus);
	if (!err)
		err = with_statement(&f, "insert_task", fill_tasks);
	if (!err)
		err = with_statement(&f, "insert_edge", fill_edges);
	if (!err)
		err = with_statement(&f, "insert_anomaly", fill_anomalies);
	if (!err)
		err = with_statement(&f, "insert_wakeup_count", fill_counts);
	return err;
}
