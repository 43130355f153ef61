/*
 * Rows of wakeups: a sched_waking opens one, the sched_wakeup of the same task
 * says where it went, the switch to that task ends it.  What kind each was
 * follows design §1.3.
 */
#include <errno.h>
#include <string.h>

#include "timeline/private.h"

/* Longest time for which a CPU is inside the switch away from a task (design §1.2). */
#define SWITCH_OUT_NS 3000

static enum rwk_context context_of(const struct rwk_event *ev)
{
	if (ev->flags & RWK_FLAG_NMI)
		return RWK_CTX_NMI;
	if (ev->flags & RWK_FLAG_HARDIRQ)
		return RWK_CTX_HARDIRQ;
	if (ev->flags & RWK_FLAG_SOFTIRQ)
		return RWK_CTX_SOFTIRQ;
	if (ev->tid == RWK_NONE)
		return RWK_CTX_UNKNOWN;
	return ev->tid == 0 ? RWK_CTX_IDLE : RWK_CTX_TASK;
}

static int close_row(struct rwk_timeline *tl, struct open_wakeup *w)
{
	if (w->held) {
		w->done = true;
		return 0;
	}
	return rwk_window_close(&tl->wakeups, w->row.id);
}

int tl_wakeups_slice_end(struct rwk_timeline *tl, int cpu, bool dead)
{
	struct tl_cpu *c = &tl->cpu[cpu];
	struct open_wakeup *w;

	if (!c->held_sync)
		return 0;
	w = rwk_window_row(&tl->wakeups, c->held_sync);
	c->held_sync = 0;
	w->held = false;
	w->row.waker_exiting = dead;
	return w->done ? rwk_window_close(&tl->wakeups, w->row.id) : 0;
}

int tl_wakeups_hold(struct rwk_timeline *tl, int cpu, struct open_wakeup *w)
{
	int64_t id = w->row.id;
	int err = tl_wakeups_slice_end(tl, cpu, false);

	w->held = true;
	tl->cpu[cpu].held_sync = id;
	return err;
}

/* Removes the index-th open wakeup of the task and lets its row go. */
static int drop_open(struct rwk_timeline *tl, struct tl_task *tt, int index, struct open_wakeup *w)
{
	memmove(&tt->open[index], &tt->open[index + 1],
		(size_t)(tt->nr_open - index - 1) * sizeof(tt->open[0]));
	tt->nr_open--;
	return close_row(tl, w);
}

/*
 * The wakee left its CPU around the waking.  Either the waker found it still
 * there, put it on that CPU's wakelist and went on (row 5 of design §1.1), or it
 * waited until it was gone and chose.  left_ts: when it was certainly gone.
 */
static void on_cpu_or_decision(struct rwk_timeline *tl, struct open_wakeup *w, rwk_ns left_ts)
{
	const struct rwk_wakeup_row *r = &w->row;
	bool by_ipi = r->wakeup_seq && r->wakeup_cpu == r->prev_cpu && r->wakeup_cpu != r->cpu;
	bool too_fast = r->wakeup_seq && r->ts + r->wakeup_dur - left_ts < tl->fastest_choice_ns;

	w->row.kind =
		by_ipi && (w->waker_went_on || too_fast) ? RWK_KIND_ON_CPU : RWK_KIND_DECISION;
	w->row.kind_source = RWK_INFERRED;
	w->classified = true;
}

/* A wakeup that was surely a choice, and went elsewhere by IPI, sets the scale. */
static void learn_fastest(struct rwk_timeline *tl, const struct open_wakeup *w)
{
	const struct rwk_wakeup_row *r = &w->row;

	if (r->kind == RWK_KIND_DECISION && r->wakeup_cpu != r->cpu &&
		r->wakeup_cpu == r->target_cpu && r->wakeup_dur < tl->fastest_choice_ns)
		tl->fastest_choice_ns = r->wakeup_dur;
}

static void set_kind(struct open_wakeup *w, enum rwk_wakeup_kind kind, enum rwk_source source)
{
	w->row.kind = kind;
	w->row.kind_source = source;
	w->classified = true;
}

