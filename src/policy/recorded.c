/*
 * What the kernel did: the identity check of a replay, which must agree with
 * itself on every decision.
 */
#include <rewake/policy.h>

enum reason { RECORDED, UNKNOWN };

static const char *const reasons[] = {[RECORDED] = "recorded", [UNKNOWN] = "unknown", NULL};

static void select_cpu(const void *state, const struct rwk_wakeup *w, struct rwk_verdict *ret)
{
	(void)state;
	if (w->recorded_source == RWK_UNKNOWN) {
		ret->reason = UNKNOWN;
		ret->unknown |= 1u << RWK_IN_RECORDED;
		return;
	}
	ret->reason = RECORDED;
	ret->cpu = w->recorded_cpu;
}

const struct rwk_policy rwk_policy_recorded = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "recorded",
	.summary = "the CPU that the kernel chose",
	.origin = "the recording",
	.base = "none",
	.reasons = reasons,
	.select_cpu = select_cpu,
};
