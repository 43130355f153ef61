/*
 * A task that mostly wakes in sync stands for two: it and the one it is about to
 * make run.  Its load counts twice when somebody else's wakeup compares loads.
 */
#include "policy/linux/walk.h"

struct sync_as_two {
	struct linux_state family;
	rwk_ns window;
	int64_t share;
};

static const struct rwk_param params[] = {
	LINUX_PARAMS,
	{"window", RWK_PARAM_NS, offsetof(struct sync_as_two, window), "100ms", RWK_WAKE_MIX_NS,
		RWK_WAKE_MIX_NS *(RWK_WAKE_MIX_BUCKETS - 1), NULL,
		"how far back a task's wakeups count; to 5ms"},
	{"share", RWK_PARAM_INT, offsetof(struct sync_as_two, share), "50", 0, 100, NULL,
		"percentage of sync wakeups from which a task stands for two"},
	LINUX_PARAMS_END,
};

/* At least share % of the wakeups by its owner in the last window were sync. */
static bool wakes_in_sync(struct walk *k, const struct rwk_wake_mix *mix)
{
	const struct sync_as_two *own = k->state;
	int64_t last = k->w->ts / RWK_WAKE_MIX_NS, nr = own->window / RWK_WAKE_MIX_NS;
	int64_t all = 0, sync = 0, unknown = 0;

	if (!mix)
		return false;
	for (int64_t n = last - nr + 1; n <= last; n++) {
		int64_t i = n % RWK_WAKE_MIX_BUCKETS;

		if (n > mix->newest || n <= mix->newest - RWK_WAKE_MIX_BUCKETS || i < 0)
			continue;
		all += mix->bucket[i].all;
		sync += mix->bucket[i].sync;
		unknown += mix->bucket[i].unknown;
	}
	if (unknown)
		walk_unknown(k, RWK_IN_SYNC_SHARE);
	return all && 100 * sync >= own->share * all;
}

static int64_t doubled_load(struct walk *k, int cpu)
{
	const struct rwk_queue_view *q = cpu == k->this_cpu ? &k->w->this_queue : &k->w->prev_queue;
	int64_t load = k->w->cpu[cpu].load_avg;

	if (q->source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_QUEUE);
	for (int i = 0; i < q->nr; i++) {
		const struct rwk_queued_view *t = &q->task[i];

		/* The one that p is woken by is p's own other half. */
		if (t->utid == k->w->waker.utid || !wakes_in_sync(k, t->mix))
			continue;
		if (t->load_source == RWK_UNKNOWN)
			walk_unknown(k, RWK_IN_LOAD);
		load += t->h_load;
	}
	return load;
}

static int init(void *state, const struct rwk_policy_env *env)
{
	struct linux_state *s = state;
	int err = linux_rules_init(s, env);

	if (err)
		return err;
	s->rules.hook.load = doubled_load;
	return 0;
}

const struct rwk_policy rwk_policy_sync_as_two = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "sync-as-two",
	.summary = "when loads are compared, tasks that mostly wake in sync count twice",
	.origin =
		"Mike Galbraith, 2009, in the review of: sched: Disable affine wakeups by default",
	.base = "the recorded kernel with that load in wake_affine_weight; interpretation of an "
		"idea without a patch: he meant the balancer too",
	.params = params,
	.reasons = linux_reasons,
	.details = linux_details,
	.needs = RWK_NEED_QUEUES,
	.state_size = sizeof(struct sync_as_two),
	.init = init,
	.select_cpu = linux_select_cpu,
};