/*
 * The kernel told that the wakee was put on a queue, and yet its placement function,
 * which is probed, was not called.
 */
static enum rwk_wakeup_kind kind_unplaced(const struct open_wakeup *w, bool slept_since)
{
	bool left_late = slept_since ||
			 (w->slept_ts != RWK_NS_NONE && w->row.ts - w->slept_ts <= SWITCH_OUT_NS);

	return left_late ? RWK_KIND_ON_CPU : RWK_KIND_NO_CHOICE;
}

/*
 * Called when the sched_wakeup came (or will never): state is the wakee's now.
 * Order of tests: design §1.3.
 */
static void classify(struct rwk_timeline *tl, struct open_wakeup *w, const struct rwk_task *t,
	const struct tl_task *tt)
{
	bool slept_since = w->wakee_was == RWK_TASK_RUNNING && t->state == RWK_TASK_SLEEPING;

	if (w->classified)
		return;
	if (!w->enqueued && w->certain && w->wakee_was == RWK_TASK_RUNNING && !slept_since) {
		set_kind(w, t->state == RWK_TASK_RUNNING ? RWK_KIND_SPURIOUS : RWK_KIND_QUEUED,
			w->counted ? RWK_PROBED : RWK_REBUILT);
		return;
	}
	if (w->counted && !w->enqueued) {
		set_kind(w, RWK_KIND_QUEUED, RWK_PROBED);
		return;
	}
	if (!w->enqueued && w->certain && w->wakee_was == RWK_TASK_QUEUED) {
		set_kind(w, RWK_KIND_QUEUED, RWK_REBUILT);
		return;
	}
	if (tt->pinned) {
		set_kind(w, RWK_KIND_NO_CHOICE, RWK_INFERRED);
		return;
	}
	if (w->row.prio != RWK_PRIO_UNKNOWN && w->row.prio < 100) {
		set_kind(w, RWK_KIND_OTHER_CLASS, RWK_REBUILT);
		return;
	}
	if (tl->opt.probed) {
		/* Asleep by the events and yet not placed: still queued (6.12+), or still on its
		 * CPU. */
		bool by_ipi = w->row.wakeup_seq && w->row.wakeup_cpu != w->row.cpu;

		if (w->enqueued) {
			set_kind(w, kind_unplaced(w, slept_since), RWK_INFERRED);
			return;
		}
		set_kind(w, by_ipi ? RWK_KIND_ON_CPU : RWK_KIND_QUEUED, RWK_INFERRED);
		return;
	}
	if (!w->enqueued && w->delayed && w->row.target_cpu == w->row.prev_cpu &&
		w->row.wakeup_cpu == w->row.cpu) {
		w->taken_for_delayed = true;
		set_kind(w, RWK_KIND_QUEUED, RWK_INFERRED);
		return;
	}
	if (slept_since) {
		on_cpu_or_decision(tl, w, t->sleep_ts);
		return;
	}
	if (w->slept_ts != RWK_NS_NONE && w->row.ts - w->slept_ts <= SWITCH_OUT_NS) {
		on_cpu_or_decision(tl, w, w->row.ts);
		return;
	}
	set_kind(w, RWK_KIND_DECISION,
		w->enqueued && tt->row.allowed_known ? RWK_REBUILT : RWK_INFERRED);
	if (w->row.wakeup_seq)
		learn_fastest(tl, w);
}

static void censor(struct open_wakeup *w, enum rwk_censor why)
{
	w->row.censor = why;
}

