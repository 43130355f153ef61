/*
 * One decision in progress: the picture, the rules, and the verdict that
 * gathers what was read while unknown.  Shared by the steps of the family.
 */
#ifndef SRC_POLICY_LINUX_WALK_H
#define SRC_POLICY_LINUX_WALK_H

#include "policy/linux/rules.h"

struct walk {
	const struct linux_rules *r;
	const struct rwk_wakeup *w;
	const struct rwk_machine *m;
	struct rwk_verdict *v;
	int this_cpu, prev_cpu;
	bool sync; /* WF_SYNC and the waker is not exiting */
};

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
/* A whole decision; what every policy of the family has as select_cpu. */
void linux_select_cpu(const void *state, const struct rwk_wakeup *w, struct rwk_verdict *ret);

#endif
