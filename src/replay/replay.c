/*
 * The replay loop.  Decision instants: the probed entry of the placement
 * function; without a probe the sched_waking, or the wakee's switch-out when
 * it was still on its CPU (the waker spins until then).
 */
#include "replay/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/habits.h"
#include "model/hints.h"
#include "model/load.h"
#include "model/picture.h"
#include "model/queues.h"
#include "model/wake_history.h"
#include "replay/slow.h"

/* An unprobed decision that waits for its wakee to leave its CPU. */
struct deferred {
	bool waiting;
	struct rwk_wakeup_row row;
};

/* Of a decision, whoever answers it. */
struct about {
	const struct rwk_probe_row *probe;
	uint8_t provenance[RWK_PROVENANCE_COUNT];
	enum rwk_history history;
};

struct replay {
	const struct rwk_replay_options *opt;
	const struct rwk_machine *machine;
	struct rwk_model *model;
	struct deferred *deferred; /* [nr_cpus], by waker CPU: it can wake one at a time */
	int nr_deferred;
	bool has_idle_scan; /* the kernel has nr_idle_scan at all */
	bool has_current_cpu;
	uint32_t needs; /* enum rwk_need of all policies */
	/*
	 * Up to 5.14 an idle CPU of the same cache is woken directly (design §1.5);
	 * later a direct wakeup means that the CPU was busy anyway.
	 */
	bool direct_counts;
	bool old_flags; /* wake flags of kernels up to 5.10, which do not tell fork and exec */
	struct rwk_prices *prices;
	struct rwk_attribution *attribution;
	struct rwk_replay_stats stats;
};

/*
 * Between the choice of another CPU and its sched_wakeup that CPU is not idle
 * any more: by IPI its ttwu_pending is set, directly the waker is enqueueing
 * there, which counts in nr_running before the event is written.
 */
static bool lands_elsewhere(const struct replay *rp, const struct rwk_wakeup_row *r)
{
	if (!r->wakeup_seq || r->target_cpu == RWK_NONE || r->target_cpu == r->cpu)
		return false;
	return rp->direct_counts || r->wakeup_cpu == r->target_cpu;
}