int tl_wakeups_censor(struct rwk_timeline *tl, struct tl_task *tt, enum rwk_censor why)
{
	while (tt->nr_open) {
		struct open_wakeup *w = rwk_window_row(&tl->wakeups, tt->open[0]);
		const struct rwk_task *t = rwk_tasks_at(&tl->model->tasks, tt->row.utid);
		int err;

		if (!w) {
			tt->nr_open = 0;
			return 0;
		}
		if (!w->row.wakeup_seq && why != RWK_CENSOR_END)
			rwk_anomaly_add(&tl->model->anomalies, RWK_AN_WAKING_WITHOUT_WAKEUP,
				w->row.ts, w->row.cpu, RWK_NONE);
		rwk_anomaly_add(
			&tl->model->anomalies, RWK_AN_CENSORED, w->row.ts, w->row.cpu, RWK_NONE);
		classify(tl, w, t, tt);
		censor(w, why);
		err = drop_open(tl, tt, 0, w);
		if (err)
			return err;
	}
	return 0;
}

static int open_row(struct rwk_timeline *tl, const struct rwk_event *ev, struct tl_task *tt,
	struct open_wakeup **ret)
{
	struct rwk_task *waker;
	struct open_wakeup *w;
	void *row;
	int64_t id;
	int err;

	/* More at once than any kernel leaves open: the oldest will not be answered. */
	if (tt->nr_open == MAX_OPEN) {
		w = rwk_window_row(&tl->wakeups, tt->open[0]);
		censor(w, RWK_CENSOR_GONE);
		classify(tl, w, rwk_tasks_at(&tl->model->tasks, tt->row.utid), tt);
		rwk_anomaly_add(&tl->model->anomalies, RWK_AN_WAKING_WITHOUT_WAKEUP, w->row.ts,
			w->row.cpu, RWK_NONE);
		err = drop_open(tl, tt, 0, w);
		if (err)
			return err;
	}
	err = rwk_window_add(&tl->wakeups, &id, &row);
	if (err)
		return err;
	w = row;
	waker = ev->tid == RWK_NONE ? NULL : rwk_tasks_find(&tl->model->tasks, ev->tid, ev->cpu);
	w->row.id = id;
	w->row.seq = tl->seq;
	w->row.ts = ev->ts;
	w->row.cpu = ev->cpu;
	w->row.waker_utid = waker ? waker->utid : RWK_NONE;
	w->row.wakee_utid = tt->row.utid;
	w->row.prio = ev->task.prio;
	w->row.prev_cpu = RWK_NONE;
	w->row.target_cpu = RWK_NONE;
	w->row.context = (uint8_t)context_of(ev);
	w->row.kind = RWK_KIND_UNKNOWN;
	w->row.wakeup_dur = RWK_NS_NONE;
	w->row.wakeup_cpu = RWK_NONE;
	w->row.run_dur = RWK_NS_NONE;
	w->row.run_cpu = RWK_NONE;
	tt->open[tt->nr_open++] = id;
	*ret = w;
	return 0;
}

void tl_waker_goes_on(struct rwk_timeline *tl, int cpu)
{
	struct open_wakeup *w = rwk_window_row(&tl->wakeups, tl->cpu[cpu].waking);

	if (w && w->wakee_was == RWK_TASK_RUNNING && !w->row.wakeup_seq &&
		rwk_tasks_at(&tl->model->tasks, w->row.wakee_utid)->state == RWK_TASK_RUNNING)
		w->waker_went_on = true;
}

int tl_on_waking(struct rwk_timeline *tl, const struct rwk_event *ev)
{
	struct rwk_task *t;
	struct tl_task *tt;
	struct open_wakeup *w;
	int err;

	err = rwk_tasks_get(
		&tl->model->tasks, ev->task.tid, ev->task.target_cpu, ev->task.comm, &t);
	if (err)
		return err;
	tt = tl_task(tl, t);
	if (!tt)
		return -ENOMEM;
	err = open_row(tl, ev, tt, &w);
	if (err)
		return err;
	w->row.prev_cpu = ev->task.target_cpu;
	w->wakee_was = (uint8_t)t->state;
	w->certain = tl->seen_switch && rwk_model_task_certain(tl->model, t);
	w->slept_ts = t->sleep_ts;
	w->delayed = rwk_eevdf_is_delayed(tl->model, t);
	if (w->row.waker_utid == t->utid && w->row.context == RWK_CTX_TASK)
		set_kind(w, RWK_KIND_SELF, RWK_REBUILT);
	else if (w->certain && (t->state == RWK_TASK_RUNNING || t->state == RWK_TASK_QUEUED))
		rwk_anomaly_add(
			&tl->model->anomalies, RWK_AN_WAKING_RUNNABLE, ev->ts, ev->cpu, ev->offset);
	tl->cpu[ev->cpu].waking = w->row.id;
	return 0;
}

