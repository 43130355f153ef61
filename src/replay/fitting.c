/* What a decision tells the fit of beginnings, or takes from it. */
#include "model/wake_history.h"
#include "replay/private.h"

static int meet(struct replay *rp, struct rwk_task *t, rwk_ns ts)
{
	if (rp->opt->collect)
		return rwk_fit_meet(rp->opt->collect, t->utid, ts);
	if (rp->opt->begin)
		rwk_fit_begin_task(rp->opt->begin, t, ts);
	return 0;
}

int rp_record_wakee(struct replay *rp, struct rwk_task *waker, struct rwk_task *wakee, rwk_ns ts)
{
	int err = meet(rp, wakee, ts);
	bool other;

	if (err || !waker)
		return err;
	err = meet(rp, waker, ts);
	if (err)
		return err;
	other = rwk_model_record_wakee(waker, wakee, ts);
	if (rp->opt->collect)
		rwk_fit_wakes(rp->opt->collect, waker->utid, ts, other);
	return 0;
}

int rp_inherit(
	struct replay *rp, struct rwk_task *child, struct rwk_task *parent, int cpu, rwk_ns ts)
{
	int err = meet(rp, parent, ts);

	if (err)
		return err;
	rwk_model_inherit(child, parent, cpu);
	return rp->opt->collect ? rwk_fit_inherit(rp->opt->collect, child->utid, parent->utid) : 0;
}

static int answer_if(
	struct replay *rp, struct rwk_wakeup *w, uint32_t waker_flips, uint32_t wakee_flips)
{
	struct rwk_verdict v = {.cpu = RWK_NONE, .target = RWK_NONE};

	w->waker.wakee_flips = waker_flips;
	w->wakee.wakee_flips = wakee_flips;
	w->waker.flips_source = w->wakee.flips_source = RWK_INFERRED;
	rp->opt->kernel->policy->select_cpu(rp->opt->kernel->state, w, &v);
	return v.cpu;
}

int rp_collect(struct replay *rp, const struct rwk_wakeup *w)
{
	uint32_t factor = (uint32_t)rwk_machine_llc_size(rp->machine, w->this_cpu);
	struct rwk_wakeup trial = *w;
	int wide, narrow;

	if (w->waker.flips_source == RWK_PROBED && w->wakee.flips_source == RWK_PROBED)
		return 0;
	wide = answer_if(rp, &trial, factor * factor, factor);
	narrow = answer_if(rp, &trial, 0, 0);
	if ((wide == w->recorded_cpu) == (narrow == w->recorded_cpu))
		return 0;
	return rwk_fit_outcome(
		rp->opt->collect, w->waker.utid, w->wakee.utid, factor, wide == w->recorded_cpu);
}
