/*
 * Dispatch of events, slices, and the rows of tasks.  The model is applied
 * after the rows were written, so that they see the state before the event.
 */
#include "timeline/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "timeline/private.h"

static int emit_slice(void *ctx, const void *row)
{
	struct rwk_timeline *tl = ctx;

	return tl->opt.sink.slice(tl->opt.sink.ctx, row);
}

static int emit_wakeup(void *ctx, const void *row)
{
	struct rwk_timeline *tl = ctx;
	const struct open_wakeup *w = row;

	return tl->opt.sink.wakeup(tl->opt.sink.ctx, &w->row);
}

int rwk_timeline_create(
	const struct rwk_timeline_options *opt, struct rwk_diag *diag, struct rwk_timeline **ret)
{
	struct rwk_model_options mo = {.machine = opt->machine};
	struct rwk_timeline *tl = calloc(1, sizeof(*tl));
	int err;

	if (!tl)
		return rwk_diag_push(diag, -ENOMEM, "cannot build the timeline: out of memory");
	tl->opt = *opt;
	tl->fastest_choice_ns = INT64_MAX;
	tl->old_flags = rwk_version_cmp(opt->machine->kernel, (struct rwk_version){5, 11, 0}) < 0;
	err = rwk_model_create(&mo, diag, &tl->model);
	if (err)
		goto fail;
	err = -ENOMEM;
	tl->cpu = calloc((size_t)tl->model->nr_cpus + 1, sizeof(*tl->cpu));
	if (!tl->cpu)
		goto fail;
	for (int cpu = 0; cpu < tl->model->nr_cpus; cpu++) {
		tl->cpu[cpu].first_ts = tl->cpu[cpu].last_ts = RWK_NS_NONE;
		tl->cpu[cpu].counted_up = RWK_NONE;
	}
	err = rwk_window_init(&tl->slices, sizeof(struct rwk_slice_row), emit_slice, tl);
	if (!err)
		err = rwk_window_init(&tl->wakeups, sizeof(struct open_wakeup), emit_wakeup, tl);
	if (err)
		goto fail;
	*ret = tl;
	return 0;
fail:
	rwk_timeline_destroy(tl);
	return rwk_diag_push(diag, err, "cannot build the timeline: out of memory");
}

void rwk_timeline_destroy(struct rwk_timeline *tl)
{
	if (!tl)
		return;
	rwk_window_finish(&tl->slices);
	rwk_window_finish(&tl->wakeups);
	rwk_model_destroy(tl->model);
	free(tl->cpu);
	free(tl->task);
	free(tl->task_rows);
	free(tl);
}

static void task_init(struct rwk_timeline *tl, struct tl_task *tt, const struct rwk_task *t)
{
	tt->row = (struct rwk_task_row){.utid = t->utid,
		.tid = t->tid,
		.generation = t->generation,
		.idle_cpu = t->idle_cpu,
		.first_ts = RWK_NS_NONE,
		.last_ts = RWK_NS_NONE,
		.prio = RWK_PRIO_UNKNOWN,
		.policy = RWK_NONE,
		.tgid = RWK_NONE};
	/* The snapshot speaks of those alive at its time, thus of first generations. */
	if (tl->opt.affinity && t->generation == 0 && t->idle_cpu == RWK_NONE)
		tt->row.allowed_known =
			tl->opt.affinity(tl->opt.affinity_ctx, t->tid, &tt->row.allowed);
}

/* Without calling it seen. */
static struct tl_task *task_part(struct rwk_timeline *tl, const struct rwk_task *t)
{
	struct tl_task *tt;

	if (rwk_vec_grow(&tl->task, &tl->task_cap, (size_t)t->utid, sizeof(*tl->task)))
		return NULL;
	tt = &tl->task[t->utid - 1];
	if (!tt->row.utid)
		task_init(tl, tt, t);
	return tt;
}

struct tl_task *tl_task(struct rwk_timeline *tl, const struct rwk_task *t)
{
	struct tl_task *tt = task_part(tl, t);

