/* The picture of a wakeup, taken from the model's state. */
#include "model/picture.h"

#include "model/load.h"

#define SCHED_IDLE_WEIGHT 3 /* design §4.2 */

uint32_t rwk_prio_weight(int32_t prio)
{
	static const uint32_t weights[40] = {88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705,
		14949, 11916, 9548, 7620, 6100, 4904, 3906, 3121, 2501, 1991, 1586, 1277, 1024, 820,
		655, 526, 423, 335, 272, 215, 172, 137, 110, 87, 70, 56, 45, 36, 29, 23, 18, 15};

	return prio >= 100 && prio < 140 ? weights[prio - 100] : 0;
}

uint32_t rwk_task_weight(const struct rwk_task *t)
{
	if (t->idle_cpu != RWK_NONE)
		return 0;
	if (t->is_sched_idle)
		return SCHED_IDLE_WEIGHT;
	return rwk_prio_weight(t->prio == RWK_PRIO_UNKNOWN ? 120 : t->prio);
}

void rwk_model_task_view(
	const struct rwk_model *m, const struct rwk_task *t, struct rwk_task_view *ret)
{
	*ret = (struct rwk_task_view){
		.utid = RWK_NONE, .tid = RWK_NONE, .last_wakee = RWK_NONE, .recent_cpu = RWK_NONE};
	if (!t)
		return;
	ret->utid = t->utid;
	ret->tid = t->tid;
	ret->prio = t->prio;
	ret->weight = t->is_sched_idle ? SCHED_IDLE_WEIGHT : rwk_prio_weight(t->prio);
	ret->is_sched_idle = t->is_sched_idle;
	ret->is_idle = t->idle_cpu != RWK_NONE;
	ret->is_pcpu_kthread = t->is_pcpu_kthread;
	ret->wakee_flips = t->flips;
	ret->flips_source = t->flips_source;
	ret->last_wakee = t->last_wakee;
	ret->last_wakee_source = t->last_wakee_source;
	ret->recent_cpu = t->recent_cpu;
	ret->recent_source = t->recent_source;
	ret->avg_run_ns = t->habit.avg_run_ns;
	ret->avg_run_source = ret->is_idle ? RWK_REBUILT : t->habit.avg_run_source;
	ret->avg_overlap_ns = t->habit.avg_overlap_ns;
	ret->avg_overlap_source = ret->is_idle ? RWK_REBUILT : t->habit.avg_overlap_source;
	ret->run_total_ns = t->habit.run_total_ns;
	ret->nr_sleeps = t->habit.nr_sleeps;
	ret->run_total_source = ret->is_idle ? RWK_REBUILT : t->habit.life_source;
	if (t->habit.run_from != RWK_NS_NONE && !ret->is_idle)
		ret->run_total_ns += m->now - t->habit.run_from;
	/* Slices that a user asked for and clamped capacities are in no recording. */
	ret->uclamp_max = 1024;
	/* The idle task has no load (design §7, item 7). */
	ret->load_source = ret->is_idle ? RWK_REBUILT : rwk_load_source(m, t);
	ret->load_avg = t->pelt.avg.load_avg;
	ret->h_load = rwk_load_h(m, t);
	ret->util_avg = t->pelt.avg.util_avg;
	ret->runnable_avg = t->pelt.avg.runnable_avg;
	ret->util_est = t->pelt.est_last > t->pelt.est_ewma ? t->pelt.est_last : t->pelt.est_ewma;
}

void rwk_model_picture(const struct rwk_model *m, struct rwk_wakeup *ret)
{
	ret->machine = m->machine;
	ret->cpu = m->view;
	ret->llc = m->llc;
	ret->free_cpus = &m->free_cpus;
	ret->unknown_cpus = &m->unknown_cpus;
}
