/* Definitions of a short task. */
#include "policy/linux/short_task.h"

#define STEP "short task"

static rwk_ns average(struct walk *k, const struct rwk_task_view *t)
{
	if (t->avg_run_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_AVG_RUN);
	return t->avg_run_ns;
}

/* Whether the average is below limit; one of zero is that of a task which never slept. */
static bool below(struct walk *k, const struct rwk_task_view *t, rwk_ns avg, __int128 limit,
	bool zero_is_short)
{
	bool wakee = t == &k->w->wakee;

	if (!avg && !zero_is_short)
		return walk_ask(
			k, STEP, wakee ? "wakee ever slept" : "waker ever slept", RWK_NONE, false);
	return walk_compare(k, STEP,
		wakee ? "average run of the wakee, ns" : "average run of the waker, ns", RWK_NONE,
		avg, "<", limit < INT64_MAX ? (int64_t)limit : INT64_MAX, avg < limit);
}

bool linux_short_by_average(struct walk *k, const struct rwk_task_view *t, rwk_ns limit)
{
	/* In whole nanoseconds, what is below an eighth is below the eighth rounded up. */
	return below(k, t, average(k, t), ((__int128)limit + 7) / 8, false);
}

bool linux_short_and_steady(struct walk *k, const struct rwk_task_view *t, rwk_ns limit)
{
	if (t->flips_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_FLIPS);
	return walk_compare(k, STEP,
		       t == &k->w->wakee ? "flips of the wakee" : "flips of the waker", RWK_NONE,
		       t->wakee_flips, "==", 0, !t->wakee_flips) &&
	       linux_short_by_average(k, t, limit);
}

bool linux_short_for_llc(
	struct walk *k, const struct rwk_task_view *t, int target, bool zero_is_short)
{
	__int128 size = rwk_machine_llc_size(k->m, target);
	__int128 limit = (__int128)k->r->migration_cost_ns * size * size;

	return below(k, t, average(k, t), (limit + 0xffff) >> 16, zero_is_short);
}

bool linux_wake_each_other(struct walk *k)
{
	const struct rwk_task_view *cur = &k->w->waker, *p = &k->w->wakee;

	if (p->last_wakee_source == RWK_UNKNOWN || cur->last_wakee_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_LAST_WAKEE);
	return walk_ask(k, STEP, "waker and wakee woke each other last", RWK_NONE,
		cur->last_wakee == p->utid && p->last_wakee == cur->utid);
}
