/*
 * The kernel's placement rules as data: one struct of switches, filled from
 * the version (design §2.12), from the recorded settings, and from the user's
 * parameters.  The debated policies are these rules with a switch changed or a
 * hook set.
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
enum linux_smt { LINUX_SMT_PREV, LINUX_SMT_TARGET, LINUX_SMT_NONE };

/* Whose recent_used_cpu is written, and when. */
enum linux_recent { LINUX_RECENT_WAKEE, LINUX_RECENT_WAKER };

/* CPUs of different capacity (design §2.8). */
struct linux_asym_rules {
	bool first; /* before every other step, which then do not ask whether p fits */
	bool uclamp_aware; /* util_fits_cpu; else the clamped utilisation must fit */
	bool ranked; /* among CPUs that do not fit, a missed uclamp_min alone is better */
	bool whole_core; /* fitting needs idle siblings; the scan is limited and prefers cores */
};

/* The kernels of 2009 (design §2.11); nothing of the later rules holds then. */
struct linux_2009_rules {
	bool active;
	bool idle_candidate; /* 2.6.32: an idle CPU of the package stands in for the waker's */
	bool smt_balance; /* SMT domains: no affine wakeups, but wake balancing */
	bool sync_less, sync_more; /* features */
};

/* When a new task stays on its node although it has a CPU to spare (design §2.9). */
enum linux_numa_stay {
	LINUX_STAY_ANY_IDLE, /* the node has an idle CPU */
	LINUX_STAY_QUARTER, /* fewer tasks run there than a quarter of the domain's CPUs */
	LINUX_STAY_QUARTER_NODE, /* one more is fewer than a quarter of the node's CPUs */
	LINUX_STAY_LLCS, /* with one more at most imb_numa_nr */
	LINUX_STAY_LLCS_EVEN, /* and the other node has at most two idle CPUs more or fewer */
};

/* The slow path: finding the idlest CPU. */
struct linux_slow_rules {
	bool allowed_only; /* groups count their allowed CPUs only */
	enum linux_numa_stay numa_stay;
	bool narrow_numa; /* imb_numa_nr is at most the allowed CPUs of the node */
};

struct walk;

/* The idle scan, once its limit is known. */
struct linux_scan {
	int target;
	bool idle_cores; /* [h] */
	int64_t left; /* CPUs that may still be looked at, plus one; LINUX_NO_LIMIT */
};
#define LINUX_NO_LIMIT INT64_MAX

/*
 * Places where a policy may step in.  Each is optional and returns a CPU, or
 * RWK_NONE for "go on as the kernel would"; the policy sets the reason.
 */
struct linux_hooks {
	int (*first)(struct walk *k); /* before the target is chosen */
	/* In wake_affine_idle: beside the sync test, and as the last test of all. */
	bool (*attracts)(struct walk *k);
	bool (*attracts_late)(struct walk *k);
	int64_t (*load)(struct walk *k, int cpu); /* instead of [L(c)] in the load comparison */
	int (*before_search)(struct walk *k, int target);
	int (*before_scan)(struct walk *k, const struct linux_scan *s);
	/* An idle CPU that the scan should leave alone while it finds another. */
	bool (*spares)(struct walk *k, int cpu);
	int (*after_search)(struct walk *k, int target); /* nothing idle around target */
};

struct linux_rules {
	bool wa_idle, wa_weight, wa_bias, sis_util, sis_prop; /* features */
	bool affine; /* want_affine may be true at all */
	uint32_t affine_skips; /* domains with one of these flags never join T and P */
	enum linux_idle_test idle_test;
	bool subtract_delayed; /* nr(T) − delayed(T) in the sync test */
	bool current_cpu; /* WF_CURRENT_CPU is honoured */
	enum linux_recent recent;
	bool pcpu_in_task; /* step 3 only in task context */
	bool merged_scan; /* one pass for cores and CPUs, with a fallback thread */
	bool scan_next; /* starts at target + 1 */
	bool core_within_scan; /* core membership tested against the scan mask, not cpus_ptr */
	enum linux_smt smt;
	enum linux_scan_limit scan; /* from the features, unless the user says it */
	bool cluster; /* cluster steps where the machine has clusters */
	bool sched_idle_wakee; /* a SCHED_IDLE queue is no place for a SCHED_IDLE wakee */
	struct linux_asym_rules asym;
	struct linux_slow_rules slow;
	struct linux_2009_rules y2009;
	rwk_ns migration_cost_ns, min_granularity_ns;
	struct linux_hooks hook;
};

/* Starts the state of every policy of the family; parameters first. */
struct linux_state {
	struct rwk_version version; /* 0.0.0: the recorded kernel's */
	/* Overrides: 0 keep the version's rule, else the choice's index. */
	int lawall, scan, smt, recent, start, delayed, cluster, idlepolicy;
	int wa_idle, wa_weight, wa_bias, sis_util, sis_prop;
	rwk_ns migration_cost; /* 0: recorded, else the kernel's default */
	rwk_ns min_granularity; /* the same */
	struct linux_rules rules;
};

/*
 * Rows of a policy's parameters: those of every policy of the family, those that
 * some add, and the end.
 */
