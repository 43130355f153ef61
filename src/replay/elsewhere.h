/*
 * Deciding for another machine than the recorded one.  Who runs and waits
 * where, and all that is known of tasks, stays as recorded; what differs is which
 * CPUs share what, and with it the hints that a kernel keeps per last-level cache:
 *
 *   an LLC of the same CPUs as a recorded one has that one's nr_idle_scan, and, if
 *   its cores are the same too, its has_idle_cores: probed, rebuilt, calibrated
 *   any other nr_idle_scan is worked out from the CPUs' utilisation by the same rule
 *   any other has_idle_cores is kept by the recorded kernel's rules as if it decided
 *   there: set when a whole core becomes idle, cleared when its own scan finds none
 *
 * The latter two are RWK_INFERRED at best: no kernel ever had them.
 */
#ifndef SRC_REPLAY_ELSEWHERE_H
#define SRC_REPLAY_ELSEWHERE_H

#include <rewake/policy.h>

#include "model/state.h"

struct rwk_elsewhere;

/*
 * machine: as many CPU ids as m's own; must outlive the result.  has_kernel: its effects will be
 * told; otherwise has_idle_cores stays unknown where it is not a recorded LLC's.
 * 0 or -ENOMEM.
 */
int rwk_elsewhere_create(const struct rwk_machine *machine, const struct rwk_model *m,
	bool has_kernel, struct rwk_elsewhere **ret);
/* CPUs came or went on both machines: as rwk_model_set_machine(), which was called before. */
void rwk_elsewhere_set_machine(struct rwk_elsewhere *e, const struct rwk_machine *machine,
	const struct rwk_model *m, bool rebuilt);
void rwk_elsewhere_destroy(struct rwk_elsewhere *e); /* NULL is fine */

/* m has just applied ev. */
void rwk_elsewhere_apply(
	struct rwk_elsewhere *e, const struct rwk_model *m, const struct rwk_event *ev);

/* An ordinary wakeup is decided now; m's own hints are up to date. */
void rwk_elsewhere_scan(struct rwk_elsewhere *e, const struct rwk_model *m);

/* w, a picture of m, as it is on the other machine.  Valid as long as w is. */
void rwk_elsewhere_picture(struct rwk_elsewhere *e, const struct rwk_model *m,
	const struct rwk_wakeup *w, struct rwk_wakeup *ret);

/* What the recorded kernel's policy wrote when it was asked with such a picture. */
void rwk_elsewhere_effects(struct rwk_elsewhere *e, const struct rwk_verdict *v);

#endif
