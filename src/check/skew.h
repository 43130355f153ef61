/*
 * How far the clocks of CPUs are apart, from the bounds that causes and effects
 * set (order.h): one constant correction per CPU with which no order is
 * impossible any more, if there is one.
 */
#ifndef SRC_CHECK_SKEW_H
#define SRC_CHECK_SKEW_H

#include "check/order.h"

enum rwk_skew_state {
	RWK_SKEW_NONE, /* clocks as they are allow every order, single outliers left out */
	RWK_SKEW_FOUND, /* corrections are known */
	RWK_SKEW_ONE_SIDED, /* a CPU's correction has one bound only: it may be any beyond that */
	RWK_SKEW_TOO_FAR, /* to be tried: too many events lie in between, or times are before 0 then
			   */
	RWK_SKEW_INFEASIBLE, /* no constant corrections fit: the clocks drift, or it is not them */
	RWK_SKEW_STATE_COUNT
};

struct rwk_skew_cpu {
	rwk_ns skew_ns; /* to be added to the CPU's times */
	rwk_ns low_ns, high_ns; /* what it can be; RWK_NS_NONE: no bound */
};

struct rwk_skew {
	enum rwk_skew_state state;
	bool searched; /* also for clocks that are far apart */
	int32_t cpu; /* ONE_SIDED, INFEASIBLE: a CPU that it shows at; else RWK_NONE */
	int64_t nr_impossible; /* orders that cannot be */
	int64_t nr_uncaused; /* tasks that came out of their sleep without a waking before or soon
				after */
	int64_t nr_pairs; /* of CPUs, of which more show it than outliers are borne */
	/* With FOUND for CPUs that keep their clock too: what theirs could be. */
	struct rwk_skew_cpu of[RWK_MAX_CPUS]; /* zero unless FOUND; unused CPUs are zero */
};

/*
 * assumed: what was added to each CPU's times before o saw them; NULL: nothing.  What o
 * saw then counts as it is on those clocks (state NONE: they allow every order), while
 * corrections are those of the clocks as they were recorded.
 *
 * The CPU that most others need no other correction than, the lowest of them, keeps its clock,
 * and so does every other that can.  The rest get the correction of another that fits, or the
 * middle of what is possible; low and high are what the first clock that is kept allows.  Bounds of
 * which a pair has few count if all fit, else as outliers.  0 or -ENOMEM.
 */
int rwk_skew_solve(const struct rwk_order *o, const rwk_ns *assumed, struct rwk_skew *ret);

const char *rwk_skew_state_name(enum rwk_skew_state state);

#endif