#define LINUX_PARAM_01(member, help)                                                               \
	{                                                                                          \
#member, RWK_PARAM_CHOICE, offsetof(struct linux_state, member), "keep", 0, 0,     \
			"keep 0 1", help                                                           \
	}
#define LINUX_PARAM_CHOICE(member, choices, help)                                                  \
	{                                                                                          \
#member, RWK_PARAM_CHOICE, offsetof(struct linux_state, member), "keep", 0, 0,     \
			choices, help                                                              \
	}
#define LINUX_PARAMS                                                                               \
	{"version", RWK_PARAM_VERSION, offsetof(struct linux_state, version), NULL, 0, 0, NULL,    \
		"kernel whose rules are the base; default: the recorded one"},                     \
		LINUX_PARAM_01(lawall, "previous-CPU-idle test in wake_affine_idle (5.11+)"),      \
		LINUX_PARAM_CHOICE(scan, "keep util prop full", "limit of the idle CPU scan"),     \
		LINUX_PARAM_CHOICE(smt, "keep prev target", "whose hardware siblings are tried"),  \
		LINUX_PARAM_CHOICE(recent, "keep wakee waker", "who remembers recent_used_cpu"),   \
		LINUX_PARAM_01(start, "scan starts at target+0 or target+1"),                      \
		LINUX_PARAM_CHOICE(delayed, "keep raw adjusted",                                   \
			"sync test counts tasks in delayed dequeue, or not"),                      \
		LINUX_PARAM_01(cluster, "cluster steps (6.7+)"),                                   \
		LINUX_PARAM_01(idlepolicy,                                                         \
			"a SCHED_IDLE wakee does not take a CPU that runs SCHED_IDLE (7.0+)"),     \
		LINUX_PARAM_01(wa_idle, "feature WA_IDLE; default: as recorded"),                  \
		LINUX_PARAM_01(wa_weight, "feature WA_WEIGHT; default: as recorded"),              \
		LINUX_PARAM_01(wa_bias, "feature WA_BIAS; default: as recorded"),                  \
		LINUX_PARAM_01(sis_util, "feature SIS_UTIL; default: as recorded"),                \
		LINUX_PARAM_01(sis_prop, "feature SIS_PROP; default: as recorded")
#define LINUX_PARAM_MIGRATION_COST                                                                 \
	{                                                                                          \
		"migration_cost", RWK_PARAM_NS, offsetof(struct linux_state, migration_cost), "0", \
			0, INT64_MAX, NULL,                                                        \
			"tunable migration_cost_ns; 0: as recorded, else 0.5ms"                    \
	}
#define LINUX_PARAM_MIN_GRANULARITY                                                                \
	{                                                                                          \
		"min_granularity", RWK_PARAM_NS, offsetof(struct linux_state, min_granularity),    \
			"0", 0, INT64_MAX, NULL,                                                   \
			"tunable min_granularity_ns; 0: as recorded, else 0.75ms scaled by CPUs"   \
	}
#define LINUX_PARAMS_END                                                                           \
	{                                                                                          \
		NULL, 0, 0, NULL, 0, 0, NULL, NULL                                                 \
	}

extern const struct rwk_param linux_params[]; /* LINUX_PARAMS and nothing else */
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
	LINUX_R_ASYM, /* idle, of the capacity domain */
	LINUX_R_SHORT, /* short tasks stay together */
	LINUX_R_NODE, /* another LLC of the node */
	LINUX_R_NODE_CORE, /* a whole idle core of another LLC of the node */
	LINUX_R_CACHE_HOT, /* idle, but another task's cache */
	LINUX_R_WAKER_IDLE,
	LINUX_R_AFFINE, /* 2009: the affine CPU */
	LINUX_R_PREV, /* 2009: no reason to leave */
	LINUX_R_IDLEST, /* 2009: balancing at wakeup */
	LINUX_R_SLOW, /* the slow path: fork and exec */
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
	LINUX_D_WAI_SHORT, /* the waker is a short task */
	LINUX_D_SHORTCUT, /* not asked for */
	LINUX_D_BALANCED_SYNC, /* 2009: the outcomes of wake_affine */
	LINUX_D_BALANCED,
	LINUX_D_LOW_LOAD,
	LINUX_D_IMBALANCED,
	LINUX_D_NO_GROUP, /* slow path: no CPU of the domain is allowed */
	LINUX_D_LOCAL_GROUP, /* no group was better than the waker's at any level */
	LINUX_D_IDLEST_GROUP, /* another group was */
};

/*
 * Rules of the version asked for (or recorded), the recorded features and the
 * overrides of state, into state->rules.  Non-zero with env->error when the
 * kernel is unknown, or is none from 5.9 on.
 */
int linux_rules_init(struct linux_state *state, const struct rwk_policy_env *env);

/* The same, or those of 2.6.32, in which no hook is ever called. */
int linux_rules_init_any(struct linux_state *state, const struct rwk_policy_env *env);

/* The rules of 2009 whatever was recorded: of 2.6.32, or (r32 false) of 2.6.32-rc5. */
void linux_rules_init_2009(struct linux_state *state, const struct rwk_policy_env *env, bool r32);

#endif
