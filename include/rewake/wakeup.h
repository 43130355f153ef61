/*
 * One wakeup as a policy sees it: a read-only picture of the instant at which
 * the kernel chose a CPU.  Every value that a recording may lack has a source
 * beside it (enum rwk_source); RWK_UNKNOWN means "do not read".
 * Symbols in brackets are those of the wakeup-placement design §0.
 */
#ifndef REWAKE_WAKEUP_H
#define REWAKE_WAKEUP_H

#include <rewake/machine.h>
#include <rewake/types.h>

enum rwk_wake_type {
	RWK_WAKE_TTWU, /* ordinary wakeup */
	RWK_WAKE_FORK, /* first wakeup of a new task */
	RWK_WAKE_EXEC, /* balancing at exec */
	RWK_WAKE_TYPE_COUNT
};

/* What ran on the waker's CPU when it woke. */
enum rwk_context {
	RWK_CTX_TASK,
	RWK_CTX_IDLE, /* the idle task itself, outside interrupts */
	RWK_CTX_SOFTIRQ,
	RWK_CTX_HARDIRQ,
	RWK_CTX_NMI,
	RWK_CTX_UNKNOWN,
	RWK_CTX_COUNT
};

struct rwk_task_view {
	int32_t utid; /* identity within the run; RWK_NONE: unknown task */
	int32_t tid;
	int32_t prio; /* 100…139 fair, below 100 RT/DL; RWK_NONE unknown */
	uint32_t weight; /* load weight of that priority, nice 0 = 1024 */
	bool is_idle; /* a CPU's idle task */
	bool is_pcpu_kthread;
	bool is_exiting;
	bool is_sched_idle;

	uint32_t wakee_flips;
	int32_t last_wakee; /* utid or RWK_NONE for "none yet" */
	int32_t recent_cpu; /* recent_used_cpu */
	uint8_t flips_source, last_wakee_source, recent_source;

	uint32_t load_avg;
	uint32_t h_load; /* [H(t)] */
	uint32_t util_avg;
	uint8_t load_source;

	rwk_ns avg_run_ns; /* mean CPU time between sleeps, EWMA 1/8 (design §5.4) */
	uint8_t avg_run_source;
};

struct rwk_cpu_view {
	int32_t curr; /* utid on CPU; RWK_NONE unknown */
	uint16_t nr_running; /* [nr(c)] running one included, delayed ones included */
	uint16_t nr_delayed; /* of those, blocked but not yet dequeued (6.12+) */
	bool idle; /* [idle(c)] */
	bool sched_idle; /* [sidle(c)] */
	bool pending; /* a remote wakeup is on its way to this CPU */
	uint8_t source; /* of all the above */
	uint8_t load_source;
	uint32_t load_avg; /* [L(c)], as last stored */
	uint32_t util_avg;
	uint32_t capacity; /* [cap(c)] */
};

struct rwk_llc_view {
	bool has_idle_cores; /* [h], the hint, not the truth */
	uint8_t has_idle_cores_source;
	uint8_t nr_idle_scan_source;
	int32_t nr_idle_scan;
};

struct rwk_wakeup {
	int64_t id; /* row of the wakeup in the run */
	rwk_ns ts; /* instant of the decision */
	enum rwk_wake_type type;
	enum rwk_context context;
	int32_t this_cpu; /* [T] */
	int32_t prev_cpu; /* [P] */
	bool sync; /* WF_SYNC given, before the exiting-waker rule */
	bool current_cpu; /* WF_CURRENT_CPU given (6.6+) */
	uint8_t sync_source;
	uint8_t allowed_source;
	struct rwk_task_view waker; /* [cur]: on the CPU, also when an interrupt wakes */
	struct rwk_task_view wakee; /* [p] */
	struct rwk_cpuset allowed; /* [cpus_ptr]; every online CPU while unknown */
	/*
	 * Average idle time of T and average cost of a scan in T's LLC, read by
	 * SIS_PROP (5.10 … 5.19).
	 */
	rwk_ns avg_idle_ns;
	rwk_ns avg_scan_cost_ns;
	uint8_t avg_idle_source, avg_scan_cost_source;

	int32_t recorded_cpu; /* what the kernel answered; RWK_NONE unknown */
	uint8_t recorded_source;

	const struct rwk_machine *machine;
	const struct rwk_cpu_view *cpu; /* [machine->nr_cpu_ids] */
	const struct rwk_llc_view *llc; /* [machine->nr_llc] */
};

#endif
