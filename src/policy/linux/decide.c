/*
 * The decision of the fair class (design §2.2): which domain joins waker and
 * previous CPU, which of the two is the target, and the search around it.
 */
#include "policy/linux/walk.h"

static int pick_target(struct walk *k, bool *ret_affine)
{
	const struct rwk_machine_cpu *mc = &k->m->cpu[k->this_cpu];
	bool want_affine = k->r->affine &&
			   walk_ask(k, "select_task_rq_fair", "wakee allowed on the waker's CPU",
				   k->this_cpu, walk_allowed(k, k->this_cpu));
	bool wide = want_affine && linux_wake_wide(k);

	k->v->detail = wide ? LINUX_D_WIDE : LINUX_D_NOAFF;
	*ret_affine = want_affine && !wide;
	if (!*ret_affine)
		return k->prev_cpu;
	for (int i = 0; i < mc->nr_domains; i++) {
		const struct rwk_domain *d = &mc->domain[i];

		if (!(d->flags & RWK_SD_WAKE_AFFINE) || d->flags & k->r->affine_skips ||
			!rwk_cpuset_has(&d->span, k->prev_cpu))
			continue;
		if (k->this_cpu != k->prev_cpu)
			return linux_wake_affine(k, d);
		k->v->detail = LINUX_D_SAME;
		return k->prev_cpu;
	}
	k->v->detail = LINUX_D_NODOMAIN;
	return k->prev_cpu;
}

static int select_fair(struct walk *k)
{
	const struct linux_hooks *hook = &k->r->hook;
	bool affine;
	int cpu = RWK_NONE, target;

	k->v->detail = LINUX_D_SHORTCUT;
	if (k->r->current_cpu &&
		walk_ask(k, "select_task_rq_fair", "asked for the waker's CPU (WF_CURRENT_CPU)",
			k->this_cpu, k->w->current_cpu && walk_allowed(k, k->this_cpu)))
		cpu = walk_found(k, k->this_cpu, LINUX_R_CURRENT_CPU);
	else if (hook->first)
		cpu = hook->first(k);
	if (cpu != RWK_NONE) {
		k->v->target = cpu;
		return cpu;
	}
	target = pick_target(k, &affine);
	k->v->target = target;
	if (hook->before_search)
		cpu = hook->before_search(k, target);
	if (cpu == RWK_NONE)
		cpu = linux_select_idle_sibling(k, target);
	if (affine && k->r->recent == LINUX_RECENT_WAKER)
		k->v->effects |= RWK_EFFECT_RECENT_THIS;
	return cpu;
}

static int select_by_type(struct walk *k)
{
	if (k->r->y2009.active)
		return linux_select_2009(k);
	return k->w->type == RWK_WAKE_TTWU ? select_fair(k) : linux_select_idlest(k);
}

/* The kernel never runs a task where it may not: P stands for where the task is. */
static int repair(struct walk *k, int cpu)
{
	if (rwk_wakeup_may_use(k->w, cpu))
		return cpu;
	cpu = rwk_wakeup_fallback(k->w);
	/* Nowhere to run: that mask was not the task's, or the kernel widened it. */
	if (cpu == RWK_NONE)
		walk_unknown(k, RWK_IN_AFFINITY);
	return walk_found(k, cpu, LINUX_R_FALLBACK_MASK);
}

void linux_select_cpu(const void *state, const struct rwk_wakeup *w, struct rwk_verdict *ret)
{
	const struct linux_state *s = state;
	struct walk k = {.r = &s->rules,
		.state = state,
		.w = w,
		.m = w->machine,
		.v = ret,
		.this_cpu = w->this_cpu,
		.prev_cpu = w->prev_cpu,
		.sync = w->sync && !w->waker.is_exiting};

	ret->reason = LINUX_R_UNANSWERED;
	if (!w->machine->topology_known) {
		walk_unknown(&k, RWK_IN_TOPOLOGY);
		return;
	}
	if (w->this_cpu < 0 || w->prev_cpu < 0) {
		walk_unknown(&k, RWK_IN_CPU_STATE);
		return;
	}
	ret->cpu = repair(&k, select_by_type(&k));
}
