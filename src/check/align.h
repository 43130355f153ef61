/*
 * How far the clocks of CPUs are roughly apart when that is more than the time
 * between two events of a task, so that causes cannot be told from their order
 * (order.h): a wakeup or a migration on one CPU has the task run on another soon
 * after, and of all differences between such times one comes again and again.
 *
 * It is where to look for an estimate, no estimate: which effect goes with which
 * cause is only known on clocks that are put so, and order.h and skew.h decide.
 */
#ifndef SRC_CHECK_ALIGN_H
#define SRC_CHECK_ALIGN_H

#include "event/event.h"

/* How far clocks may be apart, in ns, in both directions. */
#define RWK_ALIGN_FARTHEST INT64_C(60000000000)
#define RWK_ALIGN_POINTS   (1 << 20) /* events kept at most; beyond that of fewer tasks */

struct rwk_align;

/* 0 or -ENOMEM. */
int rwk_align_create(struct rwk_align **ret);
void rwk_align_destroy(struct rwk_align *a);

/* Feeds the next event in merged order.  0 or -ENOMEM. */
int rwk_align_event(struct rwk_align *a, const struct rwk_event *ev);

/* Corrections that differ by no more may be the same one. */
#define RWK_ALIGN_NEAR 1000000

/*
 * After the last one: what to add to each CPU's times.  Of CPUs that there is evidence
 * between, most (the lowest, of equally many) need nothing, but all get as much more as
 * makes the least 0.  *ret_nr_joined: pairs of CPUs whose difference
 * stood out, 0 when nothing can be said.  ret has RWK_MAX_CPUS entries.  0 or -ENOMEM.
 */
int rwk_align_solve(struct rwk_align *a, rwk_ns *ret, int *ret_nr_joined);

#endif
