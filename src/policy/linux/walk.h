/*
 * One decision in progress: the picture, the rules, and the verdict that
 * gathers what was read while unknown.  Shared by the steps of the family.
 */
#ifndef SRC_POLICY_LINUX_WALK_H
#define SRC_POLICY_LINUX_WALK_H

#include "policy/linux/rules.h"

struct walk {
	const struct linux_rules *r;
	const void *state; /* the policy's, for its hooks */
	const struct rwk_wakeup *w;
	const struct rwk_machine *m;
	struct rwk_verdict *v;
	int this_cpu, prev_cpu;
	bool sync; /* WF_SYNC and the waker is not exiting */
};

/* Tells whoever asks what was compared, and passes the answer on. */
static inline bool walk_compare(struct walk *k, const char *step, const char *what, int cpu,
	int64_t value, const char *relation, int64_t limit, bool yes)
{
	const struct rwk_trace *trace = k->v->trace;

	if (trace)
		trace->step(trace->ctx, &(struct rwk_step){.step = step,
						.what = what,
						.relation = relation,
						.cpu = cpu,
						.value = value,
						.limit = limit,
						.yes = yes});
	return yes;
}

/* … of a plain question. */
static inline bool walk_ask(struct walk *k, const char *step, const char *what, int cpu, bool yes)
{
	return walk_compare(k, step, what, cpu, yes, NULL, 0, yes);
}

/* Books that input was read although nobody knows it. */
static inline void walk_unknown(struct walk *k, enum rwk_input input)
{
	k->v->unknown |= 1u << input;
}

static inline const struct rwk_cpu_view *walk_cpu(struct walk *k, int cpu)
{
	if (k->w->cpu[cpu].source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_CPU_STATE);
	return &k->w->cpu[cpu];
}

/* [idle(c)]: an unobserved CPU is not taken for idle. */
static inline bool walk_idle(struct walk *k, int cpu)
{
	return walk_cpu(k, cpu)->idle;
}

/* [avail(c)] */
static inline bool walk_avail(struct walk *k, int cpu)
{
	const struct rwk_cpu_view *c = walk_cpu(k, cpu);

	return c->idle || (c->sched_idle && !(k->r->sched_idle_wakee && k->w->wakee.is_sched_idle));
}

static inline bool walk_allowed(struct walk *k, int cpu)
{
	if (k->w->allowed_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_AFFINITY);
	return rwk_cpuset_has(&k->w->allowed, cpu);
}

static inline bool walk_sync(struct walk *k)
{
	if (k->w->sync_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_SYNC);
	return k->sync;
}

/* How the proposals ask whether the CPU is the waker's alone. */
static inline bool walk_alone(struct walk *k, const char *step, int cpu)
{
	uint32_t nr = walk_cpu(k, cpu)->nr_running;

	return walk_compare(k, step, "tasks on the CPU", cpu, nr, "<=", 1, nr <= 1);
}

/* The answer of a step, with its reason. */
static inline int walk_found(struct walk *k, int cpu, enum linux_reason reason)
{
	k->v->reason = (uint16_t)reason;
	return cpu;
}

/* Tasks on T as the sync tests count them: without delayed ones where the rules say so. */
int linux_nr_this(struct walk *k);
/* Which of T and P the search starts from (design §2.4, §2.5); sets the detail. */
int linux_wake_affine(struct walk *k, const struct rwk_domain *d);
/* wide(p) (design §2.2). */
bool linux_wake_wide(struct walk *k);
/* select_idle_sibling (design §2.6): the CPU; sets reason and effects. */
int linux_select_idle_sibling(struct walk *k, int target);
/* select_idle_cpu (design §2.7): an idle CPU or RWK_NONE, then with the reason of the failure. */
int linux_select_idle_cpu(struct walk *k, int target);
/* First available sibling of cpu in target's LLC, itself only if also_self; or RWK_NONE. */
int linux_idle_sibling_of(struct walk *k, int cpu, int target, bool also_self);
/* All hardware threads of cpu's core idle, cpu itself included. */
bool linux_core_idle(struct walk *k, int cpu);

struct linux_node_iter {
	int distance; /* CPU numbers gone up from the start */
	struct rwk_cpuset met; /* LLCs by index */
};
/*
 * LLCs of cpu's node besides cpu's own, which it must have: the first CPU of the
 * next one, in the order in which the node's groups follow each other from cpu;
 * RWK_NONE past the last.  *iter starts zeroed.
 */
int linux_node_next_llc(const struct walk *k, int cpu, struct linux_node_iter *iter);

/* Does p fit on cpu (design §2.8)?  Positive: yes; negative: but for uclamp_min. */
int linux_fits(struct walk *k, int cpu);
/* … as steps 1 to 4 of design §2.6 ask; true where capacities do not differ. */
static inline bool walk_fits(struct walk *k, int cpu)
{
	return !k->m->asym_capacity || k->r->asym.first || linux_fits(k, cpu) > 0;
}
/* The scan of target's capacity domain, if it has one: true with the answer, maybe target. */
bool linux_select_idle_capacity(struct walk *k, int target, int *ret);

/* The slow path (design §2.9): a CPU for a new task or one that calls exec. */
int linux_select_idlest(struct walk *k);

/* The whole decision of a 2009 kernel. */
int linux_select_2009(struct walk *k);
/* A whole decision; what every policy of the family has as select_cpu. */
void linux_select_cpu(const void *state, const struct rwk_wakeup *w, struct rwk_verdict *ret);

#endif
