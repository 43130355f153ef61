/*
 * What to fetch at each placement decision: the text of every probe event, out
 * of facts about the kernel.  Knows no kernel itself, so that a text can be
 * tested for any.
 *
 * At the entry of the placement function the event "sel" fetches
 *   prev, wf                    previous CPU, wake flags
 *   flips, recent, nca, lastw   of the wakee: wakee_flips, recent_used_cpu,
 *                               nr_cpus_allowed, thread id of last_wakee
 *   scanN, coreN                nr_idle_scan and has_idle_cores of the cache domain
 *                               whose first CPU is N; a kernel without nr_idle_scan
 *                               gets the constant -1 there: unknown
 * and at its return "sel_ret" the answer, cpu.  With RWK_PROBE_LEVEL_STATE the events
 * "sel_stateI" also fetch of a few CPUs N each
 *   nrN, pendN, currN, loadN    nr_running, ttwu_pending, thread id of the current
 *                               task, load_avg of the fair class
 */
#ifndef SRC_RECORD_PROBE_PLAN_H
#define SRC_RECORD_PROBE_PLAN_H

#include <rewake/machine.h>

#include "base/diag.h"
#include "record/btf.h"
#include "record/dynevent.h"
#include "record/record.h"

#define RWK_PROBE_FUNCTION "select_task_rq_fair"

/* What the kernel's tracing takes: longer definitions and more fields are refused. */
#define RWK_PROBE_MAX_TEXT   4000 /* of 4095, the rest is for names */
#define RWK_PROBE_MAX_FIELDS 128
/* Probes with 50 fields and more have hung emulated machines. */
#define RWK_PROBE_STATE_FIELDS 16

struct rwk_probe_facts {
	struct rwk_version kernel;
	char no_kprobes[96]; /* why there are none; "": there are */
	char no_fprobes[96]; /* likewise; they stand in for kprobes */
	char no_btf[96]; /* likewise, for all that BTF tells */
	char no_symbols[96]; /* likewise, for the addresses below */
	int prev_place, flags_place; /* of the arguments, by BTF; 0: unknown */
	int pointer_size;
	/* size 0: the kernel has no such member, or none that a probe can fetch */
	struct rwk_btf_member flips, recent, nr_cpus_allowed, last_wakee, tid; /* task_struct */
	struct rwk_btf_member has_idle_cores, nr_idle_scan; /* sched_domain_shared */
	struct rwk_btf_member nr_running, ttwu_pending, curr, load; /* rq */
	bool has_llc_shared, has_runqueues; /* the addresses are known */
	uint64_t llc_shared, runqueues; /* of the per-CPU variables */
	const int *llc_cpu; /* first CPU of each cache domain of several CPUs */
	int nr_llc;
	struct rwk_cpuset cpus; /* whose state may be fetched */
};

struct rwk_probe_event {
	char name[24];
	enum rwk_dynevent_type type;
	char *fetch; /* "prev=$arg2:s32 wf=$arg3:x32" */
};

struct rwk_probe_plan {
	enum rwk_probe_level level;
	int nr_events;
	struct rwk_probe_event *event; /* in the order in which they are to be made */
	int nr_llc; /* cache domains whose values are fetched: the first ones */
	char note[256]; /* what is left out, and why; "": nothing */
};

/* How it is made; points into event. */
struct rwk_dynevent_text rwk_probe_event_text(const struct rwk_probe_event *event);

/* By fprobes: where there are no kprobes, as the kernel does not tell what they missed. */
bool rwk_probe_plan_by_fprobes(const struct rwk_probe_facts *facts);

/* What the kernel lacks for the level, which is not AUTO; NULL: nothing.  Borrowed from facts. */
const char *rwk_probe_plan_lack(const struct rwk_probe_facts *facts, enum rwk_probe_level level);

/*
 * level: not AUTO.  -ENODATA with the cause when the kernel lacks what the
 * level needs, -ENOMEM.  Finished with rwk_probe_plan_finish().
 */
int rwk_probe_plan_make(struct rwk_probe_plan *ret, const struct rwk_probe_facts *facts,
	enum rwk_probe_level level, struct rwk_diag *diag);

void rwk_probe_plan_finish(struct rwk_probe_plan *plan);

#endif
