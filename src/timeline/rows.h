/*
 * The rows of a run: what import finds out about a trace, and what the store
 * keeps.  Ids count from 1 in order of start.  They are enough to bring the
 * events back in their original order: seq is an event's number in the merged
 * stream.
 */
#ifndef SRC_TIMELINE_ROWS_H
#define SRC_TIMELINE_ROWS_H

#include <rewake/types.h>
#include <rewake/wakeup.h>

#include "event/event.h"

#define RWK_SCHED_IDLE 5 /* the kernel's number of that policy */

struct rwk_task_row {
	int32_t utid; /* dense from 1; idle tasks are (tid 0, one per CPU) */
	int32_t tid;
	int32_t generation; /* 0 for the first task with that tid */
	int32_t idle_cpu; /* CPU of an idle task, else RWK_NONE */
	char comm[RWK_COMM_LEN]; /* latest seen; the first one that is no placeholder */
	bool comm_known;
	rwk_ns first_ts, last_ts; /* first and last event that names it */
	int32_t prio; /* latest seen, or RWK_PRIO_UNKNOWN */
	bool is_pcpu_kthread; /* by name, or one allowed CPU in the snapshot */
	bool allowed_known;
	struct rwk_cpuset allowed; /* snapshot's affinity */
	struct rwk_cpuset seen; /* CPUs on which it was seen */
	int32_t policy; /* SCHED_*, RWK_NONE unknown */
	int32_t tgid; /* its process, RWK_NONE unknown */
	const char *cgroup; /* NULL unknown */
};

/* A task on a CPU. */
struct rwk_slice_row {
	int64_t id, seq;
	rwk_ns ts;
	rwk_ns dur; /* RWK_NS_NONE: still running when the trace ended (L11) */
	int32_t cpu, utid, prio;
	uint8_t end_state; /* enum rwk_end_state */
	int64_t end_state_raw; /* number in the trace; 0 when there was no switch out */
	/*
	 * The task was first seen on this CPU at ts, by common_pid or as the
	 * prev of a switch; when it got there is unknown (L9, L10).
	 */
	bool begin_unknown;
	bool cut; /* end forced: seen elsewhere, other prev, or loss (W14, L14) */
};

/*   X(enum, name, meaning) */
#define RWK_WAKEUP_KINDS(X)                                                                        \
	X(DECISION, "decision", "the fair class chose a CPU")                                      \
	X(NO_CHOICE, "no_choice", "one allowed CPU")                                               \
	X(QUEUED, "queued", "wakee was still queued: preempted, not yet dequeued or delayed")      \
	X(ON_CPU, "on_cpu", "wakee was inside its switch-out and queued on its own CPU")           \
	X(SELF, "self", "task woke itself between setting its state and scheduling")               \
	X(OTHER_CLASS, "other_class", "real-time or deadline class decided")                       \
	X(NEW, "new", "first wakeup of a new task")                                                \
	X(SPURIOUS, "spurious", "wakee was running")                                               \
	X(UNKNOWN, "unknown", "state of the wakee was lost or never seen")

enum rwk_wakeup_kind {
#define X(id, name, help) RWK_KIND_##id,
	RWK_WAKEUP_KINDS(X)
#undef X
		RWK_KIND_COUNT
};

/* Where target_cpu was read, best first (W4). */
enum rwk_target_source {
	RWK_TARGET_UNKNOWN,
	RWK_TARGET_PROBE,
	RWK_TARGET_MIGRATE,
	RWK_TARGET_WAKEUP,
	RWK_TARGET_RUN,
	RWK_TARGET_COUNT
};

/* Why a time of a wakeup is missing. */
enum rwk_censor {
	RWK_CENSOR_NONE,
	RWK_CENSOR_END, /* the trace ended first */
	RWK_CENSOR_LOSS, /* events were lost in between */
	RWK_CENSOR_GONE, /* the wakee was never seen to run, although it appeared again */
	RWK_CENSOR_RUNNING, /* the wakee was on a CPU: it waited for nothing */
	RWK_CENSOR_COUNT
};

