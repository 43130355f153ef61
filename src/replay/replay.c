/*
 * The replay loop.  Decision instants: the probed entry of the placement
 * function; without a probe the sched_waking, or the wakee's switch-out when
 * it was still on its CPU (the waker spins until then).
 */
#include "replay/replay.h"

#include <errno.h>
#include <stdlib.h>

#include "model/hints.h"
#include "replay/private.h"

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

static int run_deferred(struct replay *rp, int cpu, rwk_ns ts)
{
	struct deferred *d = &rp->deferred[cpu];
	int err;

	if (!d->waiting)
		return 0;
	d->waiting = false;
	rp->nr_deferred--;
	err = rp_decide(rp, &d->row, ts, NULL);
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
		err = rp_decide(rp, r, it->ev.ts, NULL);
		if (err)
			return err;
	}
	/* Moved wakees are on their way from the migration on. */
	if (lands_elsewhere(rp, r) && r->target_source != RWK_TARGET_MIGRATE)
		rwk_model_pending_add(rp->model, r->target_cpu);
	return 0;
}

static int decide_probed(struct replay *rp, const struct rwk_feed_item *it)
{
	if (!rp->opt->audit)
		rwk_model_hint_probe(rp->model, &it->probe->values, rp->has_idle_scan);
	if (!it->wakeup)
		return rp_decide_exec(rp, it);
	if (it->wakeup->kind == RWK_KIND_NEW)
		return rp_decide_fork(rp, it);
	if (it->wakeup->kind != RWK_KIND_DECISION)
		return 0;
	return rp_decide(rp, it->wakeup, it->ev.ts, it->probe);
}

static int on_sel(struct replay *rp, const struct rwk_feed_item *it)
{
	int err = it->nr_probed && !rp->probed ? rwk_probed_create(rp->model->nr_cpus, &rp->probed)
					       : 0;

	if (err)
		return err;
	rp->probed_cpu = it->probed;
	rp->nr_probed = it->nr_probed;
	err = decide_probed(rp, it);
	rp->nr_probed = 0;
	return err;
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

static int on_new(struct replay *rp, const struct rwk_feed_item *it)
{
	const struct rwk_wakeup_row *r = it->wakeup;
	struct rwk_model *m = rp->model;
	struct rwk_task *child = rwk_tasks_at(&m->tasks, r->wakee_utid);

	if (r->waker_utid != RWK_NONE && (size_t)r->waker_utid <= m->tasks.nr)
		return rp_inherit(rp, child, rwk_tasks_at(&m->tasks, r->waker_utid),
			r->prev_cpu != RWK_NONE ? r->prev_cpu : r->cpu, it->ev.ts);
	return 0;
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
	return rp_decide_fork(rp, it);
}

static int step(struct replay *rp, const struct rwk_feed_item *it, struct rwk_diag *diag)
{
	struct rwk_model *m = rp->model;
	int err = rp_follow_machine(rp, it->ev.ts, diag);

	if (err)
		return err;
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
	if (rp->elsewhere)
		rwk_elsewhere_apply(rp->elsewhere, m, &it->ev);
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
		return it->wakeup ? on_new(rp, it) : 0;
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
		!(opt->kernel && !opt->elsewhere && opt->policy[i].policy == opt->kernel->policy &&
			!strcmp(opt->policy[i].params, opt->kernel->params)))
		i++;
	return i;
}

static void conclude(struct replay *rp)
{
	rp->stats.idle_wait_ns = rwk_prices_idle_wait(rp->prices, &rp->stats.nr_idle_waits);
	rp->stats.races = rwk_attribution_races(rp->attribution);
}

/* The snapshot knows the policy of tasks that it met. */
static int find_sched_idle(const struct rwk_replay_options *opt, bool **ret)
{
	*ret = calloc(opt->nr_task + 1, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	for (size_t i = 0; i < opt->nr_task; i++)
		(*ret)[i] = opt->task[i].policy == RWK_SCHED_IDLE;
	return 0;
}

int rwk_replay_run(
	const struct rwk_replay_options *opt, struct rwk_diag *diag, struct rwk_replay_stats *ret)
{
	struct rwk_model_options mo = {
		.machine = opt->machine, .hidden = true, .groups = opt->groups};
	bool *sched_idle = NULL;
	struct replay rp = {
		.opt = opt,
	};
	struct rwk_feed_item it;
	int err;

	rp_set_machine(&rp, opt->machine);
	for (size_t i = 0; i < opt->nr_policy; i++)
		rp.needs |= opt->policy[i].policy->needs;
	if (opt->kernel)
		rp.needs |= opt->kernel->policy->needs;
	rp.has_idle_scan = rwk_has_idle_scan(opt->machine->kernel);
	rp.direct_counts = !rp.has_idle_scan;
	rp.old_flags = rwk_version_cmp(opt->machine->kernel, (struct rwk_version){5, 11, 0}) < 0;
	rp.has_current_cpu =
		rwk_version_cmp(opt->machine->kernel, (struct rwk_version){6, 6, 0}) >= 0;
	err = find_sched_idle(opt, &sched_idle);
	if (err)
		return rwk_diag_push(diag, err, "cannot replay: out of memory");
	mo.sched_idle = sched_idle;
	mo.nr_sched_idle = opt->nr_task;
	err = rwk_model_create(&mo, diag, &rp.model);
	if (err)
		goto out;
	rp.stats.kernel_policy = kernel_among(opt);
	rp.deferred = calloc((size_t)rp.model->nr_cpus + 1, sizeof(*rp.deferred));
	if (!rp.deferred || rwk_prices_create(rp.model->nr_cpus, &rp.prices) ||
		rwk_attribution_create(rp.model->nr_cpus, &rp.attribution) ||
		(opt->elsewhere && rwk_elsewhere_create(opt->elsewhere, rp.model,
					   opt->kernel_elsewhere, &rp.elsewhere))) {
		err = rwk_diag_push(diag, -ENOMEM, "cannot replay: out of memory");
		goto out;
	}
	for (int cpu = 0; opt->look && cpu < rp.model->nr_cpus; cpu++) {
		if (rwk_first_look_idle(opt->look, cpu))
			rwk_model_assume_idle(rp.model, cpu);
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
	rwk_elsewhere_destroy(rp.elsewhere);
	rwk_probed_destroy(rp.probed);
	free(rp.deferred);
	rwk_model_destroy(rp.model);
	free(sched_idle);
	return err;
}