static void allowed_of(struct replay *rp, const struct rwk_task *t,
	const struct rwk_probe_row *probe, struct rwk_wakeup *w)
{
	const struct rwk_task_row *row =
		(size_t)t->utid <= rp->opt->nr_task ? &rp->opt->task[t->utid - 1] : NULL;
	int online = rwk_cpuset_weight(&rp->machine->online);

	w->allowed = rp->machine->online;
	if (probe && probe->values.has_hidden) {
		int nca = probe->values.nr_cpus_allowed;

		if (nca >= online) {
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
		rwk_cpuset_and(&w->allowed, &row->allowed, &rp->machine->online);
		w->allowed_source = RWK_REBUILT;
		if (!rwk_cpuset_empty(&w->allowed))
			return;
		w->allowed = rp->machine->online;
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
	rwk_model_task_view(m, waker, &w->waker);
	w->waker.is_exiting = r->waker_exiting;
	rwk_model_task_view(m, wakee, &w->wakee);
	w->avg_idle_ns = m->cpu[r->cpu].avg_idle_ns;
	w->avg_idle_source = m->cpu[r->cpu].avg_idle_source;
	allowed_of(rp, wakee, probe, w);
	if (probe && rp->has_current_cpu)
		w->current_cpu = probe->values.wake_flags & 0x40;
	if (probe && probe->answer != RWK_NONE) {
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

/* A CPU of which nothing was seen yet is most likely asleep: work makes events. */
static bool is_idle(const struct replay *rp, const struct rwk_wakeup *w, int cpu)
{
	const struct rwk_cpu_view *c;

	if (!rwk_model_cpu_ok(rp->model, cpu))
		return false;
	c = &w->cpu[cpu];
	return c->source == RWK_UNKNOWN ? !c->nr_running && !c->pending : c->idle;
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
	return rp->opt->verdict(rp->opt->ctx, index, &row);
}

static int ask_all(struct replay *rp, const struct rwk_wakeup *w, const struct about *about)
{
	for (size_t i = 0; i < rp->opt->nr_policy; i++) {
		struct rwk_verdict v;
		int err;

		ask(&rp->opt->policy[i], w, &v);
		err = put_verdict(rp, i, w, &v, about);
		if (err)
			return err;
	}
	return 0;
}

/* Calibrated mode: what explains the difference is adopted. */
static void learn(struct replay *rp, const struct rwk_wakeup_row *r, const struct rwk_wakeup *w,
	struct rwk_verdict *v)
{
	enum rwk_hidden which = rwk_calibrate(rp->model, rp->opt->kernel, w, true, v);

	if (which == RWK_HIDDEN_SYNC && rp->opt->sync)
		rwk_sync_votes_learn(rp->opt->sync, r, !w->sync);
}

static int decide(struct replay *rp, const struct rwk_wakeup_row *r, rwk_ns ts,
	const struct rwk_probe_row *probe)
{
	struct rwk_model *m = rp->model;
	struct rwk_task *waker = NULL, *wakee = rwk_tasks_at(&m->tasks, r->wakee_utid);
	struct about about = {.probe = probe};
	struct rwk_verdict v;
	struct rwk_wakeup w;
	int err;

	if (m->cpu[r->cpu].curr != RWK_NONE)
		waker = rwk_tasks_at(&m->tasks, m->cpu[r->cpu].curr);
	if (probe && !rp->opt->audit)
		rwk_model_adopt_probe(m, wakee, &probe->values, ts);
	if (waker)
		rwk_model_record_wakee(m, waker, wakee, ts);
	rwk_load_ticks(m);
	rwk_model_hint_scan(m);
	rwk_eevdf_publish(m);
	fill_picture(rp, r, ts, waker, wakee, probe, &w);
	if (rp->needs & RWK_NEED_QUEUES && rwk_queue_views(m, &w))
		return -ENOMEM;
	rp->stats.nr_decisions++;
	rwk_prices_observe(rp->prices, &w, r);
	rwk_attribution_provenance(&w, rp->has_idle_scan, about.provenance);
	err = rwk_attribution_history(rp->attribution, r->wakee_utid, &about.history);
	if (!err)
		err = ask_all(rp, &w, &about);
	if (err)
		return err;
	if (rp->opt->kernel) {
		ask(rp->opt->kernel, &w, &v);
		if (rp->opt->audit && probe)
			rwk_audit_decision(
				rp->opt->audit, m, rp->opt->kernel, &w, &v, &probe->values);
		if (rp->opt->calibrate && w.recorded_source != RWK_UNKNOWN &&
			v.cpu != w.recorded_cpu)
			learn(rp, r, &w, &v);
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
	struct rwk_wakeup w;

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
	return ask_all(rp, &w, &about);
}

/* A new task; its row may not be changed: the model comes to it only later. */
static int decide_fork(struct replay *rp, const struct rwk_feed_item *it)
{
	struct rwk_wakeup_row row = *it->wakeup;

	return decide_slow(rp, &row, RWK_WAKE_FORK, it->ev.ts, it->probe);
}

/* A call of the placement function that no wakeup explains. */
static int decide_exec(struct replay *rp, const struct rwk_feed_item *it)
{
	struct rwk_wakeup_row row;

	if (!rwk_slow_exec(it->probe, rp->old_flags, &row) ||
		!rwk_model_cpu_ok(rp->model, row.cpu) || !rwk_model_cpu_ok(rp->model, row.prev_cpu))
		return 0;
	return decide_slow(rp, &row, RWK_WAKE_EXEC, it->ev.ts, it->probe);
}

/* ---- instants ---- */

static int run_deferred(struct replay *rp, int cpu, rwk_ns ts)
{
	struct deferred *d = &rp->deferred[cpu];
	int err;

	if (!d->waiting)
		return 0;
	d->waiting = false;
	rp->nr_deferred--;
	err = decide(rp, &d->row, ts, NULL);
	if (!err && lands_elsewhere(rp, &d->row) && d->row.target_source != RWK_TARGET_MIGRATE)
		rwk_model_pending_add(rp->model, d->row.target_cpu);
	return err;
}

static int on_waking(struct replay *rp, const struct rwk_feed_item *it)
{
	const struct rwk_wakeup_row *r = it->wakeup;
	struct rwk_task *wakee = rwk_tasks_at(&rp->model->tasks, r->wakee_utid);
	bool decision = r->kind == RWK_KIND_DECISION;
	int err;

	if (decision && it->probe)
		return 0; /* at its entry */
	if (decision && wakee->state == RWK_TASK_RUNNING &&
		rwk_model_task_certain(rp->model, wakee)) {
		rp->deferred[r->cpu] = (struct deferred){.waiting = true, .row = *r};
		rp->nr_deferred++;
		return 0;
	}
	if (decision) {
		err = decide(rp, r, it->ev.ts, NULL);
		if (err)
			return err;
	}
	/* Moved wakees are on their way from the migration on. */
	if (lands_elsewhere(rp, r) && r->target_source != RWK_TARGET_MIGRATE)
		rwk_model_pending_add(rp->model, r->target_cpu);
	return 0;
}

static int on_sel(struct replay *rp, const struct rwk_feed_item *it)
{
	if (!rp->opt->audit)
		rwk_model_hint_probe(rp->model, &it->probe->values, rp->has_idle_scan);
	if (!it->wakeup)
		return decide_exec(rp, it);
	if (it->wakeup->kind == RWK_KIND_NEW)
		return decide_fork(rp, it);
	if (it->wakeup->kind != RWK_KIND_DECISION)
		return 0;
	return decide(rp, it->wakeup, it->ev.ts, it->probe);
}

static void on_sel_ret(struct replay *rp, const struct rwk_feed_item *it)
{
	if (it->wakeup && it->wakeup->kind == RWK_KIND_DECISION && lands_elsewhere(rp, it->wakeup))
		rwk_model_pending_add(rp->model, it->wakeup->target_cpu);
}

static void on_migrate(struct replay *rp, const struct rwk_feed_item *it)
{
	const struct rwk_wakeup_row *r = it->wakeup;

	if (r && !r->probe_seq && r->target_source == RWK_TARGET_MIGRATE && lands_elsewhere(rp, r))
		rwk_model_pending_add(rp->model, r->target_cpu);
}

static void on_new(struct replay *rp, const struct rwk_feed_item *it)
{
	const struct rwk_wakeup_row *r = it->wakeup;
	struct rwk_model *m = rp->model;
	struct rwk_task *child = rwk_tasks_at(&m->tasks, r->wakee_utid);

	if (r->waker_utid != RWK_NONE && (size_t)r->waker_utid <= m->tasks.nr)
		rwk_model_inherit(child, rwk_tasks_at(&m->tasks, r->waker_utid),
			r->prev_cpu != RWK_NONE ? r->prev_cpu : r->cpu);
}

/*
 * A database is outside input: CPUs must be the machine's, and the model must
 * have come to the same task as the rows.
 */
static bool is_consistent(struct replay *rp, const struct rwk_feed_item *it)
{
	const struct rwk_wakeup_row *r = it->wakeup;
	const struct rwk_model *m = rp->model;
	const struct rwk_task *t;

	if (!r)
		return true;
	if (!rwk_model_cpu_ok(m, r->cpu) ||
		(r->target_cpu != RWK_NONE && !rwk_model_cpu_ok(m, r->target_cpu)) ||
		(r->prev_cpu != RWK_NONE && !rwk_model_cpu_ok(m, r->prev_cpu)))
		return false;
	if (it->ev.kind == RWK_EV_SEL || it->ev.kind == RWK_EV_SEL_RET)
		return r->kind == RWK_KIND_NEW ||
		       (r->wakee_utid > 0 && (size_t)r->wakee_utid <= m->tasks.nr);
	t = rwk_tasks_find(&rp->model->tasks,
		it->ev.kind == RWK_EV_MIGRATE ? it->ev.migrate.tid : it->ev.task.tid, RWK_NONE);
	return t && t->utid == it->wakeup->wakee_utid;
}

static int deferred_before(struct replay *rp, const struct rwk_feed_item *it)
{
	/* Whatever the waker's CPU does next, its decision is over. */
	return rwk_model_cpu_ok(rp->model, it->ev.cpu) ? run_deferred(rp, it->ev.cpu, it->ev.ts)
						       : 0;
}

static int deferred_after_switch(struct replay *rp, const struct rwk_feed_item *it)
{
	for (int cpu = 0; cpu < rp->model->nr_cpus; cpu++) {
		const struct deferred *d = &rp->deferred[cpu];
		int err;

		if (!d->waiting || rwk_tasks_at(&rp->model->tasks, d->row.wakee_utid)->state ==
					   RWK_TASK_RUNNING)
			continue;
		err = run_deferred(rp, cpu, it->ev.ts);
		if (err)
			return err;
	}
	return 0;
}

/* Without a probe a new task's sched_wakeup_new is the nearest instant; not yet applied. */
static int fork_before(struct replay *rp, const struct rwk_feed_item *it)
{
	const struct rwk_wakeup_row *r = it->wakeup;

	if (!rwk_model_cpu_ok(rp->model, r->cpu) ||
		(r->prev_cpu != RWK_NONE && !rwk_model_cpu_ok(rp->model, r->prev_cpu)))
		return 0; /* what apply and is_consistent make of it */
	rwk_model_advance(rp->model, it->ev.ts);
	return decide_fork(rp, it);
}

static int step(struct replay *rp, const struct rwk_feed_item *it, struct rwk_diag *diag)
{
	struct rwk_model *m = rp->model;
	int err;

	if (rp->nr_deferred) {
		err = deferred_before(rp, it);
		if (err)
			return err;
	}
	if (it->ev.kind == RWK_EV_WAKEUP && it->wakeup && lands_elsewhere(rp, it->wakeup) &&
		rwk_model_cpu_ok(m, it->wakeup->target_cpu))
		rwk_model_pending_del(m, it->wakeup->target_cpu);
	if (it->ev.kind == RWK_EV_WAKEUP_NEW && it->wakeup && !it->probe) {
		err = fork_before(rp, it);
		if (err)
			return err;
	}
	err = rwk_model_apply(m, &it->ev);
	if (err)
		return err;
	rwk_prices_apply(rp->prices, it);
	if (!is_consistent(rp, it))
		return rwk_diag_push(diag, -EBADMSG,
			"run is inconsistent: wakeup=%lld seq=%lld is not of the task that its "
			"events name",
			(long long)it->wakeup->id, (long long)it->seq);
	switch (it->ev.kind) {
	case RWK_EV_WAKING:
		return it->wakeup ? on_waking(rp, it) : 0;
	case RWK_EV_SEL:
		return on_sel(rp, it);
	case RWK_EV_SEL_RET:
		on_sel_ret(rp, it);
		return 0;
	case RWK_EV_MIGRATE:
		on_migrate(rp, it);
		return 0;
	case RWK_EV_WAKEUP_NEW:
		if (it->wakeup)
			on_new(rp, it);
		return 0;
	case RWK_EV_SWITCH:
		return rp->nr_deferred ? deferred_after_switch(rp, it) : 0;
	default:
		return 0;
	}
}

/* The index of the policy that is also the model of the kernel, or their number. */
static size_t kernel_among(const struct rwk_replay_options *opt)
{
	size_t i = 0;

	while (i < opt->nr_policy &&
		!(opt->kernel && opt->policy[i].policy == opt->kernel->policy &&
			!strcmp(opt->policy[i].params, opt->kernel->params)))
		i++;
	return i;
}

static void conclude(struct replay *rp)
{
	rp->stats.idle_wait_ns = rwk_prices_idle_wait(rp->prices, &rp->stats.nr_idle_waits);
	rp->stats.races = rwk_attribution_races(rp->attribution);
}

int rwk_replay_run(
	const struct rwk_replay_options *opt, struct rwk_diag *diag, struct rwk_replay_stats *ret)
{
	struct rwk_model_options mo = {.machine = opt->machine, .hidden = true};
	struct replay rp = {.opt = opt, .machine = opt->machine};
	struct rwk_feed_item it;
	int err;

	for (size_t i = 0; i < opt->nr_policy; i++)
		rp.needs |= opt->policy[i].policy->needs;
	if (opt->kernel)
		rp.needs |= opt->kernel->policy->needs;
	rp.has_idle_scan =
		rwk_version_cmp(opt->machine->kernel, (struct rwk_version){5, 15, 0}) >= 0;
	rp.direct_counts = !rp.has_idle_scan;
	rp.old_flags = rwk_version_cmp(opt->machine->kernel, (struct rwk_version){5, 11, 0}) < 0;
	rp.has_current_cpu =
		rwk_version_cmp(opt->machine->kernel, (struct rwk_version){6, 6, 0}) >= 0;
	err = rwk_model_create(&mo, diag, &rp.model);
	if (err)
		return err;
	rp.stats.kernel_policy = kernel_among(opt);
	rp.deferred = calloc((size_t)rp.model->nr_cpus + 1, sizeof(*rp.deferred));
	if (!rp.deferred || rwk_prices_create(rp.model->nr_cpus, &rp.prices) ||
		rwk_attribution_create(rp.model->nr_cpus, &rp.attribution)) {
		err = rwk_diag_push(diag, -ENOMEM, "cannot replay: out of memory");
		goto out;
	}
	while ((err = opt->feed.next(opt->feed.ctx, &it, diag)) == 1) {
		err = step(&rp, &it, diag);
		if (err)
			goto out;
		if (rp.stats.kernel_policy < opt->nr_policy)
			rwk_attribution_apply(rp.attribution, rp.model, &it);
		rp.stats.nr_events++;
		if (opt->progress && !(rp.stats.nr_events & 0xffff) &&
			opt->progress(opt->ctx, rp.stats.nr_events)) {
			err = -ECANCELED;
			goto out;
		}
	}
	if (err)
		goto out;
	for (int cpu = 0; cpu < rp.model->nr_cpus && !err; cpu++)
		err = run_deferred(&rp, cpu, rp.model->now);
	if (!err) {
		conclude(&rp);
		*ret = rp.stats;
	}
out:
	rwk_prices_destroy(rp.prices);
	rwk_attribution_destroy(rp.attribution);
	free(rp.deferred);
	rwk_model_destroy(rp.model);
	return err;
}