struct rwk_wakeup_row {
	int64_t id, seq;
	rwk_ns ts; /* of sched_waking; of sched_wakeup_new for kind NEW */
	int32_t cpu; /* [T] */
	int32_t waker_utid, wakee_utid, prio;
	int32_t prev_cpu; /* [P]; RWK_NONE unknown (kind NEW without probe) */
	int32_t target_cpu; /* chosen; RWK_NONE unknown */
	uint8_t target_source;
	uint8_t context; /* enum rwk_context */
	uint8_t kind;
	uint8_t kind_source; /* enum rwk_source */
	bool sync;
	uint8_t sync_source;
	/*
	 * The waker was on its way out: the last sync wakeup of a slice that ended
	 * dead is the notice to the parent, which the kernel does not treat as sync
	 * (design §2.1).  Inferred.
	 */
	bool waker_exiting;
	uint8_t censor;
	int64_t wakeup_seq; /* 0: no sched_wakeup seen */
	rwk_ns wakeup_dur; /* waking → sched_wakeup, RWK_NS_NONE */
	int32_t wakeup_cpu; /* CPU that emitted sched_wakeup: ≠ cpu means by IPI */
	rwk_ns run_dur; /* waking → switched in, RWK_NS_NONE */
	int32_t run_cpu;
	/* Set while the run is being read; the probe is a row of its own. */
	int64_t probe_seq; /* seq of its SEL event, 0 without */
};

/* One call of the placement function, entry and return. */
struct rwk_probe_row {
	int64_t seq; /* of the entry */
	int64_t ret_seq; /* 0: return not seen */
	int64_t wakeup_id; /* 0: none (exec, or unpaired) */
	rwk_ns ts, ret_ts;
	int32_t cpu;
	int32_t utid; /* on the CPU */
	int32_t answer; /* RWK_NONE without return */
	struct rwk_ev_probe values;
};

/* A CPU at the entry of such a call. */
struct rwk_probe_cpu_row {
	int64_t seq; /* of the entry */
	struct rwk_probe_cpu of;
};

struct rwk_migration_row {
	int64_t id, seq;
	rwk_ns ts;
	int32_t cpu; /* that did it */
	int32_t by_utid, utid, prio, orig_cpu, dest_cpu;
	int64_t wakeup_id; /* 0: not part of a wakeup (balancer, affinity, …) */
	bool synthetic; /* no event: the task was just seen elsewhere (L13) */
};

/* sched_wakeup that no sched_waking explains. */
struct rwk_orphan_row {
	int64_t seq;
	rwk_ns ts;
	int32_t cpu, utid, prio, target_cpu;
};

/* Somebody counted the tasks on a run queue anew. */
struct rwk_nr_row {
	int64_t seq;
	rwk_ns ts;
	int32_t cpu; /* that did it */
	struct rwk_ev_nr of;
};

struct rwk_loss_row {
	int64_t seq;
	rwk_ns from_ts, to_ts; /* from RWK_NS_NONE: before the CPU's first event */
	int32_t cpu;
	int64_t count; /* RWK_NONE unknown */
};

/*
 * Who takes the rows.  A row is passed once it is complete, wakeups and slices
 * nearly in id order (long-open ones come late).  0 or negative errno, which
 * ends the import.
 */
struct rwk_row_sink {
	void *ctx;
	int (*slice)(void *ctx, const struct rwk_slice_row *row);
	int (*wakeup)(void *ctx, const struct rwk_wakeup_row *row);
	int (*probe)(void *ctx, const struct rwk_probe_row *row);
	/* Each CPU of a call once, before the row of the call; a CPU without a value is left out.
	 */
	int (*probe_cpu)(void *ctx, const struct rwk_probe_cpu_row *row);
	int (*migration)(void *ctx, const struct rwk_migration_row *row);
	int (*orphan)(void *ctx, const struct rwk_orphan_row *row);
	int (*nr)(void *ctx, const struct rwk_nr_row *row);
	int (*loss)(void *ctx, const struct rwk_loss_row *row);
};

const char *rwk_wakeup_kind_name(enum rwk_wakeup_kind kind);

#endif