	if (!tt)
		return NULL;
	tt->pinned = t->is_pcpu_kthread ||
		     (tt->row.allowed_known && rwk_cpuset_weight(&tt->row.allowed) == 1);
	if (tt->row.first_ts == RWK_NS_NONE)
		tt->row.first_ts = tl->model->now;
	tt->row.last_ts = tl->model->now;
	return tt;
}

/* ---- slices ---- */

static int slice_open(
	struct rwk_timeline *tl, const struct rwk_event *ev, struct rwk_task *t, bool begin_unknown)
{
	struct tl_cpu *c = &tl->cpu[ev->cpu];
	struct rwk_slice_row *s;
	struct tl_task *tt = tl_task(tl, t);
	void *row;
	int err;

	if (!tt)
		return -ENOMEM;
	err = rwk_window_add(&tl->slices, &c->slice, &row);
	if (err)
		return err;
	s = row;
	*s = (struct rwk_slice_row){.id = c->slice,
		.seq = tl->seq,
		.ts = ev->ts,
		.dur = RWK_NS_NONE,
		.cpu = ev->cpu,
		.utid = t->utid,
		.prio = t->prio,
		.begin_unknown = begin_unknown};
	rwk_cpuset_add(&tt->row.seen, ev->cpu);
	return 0;
}

/* dur RWK_NS_NONE: when it ended is unknown. */
static int slice_close(struct rwk_timeline *tl, int cpu, rwk_ns end, enum rwk_end_state state,
	int64_t raw, bool cut)
{
	struct tl_cpu *c = &tl->cpu[cpu];
	struct rwk_slice_row *s;
	int64_t id = c->slice;
	int err = tl_wakeups_slice_end(tl, cpu, state == RWK_END_DEAD || state == RWK_END_ZOMBIE);

	if (err || !id)
		return err;
	c->slice = 0;
	s = rwk_window_row(&tl->slices, id);
	if (end != RWK_NS_NONE && end >= s->ts)
		s->dur = end - s->ts;
	s->end_state = (uint8_t)state;
	s->end_state_raw = raw;
	s->cut = cut;
	return rwk_window_close(&tl->slices, id);
}

/* The CPU's first sign of life, its first after a loss, or a switch that is missing: who is on it.
 */
static int occupant(struct rwk_timeline *tl, const struct rwk_event *ev)
{
	struct tl_task *tt;
	struct rwk_task *t;
	int err;

	if (!rwk_model_occupant_differs(tl->model, ev))
		return 0;
	err = slice_close(tl, ev->cpu, RWK_NS_NONE, RWK_END_UNKNOWN, 0, true);
	if (!err)
		err = rwk_tasks_get(&tl->model->tasks, ev->tid, ev->cpu, NULL, &t);
	if (err)
		return err;
	rwk_anomaly_add(
		&tl->model->anomalies, RWK_AN_OCCUPANT_INFERRED, ev->ts, ev->cpu, ev->offset);
	tt = tl_task(tl, t);
	if (!tt)
		return -ENOMEM;
	/* It runs, but since when was not seen: what woke it is over. */
	err = tl_wakeups_censor(tl, tt, RWK_CENSOR_LOSS);
	return err ? err : slice_open(tl, ev, t, true);
}

/* Task seen on ev->cpu although the last that was known of it is another CPU. */
static int lost_migration(struct rwk_timeline *tl, const struct rwk_event *ev, struct rwk_task *t)
{
	struct rwk_migration_row row = {.id = tl->nr_migrations + 1,
		.seq = tl->seq,
		.ts = ev->ts,
		.cpu = RWK_NONE,
		.by_utid = RWK_NONE,
		.utid = t->utid,
		.prio = t->prio,
		.orig_cpu = t->cpu,
		.dest_cpu = ev->cpu,
		.synthetic = true};

	if (t->idle_cpu != RWK_NONE || t->cpu == RWK_NONE || t->cpu == ev->cpu ||
		!rwk_model_task_certain(tl->model, t))
		return 0;
	tl->nr_migrations++;
	rwk_anomaly_add(&tl->model->anomalies, RWK_AN_MIGRATE_LOST, ev->ts, ev->cpu, ev->offset);
	return tl->opt.sink.migration(tl->opt.sink.ctx, &row);
}

