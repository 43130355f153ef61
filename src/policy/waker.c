/* The CPU of the waker, always; the previous one where that is forbidden. */
#include <rewake/policy.h>

enum reason { WAKER, PREV, FALLBACK_MASK };

static const char *const reasons[] = {
	[WAKER] = "waker", [PREV] = "prev", [FALLBACK_MASK] = "fallback_mask", NULL};

static void select_cpu(const void *state, const struct rwk_wakeup *w, struct rwk_verdict *ret)
{
	(void)state;
	if (rwk_wakeup_may_use(w, w->this_cpu)) {
		ret->reason = WAKER;
		ret->cpu = w->this_cpu;
	} else if (rwk_wakeup_may_use(w, w->prev_cpu)) {
		ret->reason = PREV;
		ret->cpu = w->prev_cpu;
	} else {
		ret->reason = FALLBACK_MASK;
		ret->cpu = rwk_wakeup_fallback(w);
		if (ret->cpu == RWK_NONE)
			ret->unknown |= 1u << RWK_IN_AFFINITY;
	}
}

const struct rwk_policy rwk_policy_waker = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "waker",
	.summary = "the CPU of the waker, whatever else runs there",
	.origin = "yardstick",
	.base = "none",
	.reasons = reasons,
	.select_cpu = select_cpu,
};
