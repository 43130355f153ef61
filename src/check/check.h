/*
 * Whether a trace is good for wakeup analysis and replay: its events run through
 * the timeline of an import without rows being kept, and what that found is added
 * up.  One pass; memory depends on tasks and CPUs, not on the length.
 */
#ifndef SRC_CHECK_CHECK_H
#define SRC_CHECK_CHECK_H

#include "check/skew.h"
#include "timeline/timeline.h"

struct rwk_check_gap {
	rwk_ns from_ts, to_ts; /* from RWK_NS_NONE: before the CPU's first event */
	int64_t count; /* RWK_NONE unknown */
};

struct rwk_check_cpu {
	rwk_ns first_ts, last_ts; /* RWK_NS_NONE: not observed */
	int64_t nr_gaps, nr_unknown; /* gaps, those of them of unknown size */
	int64_t lost; /* in the gaps of known size */
	struct rwk_check_gap longest; /* in time; the first of them */
};

/* Wakeups, and how many of them a replay has to guess what of. */
struct rwk_check_wakeups {
	int64_t nr[RWK_KIND_COUNT];
	int64_t kind_guessed; /* of decisions, like all below */
	int64_t sync_guessed, sync_unknown;
	int64_t prev_unknown, target_unknown;
	int64_t censored; /* without a first run */
	int64_t near_change; /* while a CPU came or went, see rwk_check_set_changes() */
};

struct rwk_check_result {
	rwk_ns first_ts, last_ts;
	int64_t nr_events;
	int nr_cpus; /* entries of cpu[] */
	const struct rwk_check_cpu *cpu;
	struct rwk_check_wakeups wakeups;
	int64_t nr_switches, nr_states_unknown; /* switches whose prev_state says nothing */
	int64_t nr_probes;
	size_t nr_tasks;
	struct rwk_anomalies anomalies; /* of the timeline and of orders */
	struct rwk_skew skew;
};

struct rwk_check;

/* opt's sink is not used.  0, or a negative errno with its cause. */
int rwk_check_create(
	const struct rwk_timeline_options *opt, struct rwk_diag *diag, struct rwk_check **ret);
void rwk_check_destroy(struct rwk_check *c);

struct rwk_check_span {
	rwk_ns from_ts, to_ts; /* not included */
};

/* When CPUs came or went, in order of time; borrowed. */
void rwk_check_set_changes(struct rwk_check *c, const struct rwk_check_span *span, size_t nr);

/* Next event in merged order.  0 or -ENOMEM. */
int rwk_check_event(struct rwk_check *c, const struct rwk_event *ev);

/* After the last one.  *ret belongs to the check.  0 or -ENOMEM. */
int rwk_check_finish(struct rwk_check *c, const struct rwk_check_result **ret);

#endif