static int on_switch(struct rwk_timeline *tl, const struct rwk_event *ev)
{
	struct rwk_model *m = tl->model;
	struct rwk_task *prev, *next;
	int32_t curr = m->cpu[ev->cpu].curr;
	int err;

	err = rwk_tasks_get(&m->tasks, ev->sw.prev_tid, ev->cpu, ev->sw.prev_comm, &prev);
	if (!err && !tl_task(tl, prev))
		err = -ENOMEM;
	if (err)
		return err;
	if (curr != prev->utid) {
		/* Mismatch, or nobody was known to be here: the next part counts, the previous does
		 * not. */
		if (curr == RWK_NONE)
			rwk_anomaly_add(
				&m->anomalies, RWK_AN_FIRST_SWITCH, ev->ts, ev->cpu, ev->offset);
		err = slice_close(tl, ev->cpu, RWK_NS_NONE, RWK_END_UNKNOWN, 0, true);
		prev->prio = ev->sw.prev_prio;
		if (!err)
			err = slice_open(tl, ev, prev, true);
		if (err)
			return err;
	}
	err = slice_close(tl, ev->cpu, ev->ts, ev->sw.prev_state, ev->sw.prev_state_raw, false);
	if (err)
		return err;
	/* prev may die here, and next be the next owner of its tid: not before the model knows. */
	next = rwk_tasks_find(&m->tasks, ev->sw.next_tid, ev->cpu);
	if (next && next->state == RWK_TASK_RUNNING && next->cpu != ev->cpu &&
		rwk_model_cpu_ok(m, next->cpu) && m->cpu[next->cpu].curr == next->utid) {
		err = slice_close(tl, next->cpu, ev->ts, RWK_END_UNKNOWN, 0, true);
		if (err)
			return err;
	} else if (next) {
		err = lost_migration(tl, ev, next);
		if (err)
			return err;
	}
	err = rwk_model_apply(m, ev);
	if (err)
		return err;
	next = rwk_tasks_at(&m->tasks, m->cpu[ev->cpu].curr);
	err = slice_open(tl, ev, next, false);
	if (err)
		return err;
	return tl_wakeups_run(tl, next, ev);
}

/* ---- the rest ---- */

static int on_lost(struct rwk_timeline *tl, const struct rwk_event *ev)
{
	struct rwk_loss_row row = {.seq = tl->seq,
		.from_ts = ev->lost.from_ts,
		.to_ts = ev->ts,
		.cpu = ev->cpu,
		.count = ev->lost.count};
	struct tl_cpu *c = &tl->cpu[ev->cpu];
	int err;

	c->waking = 0;
	err = slice_close(tl, ev->cpu, ev->lost.from_ts, RWK_END_UNKNOWN, 0, true);
	if (err)
		return err;
	for (size_t i = 0; i < tl->task_cap; i++) {
		if (!tl->task[i].nr_open)
			continue;
		err = tl_wakeups_censor(tl, &tl->task[i], RWK_CENSOR_LOSS);
		if (err)
			return err;
	}
	return tl->opt.sink.loss(tl->opt.sink.ctx, &row);
}

static int on_new(struct rwk_timeline *tl, const struct rwk_event *ev)
{
	struct rwk_task *t = rwk_tasks_find(&tl->model->tasks, ev->task.tid, ev->task.target_cpu);
	int32_t *utid;
	int err;

	if (t) {
		struct tl_task *tt = tl_task(tl, t);

		/* Its owner was not seen to die: what it still waited for will not come. */
		if (!tt)
			return -ENOMEM;
		err = tl_wakeups_censor(tl, tt, RWK_CENSOR_GONE);
		if (err)
			return err;
	}
	err = rwk_model_apply(tl->model, ev);
	if (err)
		return err;
	utid = rwk_map_find(&tl->model->tasks.by_tid, (uint32_t)ev->task.tid);
	return utid ? tl_on_wakeup_new(tl, ev, rwk_tasks_at(&tl->model->tasks, *utid)) : 0;
}

