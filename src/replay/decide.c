/*
 * One decision: the picture of it, what every policy answers, and the side
 * effects that the recorded kernel had.
 */
#include <errno.h>
#include <string.h>

#include "model/habits.h"
#include "model/hints.h"
#include "model/load.h"
#include "model/picture.h"
#include "model/queues.h"
#include "model/wake_history.h"
#include "replay/private.h"
#include "replay/slow.h"

/* Of a decision, whoever answers it. */
struct about {
	const struct rwk_probe_row *probe;
	uint8_t provenance[RWK_PROVENANCE_COUNT];
	enum rwk_history history;
};

static void allowed_of(struct replay *rp, const struct rwk_task *t,
	const struct rwk_probe_row *probe, struct rwk_wakeup *w)
{
	const struct rwk_task_row *row =
		(size_t)t->utid <= rp->opt->nr_task ? &rp->opt->task[t->utid - 1] : NULL;

	w->allowed = rp->usable;
	if (probe && probe->values.has_hidden) {
		int nca = probe->values.nr_cpus_allowed;

		if (nca >= rp->nr_online) {
			w->allowed_source = RWK_PROBED;
			return;
		}
		/* Restricted to nca CPUs: known once that many were seen in use. */
		if (row && rwk_cpuset_weight(&row->seen) == nca) {
			w->allowed = row->seen;
			w->allowed_source = RWK_INFERRED;
			return;
		}
	}
	if (row && row->allowed_known) {
		rwk_cpuset_and(&w->allowed, &row->allowed, &rp->usable);
		w->allowed_source = RWK_REBUILT;
		if (!rwk_cpuset_empty(&w->allowed))
			return;
		w->allowed = rp->usable;
	}
	/* Nothing says that it is restricted, and the kernel put it nowhere forbidden. */
	w->allowed_source = probe && probe->values.has_hidden ? RWK_UNKNOWN : RWK_INFERRED;
}

static void fill_picture(struct replay *rp, const struct rwk_wakeup_row *r, rwk_ns ts,
	const struct rwk_task *waker, const struct rwk_task *wakee,
	const struct rwk_probe_row *probe, struct rwk_wakeup *w)
{
	struct rwk_model *m = rp->model;

	*w = (struct rwk_wakeup){.id = r->id,
		.ts = ts,
		.type = RWK_WAKE_TTWU,
		.context = r->context,
		.this_cpu = r->cpu,
		.prev_cpu = r->prev_cpu,
		.sync = r->sync,
		.sync_source = r->sync_source,
		.recorded_cpu = RWK_NONE};
	if (r->sync_source == RWK_UNKNOWN && rp->opt->sync) {
		w->sync = rwk_sync_votes_say(rp->opt->sync, r);
		w->sync_source = RWK_INFERRED;
	}
	rwk_model_picture(m, w);
	if (rp->nr_probed && !rp->opt->audit)
		rwk_probed_picture(rp->probed, m, rp->probed_cpu, rp->nr_probed, w);
	rwk_model_task_view(m, waker, &w->waker);
	w->waker.is_exiting = r->waker_exiting;
	rwk_model_task_view(m, wakee, &w->wakee);
	w->avg_idle_ns = m->cpu[r->cpu].avg_idle_ns;
	w->avg_idle_source = m->cpu[r->cpu].avg_idle_source;
	allowed_of(rp, wakee, probe, w);
	if (probe && rp->has_current_cpu)
		w->current_cpu = probe->values.wake_flags & 0x40;
	/* An answer that it could not use the kernel put right after the probe had seen it. */
	if (probe && probe->answer != RWK_NONE &&
		(rwk_cpuset_has(&rp->machine->active, probe->answer) ||
			r->target_source == RWK_TARGET_UNKNOWN)) {
		w->recorded_cpu = probe->answer;
		w->recorded_source = RWK_PROBED;
	} else if (r->target_source != RWK_TARGET_UNKNOWN) {
		w->recorded_cpu = r->target_cpu;
		w->recorded_source = RWK_REBUILT;
	}
}

static void ask(
	const struct rwk_policy_instance *p, const struct rwk_wakeup *w, struct rwk_verdict *ret)
{
	*ret = (struct rwk_verdict){.cpu = RWK_NONE, .target = RWK_NONE};
	p->policy->select_cpu(p->state, w, ret);
}

