/*
 * The kernel's placement rules as data: one struct of switches, filled from
 * the version (design §2.12), from the recorded settings, and from the user's
 * parameters.  The debated policies are these rules with one of them changed.
 */
#ifndef SRC_POLICY_LINUX_RULES_H
#define SRC_POLICY_LINUX_RULES_H

#include <rewake/policy.h>

/* Order of the tests in wake_affine_idle (design §2.4, §5.1). */
enum linux_idle_test {
	LINUX_IDLE_V59, /* a, b */
	LINUX_IDLE_LAWALL, /* a, b, c: previous CPU idle */
	LINUX_IDLE_GORMAN, /* cache sharing first, then whichever is idle, previous preferred */
};

enum linux_scan_limit { LINUX_SCAN_UTIL, LINUX_SCAN_PROP, LINUX_SCAN_FULL };

/* Which siblings are tried outside the scan (design §2.6 step 7). */
enum linux_smt { LINUX_SMT_PREV, LINUX_SMT_TARGET };

/* Whose recent_used_cpu is written, and when. */
enum linux_recent { LINUX_RECENT_WAKEE, LINUX_RECENT_WAKER };

struct linux_rules {
	bool wa_idle, wa_weight, wa_bias; /* features */
	bool affine; /* want_affine may be true at all */
	enum linux_idle_test idle_test;
	bool subtract_delayed; /* nr(T) − delayed(T) in the sync test */
	bool current_cpu; /* WF_CURRENT_CPU is honoured */
	enum linux_recent recent;
	bool pcpu_in_task; /* step 3 only in task context */
	bool merged_scan; /* one pass for cores and CPUs, with a fallback thread */
	bool scan_next; /* starts at target + 1 */
	bool core_within_scan; /* core membership tested against the scan mask, not cpus_ptr */
	enum linux_smt smt;
	enum linux_scan_limit scan;
	bool cluster; /* cluster steps where the machine has clusters */
	bool sched_idle_wakee; /* a SCHED_IDLE queue is no place for a SCHED_IDLE wakee */
	bool sync_idle; /* vagin 2022: sync, target is T, T runs only the waker */
	bool sis_sync; /* Chen Yu 2024 */
	bool zero_is_short; /* … a task that never slept counts as short */
	rwk_ns migration_cost_ns;
};

/* Parameters that every policy of the family takes; NULL-terminated through linux_params. */
struct linux_state {
	struct rwk_version version; /* 0.0.0: the recorded kernel's */
	/* Overrides: 0 keep the version's rule, else the choice's index. */
	int lawall, scan, smt, recent, start, delayed, cluster;
	int wa_idle, wa_weight, wa_bias;
	bool raw_nr; /* vagin: count delayed tasks too */
	rwk_ns migration_cost; /* 0: recorded, else the kernel's default */
	bool zero_is_short;
	struct linux_rules rules;
};

extern const struct rwk_param linux_params[];
extern const char *const linux_reasons[];
extern const char *const linux_details[];

/* How the search ended: index into linux_reasons. */
enum linux_reason {
	LINUX_R_TARGET_IDLE,
	LINUX_R_PREV_IDLE,
	LINUX_R_PCPU_KTHREAD,
	LINUX_R_RECENT,
	LINUX_R_SMT,
	LINUX_R_CORE,
	LINUX_R_CORE_FALLBACK,
	LINUX_R_SCAN,
	LINUX_R_SCAN_LIMIT,
	LINUX_R_UTIL0,
	LINUX_R_NONE,
	LINUX_R_CLUSTER_PREV,
	LINUX_R_CURRENT_CPU,
	LINUX_R_SYNC_IDLE,
	LINUX_R_SIS_SYNC,
	LINUX_R_FALLBACK_MASK,
	LINUX_R_NO_LLC,
	LINUX_R_UNANSWERED,
};

/* How the target arose: index into linux_details. */
enum linux_detail {
	LINUX_D_SAME,
	LINUX_D_WIDE,
	LINUX_D_NOAFF,
	LINUX_D_NODOMAIN,
	LINUX_D_WAI_THIS,
	LINUX_D_WAI_SYNC,
	LINUX_D_WAI_PREV,
	LINUX_D_WEIGHT_THIS,
	LINUX_D_WEIGHT_PREV,
	LINUX_D_UNDECIDED_PREV,
};

/*
 * Rules of the version asked for (or recorded), the recorded features and the
 * overrides of state, into state->rules.  Non-zero with env->error when the
 * kernel is unknown or before 5.9, or the version was never read.
 */
int linux_rules_init(struct linux_state *state, const struct rwk_policy_env *env);

#endif