static int on_nr(struct rwk_timeline *tl, const struct rwk_event *ev)
{
	const struct rwk_nr_row row = {.seq = tl->seq, .ts = ev->ts, .cpu = ev->cpu, .of = ev->nr};

	return tl->opt.sink.nr(tl->opt.sink.ctx, &row);
}

/* A wakeup's enqueue is counted right before its sched_wakeup, on the CPU that writes both. */
static void note_count(struct rwk_timeline *tl, const struct rwk_event *ev)
{
	struct tl_cpu *c = &tl->cpu[ev->cpu];

	if (ev->kind == RWK_EV_OTHER)
		return;
	if (ev->kind != RWK_EV_NR) {
		c->counted_up = RWK_NONE;
		c->count_lost = ev->kind == RWK_EV_LOST;
		return;
	}
	tl->seen_count = true;
	if (ev->nr.change > 0)
		c->counted_up = ev->nr.cpu;
}

static int dispatch(struct rwk_timeline *tl, const struct rwk_event *ev)
{
	switch ((enum rwk_event_kind)ev->kind) {
	case RWK_EV_WAKING:
		return tl_on_waking(tl, ev);
	case RWK_EV_WAKEUP:
		return tl_on_wakeup(tl, ev);
	case RWK_EV_MIGRATE:
		return tl_on_migrate(tl, ev);
	case RWK_EV_SEL:
		return tl_on_sel(tl, ev);
	case RWK_EV_SEL_STATE:
		return tl_on_sel_state(tl, ev);
	case RWK_EV_SEL_RET:
		return tl_on_sel_ret(tl, ev);
	case RWK_EV_NR:
		return on_nr(tl, ev);
	case RWK_EV_LOST:
		return on_lost(tl, ev);
	default:
		return 0;
	}
}

/* Events that name no task (0 as wakee) or CPUs that are none cannot be rows. */
static bool is_sane(struct rwk_timeline *tl, const struct rwk_event *ev)
{
	bool task_ok = true, cpu_ok = rwk_model_cpu_ok(tl->model, ev->cpu);

	if (ev->kind == RWK_EV_WAKING || ev->kind == RWK_EV_WAKEUP ||
		ev->kind == RWK_EV_WAKEUP_NEW) {
		task_ok = ev->task.tid > 0;
		cpu_ok = cpu_ok && rwk_model_cpu_ok(tl->model, ev->task.target_cpu);
	}
	if (ev->kind == RWK_EV_MIGRATE) {
		task_ok = ev->migrate.tid > 0;
		cpu_ok = cpu_ok && rwk_model_cpu_ok(tl->model, ev->migrate.orig_cpu) &&
			 rwk_model_cpu_ok(tl->model, ev->migrate.dest_cpu);
	}
	if (ev->kind == RWK_EV_NR)
		cpu_ok = cpu_ok && rwk_model_cpu_ok(tl->model, ev->nr.cpu);
	if (ev->kind == RWK_EV_SWITCH)
		task_ok = ev->sw.prev_tid >= 0 && ev->sw.next_tid >= 0;
	if (!task_ok || !cpu_ok)
		rwk_anomaly_add(&tl->model->anomalies,
			task_ok ? RWK_AN_CPU_OUT_OF_RANGE : RWK_AN_BAD_RECORD, ev->ts, ev->cpu,
			ev->offset);
	return task_ok && cpu_ok;
}

/* What rewake recorded beside the kernel's own events is used only as far as it was asked for. */
static bool is_wanted(const struct rwk_timeline *tl, const struct rwk_event *ev)
{
	enum rwk_probe_mode mode = tl->opt.probe;

	switch ((enum rwk_event_kind)ev->kind) {
	case RWK_EV_SEL:
	case RWK_EV_SEL_RET:
		return mode == RWK_PROBE_ALL || mode == RWK_PROBE_FLAGS;
	case RWK_EV_SEL_STATE:
		return mode == RWK_PROBE_ALL;
	case RWK_EV_NR:
		return !tl->opt.partial && (mode == RWK_PROBE_ALL || mode == RWK_PROBE_NR);
	default:
		return true;
	}
}

