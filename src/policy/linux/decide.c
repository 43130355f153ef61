/*
 * The decision of the fair class (design §2.2): which domain joins waker and
 * previous CPU, which of the two is the target, and the search around it.
 */
#include "policy/linux/walk.h"

static int pick_target(struct walk *k, bool *ret_affine)
{
	const struct rwk_machine_cpu *mc = &k->m->cpu[k->this_cpu];
	bool want_affine = k->r->affine && walk_allowed(k, k->this_cpu);
	bool wide = want_affine && linux_wake_wide(k);

	k->v->detail = wide ? LINUX_D_WIDE : LINUX_D_NOAFF;
	*ret_affine = want_affine && !wide;
	if (!*ret_affine)
		return k->prev_cpu;
	for (int i = 0; i < mc->nr_domains; i++) {
		const struct rwk_domain *d = &mc->domain[i];

		if (!(d->flags & RWK_SD_WAKE_AFFINE) || !rwk_cpuset_has(&d->span, k->prev_cpu))
			continue;
		if (k->this_cpu != k->prev_cpu)
			return linux_wake_affine(k, d);
		k->v->detail = LINUX_D_SAME;
		return k->prev_cpu;
	}
	k->v->detail = LINUX_D_NODOMAIN;
	return k->prev_cpu;
}

/* The kernel never runs a task where it may not: design §1.1 row 8. */
static int repair(struct walk *k, int cpu)
{
	int node = k->m->cpu[k->prev_cpu].node;
	int first = RWK_NONE;

	if (rwk_cpuset_has(&k->w->allowed, cpu))
		return cpu;
	rwk_cpuset_foreach (c, &k->w->allowed) {
		if (c >= k->m->nr_cpu_ids || !rwk_cpuset_has(&k->m->online, c))
			continue;
		if (first == RWK_NONE)
			first = c;
		if (k->m->cpu[c].node == node) {
			first = c;
			break;
		}
	}
	k->v->reason = LINUX_R_FALLBACK_MASK;
	return first;
}

void linux_select_cpu(const void *state, const struct rwk_wakeup *w, struct rwk_verdict *ret)
{
	const struct linux_state *s = state;
	struct walk k = {.r = &s->rules,
		.w = w,
		.m = w->machine,
		.v = ret,
		.this_cpu = w->this_cpu,
		.prev_cpu = w->prev_cpu,
		.sync = w->sync && !w->waker.is_exiting};
	bool affine;
	int target;

	ret->reason = LINUX_R_UNANSWERED;
	if (!w->machine->topology_known) {
		walk_unknown(&k, RWK_IN_TOPOLOGY);
		return;
	}
	if (w->this_cpu < 0 || w->prev_cpu < 0) {
		walk_unknown(&k, RWK_IN_CPU_STATE);
		return;
	}
	if (k.r->current_cpu && w->current_cpu && walk_allowed(&k, k.this_cpu)) {
		ret->reason = LINUX_R_CURRENT_CPU;
		ret->target = ret->cpu = k.this_cpu;
		return;
	}
	target = pick_target(&k, &affine);
	ret->target = target;
	if (k.r->sync_idle && k.sync && target == k.this_cpu &&
		walk_cpu(&k, k.this_cpu)->nr_running -
				(k.r->subtract_delayed ? w->cpu[k.this_cpu].nr_delayed : 0) ==
			1) {
		ret->reason = LINUX_R_SYNC_IDLE;
		ret->cpu = repair(&k, target);
		return;
	}
	ret->cpu = repair(&k, linux_select_idle_sibling(&k, target));
	if (affine && k.r->recent == LINUX_RECENT_WAKER)
		ret->effects |= RWK_EFFECT_RECENT_THIS;
}
