/* Slices as the switches between them, for the tracks that the Perfetto UI has of CPUs and threads.
 */
#ifndef SRC_EXPORT_PERFETTO_SCHED_H
#define SRC_EXPORT_PERFETTO_SCHED_H

#include <rewake/machine.h>

#include "export/perfetto_tasks.h"

struct rwk_pf_cpu {
	bool known; /* there was a slice */
	int64_t utid; /* on it; RWK_NONE: nobody knows who */
	rwk_ns end; /* of its slice; RWK_NS_NONE: open, or nobody knows */
	int64_t state; /* that it leaves in */
	int64_t prio; /* or RWK_PF_NO_PRIO */
};

struct rwk_pf_sched {
	struct rwk_pf_out *out;
	struct rwk_pf_tasks *tasks;
	struct rwk_version release; /* major 0: unknown */
	struct rwk_pf_cpu cpu[RWK_MAX_CPUS];
};

struct rwk_pf_slice {
	rwk_ns ts, end; /* RWK_NS_NONE: it goes on */
	int32_t cpu; /* 0 … RWK_MAX_CPUS - 1 */
	int64_t utid; /* RWK_NONE unknown */
	int64_t prio; /* or RWK_PF_NO_PRIO */
	char end_state[4]; /* "S", "R+", … "" unknown */
	bool begin_unknown;
};

/* Each: 0 or a negative errno without a cause. */
int rwk_pf_sched_slice(struct rwk_pf_sched *s, const struct rwk_pf_slice *slice);
/* Before another event at ts on cpu: a slice that ended is followed by nobody. */
int rwk_pf_sched_advance(struct rwk_pf_sched *s, int32_t cpu, rwk_ns ts);
/* After the last event. */
int rwk_pf_sched_end(struct rwk_pf_sched *s);

#endif