static int take(struct rwk_timeline *tl, const struct rwk_event *ev)
{
	struct tl_cpu *c;
	int err;

	tl->seq++;
	tl->model->now = ev->ts;
	c = &tl->cpu[ev->cpu];
	if (c->first_ts == RWK_NS_NONE)
		c->first_ts = ev->ts;
	c->last_ts = ev->ts;
	if (c->probe_ready || c->probe_open) {
		err = tl_probe_flush(tl, ev);
		if (err)
			return err;
	}
	if (ev->kind != RWK_EV_SEL && c->waking) {
		tl_waker_goes_on(tl, ev->cpu);
		c->waking = 0;
	}
	if (ev->kind == RWK_EV_SWITCH) {
		tl->seen_switch = true;
		return on_switch(tl, ev);
	}
	if (ev->kind != RWK_EV_LOST) {
		err = occupant(tl, ev);
		if (err)
			return err;
	}
	if (ev->kind == RWK_EV_WAKEUP_NEW)
		return on_new(tl, ev);
	err = dispatch(tl, ev);
	if (!err)
		err = rwk_model_apply(tl->model, ev);
	if (!err && ev->kind == RWK_EV_WAKEUP)
		tl_after_wakeup(tl, ev);
	return err;
}

void rwk_timeline_is_partial(struct rwk_timeline *tl)
{
	tl->opt.partial = true;
	tl->seen_count = false;
}

int rwk_timeline_event(struct rwk_timeline *tl, const struct rwk_event *ev)
{
	int err = 0;

	if (is_wanted(tl, ev) && is_sane(tl, ev)) {
		err = take(tl, ev);
		note_count(tl, ev);
	}
	return err;
}

int rwk_timeline_finish(struct rwk_timeline *tl)
{
	int err;

	for (int cpu = 0; cpu < tl->model->nr_cpus; cpu++) {
		struct tl_cpu *c = &tl->cpu[cpu];

		err = slice_close(tl, cpu, RWK_NS_NONE, RWK_END_UNKNOWN, 0, false);
		if (!err && (c->probe_open || c->probe_ready))
			err = tl->opt.sink.probe(tl->opt.sink.ctx, &c->probe);
		if (err)
			return err;
		c->probe_open = c->probe_ready = false;
	}
	for (size_t i = 0; i < tl->task_cap; i++) {
		if (!tl->task[i].nr_open)
			continue;
		err = tl_wakeups_censor(tl, &tl->task[i], RWK_CENSOR_END);
		if (err)
			return err;
	}
	tl->model->anomalies.of[RWK_AN_TID_REUSED] =
		(struct rwk_anomaly){tl->model->tasks.nr_reused, RWK_NS_NONE, RWK_NONE, RWK_NONE};
	return 0;
}

int rwk_timeline_tasks(struct rwk_timeline *tl, struct rwk_task_row **ret, size_t *ret_nr)
{
	size_t nr = tl->model->tasks.nr;

	free(tl->task_rows);
	tl->task_rows = calloc(nr + 1, sizeof(*tl->task_rows));
	if (!tl->task_rows)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct rwk_task *t = tl->model->tasks.of[i];
		struct tl_task *tt = task_part(tl, t);
		struct rwk_task_row *row = &tl->task_rows[i];

		if (!tt)
			return -ENOMEM;
		*row = tt->row;
		memcpy(row->comm, t->comm, RWK_COMM_LEN);
		row->comm_known = t->comm_known;
		row->prio = t->prio;
		row->is_pcpu_kthread = t->is_pcpu_kthread;
	}
	*ret = tl->task_rows;
	*ret_nr = nr;
	return 0;
}

const struct rwk_anomalies *rwk_timeline_anomalies(const struct rwk_timeline *tl)
{
	return &tl->model->anomalies;
}

void rwk_timeline_cpu_span(
	const struct rwk_timeline *tl, int cpu, rwk_ns *ret_first, rwk_ns *ret_last)
{
	bool ok = rwk_model_cpu_ok(tl->model, cpu);

	*ret_first = ok ? tl->cpu[cpu].first_ts : RWK_NS_NONE;
	*ret_last = ok ? tl->cpu[cpu].last_ts : RWK_NS_NONE;
}
