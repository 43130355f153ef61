/*
 * How long tasks wait from sched_waking until they run, one event after the other.
 * A wakeup that cannot be told from one without effect is left out, never guessed.
 */
#ifndef SRC_RECORD_LATENCY_H
#define SRC_RECORD_LATENCY_H

#include <stdint.h>

#include <rewake/types.h>

struct rwk_latency;

/* NULL: no memory. */
struct rwk_latency *rwk_latency_create(void);
void rwk_latency_destroy(struct rwk_latency *latency); /* NULL is fine */

/* In the order of time.  Thread ids that no kernel gives are left out. */
void rwk_latency_waking(struct rwk_latency *latency, rwk_ns ts, int64_t tid);

/* Something before ts was not seen: no wait that had begun by then is known any more. */
void rwk_latency_forget(struct rwk_latency *latency, rwk_ns ts);

/* What next has waited for; RWK_NS_NONE: it was not woken, or that is not known. */
rwk_ns rwk_latency_switch(struct rwk_latency *latency, rwk_ns ts, int64_t prev, int64_t next);

#endif
