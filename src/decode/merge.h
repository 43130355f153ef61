/*
 * Several streams of events, each of one CPU, to one stream in time order: the
 * only place that knows about disorder.
 *
 * The order is that of rwk_event_before() (or of the file, see below), except that a stream's own
 * events are never exchanged.  Events of a stream whose time lies before what it has already given
 * are counted, dropped, and stand as one LOST event in front of the first good one; the output
 * never steps backwards.
 */
#ifndef SRC_DECODE_MERGE_H
#define SRC_DECODE_MERGE_H

#include "base/diag.h"
#include "event/anomaly.h"
#include "event/event.h"

/* Next event of one stream: 1, 0 none (left), negative errno. */
typedef int (*rwk_merge_pull)(void *ctx, int stream, struct rwk_event *ret, struct rwk_diag *diag);

struct rwk_merge;

/* cpu[stream] names the CPU of each stream, for events made up here.  0 or -ENOMEM. */
int rwk_merge_create(int nr_streams, const int32_t *cpu, rwk_merge_pull pull, void *ctx,
	struct rwk_anomalies *anomalies, struct rwk_merge **ret);

void rwk_merge_destroy(struct rwk_merge *m);

/*
 * Among equal times, take first what stands first in the file: for a file that
 * is in order, but whose times lack the digits that tell.  Before the first event.
 */
void rwk_merge_order_by_offset(struct rwk_merge *m);

/*
 * Asks a stream again that had none left; does nothing while it still has one.
 * 0 or what its pull returned.
 */
int rwk_merge_wake(struct rwk_merge *m, int stream, struct rwk_diag *diag);

/*
 * 1, and *ret points to the event until the next call; 0 at the end; negative
 * errno.  A stream is asked for its next event only in the call after the one
 * that gave out its last: what an event borrows stays valid until then.
 */
int rwk_merge_next(struct rwk_merge *m, const struct rwk_event **ret, struct rwk_diag *diag);

#endif
