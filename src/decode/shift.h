/*
 * Moves the clocks of CPUs and puts the events into their new order.  They come in
 * the order of the old times, so that one waits until nothing can come in front of
 * it any more: as many wait as lie within the widest difference of two shifts.
 */
#ifndef SRC_DECODE_SHIFT_H
#define SRC_DECODE_SHIFT_H

#include "base/diag.h"
#include "event/event.h"

#define RWK_SHIFT_WAITING (1 << 20) /* events at most */

/* Next event in the old order: 1, 0 end, negative errno. */
typedef int (*rwk_shift_pull)(void *ctx, struct rwk_event *ret, struct rwk_diag *diag);

struct rwk_shift;

/* skew_ns[RWK_MAX_CPUS] is added to the times of each CPU.  0 or -ENOMEM. */
int rwk_shift_create(const rwk_ns *skew_ns, rwk_shift_pull pull, void *ctx, struct rwk_shift **ret);
void rwk_shift_destroy(struct rwk_shift *s);

/*
 * 1, 0 at the end, what pull returned, or -E2BIG: more than RWK_SHIFT_WAITING would
 * wait; -ERANGE: a time that cannot be.  What the event borrows is valid until the next call.
 */
int rwk_shift_next(struct rwk_shift *s, struct rwk_event *ret, struct rwk_diag *diag);

#endif
