/* Ends of the slices at hand, and a histogram of what wakeups of idle CPUs took. */
#include "replay/price.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Values below 2^(STEP_BITS + 1) have a bucket each; above, 2^STEP_BITS buckets
 * per power of two, so that a bucket is narrower than value / 2^STEP_BITS.
 */
#define STEP_BITS  10
#define STEPS      (1 << STEP_BITS)
#define NR_BUCKETS ((64 - STEP_BITS) * STEPS)

/* The stay of the task that is on a CPU now. */
struct stay {
	bool known;
	bool cut; /* nobody saw how it ended */
	bool sleeps; /* at its end */
	rwk_ns end; /* RWK_NS_NONE: the trace ended first */
};

struct rwk_prices {
	int nr_cpus;
	struct stay *stay; /* [nr_cpus] */
	int64_t *latency; /* [NR_BUCKETS] */
	int64_t nr;
};

int rwk_prices_create(int nr_cpus, struct rwk_prices **ret)
{
	struct rwk_prices *p = calloc(1, sizeof(*p));

	if (p) {
		p->nr_cpus = nr_cpus;
		p->stay = calloc((size_t)nr_cpus + 1, sizeof(*p->stay));
		p->latency = calloc(NR_BUCKETS, sizeof(*p->latency));
	}
	if (!p || !p->stay || !p->latency) {
		rwk_prices_destroy(p);
		return -ENOMEM;
	}
	*ret = p;
	return 0;
}

void rwk_prices_destroy(struct rwk_prices *p)
{
	if (!p)
		return;
	free(p->stay);
	free(p->latency);
	free(p);
}

static bool is_sleep(uint8_t end_state)
{
	return end_state >= RWK_END_SLEEPING;
}

void rwk_prices_apply(struct rwk_prices *p, const struct rwk_feed_item *it)
{
	const struct rwk_slice_row *s = it->slice;
	struct stay *stay;

	if (it->ev.cpu < 0 || it->ev.cpu >= p->nr_cpus)
		return;
	stay = &p->stay[it->ev.cpu];
	if (it->ev.kind == RWK_EV_LOST) {
		*stay = (struct stay){0};
	} else if (s) {
		*stay = (struct stay){.known = true,
			.cut = s->cut,
			.sleeps = is_sleep(s->end_state),
			.end = RWK_NS_NONE};
		if (s->dur != RWK_NS_NONE && __builtin_add_overflow(s->ts, s->dur, &stay->end))
			stay->cut = true;
	}
}

static int bucket_of(uint64_t value)
{
	int shift;

	if (value < 2 * STEPS)
		return (int)value;
	shift = 63 - __builtin_clzll(value) - STEP_BITS;
	return shift * STEPS + (int)(value >> shift);
}

static rwk_ns value_of(int bucket)
{
	int shift;

	if (bucket < 2 * STEPS)
		return bucket;
	shift = bucket / STEPS - 1;
	return (rwk_ns)((uint64_t)(bucket - shift * STEPS) << shift);
}

static bool is_idle(const struct rwk_wakeup *w, int cpu)
{
	return w->cpu[cpu].source != RWK_UNKNOWN && w->cpu[cpu].idle;
}

void rwk_prices_observe(
	struct rwk_prices *p, const struct rwk_wakeup *w, const struct rwk_wakeup_row *row)
{
	int cpu = w->recorded_cpu;

	if (w->recorded_source == RWK_UNKNOWN || cpu < 0 || cpu >= p->nr_cpus ||
		cpu == w->this_cpu || !is_idle(w, cpu) || row->run_dur < 0)
		return;
	p->latency[bucket_of((uint64_t)row->run_dur)]++;
	p->nr++;
}

rwk_ns rwk_prices_idle_wait(const struct rwk_prices *p, int64_t *ret_nr)
{
	int64_t rank = (p->nr + 1) / 2;

	*ret_nr = p->nr;
	for (int i = 0; p->nr && i < NR_BUCKETS; i++) {
		rank -= p->latency[i];
		if (rank <= 0)
			return value_of(i);
	}
	return RWK_NS_NONE;
}

static enum rwk_price_kind price_of(
	const struct rwk_prices *p, const struct rwk_wakeup *w, int cpu, rwk_ns *ret_wait)
{
	const struct stay *stay;

	*ret_wait = RWK_NS_NONE;
	if (cpu < 0 || cpu >= p->nr_cpus || w->cpu[cpu].source == RWK_UNKNOWN)
		return RWK_PRICE_NO_TASK;
	if (w->cpu[cpu].idle)
		return RWK_PRICE_IDLE;
	stay = &p->stay[cpu];
	if (!stay->known)
		return RWK_PRICE_NO_TASK;
	if (stay->cut)
		return RWK_PRICE_LOST;
	if (stay->end == RWK_NS_NONE)
		return RWK_PRICE_END;
	if (stay->end < w->ts)
		return RWK_PRICE_NO_TASK;
	if ((uint64_t)stay->end - (uint64_t)w->ts > (uint64_t)RWK_PRICE_HORIZON_NS)
		return RWK_PRICE_HORIZON;
	*ret_wait = stay->end - w->ts;
	return RWK_PRICE_BUSY;
}

static bool passed_idle(const struct rwk_prices *p, const struct rwk_wakeup *w, int cpu)
{
	int llc = w->machine->cpu[cpu].llc;

	if (w->cpu[cpu].source == RWK_UNKNOWN || w->cpu[cpu].idle || llc == RWK_NONE)
		return false;
	rwk_cpuset_foreach_below (other, &w->machine->llc[llc].cpus, p->nr_cpus) {
		if (is_idle(w, other) && rwk_cpuset_has(&w->allowed, other))
			return true;
	}
	return false;
}

static bool waker_slept(const struct rwk_prices *p, const struct rwk_wakeup *w)
{
	const struct stay *stay;

	if (w->this_cpu < 0 || w->this_cpu >= p->nr_cpus || w->waker.utid == RWK_NONE ||
		w->waker.is_idle)
		return false;
	stay = &p->stay[w->this_cpu];
	return stay->known && !stay->cut && stay->sleeps && stay->end != RWK_NS_NONE &&
	       stay->end >= w->ts &&
	       (uint64_t)stay->end - (uint64_t)w->ts <= (uint64_t)RWK_WAKER_SLEPT_NS;
}

void rwk_prices_get(
	const struct rwk_prices *p, const struct rwk_wakeup *w, int cpu, struct rwk_price *ret)
{
	ret->kind = (uint8_t)price_of(p, w, cpu, &ret->wait_ns);
	ret->kernel_kind = (uint8_t)price_of(p, w, w->recorded_cpu, &ret->kernel_wait_ns);
	ret->passed_idle = cpu >= 0 && cpu < p->nr_cpus && passed_idle(p, w, cpu);
	ret->waker_slept = waker_slept(p, w);
}