static void apply_effects(struct replay *rp, const struct rwk_wakeup *w, struct rwk_task *waker,
	struct rwk_task *wakee, const struct rwk_verdict *v)
{
	if (v->effects & RWK_EFFECT_RECENT_PREV) {
		wakee->recent_cpu = w->prev_cpu;
		wakee->recent_source = RWK_REBUILT;
	}
	if (waker && v->effects & RWK_EFFECT_RECENT_THIS) {
		waker->recent_cpu = w->this_cpu;
		waker->recent_source = RWK_REBUILT;
	}
	if (v->effects & RWK_EFFECT_NO_IDLE_CORES)
		rwk_model_hint_clear(rp->model, v->target);
	for (uint64_t more = v->more_no_idle_cores; more; more &= more - 1) {
		int llc = __builtin_ctzll(more);

		if (llc < w->machine->nr_llc)
			rwk_model_hint_clear(rp->model, w->machine->llc[llc].first_cpu);
	}
}

/* Known to be idle: a CPU of which nothing was seen yet does not count. */
static bool is_idle(const struct replay *rp, const struct rwk_wakeup *w, int cpu)
{
	return rwk_model_cpu_ok(rp->model, cpu) && w->cpu[cpu].idle;
}

/* The policy that models the recorded kernel was wrong: what about? */
static int attribute(struct replay *rp, const struct rwk_wakeup *w, const struct rwk_verdict *v,
	const struct rwk_probe_row *probe, struct rwk_verdict_row *row)
{
	struct rwk_verdict scratch = *v;

	row->attributed = true;
	row->hidden = (uint8_t)rwk_calibrate(rp->model, rp->opt->kernel, w, false, &scratch);
	return probe ? rwk_attribution_miss(rp->attribution, w, v->cpu, probe) : 0;
}

static int put_verdict(struct replay *rp, size_t index, const struct rwk_wakeup *w,
	const struct rwk_verdict *v, const struct about *about)
{
	const struct rwk_cpu_view *prev =
		rwk_model_cpu_ok(rp->model, w->prev_cpu) ? &w->cpu[w->prev_cpu] : NULL;
	struct rwk_verdict_row row = {.wakeup_id = w->id,
		.type = (uint8_t)w->type,
		.recorded_idle = is_idle(rp, w, w->recorded_cpu),
		.answer_idle = is_idle(rp, w, v->cpu),
		.cpu = v->cpu,
		.reason = v->reason,
		.detail = v->detail,
		.unknown = v->unknown,
		.comparable = w->recorded_source != RWK_UNKNOWN,
		.history = (uint8_t)about->history};
	int err;

	memcpy(row.provenance, about->provenance, sizeof(row.provenance));
	row.interesting = !prev || !prev->idle || w->recorded_cpu != w->prev_cpu;
	row.agrees = row.comparable && v->cpu == w->recorded_cpu;
	/*
	 * Checked rather than trusted.  Where the affinity is unknown, the kernel's
	 * own answer is certainly allowed.
	 */
	row.violation = v->cpu != RWK_NONE && !rwk_cpuset_has(&w->allowed, v->cpu) &&
			!(row.comparable && v->cpu == w->recorded_cpu);
	/* New tasks and execs are counted only. */
	row.priced =
		row.comparable && !row.agrees && v->cpu != RWK_NONE && w->type == RWK_WAKE_TTWU;
	if (row.priced)
		rwk_prices_get(rp->prices, w, v->cpu, &row.price);
	if (index == rp->stats.kernel_policy && !rp->opt->calibrate && row.comparable &&
		!row.agrees && w->type == RWK_WAKE_TTWU) {
		err = attribute(rp, w, v, about->probe, &row);
		if (err)
			return err;
	}
	return rp->opt->verdict(rp->opt->verdict_ctx, index, &row);
}

static int show(struct replay *rp, const struct rwk_wakeup *w, const struct rwk_wakeup_row *r)
{
	if (!rp->opt->picture || w->id != rp->opt->picture_of)
		return 0;
	return rp->opt->picture(rp->opt->picture_ctx, w, r);
}

/* The policy that models the recorded kernel is among those asked. */
static bool kernel_was_asked(const struct replay *rp)
{
	return rp->opt->verdict && rp->stats.kernel_policy < rp->opt->nr_policy;
}

