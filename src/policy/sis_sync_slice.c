/*
 * The first posting of sis-sync: no mutual test, but both tasks must be declared
 * short by their users, with a slice below the base slice.
 */
#include "policy/linux/short_task.h"

struct sis_sync_slice {
	struct linux_state family;
	bool shortened;
};

static const struct rwk_param params[] = {
	LINUX_PARAMS,
	LINUX_PARAM_MIGRATION_COST,
	{"shortened", RWK_PARAM_BOOL, offsetof(struct sis_sync_slice, shortened), "0", 0, 1, NULL,
		"take slices that nobody knows for shortened; else for the base slice"},
	LINUX_PARAMS_END,
};

#define STEP "SIS_SYNC"

static bool is_short(struct walk *k, const struct rwk_task_view *t, int target)
{
	const struct sis_sync_slice *own = k->state;
	bool shortened = t->short_slice;

	if (!linux_short_for_llc(k, t, target, true))
		return false;
	if (t->short_slice_source == RWK_UNKNOWN) {
		walk_unknown(k, RWK_IN_SLICE);
		shortened = own->shortened;
	}
	return walk_ask(k, STEP,
		t == &k->w->wakee ? "wakee asked for short slices" : "waker asked for short slices",
		RWK_NONE, shortened);
}

static int stay_on_target(struct walk *k, const struct linux_scan *s)
{
	if (!walk_ask(k, STEP, "target is the waker's CPU, no core idle, and the wakeup sync",
		    s->target, !s->idle_cores && s->target == k->this_cpu && walk_sync(k)) ||
		!walk_alone(k, STEP, s->target) || !is_short(k, &k->w->wakee, s->target) ||
		!is_short(k, &k->w->waker, s->target))
		return RWK_NONE;
	return walk_found(k, s->target, LINUX_R_SIS_SYNC);
}

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.hook.before_scan = stay_on_target;
	return 0;
}

const struct rwk_policy rwk_policy_sis_sync_slice = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "sis-sync-slice",
	.summary = "sync wakeups between short tasks with a shortened slice stay on the waker CPU",
	.origin = "Chen Yu, May 2024: the posting before sched/fair: Introduce SIS_SYNC",
	.base = "the recorded kernel plus the hook of sis-sync; slices are in no recording so far: "
		"without shortened=1 it is the base, and says so",
	.params = params,
	.reasons = linux_reasons,
	.details = linux_details,
	.state_size = sizeof(struct sis_sync_slice),
	.init = init,
	.select_cpu = linux_select_cpu,
};
