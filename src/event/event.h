/*
 * The normalised event: what every decoder yields and the model consumes,
 * whatever format a trace had.  Fixed size, no ownership, except probe, which
 * borrows from its source until the next event is asked for.
 */
#ifndef SRC_EVENT_EVENT_H
#define SRC_EVENT_EVENT_H

#include <rewake/types.h>

#define RWK_COMM_LEN 16 /* bytes of a task name; not terminated when full; any bytes */

/*
 * Kinds in the order that ties take between CPUs: a wakeup that ends at the
 * nanosecond at which its task is switched in comes first (failure kinds T7, W15).
 *   X(enum, name, rank)
 */
#define RWK_EVENT_KINDS(X)                                                                         \
	X(LOST, "lost", 0)                                                                         \
	X(WAKING, "sched_waking", 1)                                                               \
	X(SEL, "rewake:sel", 2)                                                                    \
	X(SEL_RET, "rewake:sel_ret", 3)                                                            \
	X(MIGRATE, "sched_migrate_task", 4)                                                        \
	X(WAKEUP, "sched_wakeup", 5)                                                               \
	X(WAKEUP_NEW, "sched_wakeup_new", 6)                                                       \
	X(SWITCH, "sched_switch", 7)                                                               \
	X(SEL_STATE, "rewake:sel_state", 2)                                                        \
	X(NR, "rewake:nr", 4)                                                                      \
	X(OTHER, "other", 8)

enum rwk_event_kind {
#define X(id, name, rank) RWK_EV_##id,
	RWK_EVENT_KINDS(X)
#undef X
		RWK_EV_COUNT
};

const char *rwk_event_kind_name(enum rwk_event_kind kind);

/* How a task left its CPU, whatever number its kernel printed (design §1.4). */
enum rwk_end_state {
	RWK_END_UNKNOWN, /* trace ended, was lost, or an unknown encoding */
	RWK_END_RUNNABLE, /* R: gave up the CPU but stays queued */
	RWK_END_PREEMPTED, /* R+ */
	RWK_END_SLEEPING, /* S */
	RWK_END_DISK, /* D, with or without modifiers */
	RWK_END_STOPPED, /* T */
	RWK_END_TRACED, /* t */
	RWK_END_DEAD, /* X */
	RWK_END_ZOMBIE, /* Z */
	RWK_END_PARKED, /* P */
	RWK_END_IDLE, /* I: idle kernel thread */
	RWK_END_COUNT
};

/* common_flags, as every kernel since 2.6.32 has them. */
#define RWK_FLAG_HARDIRQ 0x08
#define RWK_FLAG_SOFTIRQ 0x10
#define RWK_FLAG_NMI     0x40

struct rwk_ev_task { /* WAKING, WAKEUP, WAKEUP_NEW */
	int32_t tid, prio, target_cpu;
	char comm[RWK_COMM_LEN];
};

struct rwk_ev_migrate {
	int32_t tid, prio, orig_cpu, dest_cpu;
	char comm[RWK_COMM_LEN];
};

struct rwk_ev_switch {
	int32_t prev_tid, prev_prio, next_tid, next_prio;
	enum rwk_end_state prev_state;
	int64_t prev_state_raw;
	char prev_comm[RWK_COMM_LEN], next_comm[RWK_COMM_LEN];
};

#define RWK_PROBE_MAX_LLC  128
#define RWK_PROBE_MAX_CPUS 32 /* in one event; a recorder puts four or five in each */

/* A CPU at the entry of the placement function; RWK_NONE: not fetched, or no value. */
struct rwk_probe_cpu {
	int32_t cpu;
	int32_t nr_running;
	int32_t pending; /* ttwu_pending */
	int32_t curr_tid;
	int64_t load; /* load_avg of the fair class */
};

/*
 * Entry of the placement function with whatever the recorder fetched there: SEL has
 * all but the CPUs, and each of the SEL_STATE that follow it has some of these.
 */
struct rwk_ev_probe {
	int32_t prev_cpu;
	uint32_t wake_flags;
	bool has_hidden; /* flips, recent, nca and lastw below are present */
	int32_t flips, recent_cpu, nr_cpus_allowed, last_wakee_tid;
	int nr_llc; /* scanN/coreN pairs, in field order */
	int nr_cpus; /* of SEL_STATE; nrN, pendN, currN, loadN, N ascending */
	union {
		struct {
			int32_t first_cpu, nr_idle_scan, has_idle_cores;
		} llc[RWK_PROBE_MAX_LLC];
		struct rwk_probe_cpu cpu[RWK_PROBE_MAX_CPUS];
	};
};

struct rwk_ev_sel_ret {
	int32_t cpu;
};

/* The number of tasks on a run queue has changed, of any CPU's: the waker's, too. */
struct rwk_ev_nr {
	int32_t cpu; /* whose queue */
	int32_t nr; /* nr_running after the change */
	int32_t change;
};

struct rwk_ev_lost {
	int64_t count; /* RWK_NONE: known to be lost, number unknown */
	rwk_ns from_ts; /* last event of that CPU before the gap, or RWK_NS_NONE */
};

struct rwk_event {
	rwk_ns ts;
	int64_t offset; /* in the file, or line number of a text; RWK_NONE unknown */
	int32_t cpu;
	int32_t tid; /* common_pid: who was on the CPU; RWK_NONE unknown */
	uint8_t kind; /* enum rwk_event_kind */
	uint8_t flags; /* RWK_FLAG_* */
	union {
		struct rwk_ev_task task;
		struct rwk_ev_migrate migrate;
		struct rwk_ev_switch sw;
		const struct rwk_ev_probe *probe;
		struct rwk_ev_sel_ret sel_ret;
		struct rwk_ev_nr nr;
		struct rwk_ev_lost lost;
	};
};

/* ev->probe is one. */
static inline bool rwk_event_has_probe(const struct rwk_event *ev)
{
	return ev->kind == RWK_EV_SEL || ev->kind == RWK_EV_SEL_STATE;
}

/* Strict weak order of a merge: time, then rank of the kind, then CPU. */
bool rwk_event_before(const struct rwk_event *a, const struct rwk_event *b);

#endif
