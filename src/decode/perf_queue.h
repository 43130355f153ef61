/*
 * Events that wait for their turn: perf writes one buffer after the other, so
 * that what one CPU did comes behind all that another did in the same round.
 *
 * Each CPU's events are put in order of time here, those of one time in the
 * order of the file.  What is more than fits in memory goes to a temporary file.
 */
#ifndef SRC_DECODE_PERF_QUEUE_H
#define SRC_DECODE_PERF_QUEUE_H

#include "base/diag.h"
#include "event/event.h"

struct rwk_perf_queues;

/* nr_cpus queues.  memory: bytes of blocks before the temporary file is used.  0 or -ENOMEM. */
int rwk_perf_queues_create(int nr_cpus, size_t memory, struct rwk_perf_queues **ret);

void rwk_perf_queues_destroy(struct rwk_perf_queues *q);

/*
 * Where the next event of a CPU is best built, since it likely stays there when it is
 * pushed.  Valid until then; what it holds is of no meaning.
 */
struct rwk_event *rwk_perf_queues_room(struct rwk_perf_queues *q, int cpu);

/*
 * Adds an event to its CPU's queue; a sel's values are copied.  0; -ENOMEM, or
 * what the temporary file failed with.  Events so disordered that they cannot
 * be put in order are kept as they come, for the merge to see.
 */
int rwk_perf_queues_push(
	struct rwk_perf_queues *q, const struct rwk_event *ev, struct rwk_diag *diag);

/* Time of the CPU's next event; INT64_MAX: it has none. */
rwk_ns rwk_perf_queues_next_ts(const struct rwk_perf_queues *q, int cpu);

/*
 * Takes the next one.  A sel's values are in *probe, and ret->probe points
 * there.  1, 0 none, or a negative errno of the temporary file.
 */
int rwk_perf_queues_pop(struct rwk_perf_queues *q, int cpu, struct rwk_event *ret,
	struct rwk_ev_probe *probe, struct rwk_diag *diag);

/* Bytes in the temporary file at its largest. */
int64_t rwk_perf_queues_spilled(const struct rwk_perf_queues *q);

#endif
