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

/*
 * Wakeups that a task made, counted by time.  The bucket of ts is number
 * ts / RWK_WAKE_MIX_NS, kept at that number modulo RWK_WAKE_MIX_BUCKETS until a
 * later one takes its place.
 */
#define RWK_WAKE_MIX_NS      ((rwk_ns)5000000)
#define RWK_WAKE_MIX_BUCKETS 64

struct rwk_wake_mix_bucket {
	uint16_t all; /* decisions, sync or not */
	uint16_t sync; /* of these, with the hint */
	uint16_t unknown; /* of these, nobody knows */
};

struct rwk_wake_mix {
	int64_t newest; /* number of the latest bucket written */
	struct rwk_wake_mix_bucket bucket[RWK_WAKE_MIX_BUCKETS];
};

struct rwk_task_view {
	int32_t utid; /* identity within the run; RWK_NONE: unknown task */
	int32_t tid;
	int32_t prio; /* 100…139 fair, below 100 RT/DL; RWK_PRIO_UNKNOWN */
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
	uint32_t runnable_avg;
	uint32_t
		util_est; /* what its queue expects of it: last or mean utilisation (design §4.6) */
	uint8_t load_source; /* of the five above */
	uint8_t uclamp_source;
	uint16_t uclamp_min, uclamp_max; /* 0 and 1024: not clamped */

	rwk_ns avg_run_ns; /* mean CPU time between sleeps, EWMA 1/8 (design §5.4) */
	rwk_ns avg_overlap_ns; /* mean CPU time from waking to sleeping, EWMA 1/8 (design §2.11) */
	rwk_ns run_total_ns; /* CPU time of its whole life */
	uint32_t nr_sleeps; /* in its whole life: voluntary switches */
	uint8_t avg_run_source, avg_overlap_source;
	uint8_t run_total_source; /* of run_total_ns and nr_sleeps */
	uint8_t short_slice_source;
	bool short_slice; /* its user asked for a slice below the base slice (6.12+) */
};

/* A fair task on a run queue, running or waiting. */
struct rwk_queued_view {
	int32_t utid;
	uint32_t h_load; /* [H(t)] */
	uint8_t load_source;
	const struct rwk_wake_mix *mix; /* NULL: it was not seen to wake anybody */
};

/* Only there when the policy asks for it (RWK_NEED_QUEUES). */
struct rwk_queue_view {
	const struct rwk_queued_view *task; /* [nr] */
	int nr;
	uint8_t source;
};

struct rwk_cpu_view {
	int32_t curr; /* utid on CPU; RWK_NONE unknown */
	uint16_t nr_running; /* [nr(c)] running one included, delayed ones included */
	uint16_t nr_delayed; /* of those, blocked but not yet dequeued (6.12+) */
	bool idle; /* [idle(c)] */
	bool sched_idle; /* [sidle(c)] */
	bool pending; /* a remote wakeup is on its way to this CPU */
	uint8_t source; /* of all the above */
	uint8_t load_source; /* of the averages */
	uint32_t load_avg; /* [L(c)], as last stored */
	uint32_t util_avg;
	uint32_t util_est; /* what its queued tasks are expected to use (design §4.6) */
	uint32_t runnable_avg;
	uint32_t capacity; /* [cap(c)] */

	/* When it last switched to its idle task; only read while it is idle. */
	rwk_ns idle_since_ns; /* RWK_NS_NONE: before the recording */
	uint8_t idle_since_source;

	uint8_t queue_source; /* of the next two */
	uint16_t nr_fair; /* queued fair tasks, the running one included */
	uint64_t load_weight; /* sum of weights in the root queue: tasks, and groups as a whole */
	/* Until when the last task that left it idle is likely back (design §5.5, sis-cache). */
	rwk_ns hot_until_ns; /* RWK_NS_NONE: never so far */
	/* The life of its current task up to when it was switched in, and since when it runs. */
	rwk_ns curr_run_total_ns;
	rwk_ns curr_since_ns; /* RWK_NS_NONE: the idle task, which counts no time, or unknown */
	uint32_t curr_nr_sleeps;
	uint8_t curr_run_total_source; /* of these three */
	uint8_t hot_source;
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
	struct rwk_cpuset
		allowed; /* [cpus_ptr]; while unknown, every CPU that is online or in domains */
	/*
	 * Average idle time of T and average cost of a scan in T's LLC, read by
	 * SIS_PROP (5.10 … 5.19).
	 */
	rwk_ns avg_idle_ns;
	rwk_ns avg_scan_cost_ns;
	uint8_t avg_idle_source, avg_scan_cost_source;

	struct rwk_queue_view this_queue, prev_queue; /* who is queued on T and P */

	int32_t recorded_cpu; /* what the kernel answered; RWK_NONE unknown */
	uint8_t recorded_source;

	const struct rwk_machine *machine;
	const struct rwk_cpu_view *cpu; /* [machine->nr_cpu_ids] */
	const struct rwk_llc_view *llc; /* [machine->nr_llc] */

	/*
	 * What cpu[] says, as sets, so that a scan can pass over many CPUs at once; both
	 * NULL: nobody made them.
	 */
	const struct rwk_cpuset *free_cpus; /* every idle or sched_idle CPU, few others */
	const struct rwk_cpuset *unknown_cpus; /* source is RWK_UNKNOWN */
};

/*
 * The kernel lets the wakee run on cpu, if it is chosen (design §1.1 row 8): cpu is allowed,
 * and not just going away.
 */
static inline bool rwk_wakeup_may_use(const struct rwk_wakeup *w, int cpu)
{
	return cpu >= 0 && cpu < w->machine->nr_cpu_ids && rwk_cpuset_has(&w->allowed, cpu) &&
	       rwk_cpuset_has(&w->machine->active, cpu);
}

/*
 * Where the kernel puts a task whose chosen CPU it may not use (design §1.1 row
 * 8): lowest such CPU of P's node, else lowest of all; RWK_NONE when there is none.
 */
static inline int rwk_wakeup_fallback(const struct rwk_wakeup *w)
{
	const struct rwk_machine *m = w->machine;
	int first = RWK_NONE;

	rwk_cpuset_foreach (c, &w->allowed) {
		if (!rwk_wakeup_may_use(w, c))
			continue;
		if (w->prev_cpu < 0 || m->cpu[c].node == m->cpu[w->prev_cpu].node)
			return c;
		if (first == RWK_NONE)
			first = c;
	}
	return first;
}

#endif
