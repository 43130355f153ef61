/*
 * Events to rows: who ran when, which wakeups there were and how they ended,
 * which moves.  Streams: a row leaves through the sink once it is complete, so
 * that memory depends on what is open, not on the length of the trace.
 */
#ifndef SRC_TIMELINE_TIMELINE_H
#define SRC_TIMELINE_TIMELINE_H

#include "base/diag.h"
#include "model/state.h"
#include "timeline/rows.h"

/* How much of the recorded truth is used. */
enum rwk_probe_mode {
	RWK_PROBE_ALL,
	RWK_PROBE_FLAGS, /* entry and return with prev, wake flags and answer only */
	RWK_PROBE_NR, /* rewake:nr only */
	RWK_PROBE_NONE, /* as if rewake:* had not been recorded */
};

/* Affinity of a task at the start, from the machine snapshot; false: unknown. */
typedef bool rwk_affinity_fn(void *ctx, int32_t tid, struct rwk_cpuset *ret);

struct rwk_timeline_options {
	const struct rwk_machine *machine;
	struct rwk_row_sink sink;
	enum rwk_probe_mode probe;
	bool probed; /* the file describes rewake:sel, which is used: a waking without one is no
			decision */
	bool partial; /* recorded of some CPUs or tasks only: no rewake:nr says nothing then */
	rwk_affinity_fn *affinity; /* NULL: nothing known */
	void *affinity_ctx;
};

struct rwk_timeline;

int rwk_timeline_create(
	const struct rwk_timeline_options *opt, struct rwk_diag *diag, struct rwk_timeline **ret);
void rwk_timeline_destroy(struct rwk_timeline *tl);

/* As options.partial, found out later. */
void rwk_timeline_is_partial(struct rwk_timeline *tl);

/* Feeds the next event in merged order.  0, or what the sink or malloc failed with. */
int rwk_timeline_event(struct rwk_timeline *tl, const struct rwk_event *ev);

/* End of the trace: open rows leave with their ends unknown. */
int rwk_timeline_finish(struct rwk_timeline *tl);

/* After finish.  Task rows by utid, which may be added to; *ret belongs to the timeline. */
int rwk_timeline_tasks(struct rwk_timeline *tl, struct rwk_task_row **ret, size_t *ret_nr);
const struct rwk_anomalies *rwk_timeline_anomalies(const struct rwk_timeline *tl);
/* First and last time that a CPU was observed, RWK_NS_NONE if never. */
void rwk_timeline_cpu_span(
	const struct rwk_timeline *tl, int cpu, rwk_ns *ret_first, rwk_ns *ret_last);

#endif
