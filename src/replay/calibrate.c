/* One hidden value at a time, tried until the kernel's answer comes out. */
#include "replay/calibrate.h"

#include <string.h>

#define MAX_LLC 128 /* LLCs of a picture that can be varied; larger machines keep their hints */

/* The rebuilt scan limit is within one of the truth nearly always (fidelity §3): more is no
 * explanation. */
#define SCAN_REACH 2

struct trial {
	struct rwk_model *model;
	const struct rwk_policy_instance *kernel;
	struct rwk_wakeup w; /* varied copy */
	struct rwk_llc_view llc[MAX_LLC];
	struct rwk_verdict v;
};

static bool agrees(struct trial *t)
{
	t->v = (struct rwk_verdict){.cpu = RWK_NONE, .target = RWK_NONE};
	t->kernel->policy->select_cpu(t->kernel->state, &t->w, &t->v);
	return t->v.cpu == t->w.recorded_cpu;
}

static struct rwk_task *task(struct trial *t, int32_t utid)
{
	return utid > 0 && (size_t)utid <= t->model->tasks.nr ? rwk_tasks_at(&t->model->tasks, utid)
							      : NULL;
}

/* A value that was probed is not doubted. */
static bool is_soft(uint8_t source)
{
	return source != RWK_PROBED;
}

static bool try_recent(struct trial *t, const struct rwk_wakeup *w, bool adopt)
{
	struct rwk_task *wakee = task(t, w->wakee.utid);

	if (!is_soft(w->wakee.recent_source) || w->recorded_cpu == w->wakee.recent_cpu)
		return false;
	t->w.wakee.recent_cpu = w->recorded_cpu;
	if (!agrees(t)) {
		/* Or the one that was believed in was not it. */
		t->w.wakee.recent_cpu = w->prev_cpu;
		if (!agrees(t)) {
			t->w.wakee.recent_cpu = w->wakee.recent_cpu;
			return false;
		}
	}
	if (adopt && wakee) {
		wakee->recent_cpu = t->w.wakee.recent_cpu;
		wakee->recent_source = RWK_CALIBRATED;
	}
	return true;
}

static bool try_idle_scan(struct trial *t, const struct rwk_wakeup *w, const struct rwk_verdict *v,
	int reach, bool adopt)
{
	int llc = v->target >= 0 ? w->machine->cpu[v->target].llc : RWK_NONE;
	int size, was;

	if (llc == RWK_NONE || llc >= MAX_LLC || !is_soft(w->llc[llc].nr_idle_scan_source))
		return false;
	size = w->machine->llc[llc].size;
	was = w->llc[llc].nr_idle_scan;
	t->llc[llc].nr_idle_scan_source = RWK_CALIBRATED;
	for (int step = 1; step <= reach; step++) {
		for (int sign = -1; sign <= 1; sign += 2) {
			int n = was + sign * step;

			if (n < 0 || n > size)
				continue;
			t->llc[llc].nr_idle_scan = n;
			if (!agrees(t))
				continue;
			if (adopt) {
				t->model->llc[llc].nr_idle_scan = n;
				t->model->llc[llc].nr_idle_scan_source = RWK_CALIBRATED;
				t->model->scan_ts[llc] = t->model->now;
			}
			return true;
		}
	}
	t->llc[llc] = w->llc[llc];
	return false;
}

static void adopt_flips(struct trial *t, int32_t utid, uint32_t flips)
{
	struct rwk_task *x = task(t, utid);

	if (!x || x->flips == flips || x->flips_source == RWK_PROBED)
		return;
	x->flips = flips;
	x->flips_source = RWK_CALIBRATED;
}

/*
 * Wide or not wide: the least change of the two counters that turns the rule
 * m >= s·f and s >= f over.
 */
