/*
 * Entry and return of the placement function.  They nest on one CPU with
 * interrupts off, right behind the sched_waking they belong to; those of a fork
 * come right before the sched_wakeup_new, those of an exec stand alone.
 */
#include <string.h>

#include "timeline/private.h"

static int emit(struct rwk_timeline *tl, struct tl_cpu *c)
{
	c->probe_open = false;
	c->probe_ready = false;
	return tl->opt.sink.probe(tl->opt.sink.ctx, &c->probe);
}

int tl_on_sel(struct rwk_timeline *tl, const struct rwk_event *ev)
{
	struct tl_cpu *c = &tl->cpu[ev->cpu];
	struct open_wakeup *w = NULL;
	struct rwk_task *on_cpu;
	int err;

	if (c->probe_open) {
		rwk_anomaly_add(
			&tl->model->anomalies, RWK_AN_PROBE_UNPAIRED, ev->ts, ev->cpu, ev->offset);
		err = emit(tl, c);
		if (err)
			return err;
	}
	on_cpu = rwk_tasks_find(&tl->model->tasks, ev->tid, ev->cpu);
	c->probe = (struct rwk_probe_row){.seq = tl->seq,
		.ts = ev->ts,
		.ret_ts = RWK_NS_NONE,
		.cpu = ev->cpu,
		.utid = on_cpu ? on_cpu->utid : RWK_NONE,
		.answer = RWK_NONE,
		.values = *ev->probe};
	if (tl->opt.probe == RWK_PROBE_FLAGS) {
		c->probe.values.has_hidden = false;
		c->probe.values.nr_llc = 0;
	}
	c->probe_open = true;
	c->probed = (struct rwk_cpuset){0};
	if (c->waking)
		w = rwk_window_row(&tl->wakeups, c->waking);
	c->waking = 0;
	if (!w)
		return 0;
	c->probe.wakeup_id = w->row.id;
	w->row.probe_seq = tl->seq;
	w->row.kind = RWK_KIND_DECISION;
	w->row.kind_source = RWK_PROBED;
	w->row.prev_cpu = ev->probe->prev_cpu;
	w->row.sync = ev->probe->wake_flags & (tl->old_flags ? 0x01 : 0x10);
	w->row.sync_source = RWK_PROBED;
	w->classified = true;
	if (w->row.sync && w->row.context == RWK_CTX_TASK)
		return tl_wakeups_hold(tl, ev->cpu, w);
	return 0;
}

int tl_on_sel_state(struct rwk_timeline *tl, const struct rwk_event *ev)
{
	struct tl_cpu *c = &tl->cpu[ev->cpu];

	if (!c->probe_open) {
		rwk_anomaly_add(
			&tl->model->anomalies, RWK_AN_PROBE_UNPAIRED, ev->ts, ev->cpu, ev->offset);
		return 0;
	}
	for (int i = 0; i < ev->probe->nr_cpus; i++) {
		const struct rwk_probe_cpu_row row = {.seq = c->probe.seq, .of = ev->probe->cpu[i]};
		int err;

		if (!rwk_model_cpu_ok(tl->model, row.of.cpu) || row.of.nr_running < 0 ||
			row.of.curr_tid < 0 || rwk_cpuset_has(&c->probed, row.of.cpu))
			continue;
		rwk_cpuset_add(&c->probed, row.of.cpu);
		err = tl->opt.sink.probe_cpu(tl->opt.sink.ctx, &row);
		if (err)
			return err;
	}
	return 0;
}

int tl_on_sel_ret(struct rwk_timeline *tl, const struct rwk_event *ev)
{
	struct tl_cpu *c = &tl->cpu[ev->cpu];
	struct open_wakeup *w;

	if (!c->probe_open) {
		rwk_anomaly_add(
			&tl->model->anomalies, RWK_AN_PROBE_UNPAIRED, ev->ts, ev->cpu, ev->offset);
		return 0;
	}
	c->probe.ret_seq = tl->seq;
	c->probe.ret_ts = ev->ts;
	c->probe.answer = ev->sel_ret.cpu;
	if (!c->probe.wakeup_id) {
		c->probe_open = false;
		c->probe_ready = true;
		return 0;
	}
	w = rwk_window_row(&tl->wakeups, c->probe.wakeup_id);
	if (w && w->row.target_source == RWK_TARGET_UNKNOWN) {
		w->row.target_cpu = ev->sel_ret.cpu;
		w->row.target_source = RWK_TARGET_PROBE;
	}
	return emit(tl, c);
}

int tl_probe_flush(struct rwk_timeline *tl, const struct rwk_event *ev)
{
	struct tl_cpu *c = &tl->cpu[ev->cpu];

	/* A new task is counted before it is told of. */
	if (c->probe_ready && ev->kind != RWK_EV_WAKEUP_NEW && ev->kind != RWK_EV_NR)
		return emit(tl, c);
	if (c->probe_open && ev->kind == RWK_EV_SWITCH) {
		rwk_anomaly_add(
			&tl->model->anomalies, RWK_AN_PROBE_UNPAIRED, ev->ts, ev->cpu, ev->offset);
		return emit(tl, c);
	}
	return 0;
}
