/*
 * Orders between CPUs that cannot be: a task that runs before what woke or moved
 * it, or on two CPUs at once.  Either its events are not what they seem, or the
 * clocks of the two CPUs differ.
 *
 * A cause on one CPU and its effect on another bound by how much these clocks may
 * differ: with c the correction of each CPU's clock, cause + c[A] <= effect + c[B].
 * Of each pair of CPUs the tightest bounds are kept, for skew.h to solve.
 *   waking of T on A        →  T's sched_wakeup, or T is switched in, on B
 *   T is switched out on A  →  T is switched in on B
 *   T's migration, by A     →  T is switched in on B
 * Losses make every state unknown; what was lost proves nothing.
 */
#ifndef SRC_CHECK_ORDER_H
#define SRC_CHECK_ORDER_H

#include "event/anomaly.h"
#include "event/event.h"

/* Bounds kept of a pair.  The loosest of them counts: as many outliers as the others are borne. */
#define RWK_ORDER_KEPT 3

struct rwk_order_bounds {
	int64_t nr; /* causes with an effect */
	int64_t nr_impossible; /* of them with the effect first */
	rwk_ns delay[RWK_ORDER_KEPT]; /* the shortest ones, ascending; the first nr are set */
};

struct rwk_order;

/* 0 or -ENOMEM. */
int rwk_order_create(struct rwk_order **ret);
void rwk_order_destroy(struct rwk_order *o);

/* Feeds the next event in merged order.  0 or -ENOMEM. */
int rwk_order_event(struct rwk_order *o, const struct rwk_event *ev);

/* Only RWK_AN_IMPOSSIBLE_ORDER has a count. */
const struct rwk_anomalies *rwk_order_anomalies(const struct rwk_order *o);
/* Tasks that came out of their sleep without a waking, or long before one (far apart clocks). */
int64_t rwk_order_uncaused(const struct rwk_order *o);
/* NULL: nothing on cause_cpu had an effect elsewhere.  [effect_cpu], RWK_MAX_CPUS of them. */
const struct rwk_order_bounds *rwk_order_bounds(const struct rwk_order *o, int cause_cpu);

#endif
