/*
 * What pairs of CPUs have to say of the difference of their clocks, by causes on one and effects
 * on the other (align.h).
 */
#ifndef SRC_CHECK_ALIGN_VOTES_H
#define SRC_CHECK_ALIGN_VOTES_H

#include "event/event.h"

#define RWK_VOTES_LEAST 8 /* causes of a pair, for it to say anything */

/* What a point is, unless it is a cause. */
enum { RWK_ALIGN_IN = -1, RWK_ALIGN_OUT_ASLEEP = -2, RWK_ALIGN_OUT_QUEUED = -3 };

struct rwk_align_point {
	rwk_ns ts;
	int32_t tid;
	int16_t on; /* the CPU whose clock it is */
	int16_t to; /* where the effect is to be, or what it is itself */
	bool wakes; /* only a sleeping task */
};

struct rwk_votes {
	const struct rwk_align_point *point; /* borrowed, in order */
	size_t nr;
	struct rwk_vote *vote; /* of the pair at hand */
	struct rwk_vote_edge *edge; /* two of each for each delay */
	size_t nr_votes;
};

/* Puts the points in order.  0 or -ENOMEM; *ret is to be finished in any case. */
int rwk_votes_init(struct rwk_votes *ret, struct rwk_align_point *point, size_t nr);
void rwk_votes_finish(struct rwk_votes *v);

/* Causes on either of two CPUs of effects on the other. */
size_t rwk_votes_causes(const struct rwk_votes *v, int x, int y);

/* Whether one difference of two clocks stands out from all others: y's minus x's. */
bool rwk_votes_stand_out(struct rwk_votes *v, int x, int y, rwk_ns *ret);

/*
 * The best of y's clock, near to where it is by now, as all CPUs with bit in with see it; off:
 * where the clocks are.  False: they say too little.
 */
bool rwk_votes_near(
	struct rwk_votes *v, int y, const struct rwk_cpuset *with, const rwk_ns *off, rwk_ns *ret);

#endif
