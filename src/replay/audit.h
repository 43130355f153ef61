/*
 * How good is the rebuilt state?  On a run whose probe recorded the kernel's
 * hidden values, the replay goes without them and each rebuilt value is held
 * against the truth, one by one, and against what difference it makes.
 */
#ifndef SRC_REPLAY_AUDIT_H
#define SRC_REPLAY_AUDIT_H

#include "model/state.h"
#include "policy/registry.h"

/*   X(enum, name) */
#define RWK_AUDITED(X)                                                                             \
	X(FLIPS, "wakee_flips of the wakee")                                                       \
	X(LAST_WAKEE, "last_wakee of the wakee")                                                   \
	X(RECENT, "recent_used_cpu of the wakee")                                                  \
	X(IDLE_SCAN, "nr_idle_scan around the target")                                             \
	X(IDLE_CORES, "has_idle_cores around the target")

enum rwk_audited {
#define X(id, name) RWK_AUDIT_##id,
	RWK_AUDITED(X)
#undef X
		RWK_AUDIT_COUNT
};

/* Of every CPU, where the probe recorded it.  X(enum, name) */
#define RWK_AUDITED_CPU(X)                                                                         \
	X(NR, "nr_running of a CPU")                                                               \
	X(PENDING, "ttwu_pending of a CPU")                                                        \
	X(CURR, "current task of a CPU")                                                           \
	X(IDLE, "whether a CPU is idle")

enum rwk_audited_cpu {
#define X(id, name) RWK_AUDIT_CPU_##id,
	RWK_AUDITED_CPU(X)
#undef X
		RWK_AUDIT_CPU_COUNT
};

struct rwk_audit {
	int64_t nr_decisions; /* with recorded hidden values */
	struct {
		int64_t known; /* the rebuilt value claims to be one */
		int64_t right; /* equal to the kernel's, claimed or not */
		int64_t off_by_one; /* of the wrong ones, numbers only */
		int64_t changed; /* the true value alone gives another answer */
	} of[RWK_AUDIT_COUNT];
	int64_t nr_cpu_decisions; /* with recorded CPUs */
	int64_t cpus_changed; /* of these: all that was recorded of the CPUs gives another answer */
	struct {
		int64_t nr; /* CPUs at decisions, of which that was recorded */
		int64_t known, right, off_by_one; /* as above */
	} of_cpu[RWK_AUDIT_CPU_COUNT];
};

const char *rwk_audited_name(enum rwk_audited which);
const char *rwk_audited_cpu_name(enum rwk_audited_cpu which);

/*
 * Compares the picture w, built without the probe, with what the probe says;
 * v is kernel's answer to w.
 */
void rwk_audit_decision(struct rwk_audit *audit, const struct rwk_model *m,
	const struct rwk_policy_instance *kernel, const struct rwk_wakeup *w,
	const struct rwk_verdict *v, const struct rwk_ev_probe *probe);

/*
 * The same of the nr CPUs that the probe recorded; truth is w with these in place of
 * the rebuilt ones.
 */
void rwk_audit_cpus(struct rwk_audit *audit, const struct rwk_policy_instance *kernel,
	const struct rwk_wakeup *w, const struct rwk_wakeup *truth, const struct rwk_verdict *v,
	const struct rwk_probe_cpu *cpu, int nr);

#endif
