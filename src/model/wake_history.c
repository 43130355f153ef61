/*
 * Upkeep of wakee_flips, last_wakee and recent_used_cpu.
 *
 * | event                          | waker                                   | wakee            |
 * |--------------------------------|-----------------------------------------|------------------|
 * | decision of an ordinary wakeup | flips halved if a second passed, then    | –                |
 * |                                | +1 if the wakee is not its last one      |                  |
 * | fork                           | –                                       | copies parent's  |
 * | probe                          | –                                       | kernel's values  |
 */
#include "model/wake_history.h"

bool rwk_model_record_wakee(struct rwk_task *waker, const struct rwk_task *wakee, rwk_ns ts)
{
	bool other;

	if (waker->flip_decay_ts == RWK_NS_NONE) {
		/*
		 * When the kernel last halved the counter is not known for a task
		 * that the recording found alive: assume now, which is at most one
		 * second late.
		 */
		waker->flip_decay_ts = ts;
	} else if (ts - waker->flip_decay_ts > RWK_FLIP_DECAY_NS) {
		waker->flips >>= 1;
		waker->flip_decay_ts = ts;
	}
	other = waker->last_wakee != wakee->utid || waker->last_wakee_source == RWK_UNKNOWN;
	if (other) {
		waker->last_wakee = wakee->utid;
		waker->last_wakee_source = RWK_REBUILT;
		waker->flips++;
	}
	if (waker->flips_source == RWK_PROBED)
		waker->flips_source = RWK_REBUILT;
	return other;
}

void rwk_model_inherit(struct rwk_task *child, const struct rwk_task *parent, int born_cpu)
{
	child->flips = parent->flips;
	child->flips_source = parent->flips_source;
	child->flip_decay_ts = parent->flip_decay_ts;
	child->last_wakee = parent->last_wakee;
	child->last_wakee_source = parent->last_wakee_source;
	child->recent_cpu = born_cpu;
	child->recent_source = RWK_REBUILT;
}

void rwk_model_adopt_probe(
	struct rwk_model *m, struct rwk_task *wakee, const struct rwk_ev_probe *probe, rwk_ns ts)
{
	const struct rwk_task *last = NULL;

	(void)ts;
	if (!probe->has_hidden)
		return;
	wakee->flips = (uint32_t)probe->flips;
	wakee->flips_source = RWK_PROBED;
	wakee->recent_cpu = probe->recent_cpu;
	wakee->recent_source = RWK_PROBED;
	/* 0 says nobody yet, or an idle task: which CPU's cannot be told. */
	if (probe->last_wakee_tid > 0)
		last = rwk_tasks_find(&m->tasks, probe->last_wakee_tid, RWK_NONE);
	if (last) {
		wakee->last_wakee = last->utid;
		wakee->last_wakee_source = RWK_PROBED;
	} else {
		/* A task that the recording never names is none of those it does. */
		wakee->last_wakee = RWK_NONE;
		wakee->last_wakee_source = RWK_PROBED;
	}
}
