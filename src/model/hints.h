/*
 * The per-LLC hints has_idle_cores and nr_idle_scan (design §2.7).
 */
#ifndef SRC_MODEL_HINTS_H
#define SRC_MODEL_HINTS_H

#include "model/state.h"

/*
 * Kernels with nr_idle_scan (70fb5ccf2ebb), which in the same releases wake an idle CPU
 * of their own cache by IPI (f3dd3f674555, design §1.5): 6.0 on, and the stable series 5.15.
 */
static inline bool rwk_has_idle_scan(struct rwk_version kernel)
{
	return kernel.major >= 6 || (kernel.major == 5 && kernel.minor == 15);
}

/* cpu has just picked its idle task: is its whole core of machine idle then?  Never without SMT. */
bool rwk_model_core_is_left(const struct rwk_model *m, const struct rwk_machine *machine, int cpu);
/* cpu has just picked its idle task. */
void rwk_model_hint_idle(struct rwk_model *m, int cpu);
/* A scan of target's LLC found no idle core. */
void rwk_model_hint_clear(struct rwk_model *m, int target);
/*
 * nr_idle_scan is recomputed from stale utilisation when balancing looks at the
 * LLC: at a tick, twice its size in ms after the last time, or sixteen times as
 * late while none of its CPUs is idle or runs SCHED_IDLE tasks only.  Inferred: when the kernel did
 * it is not in the five events.
 */
#define RWK_SCAN_BUSY_FACTOR 16
/*
 * Is it time again, at the last tick before m->now?  Then *last, when it was,
 * becomes that.  It always is for a value of unknown source.
 */
bool rwk_model_scan_is_due(
	const struct rwk_model *m, const struct rwk_machine_llc *llc, uint8_t source, rwk_ns *last);
/* CPUs worth scanning in an LLC of size CPUs whose utilisations sum up to sum_util. */
int32_t rwk_nr_idle_scan(uint64_t sum_util, int size);
/* The same of an LLC, which may be another machine's than m's, by utilisation as it is known now.
 */
int32_t rwk_model_scan_of(const struct rwk_model *m, const struct rwk_machine_llc *llc);
/* Brings every LLC's up to date. */
void rwk_model_hint_scan(struct rwk_model *m);
/* The kernel's own values at a decision. */
void rwk_model_hint_probe(
	struct rwk_model *m, const struct rwk_ev_probe *probe, bool has_idle_scan);

#endif
