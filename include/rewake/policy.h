/*
 * The policy API: a rule that answers "which CPU for this wakeup?".
 *
 * To add a policy to rewake: write src/policy/<name>.c with one const struct
 * rwk_policy, and name it in src/policy/registry.c.  To try one without
 * rebuilding: compile samples/policy_skeleton.c against these headers with
 * -shared -fPIC and pass -p ./mine.so.
 *
 * A policy sees one read-only picture of the wakeup and nothing else: no
 * clock, no randomness, no state of the replay.  Same picture, same parameters,
 * same answer.
 */
#ifndef REWAKE_POLICY_H
#define REWAKE_POLICY_H

#include <stddef.h>

#include <rewake/machine.h>
#include <rewake/types.h>
#include <rewake/wakeup.h>

#define RWK_POLICY_API 3
/* The symbol that a shared object exports: const struct rwk_policy rwk_policy_plugin. */
#define RWK_POLICY_SYMBOL "rwk_policy_plugin"

/* Inputs a decision may have needed without anybody knowing them. */
enum rwk_input {
	RWK_IN_TOPOLOGY,
	RWK_IN_CPU_STATE, /* idle or nr_running of a CPU on the path */
	RWK_IN_SYNC,
	RWK_IN_AFFINITY,
	RWK_IN_FLIPS,
	RWK_IN_LAST_WAKEE,
	RWK_IN_RECENT_CPU,
	RWK_IN_IDLE_CORES,
	RWK_IN_NR_IDLE_SCAN,
	RWK_IN_LOAD,
	RWK_IN_AVG_RUN,
	RWK_IN_AVG_IDLE,
	RWK_IN_RECORDED,
	RWK_IN_DELAYED,
	RWK_IN_QUEUE, /* who is queued on a CPU: fair tasks, their weights */
	RWK_IN_AVG_OVERLAP,
	RWK_IN_RUN_TOTAL, /* CPU time and sleeps of a task's whole life */
	RWK_IN_SYNC_SHARE, /* how many of a queued task's wakeups were sync */
	RWK_IN_HOT_UNTIL,
	RWK_IN_SLICE,
	RWK_IN_UCLAMP,
	RWK_IN_IDLE_SINCE, /* which idle CPU is the latest to be so */
	RWK_IN_COUNT
};

/* Parts of the picture that are costly, so that only who asks for them finds them there. */
enum rwk_need {
	RWK_NEED_QUEUES = 1 << 0, /* rwk_wakeup.this_queue and .prev_queue */
};

/*
 * What the kernel would have written while deciding like this.  Only the policy
 * that models the recorded kernel has its effects applied; see struct rwk_policy.
 */
enum rwk_effect {
	RWK_EFFECT_RECENT_PREV = 1 << 0, /* wakee.recent_used_cpu := P */
	RWK_EFFECT_RECENT_THIS = 1 << 1, /* waker.recent_used_cpu := T (≤ 5.14) */
	RWK_EFFECT_NO_IDLE_CORES = 1 << 2, /* hint of LLC(target) cleared */
};

/*
 * Something that a decision looked at on its way, with the values it read: for
 * people who ask why.  Texts are static.
 */
struct rwk_step {
	const char *step; /* the rule, by its name in the kernel or in the patch */
	const char *what; /* the question, "previous CPU idle" */
	const char *relation; /* ">=", ">", "<=", "<" or "==": value to limit; NULL: value is a
				 plain yes or no */
	int32_t cpu; /* whose value it is, RWK_NONE: no CPU's */
	int64_t value, limit;
	bool yes; /* the answer */
};

/* Told every step in order, while the decision is made. */
struct rwk_trace {
	void (*step)(void *ctx, const struct rwk_step *step);
	void *ctx;
};

struct rwk_verdict {
	int32_t cpu; /* an allowed CPU, or RWK_NONE: cannot be answered */
	uint16_t reason; /* index into rwk_policy.reasons: the step that answered */
	uint16_t detail; /* index into rwk_policy.details: how the target arose */
	uint32_t unknown; /* bits 1 << enum rwk_input: read on the path while unknown */
	uint32_t effects; /* enum rwk_effect */
	int32_t target; /* CPU around which was searched, RWK_NONE if none */
	/* LLCs by index, other than target's, whose hint is cleared too; below 64 only. */
	uint64_t more_no_idle_cores;
	/* Set by the host: NULL unless somebody wants to be told the steps. */
	const struct rwk_trace *trace;
};

enum rwk_param_type {
	RWK_PARAM_BOOL, /* bool: 0, 1, on, off, yes, no */
	RWK_PARAM_INT, /* int64_t within [min, max] */
	RWK_PARAM_NS, /* rwk_ns: number with ns, us, ms or s; within [min, max] */
	RWK_PARAM_CHOICE, /* int: index into the space-separated words of choices */
	RWK_PARAM_VERSION, /* struct rwk_version: "6.1", "6.12.117" */
};

struct rwk_param {
	const char *name;
	enum rwk_param_type type;
	size_t offset; /* of the value in the policy's state */
	const char *initial; /* text, parsed like the user's; NULL: state stays zero */
	int64_t min, max;
	const char *choices;
	const char *help;
};

/* What is constant over a replay. */
struct rwk_policy_env {
	/*
	 * Of it, the kernel's version, features, tunables and nr_cpu_ids: CPUs may come and go,
	 * so that the rest may differ from what a wakeup's machine says.
	 */
	const struct rwk_machine *machine;
	/*
	 * init() leaves a one-line reason here when it returns non-zero.  Points
	 * to error_size bytes owned by the host.
	 */
	char *error;
	size_t error_size;
};

struct rwk_policy {
	uint32_t api; /* RWK_POLICY_API */
	uint32_t size; /* sizeof(struct rwk_policy) */
	const char *name;
	const char *summary; /* one line */
	const char *origin; /* author, year and subject of the mail or commit */
	const char *base; /* what it is a change to, and what is interpretation */

	/* Arrays end with a NULL name. */
	const struct rwk_param *params; /* NULL: none */
	const char *const *reasons; /* required, at least one */
	const char *const *details; /* NULL: verdict.detail is not used */

	uint32_t needs; /* enum rwk_need */

	/*
	 * Bytes of private state; the host allocates it zeroed, sets the
	 * parameters in it, and passes it to every call.
	 */
	size_t state_size;

	/* Optional: without it, parameters are all the state there is.  0 or non-zero: refuse. */
	int (*init)(void *state, const struct rwk_policy_env *env);
	/*
	 * Required.  Fills *ret (zeroed before but for trace, cpu = target =
	 * RWK_NONE).  Must not keep or write through any pointer in w, nor change
	 * state.  Told or not, the answer is the same.
	 */
	void (*select_cpu)(const void *state, const struct rwk_wakeup *w, struct rwk_verdict *ret);
	/* Optional: without it, nothing is freed but the state itself. */
	void (*finish)(void *state);
};

#endif
