/* Definitions of a short task. */
#include "policy/linux/short_task.h"

static rwk_ns average(struct walk *k, const struct rwk_task_view *t)
{
	if (t->avg_run_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_AVG_RUN);
	return t->avg_run_ns;
}

bool linux_short_by_average(struct walk *k, const struct rwk_task_view *t, rwk_ns limit)
{
	rwk_ns avg = average(k, t);

	return avg && (__int128)avg * 8 < limit;
}

bool linux_short_and_steady(struct walk *k, const struct rwk_task_view *t, rwk_ns limit)
{
	if (t->flips_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_FLIPS);
	return !t->wakee_flips && linux_short_by_average(k, t, limit);
}

bool linux_short_for_llc(
	struct walk *k, const struct rwk_task_view *t, int target, bool zero_is_short)
{
	__int128 size = rwk_machine_llc_size(k->m, target);
	rwk_ns avg = average(k, t);

	if (!avg && !zero_is_short)
		return false;
	return (__int128)avg << 16 < (__int128)k->r->migration_cost_ns * size * size;
}

bool linux_wake_each_other(struct walk *k)
{
	const struct rwk_task_view *cur = &k->w->waker, *p = &k->w->wakee;

	if (p->last_wakee_source == RWK_UNKNOWN || cur->last_wakee_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_LAST_WAKEE);
	return cur->last_wakee == p->utid && p->last_wakee == cur->utid;
}
