/* Events as literals, and a timeline that collects its rows. */
#ifndef TESTS_UNIT_EVENTS_BUILD_H
#define TESTS_UNIT_EVENTS_BUILD_H

#include "timeline/timeline.h"

struct rwk_event ev_switch(rwk_ns ts, int cpu, int prev, enum rwk_end_state state, int next);
/* kind: WAKING, WAKEUP or WAKEUP_NEW; tid: who is on the CPU. */
struct rwk_event ev_wake(
	enum rwk_event_kind kind, rwk_ns ts, int cpu, int tid, int wakee, int target);
struct rwk_event ev_migrate(rwk_ns ts, int cpu, int tid, int task, int orig, int dest);
struct rwk_event ev_lost(rwk_ns ts, int cpu, int64_t count, rwk_ns from);
struct rwk_event ev_sel(rwk_ns ts, int cpu, int tid, const struct rwk_ev_probe *probe);
struct rwk_event ev_sel_state(rwk_ns ts, int cpu, int tid, const struct rwk_ev_probe *probe);
struct rwk_event ev_sel_ret(rwk_ns ts, int cpu, int tid, int answer);
/* The queue of cpu of has grown or shrunk to nr. */
struct rwk_event ev_nr(rwk_ns ts, int cpu, int tid, int of, int nr, int change);
struct rwk_event ev_other(rwk_ns ts, int cpu, int tid);

#define ROWS 64

struct rows {
	struct rwk_machine machine;
	struct rwk_machine_cpu cpu[8];
	struct rwk_machine_llc llc[8];
	struct rwk_timeline *tl;
	int nr_slice, nr_wakeup, nr_probe, nr_probe_cpu, nr_migration, nr_orphan, nr_nr, nr_loss;
	struct rwk_slice_row slice[ROWS]; /* by id - 1 */
	struct rwk_wakeup_row wakeup[ROWS]; /* by id - 1 */
	struct rwk_probe_row probe[ROWS];
	struct rwk_probe_cpu_row probe_cpu[ROWS];
	struct rwk_migration_row migration[ROWS];
	struct rwk_orphan_row orphan[ROWS];
	struct rwk_nr_row nr[ROWS];
	struct rwk_loss_row loss[ROWS];
	struct rwk_task_row *task;
	size_t nr_task;
};

/* Eight CPUs, two LLCs of four, no SMT.  probed: the file has rewake:sel. */
void rows_begin(struct rows *r, const char *kernel, bool probed, enum rwk_probe_mode mode);
void rows_feed(struct rows *r, const struct rwk_event *ev, size_t nr);
/* Ends the trace; rows, tasks and anomalies are then complete. */
void rows_end(struct rows *r);
void rows_free(struct rows *r);
int64_t rows_anomaly(const struct rows *r, enum rwk_anomaly_kind kind);
/* utid of a tid's latest generation; fails the test if there is none. */
int rows_utid(const struct rows *r, int tid);

#define rows_run(r, kernel, ...)                                                                   \
	do {                                                                                       \
		const struct rwk_event evs_[] = {__VA_ARGS__};                                     \
		rows_begin(r, kernel, false, RWK_PROBE_ALL);                                       \
		rows_feed(r, evs_, sizeof(evs_) / sizeof(evs_[0]));                                \
		rows_end(r);                                                                       \
	} while (0)

#endif
