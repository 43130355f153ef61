/*
 * A policy to copy.
 *
 *   cc -shared $(pkg-config --cflags rewake) -o mine.so policy_skeleton.c
 *   rewake replay RUN.db -p ./mine.so,prefer=waker
 *   rewake report RUN.db summary
 *
 * rewake-policy(7) has every input.  Where rewake is not installed: -fPIC -Iinclude.
 *
 * Steps: 1. name the reasons for which you choose a CPU, 2. declare parameters,
 * 3. decide from the picture alone, 4. say which unknown inputs you used.
 */
#include <rewake/policy.h>

/* 1. Each answer carries one of these, so that reports can say why policies differ. */
enum reason { PREFERRED_IDLE, OTHER_IDLE, PREFERRED_BUSY, NOT_ALLOWED };
static const char *const reasons[] = {
	[PREFERRED_IDLE] = "preferred_idle",
	[OTHER_IDLE] = "other_idle",
	[PREFERRED_BUSY] = "preferred_busy",
	[NOT_ALLOWED] = "not_allowed",
	NULL,
};

/* 2. The host allocates this, sets the parameters in it and passes it back. */
struct skeleton {
	int prefer; /* index into "prev waker" */
};

static const struct rwk_param params[] = {
	{"prefer", RWK_PARAM_CHOICE, offsetof(struct skeleton, prefer), "prev", 0, 0, "prev waker",
		"which of the two CPUs is tried first"},
	{NULL, 0, 0, NULL, 0, 0, NULL, NULL},
};

/* 4. An idle CPU is only idle if somebody knows. */
static bool is_idle(const struct rwk_wakeup *w, int cpu, struct rwk_verdict *ret)
{
	if (w->cpu[cpu].source == RWK_UNKNOWN)
		ret->unknown |= 1u << RWK_IN_CPU_STATE;
	return w->cpu[cpu].idle && rwk_cpuset_has(&w->allowed, cpu);
}

/* 3. Same picture, same answer: nothing else may be read. */
static void select_cpu(const void *state, const struct rwk_wakeup *w, struct rwk_verdict *ret)
{
	const struct skeleton *s = state;
	int first = s->prefer ? w->this_cpu : w->prev_cpu;
	int second = s->prefer ? w->prev_cpu : w->this_cpu;

	if (is_idle(w, first, ret)) {
		ret->reason = PREFERRED_IDLE;
		ret->cpu = first;
	} else if (is_idle(w, second, ret)) {
		ret->reason = OTHER_IDLE;
		ret->cpu = second;
	} else if (rwk_cpuset_has(&w->allowed, first)) {
		ret->reason = PREFERRED_BUSY;
		ret->cpu = first;
	} else {
		ret->reason = NOT_ALLOWED;
		ret->cpu = rwk_cpuset_next(&w->allowed, 0);
	}
}

const struct rwk_policy rwk_policy_plugin = {
	.api = RWK_POLICY_API,
	.size = sizeof(struct rwk_policy),
	.name = "skeleton",
	.summary = "an idle one of previous and waker CPU",
	.origin = "samples/policy_skeleton.c",
	.base = "none",
	.params = params,
	.reasons = reasons,
	.state_size = sizeof(struct skeleton),
	.select_cpu = select_cpu,
};
