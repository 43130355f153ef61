/*
 * The stream a replay runs on: the run's events in their original order, each
 * wakeup's events with what import found out about that wakeup.
 */
#ifndef SRC_REPLAY_FEED_H
#define SRC_REPLAY_FEED_H

#include "base/diag.h"
#include "timeline/rows.h"

struct rwk_feed_item {
	int64_t seq;
	struct rwk_event ev;
	/*
	 * For WAKING, SEL, SEL_RET, MIGRATE, WAKEUP and WAKEUP_NEW: the wakeup's row;
	 * NULL for an orphan, for a probe without wakeup (exec) and for a migration that
	 * is no part of one.  Until the next item.
	 */
	const struct rwk_wakeup_row *wakeup;
	/* For SEL and SEL_RET: the probe's row, values included.  Also for WAKING and
	 * WAKEUP_NEW when the wakeup was probed (the entry may be earlier or later). */
	const struct rwk_probe_row *probe;
	/* For SEL: CPUs as the probe found them, ascending.  Until the next item. */
	const struct rwk_probe_cpu *probed;
	int nr_probed;
	/*
	 * The stay on ev.cpu that begins here, its end included: for SWITCH, and for
	 * OTHER where somebody was first seen there.  Until the next item.
	 */
	const struct rwk_slice_row *slice;
};

struct rwk_feed {
	void *ctx;
	/* 1 item, 0 end, negative errno with a cause. */
	int (*next)(void *ctx, struct rwk_feed_item *ret, struct rwk_diag *diag);
};

#endif
