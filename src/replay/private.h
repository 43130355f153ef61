/* Shared by the loop and the decisions in it. */
#ifndef SRC_REPLAY_PRIVATE_H
#define SRC_REPLAY_PRIVATE_H

#include "replay/elsewhere.h"
#include "replay/probed.h"
#include "replay/replay.h"

/* An unprobed decision that waits for its wakee to leave its CPU. */
struct deferred {
	bool waiting;
	struct rwk_wakeup_row row;
};

struct replay {
	const struct rwk_replay_options *opt;
	const struct rwk_machine *machine; /* now */
	size_t nr_changes; /* of it so far */
	int nr_online; /* CPUs of it */
	struct rwk_cpuset usable; /* those, and those that are still in domains */
	struct rwk_model *model;
	struct rwk_elsewhere *elsewhere; /* NULL: policies see the recorded machine */
	struct deferred *deferred; /* [nr_cpus], by waker CPU: it can wake one at a time */
	int nr_deferred;
	struct rwk_probed *probed; /* NULL: no CPU was probed so far */
	/* Of the entry that is being decided: CPUs as the probe found them. */
	const struct rwk_probe_cpu *probed_cpu;
	int nr_probed;
	bool has_idle_scan; /* the kernel has nr_idle_scan at all */
	bool has_current_cpu;
	uint32_t needs; /* enum rwk_need of all policies */
	/*
	 * Kernels without nr_idle_scan wake an idle CPU of the same cache directly
	 * (design §1.5); in the others a direct wakeup means that the CPU was busy anyway.
	 */
	bool direct_counts;
	bool old_flags; /* wake flags of kernels up to 5.10, which do not tell fork and exec */
	struct rwk_prices *prices;
	struct rwk_attribution *attribution;
	struct rwk_replay_stats stats;
};

/* The machine is another one from now on. */
void rp_set_machine(struct replay *rp, const struct rwk_machine *machine);
/* Follows its changes up to ts.  0 or negative errno. */
int rp_follow_machine(struct replay *rp, rwk_ns ts, struct rwk_diag *diag);

/* rwk_model_record_wakee() and rwk_model_inherit(), and what the fit has to do with it.
 * 0 or -ENOMEM.  waker may be NULL. */
int rp_record_wakee(struct replay *rp, struct rwk_task *waker, struct rwk_task *wakee, rwk_ns ts);
int rp_inherit(
	struct replay *rp, struct rwk_task *child, struct rwk_task *parent, int cpu, rwk_ns ts);
/* The kernel's answer to w, which is known, is told to the fit.  0 or -ENOMEM. */
int rp_collect(struct replay *rp, const struct rwk_wakeup *w);

/* An ordinary wakeup, decided at ts; probe may be NULL.  0 or negative errno. */
int rp_decide(struct replay *rp, const struct rwk_wakeup_row *r, rwk_ns ts,
	const struct rwk_probe_row *probe);
/* The wakeup of it, a new task's; its sched_wakeup_new is not yet applied. */
int rp_decide_fork(struct replay *rp, const struct rwk_feed_item *it);
/* The probe of it, which belongs to no wakeup. */
int rp_decide_exec(struct replay *rp, const struct rwk_feed_item *it);

#endif