int tl_on_wakeup(struct rwk_timeline *tl, const struct rwk_event *ev)
{
	struct rwk_task *t;
	struct tl_task *tt;
	struct open_wakeup *w = NULL;
	int i, err;

	err = rwk_tasks_get(
		&tl->model->tasks, ev->task.tid, ev->task.target_cpu, ev->task.comm, &t);
	if (err)
		return err;
	tt = tl_task(tl, t);
	if (!tt)
		return -ENOMEM;
	for (i = 0; i < tt->nr_open; i++) {
		w = rwk_window_row(&tl->wakeups, tt->open[i]);
		if (!w->row.wakeup_seq)
			break;
	}
	if (i == tt->nr_open) {
		struct rwk_orphan_row orphan = {.seq = tl->seq,
			.ts = ev->ts,
			.cpu = ev->cpu,
			.utid = t->utid,
			.prio = ev->task.prio,
			.target_cpu = ev->task.target_cpu};

		rwk_anomaly_add(&tl->model->anomalies, RWK_AN_WAKEUP_WITHOUT_WAKING, ev->ts,
			ev->cpu, ev->offset);
		return tl->opt.sink.orphan(tl->opt.sink.ctx, &orphan);
	}
	w->row.wakeup_seq = tl->seq;
	w->row.wakeup_dur = ev->ts - w->row.ts;
	w->row.wakeup_cpu = ev->cpu;
	if (w->row.target_source != RWK_TARGET_MIGRATE) {
		w->row.target_cpu = ev->task.target_cpu;
		w->row.target_source = RWK_TARGET_WAKEUP;
	}
	w->enqueued = tl->cpu[ev->cpu].counted_up == ev->task.target_cpu;
	w->counted = tl->seen_count && (w->enqueued || !tl->cpu[ev->cpu].count_lost);
	classify(tl, w, t, tt);
	if (t->state == RWK_TASK_RUNNING && rwk_model_task_certain(tl->model, t)) {
		censor(w, RWK_CENSOR_RUNNING);
		return drop_open(tl, tt, i, w);
	}
	return 0;
}

void tl_after_wakeup(struct rwk_timeline *tl, const struct rwk_event *ev)
{
	const struct rwk_task *t =
		rwk_tasks_find(&tl->model->tasks, ev->task.tid, ev->task.target_cpu);
	struct tl_task *tt = t ? tl_task(tl, t) : NULL;

	for (int i = 0; tt && i < tt->nr_open; i++) {
		struct open_wakeup *w = rwk_window_row(&tl->wakeups, tt->open[i]);

		if (w->taken_for_delayed && w->row.wakeup_seq == tl->seq)
			w->waits_until = rwk_eevdf_waits_until(tl->model, t);
	}
}

/*
 * Taken for a delayed task, which is put back without lag, and yet it ran before
 * its waker had to give way: it came with lag, so that it had been dequeued.
 */
static void doubt_delay(struct open_wakeup *w, const struct rwk_event *ev)
{
	if (w->taken_for_delayed && ev->kind == RWK_EV_SWITCH && ev->cpu == w->row.cpu &&
		ev->ts < w->waits_until &&
		(ev->sw.prev_state == RWK_END_RUNNABLE || ev->sw.prev_state == RWK_END_PREEMPTED))
		set_kind(w, RWK_KIND_DECISION, RWK_INFERRED);
}

