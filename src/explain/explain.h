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

/* "netperf-12 (5532)"; "?" for RWK_NONE. */
void rwk_explain_task(FILE *out, const struct rwk_explained *x, int32_t utid);

#endif