/* *kernel, unless NULL: what that policy answers, if it is among them. */
static int ask_all(struct replay *rp, const struct rwk_wakeup *w, const struct about *about,
	struct rwk_verdict *kernel)
{
	if (!rp->opt->verdict)
		return 0;
	for (size_t i = 0; i < rp->opt->nr_policy; i++) {
		struct rwk_verdict v;
		int err;

		ask(&rp->opt->policy[i], w, &v);
		if (kernel && i == rp->stats.kernel_policy)
			*kernel = v;
		err = put_verdict(rp, i, w, &v, about);
		if (err)
			return err;
	}
	return 0;
}

/* The picture that policies see: of the machine that they decide for. */
static const struct rwk_wakeup *seen(
	struct replay *rp, const struct rwk_wakeup *w, struct rwk_wakeup *other)
{
	if (!rp->elsewhere)
		return w;
	rwk_elsewhere_picture(rp->elsewhere, rp->model, w, other);
	return other;
}

/* The hints of the other machine follow the recorded kernel as if it decided there. */
static void follow_elsewhere(struct replay *rp, const struct rwk_wakeup *w)
{
	struct rwk_verdict v;

	if (!rp->elsewhere || !rp->opt->kernel_elsewhere)
		return;
	ask(rp->opt->kernel_elsewhere, w, &v);
	rwk_elsewhere_effects(rp->elsewhere, &v);
}

/* Calibrated mode: what explains the difference is adopted. */
static int learn(struct replay *rp, const struct rwk_wakeup_row *r, const struct rwk_wakeup *w,
	struct rwk_verdict *v)
{
	enum rwk_hidden which = rwk_calibrate(rp->model, rp->opt->kernel, w, true, v);

	if (which == RWK_HIDDEN_SYNC && rp->opt->sync)
		rwk_sync_votes_learn(rp->opt->sync, r, !w->sync);
	if (which == RWK_HIDDEN_RECENT && rp->opt->collect && w->wakee.recent_source == RWK_UNKNOWN)
		return rwk_fit_recent(rp->opt->collect, r->wakee_utid,
			rwk_tasks_at(&rp->model->tasks, r->wakee_utid)->recent_cpu);
	return 0;
}

/* Calibrated mode: an inferred hint without which the answer would have been another was right. */
static void confirm(struct replay *rp, const struct rwk_wakeup_row *r, struct rwk_wakeup *w,
	const struct rwk_verdict *v)
{
	struct rwk_verdict without;

	w->sync = !w->sync;
	ask(rp->opt->kernel, w, &without);
	w->sync = !w->sync;
	if (without.cpu != v->cpu)
		rwk_sync_votes_learn(rp->opt->sync, r, w->sync);
}

/* The outcome is known: what it tells is kept.  *v becomes the kernel's way to it. */
static int take_outcome(struct replay *rp, const struct rwk_wakeup_row *r, struct rwk_wakeup *w,
	struct rwk_verdict *v)
{
	int err = rp->opt->collect ? rp_collect(rp, w) : 0;

	if (err || !rp->opt->calibrate)
		return err;
	if (v->cpu != w->recorded_cpu)
		return learn(rp, r, w, v);
	if (w->sync_source == RWK_INFERRED && rp->opt->sync)
		confirm(rp, r, w, v);
	return 0;
}

static void audit_cpus(struct replay *rp, const struct rwk_wakeup *w, const struct rwk_verdict *v)
{
	struct rwk_wakeup truth = *w;

	rwk_probed_picture(rp->probed, rp->model, rp->probed_cpu, rp->nr_probed, &truth);
	rwk_audit_cpus(
		rp->opt->audit, rp->opt->kernel, w, &truth, v, rp->probed_cpu, rp->nr_probed);
}

