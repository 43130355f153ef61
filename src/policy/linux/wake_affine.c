/* Choosing the target: wake_wide, wake_affine_idle and wake_affine_weight. */
#include "policy/linux/walk.h"

bool linux_wake_wide(struct walk *k)
{
	const struct rwk_task_view *cur = &k->w->waker, *p = &k->w->wakee;
	uint64_t f = (uint64_t)rwk_machine_llc_size(k->m, k->this_cpu);
	uint64_t most = cur->wakee_flips, least = p->wakee_flips;

	if (cur->flips_source == RWK_UNKNOWN || p->flips_source == RWK_UNKNOWN)
		walk_unknown(k, RWK_IN_FLIPS);
	if (most < least) {
		most = p->wakee_flips;
		least = cur->wakee_flips;
	}
	return walk_compare(k, "wake_wide", "fewer flips of the two against the LLC's size",
		       RWK_NONE, (int64_t)least, ">=", (int64_t)f, least >= f) &&
	       walk_compare(k, "wake_wide",
		       "more flips of the two against that many times the fewer", RWK_NONE,
		       (int64_t)most, ">=", (int64_t)(least * f), most >= least * f);
}

int linux_nr_this(struct walk *k)
{
	const struct rwk_cpu_view *c = walk_cpu(k, k->this_cpu);

	return c->nr_running - (k->r->subtract_delayed ? c->nr_delayed : 0);
}

static int decided(struct walk *k, int cpu, enum linux_detail detail)
{
	k->v->detail = (uint16_t)detail;
	return cpu;
}

static bool this_idle(struct walk *k)
{
	return walk_ask(
		k, "wake_affine_idle", "waker's CPU idle", k->this_cpu, walk_idle(k, k->this_cpu));
}

static bool prev_idle(struct walk *k)
{
	return walk_ask(
		k, "wake_affine_idle", "previous CPU idle", k->prev_cpu, walk_idle(k, k->prev_cpu));
}

static bool share_cache(struct walk *k)
{
	return walk_ask(k, "wake_affine_idle", "waker's and previous CPU share a cache", RWK_NONE,
		rwk_machine_share_llc(k->m, k->this_cpu, k->prev_cpu));
}

static bool waker_alone(struct walk *k)
{
	int nr = linux_nr_this(k);

	return walk_compare(k, "wake_affine_idle", "tasks on the waker's CPU", k->this_cpu, nr,
		"==", 1, nr == 1);
}

static bool is_sync(struct walk *k)
{
	return walk_ask(k, "wake_affine_idle", "sync wakeup", RWK_NONE, walk_sync(k));
}

static bool attracts(struct walk *k, bool (*hook)(struct walk *k))
{
	return hook && walk_ask(k, "wake_affine_idle", "the policy's own test draws to the waker",
			       k->this_cpu, hook(k));
}

/* T, P, or RWK_NONE for undecided. */
static int affine_idle(struct walk *k)
{
	int t = k->this_cpu, p = k->prev_cpu;
	bool share = share_cache(k);
	const struct linux_hooks *hook = &k->r->hook;

	if (k->r->idle_test == LINUX_IDLE_GORMAN) {
		if (share && prev_idle(k))
			return decided(k, p, LINUX_D_WAI_PREV);
		if (share && this_idle(k))
			return decided(k, t, LINUX_D_WAI_THIS);
	} else if (share && this_idle(k)) {
		return prev_idle(k) ? decided(k, p, LINUX_D_WAI_PREV)
				    : decided(k, t, LINUX_D_WAI_THIS);
	}
	if (is_sync(k) && waker_alone(k))
		return decided(k, t, LINUX_D_WAI_SYNC);
	if (attracts(k, hook->attracts))
		return decided(k, t, LINUX_D_WAI_SHORT);
	if (k->r->idle_test == LINUX_IDLE_LAWALL && prev_idle(k))
		return decided(k, p, LINUX_D_WAI_PREV);
	if (attracts(k, hook->attracts_late))
		return decided(k, t, LINUX_D_WAI_SHORT);
	return RWK_NONE;
}

static int64_t load_of(struct walk *k, int cpu)
{
	return k->r->hook.load ? k->r->hook.load(k, cpu) : k->w->cpu[cpu].load_avg;
}

/* T, or RWK_NONE for "not T". */
static int affine_weight(struct walk *k, const struct rwk_domain *d)
{
	int t = k->this_cpu, p = k->prev_cpu;
	const struct rwk_cpu_view *ct = &k->w->cpu[t], *cp = &k->w->cpu[p];
	int64_t this_load = load_of(k, t), prev_load = load_of(k, p);
	int64_t task_load = k->w->wakee.h_load;

	if (ct->load_source == RWK_UNKNOWN || cp->load_source == RWK_UNKNOWN ||
		k->w->wakee.load_source == RWK_UNKNOWN ||
		(k->sync && k->w->waker.load_source == RWK_UNKNOWN))
		walk_unknown(k, RWK_IN_LOAD);
	if (walk_sync(k)) {
		int64_t current_load = k->w->waker.h_load;

		if (walk_compare(k, "wake_affine_weight", "waker's own load against its CPU's", t,
			    current_load, ">", this_load, current_load > this_load))
			return t;
		this_load -= current_load;
	}
	this_load += task_load;
	prev_load -= task_load;
	if (k->r->wa_bias) {
		this_load *= 100;
		prev_load *= 100 + (d->imbalance_pct - 100) / 2;
	}
	this_load *= cp->capacity;
	prev_load *= ct->capacity;
	if (k->sync)
		prev_load++;
	return walk_compare(k, "wake_affine_weight",
		       "load with the wakee on the waker's CPU against the previous one's without",
		       RWK_NONE, this_load, "<", prev_load, this_load < prev_load)
		       ? t
		       : RWK_NONE;
}

int linux_wake_affine(struct walk *k, const struct rwk_domain *d)
{
	int target = RWK_NONE;

	k->v->detail = LINUX_D_UNDECIDED_PREV;
	if (k->r->wa_idle)
		target = affine_idle(k);
	if (target == RWK_NONE && k->r->wa_weight) {
		target = affine_weight(k, d);
		k->v->detail = target == RWK_NONE ? LINUX_D_WEIGHT_PREV : LINUX_D_WEIGHT_THIS;
	}
	return target == k->this_cpu ? target : k->prev_cpu;
}