int tl_on_wakeup_new(struct rwk_timeline *tl, const struct rwk_event *ev, struct rwk_task *child)
{
	struct tl_cpu *c = &tl->cpu[ev->cpu];
	struct tl_task *tt = tl_task(tl, child);
	struct open_wakeup *w;
	int err;

	if (!tt)
		return -ENOMEM;
	err = open_row(tl, ev, tt, &w);
	if (err)
		return err;
	w->row.target_cpu = ev->task.target_cpu;
	w->row.target_source = RWK_TARGET_WAKEUP;
	w->row.wakeup_seq = tl->seq;
	w->row.wakeup_dur = 0;
	w->row.wakeup_cpu = ev->cpu;
	set_kind(w, RWK_KIND_NEW, RWK_REBUILT);
	if (!c->probe_ready)
		return 0;
	c->probe_ready = false;
	c->probe.wakeup_id = w->row.id;
	w->row.probe_seq = c->probe.seq;
	w->row.prev_cpu = c->probe.values.prev_cpu;
	return tl->opt.sink.probe(tl->opt.sink.ctx, &c->probe);
}

int tl_on_migrate(struct rwk_timeline *tl, const struct rwk_event *ev)
{
	struct rwk_migration_row row = {.id = ++tl->nr_migrations,
		.seq = tl->seq,
		.ts = ev->ts,
		.cpu = ev->cpu,
		.by_utid = RWK_NONE,
		.prio = ev->migrate.prio,
		.orig_cpu = ev->migrate.orig_cpu,
		.dest_cpu = ev->migrate.dest_cpu};
	struct rwk_task *t, *by;
	struct tl_task *tt;
	int err;

	err = rwk_tasks_get(
		&tl->model->tasks, ev->migrate.tid, ev->migrate.orig_cpu, ev->migrate.comm, &t);
	if (err)
		return err;
	tt = tl_task(tl, t);
	if (!tt)
		return -ENOMEM;
	row.utid = t->utid;
	by = ev->tid == RWK_NONE ? NULL : rwk_tasks_find(&tl->model->tasks, ev->tid, ev->cpu);
	if (by)
		row.by_utid = by->utid;
	for (int i = 0; i < tt->nr_open; i++) {
		struct open_wakeup *w = rwk_window_row(&tl->wakeups, tt->open[i]);

		/* The waker moves its wakee between the two events of the wakeup. */
		if (w->row.wakeup_seq || w->row.cpu != ev->cpu)
			continue;
		w->row.target_cpu = ev->migrate.dest_cpu;
		w->row.target_source = RWK_TARGET_MIGRATE;
		row.wakeup_id = w->row.id;
		break;
	}
	return tl->opt.sink.migration(tl->opt.sink.ctx, &row);
}

int tl_wakeups_run(struct rwk_timeline *tl, struct rwk_task *t, const struct rwk_event *ev)
{
	struct tl_task *tt = tl_task(tl, t);

	if (!tt)
		return -ENOMEM;
	for (int i = 0; i < tt->nr_open;) {
		struct open_wakeup *w = rwk_window_row(&tl->wakeups, tt->open[i]);
		int err;

		if (!w->row.wakeup_seq) {
			/*
			 * Woken while still queued or running: its sched_wakeup is yet to
			 * come.  Woken from a sleep: it will not come any more.
			 */
			if (w->certain && (w->wakee_was == RWK_TASK_RUNNING ||
						  w->wakee_was == RWK_TASK_QUEUED)) {
				i++;
				continue;
			}
			rwk_anomaly_add(&tl->model->anomalies, RWK_AN_WAKING_WITHOUT_WAKEUP,
				w->row.ts, w->row.cpu, RWK_NONE);
			classify(tl, w, t, tt);
		}
		if (w->row.target_source == RWK_TARGET_UNKNOWN) {
			w->row.target_cpu = ev->cpu;
			w->row.target_source = RWK_TARGET_RUN;
		}
		doubt_delay(w, ev);
		w->row.run_dur = ev->ts - w->row.ts;
		w->row.run_cpu = ev->cpu;
		err = drop_open(tl, tt, i, w);
		if (err)
			return err;
	}
	return 0;
}
