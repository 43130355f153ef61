/* New tasks and execs as the replay's pictures want them. */
#include "replay/slow.h"

#include "model/picture.h"

#define WF_EXEC 0x02 /* 5.11+ */

void rwk_slow_child(const struct rwk_wakeup_row *r, struct rwk_wakeup *w)
{
	struct rwk_task_view *child = &w->wakee;

	*child = w->waker;
	child->utid = r->wakee_utid;
	child->tid = RWK_NONE;
	child->prio = r->prio;
	child->weight = rwk_prio_weight(r->prio);
	child->is_idle = child->is_exiting = child->is_pcpu_kthread = false;
	child->recent_cpu = w->prev_cpu;
	child->recent_source = RWK_REBUILT;
	child->load_avg = child->h_load = child->weight;
	child->util_avg = child->util_est = child->runnable_avg = 0;
	child->load_source = RWK_REBUILT;
	child->avg_run_ns = child->avg_overlap_ns = child->run_total_ns = 0;
	child->nr_sleeps = 0;
	child->avg_run_source = child->avg_overlap_source = child->run_total_source = RWK_REBUILT;
}

bool rwk_slow_exec(
	const struct rwk_probe_row *probe, bool old_flags, struct rwk_wakeup_row *ret_row)
{
	if (!old_flags && !(probe->values.wake_flags & WF_EXEC))
		return false;
	*ret_row = (struct rwk_wakeup_row){.ts = probe->ts,
		.cpu = probe->cpu,
		.prev_cpu = probe->values.prev_cpu,
		.target_cpu = RWK_NONE,
		.context = RWK_CTX_TASK,
		.sync_source = RWK_PROBED};
	return true;
}