static bool try_flips(struct trial *t, const struct rwk_wakeup *w, bool adopt)
{
	uint32_t f = (uint32_t)rwk_machine_llc_size(w->machine, w->this_cpu);
	struct rwk_task_view *most = &t->w.waker, *least = &t->w.wakee;
	bool wide;

	if (!is_soft(w->waker.flips_source) && !is_soft(w->wakee.flips_source))
		return false;
	if (most->wakee_flips < least->wakee_flips) {
		most = &t->w.wakee;
		least = &t->w.waker;
	}
	wide = least->wakee_flips >= f && most->wakee_flips >= least->wakee_flips * f;
	if (wide && is_soft(least->flips_source)) {
		least->wakee_flips = f - 1;
	} else if (!wide) {
		if (least->wakee_flips < f && is_soft(least->flips_source))
			least->wakee_flips = f;
		if (most->wakee_flips < least->wakee_flips * f && is_soft(most->flips_source))
			most->wakee_flips = least->wakee_flips * f;
	}
	if (!agrees(t)) {
		t->w.waker.wakee_flips = w->waker.wakee_flips;
		t->w.wakee.wakee_flips = w->wakee.wakee_flips;
		return false;
	}
	if (adopt) {
		adopt_flips(t, w->waker.utid, t->w.waker.wakee_flips);
		adopt_flips(t, w->wakee.utid, t->w.wakee.wakee_flips);
	}
	return true;
}

static bool try_idle_cores(
	struct trial *t, const struct rwk_wakeup *w, const struct rwk_verdict *v, bool adopt)
{
	int llc = v->target >= 0 ? w->machine->cpu[v->target].llc : RWK_NONE;

	if (!w->machine->smt_active || llc == RWK_NONE || llc >= MAX_LLC ||
		!is_soft(w->llc[llc].has_idle_cores_source))
		return false;
	t->llc[llc].has_idle_cores = !w->llc[llc].has_idle_cores;
	if (!agrees(t)) {
		t->llc[llc] = w->llc[llc];
		return false;
	}
	if (adopt) {
		t->model->llc[llc].has_idle_cores = t->llc[llc].has_idle_cores;
		t->model->llc[llc].has_idle_cores_source = RWK_CALIBRATED;
	}
	return true;
}

/* Nothing to adopt: the next wakeup has its own hint. */
static bool try_sync(struct trial *t, const struct rwk_wakeup *w)
{
	if (!is_soft(w->sync_source))
		return false;
	t->w.sync = !w->sync;
	if (agrees(t))
		return true;
	t->w.sync = w->sync;
	return false;
}

static enum rwk_hidden explain(
	struct trial *t, const struct rwk_wakeup *w, const struct rwk_verdict *v, bool adopt)
{
	bool flips_unknown =
		w->waker.flips_source == RWK_UNKNOWN || w->wakee.flips_source == RWK_UNKNOWN;

	/* What was never known is the first suspect, then a guessed hint, then what is known less
	 * well. */
	if (w->wakee.recent_source == RWK_UNKNOWN && try_recent(t, w, adopt))
		return RWK_HIDDEN_RECENT;
	if (flips_unknown && try_flips(t, w, adopt))
		return RWK_HIDDEN_FLIPS;
	if (w->sync_source == RWK_INFERRED && try_sync(t, w))
		return RWK_HIDDEN_SYNC;
	if (try_idle_scan(t, w, v, SCAN_REACH, adopt))
		return RWK_HIDDEN_IDLE_SCAN;
	if (!flips_unknown && try_flips(t, w, adopt))
		return RWK_HIDDEN_FLIPS;
	if (try_idle_cores(t, w, v, adopt))
		return RWK_HIDDEN_IDLE_CORES;
	/* Once known it follows from rules alone: it may explain, but is not overruled. */
	if (try_recent(t, w, false))
		return RWK_HIDDEN_RECENT;
	return RWK_HIDDEN_NONE;
}

enum rwk_hidden rwk_calibrate(struct rwk_model *m, const struct rwk_policy_instance *kernel,
	const struct rwk_wakeup *w, bool adopt, struct rwk_verdict *v)
{
	struct trial t = {.model = m, .kernel = kernel, .w = *w};
	enum rwk_hidden which;

	if (w->machine->nr_llc <= MAX_LLC) {
		memcpy(t.llc, w->llc, (size_t)w->machine->nr_llc * sizeof(t.llc[0]));
		t.w.llc = t.llc;
	} else {
		return RWK_HIDDEN_NONE;
	}
	which = explain(&t, w, v, adopt);
	if (which != RWK_HIDDEN_NONE && adopt)
		*v = t.v;
	return which;
}
