/*
 * One decision as a person would draw it: who woke whom, what every CPU around
 * was doing, and the steps of each policy with the values that it compared.
 * Text for terminals; names of tasks are escaped.
 */
#ifndef SRC_EXPLAIN_EXPLAIN_H
#define SRC_EXPLAIN_EXPLAIN_H

#include <stdio.h>

#include "policy/registry.h"
#include "timeline/rows.h"

struct rwk_explained {
	const struct rwk_wakeup *w; /* as every policy saw it */
	const struct rwk_task_row *task; /* by utid - 1, for names */
	size_t nr_task;
	rwk_ns begin_ts; /* of the recording: times are told from there */
};

/* Who, from where, and what was known of both. */
void rwk_explain_wakeup(FILE *out, const struct rwk_explained *x);
/*
 * A row per CPU of the LLCs that matter: of the waker, the previous CPU, the
 * wakee's recent one and the kernel's answer; the others are counted.  cpu: more
 * that matter.
 */
void rwk_explain_cpus(FILE *out, const struct rwk_explained *x, const struct rwk_cpuset *cpu);
/* Asks p, and tells the way to its answer; *ret is that. */
void rwk_explain_policy(FILE *out, const struct rwk_explained *x,
	const struct rwk_policy_instance *p, struct rwk_verdict *ret);

/* A task that was on a CPU, and for how long. */
struct rwk_explained_ran {
	int32_t utid;
	rwk_ns dur;
};

/* What the kernel did, and what came of it. */
struct rwk_explained_after {
	int32_t kernel_cpu;
	uint8_t kernel_source;
	rwk_ns wakeup_dur, run_dur; /* from the waking; RWK_NS_NONE: not seen */
	int32_t wakeup_cpu, run_cpu;
	const struct rwk_explained_ran *ran; /* on run_cpu meanwhile */
	size_t nr_ran;
};
void rwk_explain_after(
	FILE *out, const struct rwk_explained *x, const struct rwk_explained_after *a);

/* A decision in a list of neighbours; RWK_NONE unknown. */
struct rwk_explained_decision {
	int64_t wakeup_id;
	rwk_ns ts;
	int32_t waker_utid, wakee_utid, cpu, prev_cpu, target_cpu;
};
/* here: the place of the one that they are around. */
void rwk_explain_around(FILE *out, const struct rwk_explained *x,
	const struct rwk_explained_decision *d, size_t nr, size_t here);

/* "netperf-12 (5532)"; "?" for RWK_NONE. */
void rwk_explain_task(FILE *out, const struct rwk_explained *x, int32_t utid);

#endif
