/*
 * Re-deciding every recorded wakeup: feeds the run's events to the model, asks
 * each policy at each decision, and compares with what the kernel did.
 *
 * Open loop: the state always follows the recorded kernel.  The side effects
 * of a decision (design §7 item 2) are those of the policy that models the
 * recorded kernel, whatever the others answer.
 *
 * Policies may be asked as if the recording were of another machine (elsewhere.h):
 * the state, and the kernel that drives it, stay those of the recorded one.
 */
#ifndef SRC_REPLAY_REPLAY_H
#define SRC_REPLAY_REPLAY_H

#include "model/groups.h"
#include "policy/registry.h"
#include "replay/attribute.h"
#include "replay/audit.h"
#include "replay/calibrate.h"
#include "replay/feed.h"
#include "replay/fit.h"
#include "replay/price.h"
#include "replay/prepass.h"

/* One policy's answer to one decision. */
struct rwk_verdict_row {
	int64_t wakeup_id; /* 0 for an exec, which wakes nobody */
	uint8_t type; /* enum rwk_wake_type; fork and exec count apart from wakeups */
	bool recorded_idle, answer_idle; /* kernel's and policy's CPU idle by the rebuilt state */
	int32_t cpu; /* RWK_NONE: could not be answered */
	uint16_t reason, detail;
	bool interesting; /* P not idle by the rebuilt state, or the kernel's answer is not P */
	bool agrees, comparable; /* comparable: the kernel's answer is known */
	bool violation; /* the policy's answer was not allowed */
	uint32_t unknown; /* enum rwk_input bits */
	uint8_t provenance[RWK_PROVENANCE_COUNT]; /* enum rwk_source, see attribute.h */
	uint8_t history; /* enum rwk_history of the wakee */
	bool priced; /* comparable and another CPU than the kernel's: price is set */
	/*
	 * A miss of the policy that models the recorded kernel, in open mode: hidden
	 * is set to the value that alone would explain it.
	 */
	bool attributed;
	uint8_t hidden; /* enum rwk_hidden */
	struct rwk_price price;
};

/* The machine from some time on. */
struct rwk_machine_change {
	bool rebuilt; /* its domains are new, and with them what the kernel keeps there */
	/* With the CPU ids of the first one; valid until the one after the next was taken. */
	const struct rwk_machine *machine;
	const struct rwk_machine *elsewhere; /* NULL without */
};

/* CPUs that came and went. */
struct rwk_machine_changes {
	void *ctx;
	size_t nr;
	/* When, in their order. */
	rwk_ns (*from)(void *ctx, size_t index);
	int (*take)(void *ctx, size_t index, struct rwk_diag *diag, struct rwk_machine_change *ret);
};

struct rwk_replay_options {
	const struct rwk_machine *machine; /* at the beginning */
	struct rwk_machine_changes changes; /* nr 0: it stays so */
	struct rwk_feed feed;
	const struct rwk_task_row *task; /* by utid - 1: affinity and CPUs seen */
	size_t nr_task;
	/* The run's task groups; NULL: there are none, or nobody knows. */
	const struct rwk_group_facts *groups;
	const struct rwk_policy_instance *policy;
	size_t nr_policy;
	/* Models the recorded kernel; NULL: its side effects stay unknown. */
	const struct rwk_policy_instance *kernel;
	/*
	 * Not NULL: policies decide for this machine.  kernel_elsewhere is kernel, opened
	 * for it.  No miss is attributed then: there is no kernel to model.
	 */
	const struct rwk_machine *elsewhere;
	const struct rwk_policy_instance *kernel_elsewhere;
	struct rwk_sync_votes *sync; /* for wakeups without a probed hint; NULL: unknown */
	const struct rwk_first_look *look; /* for the state at the beginning; NULL: unknown */
	struct rwk_audit *audit; /* not NULL: recorded hidden values are not used but audited */
	bool calibrate; /* adopt hidden values from outcomes (calibrate.h) */
	struct rwk_fit *collect; /* not NULL: learns how the run began; needs calibrate */
	const struct rwk_fit *begin; /* concluded: tasks begin so; NULL: nothing is known of them */
	/* Takes verdicts in decision order, for each policy by index; NULL: none are asked for.
	 * Negative errno ends. */
	int (*verdict)(void *ctx, size_t policy, const struct rwk_verdict_row *row);
	void *verdict_ctx;
	/*
	 * Not NULL: told what the policies see of the decision on picture_of, a
	 * wakeup's id, before they are asked, and the wakeup's row.  Non-zero ends the
	 * replay with it.
	 */
	int (*picture)(void *ctx, const struct rwk_wakeup *w, const struct rwk_wakeup_row *row);
	void *picture_ctx;
	int64_t picture_of;
	/* Called now and then with the events done so far; non-zero ends with -ECANCELED.  May be
	 * NULL. */
	int (*progress)(void *ctx, int64_t nr_events);
	void *ctx; /* progress's */
};

struct rwk_replay_stats {
	int64_t nr_events;
	int64_t nr_decisions; /* of ordinary wakeups */
	int64_t nr_forks, nr_execs;
	rwk_ns idle_wait_ns; /* what a CPU costs that was idle: rwk_prices_idle_wait() */
	int64_t nr_idle_waits;
	/* Of the policy that models the recorded kernel, if it is among those asked; else 0. */
	size_t kernel_policy; /* its index; nr_policy: it is not */
	struct rwk_races races;
};

int rwk_replay_run(
	const struct rwk_replay_options *opt, struct rwk_diag *diag, struct rwk_replay_stats *ret);

#endif
