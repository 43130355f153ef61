/* The previous CPU, always; where it is forbidden the kernel's fallback. */
#include <rewake/policy.h>

enum reason { PREV, FALLBACK_MASK };

static const char *const reasons[] = {[PREV] = "prev", [FALLBACK_MASK] = "fallback_mask", NULL};

static void select_cpu(const void *state, const struct rwk_wakeup *w, struct rwk_verdict *ret)
{
	(void)state;
	bool ok = rwk_wakeup_may_use(w, w->prev_cpu);

	ret->reason = ok ? PREV : FALLBACK_MASK;
	ret->cpu = ok ? w->prev_cpu : rwk_wakeup_fallback(w);
	if (ret->cpu == RWK_NONE)
		ret->unknown |= 1u << RWK_IN_AFFINITY;
}

const struct rwk_policy rwk_policy_prev = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "prev",
	.summary = "the previous CPU, whatever runs there",
	.origin = "yardstick",
	.base = "none",
	.reasons = reasons,
	.select_cpu = select_cpu,
};