int rp_decide(struct replay *rp, const struct rwk_wakeup_row *r, rwk_ns ts,
	const struct rwk_probe_row *probe)
{
	struct rwk_model *m = rp->model;
	struct rwk_task *waker = NULL, *wakee = rwk_tasks_at(&m->tasks, r->wakee_utid);
	struct about about = {.probe = probe};
	struct rwk_verdict v;
	struct rwk_wakeup w, other;
	const struct rwk_wakeup *shown;
	int err;

	if (m->cpu[r->cpu].curr != RWK_NONE)
		waker = rwk_tasks_at(&m->tasks, m->cpu[r->cpu].curr);
	if (probe && !rp->opt->audit)
		rwk_model_adopt_probe(m, wakee, &probe->values, ts);
	err = rp_record_wakee(rp, waker, wakee, ts);
	if (err)
		return err;
	rwk_load_ticks(m);
	rwk_model_hint_scan(m);
	if (rp->elsewhere)
		rwk_elsewhere_scan(rp->elsewhere, m);
	rwk_eevdf_publish(m);
	fill_picture(rp, r, ts, waker, wakee, probe, &w);
	if (rp->needs & RWK_NEED_QUEUES && rwk_queue_views(m, &w))
		return -ENOMEM;
	shown = seen(rp, &w, &other);
	rp->stats.nr_decisions++;
	rwk_prices_observe(rp->prices, &w, r);
	rwk_attribution_provenance(shown, rp->has_idle_scan, about.provenance);
	err = rwk_attribution_history(rp->attribution, r->wakee_utid, &about.history);
	if (!err)
		err = show(rp, shown, r);
	if (!err)
		err = ask_all(rp, shown, &about, &v);
	if (err)
		return err;
	follow_elsewhere(rp, shown);
	if (rp->opt->kernel) {
		if (!kernel_was_asked(rp))
			ask(rp->opt->kernel, &w, &v);
		if (rp->opt->audit && probe)
			rwk_audit_decision(
				rp->opt->audit, m, rp->opt->kernel, &w, &v, &probe->values);
		if (rp->opt->audit && rp->nr_probed)
			audit_cpus(rp, &w, &v);
		if (w.recorded_source != RWK_UNKNOWN)
			err = take_outcome(rp, r, &w, &v);
		if (err)
			return err;
		apply_effects(rp, &w, waker, wakee, &v);
	}
	if (rp->needs & RWK_NEED_QUEUES && waker)
		return rwk_habit_decides(
			m, waker, w.sync && !w.waker.is_exiting, w.sync_source != RWK_UNKNOWN);
	return 0;
}

/* ---- fork and exec ---- */

/*
 * The slow path changes nothing that later decisions read: every policy just
 * answers.  Nor does asking: loads stand as the last ordinary decision left them.
 */
static int decide_slow(struct replay *rp, struct rwk_wakeup_row *r, enum rwk_wake_type type,
	rwk_ns ts, const struct rwk_probe_row *probe)
{
	struct rwk_model *m = rp->model;
	struct about about = {.probe = probe};
	struct rwk_task *waker = NULL;
	struct rwk_wakeup w, other;
	const struct rwk_wakeup *shown;
	int err;

	if (r->prev_cpu == RWK_NONE)
		r->prev_cpu = r->cpu;
	if (m->cpu[r->cpu].curr != RWK_NONE)
		waker = rwk_tasks_at(&m->tasks, m->cpu[r->cpu].curr);
	/* Nobody knows who runs there: nor, then, whose affinity counts. */
	if (!waker)
		return 0;
	rwk_eevdf_publish(m);
	/* A child may run where its parent may. */
	fill_picture(rp, r, ts, waker, waker, probe, &w);
	w.type = type;
	if (type == RWK_WAKE_FORK) {
		rwk_slow_child(r, &w);
		rp->stats.nr_forks++;
	} else {
		rp->stats.nr_execs++;
	}
	if (rp->needs & RWK_NEED_QUEUES && rwk_queue_views(m, &w))
		return -ENOMEM;
	shown = seen(rp, &w, &other);
	err = show(rp, shown, r);
	return err ? err : ask_all(rp, shown, &about, NULL);
}

/* A new task; its row may not be changed: the model comes to it only later. */
int rp_decide_fork(struct replay *rp, const struct rwk_feed_item *it)
{
	struct rwk_wakeup_row row = *it->wakeup;

	return decide_slow(rp, &row, RWK_WAKE_FORK, it->ev.ts, it->probe);
}

/* A call of the placement function that no wakeup explains. */
int rp_decide_exec(struct replay *rp, const struct rwk_feed_item *it)
{
	struct rwk_wakeup_row row;

	if (!rwk_slow_exec(it->probe, rp->old_flags, &row) ||
		!rwk_model_cpu_ok(rp->model, row.cpu) || !rwk_model_cpu_ok(rp->model, row.prev_cpu))
		return 0;
	return decide_slow(rp, &row, RWK_WAKE_EXEC, it->ev.ts, it->probe);
}
