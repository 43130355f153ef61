/*
 * The recorded machine as the scheduler saw it: which CPUs share what, the
 * scheduling domains, the kernel's version and settings.  Read-only for
 * policies.  Domain rules: wakeup-placement design §2.3.
 */
#ifndef REWAKE_MACHINE_H
#define REWAKE_MACHINE_H

#include <rewake/types.h>

#define RWK_MAX_DOMAINS 10 /* levels of one CPU: SMT, CLS, MC, PKG and NUMA distances */

enum rwk_domain_level {
	RWK_LEVEL_SMT,
	RWK_LEVEL_CLS,
	RWK_LEVEL_MC,
	RWK_LEVEL_PKG,
	RWK_LEVEL_NUMA,
	RWK_LEVEL_COUNT
};

/* Properties of a domain that a placement decision reads. */
enum rwk_domain_flag {
	RWK_SD_BALANCE_EXEC = 1 << 0,
	RWK_SD_BALANCE_FORK = 1 << 1,
	RWK_SD_BALANCE_WAKE = 1 << 2,
	RWK_SD_WAKE_AFFINE = 1 << 3,
	RWK_SD_SHARE_CPUCAPACITY = 1 << 4,
	RWK_SD_SHARE_LLC = 1 << 5,
	RWK_SD_CLUSTER = 1 << 6,
	RWK_SD_NUMA = 1 << 7,
	RWK_SD_ASYM_CPUCAPACITY = 1 << 8,
};

struct rwk_domain {
	enum rwk_domain_level level;
	uint32_t flags; /* enum rwk_domain_flag */
	int imbalance_pct;
	struct rwk_cpuset span;
};

struct rwk_machine_cpu {
	bool present; /* the snapshot or the trace knows this CPU */
	bool online;
	int core; /* lowest CPU of its core, itself without SMT */
	int cluster; /* lowest CPU of its L2 cluster; its LLC's where there are none */
	int llc; /* index into rwk_machine.llc; RWK_NONE when the topology is unknown */
	int node; /* NUMA node; 0 on machines without nodes; RWK_NONE unknown */
	int package; /* physical package, RWK_NONE unknown */
	int capacity; /* cpu_capacity, 1024 where the machine has none */
	int nr_domains; /* innermost first in domain[] */
	struct rwk_domain domain[RWK_MAX_DOMAINS];
	struct rwk_cpuset smt; /* hardware threads of its core, itself included */
};

/* One last-level-cache domain. */
struct rwk_machine_llc {
	int first_cpu;
	int size;
	struct rwk_cpuset cpus;
};

/* Scheduler features as text in sched/features; absent files leave them unknown. */
enum rwk_feature {
	RWK_FEAT_WA_IDLE,
	RWK_FEAT_WA_WEIGHT,
	RWK_FEAT_WA_BIAS,
	RWK_FEAT_SIS_UTIL,
	RWK_FEAT_SIS_PROP,
	RWK_FEAT_TTWU_QUEUE,
	RWK_FEAT_DELAY_DEQUEUE,
	RWK_FEAT_COUNT
};

struct rwk_version {
	int major, minor, patch; /* 0.0.0: unknown */
};

struct rwk_machine {
	bool topology_known; /* false: only nr_cpu_ids and cpu[].present mean anything */
	bool smt_active;
	bool cluster_active; /* some domain is a cluster domain (kernel 6.7+ rule) */
	bool asym_capacity;
	int nr_cpu_ids; /* highest CPU id + 1 */
	int nr_llc;
	int nr_nodes;
	int hz; /* 0: unknown */
	rwk_ns migration_cost_ns; /* RWK_NS_NONE: unknown */
	rwk_ns min_granularity_ns; /* base slice from 6.6 on; RWK_NS_NONE: unknown */
	struct rwk_version kernel; /* from the release string */
	bool feature_known[RWK_FEAT_COUNT];
	bool feature[RWK_FEAT_COUNT];
	bool sched_ext_enabled;
	struct rwk_cpuset online;
	struct rwk_machine_cpu *cpu; /* [nr_cpu_ids] */
	struct rwk_machine_llc *llc; /* [nr_llc] */
	/* CPUs that tasks may be put on: those online, but for one that is just coming or going. */
	struct rwk_cpuset active;
	bool changing; /* a CPU is just coming or going: when that takes effect is not known exactly
			*/
};

/*
 * A task group: a cgroup with the cpu controller, or an autogroup (a session).
 * Its tasks share one weight, spread over the CPUs where they have load.
 */
struct rwk_task_group {
	int32_t parent; /* index of the group around it, less than its own; RWK_NONE: the root */
	uint32_t shares; /* its weight, 1024 = one nice-0 task */
	bool idle; /* cpu.idle: counts as SCHED_IDLE, its tasks with it */
};

#define RWK_GROUP_UNKNOWN (-2) /* instead of an index: some group, or none; nobody knows */

/* Same last-level cache (or same CPU).  false when the topology is unknown and a != b. */
static inline bool rwk_machine_share_llc(const struct rwk_machine *m, int a, int b)
{
	return a == b || (m->cpu[a].llc != RWK_NONE && m->cpu[a].llc == m->cpu[b].llc);
}

/* CPUs in cpu's LLC domain; 1 for a CPU outside any domain. */
static inline int rwk_machine_llc_size(const struct rwk_machine *m, int cpu)
{
	return m->cpu[cpu].llc == RWK_NONE ? 1 : m->llc[m->cpu[cpu].llc].size;
}

/* a.b.c compared with x.y.z: negative, 0, positive. */
static inline int rwk_version_cmp(struct rwk_version a, struct rwk_version b)
{
	if (a.major != b.major)
		return a.major - b.major;
	if (a.minor != b.minor)
		return a.minor - b.minor;
	return a.patch - b.patch;
}

#endif
