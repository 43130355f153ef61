/* Histories of wakees, and misses whose window for a race is still open. */
#include "replay/attribute.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

/* What is known of a CPU's idle state. */
struct change {
	bool known, idle;
	rwk_ns ts; /* of the last change, RWK_NS_NONE */
};

struct open_miss {
	int64_t wakeup_id;
	int32_t wakee_utid, llc[2];
	rwk_ns entry, ret; /* ret: RWK_NS_NONE without return */
	bool in_call, near_entry;
};

struct rwk_attribution {
	int nr_cpus;
	struct change *change; /* [nr_cpus] */
	uint32_t *nr_decisions; /* by utid */
	size_t task_cap;
	struct open_miss *open;
	size_t nr_open, open_cap;
	struct rwk_races races; /* of those closed */
};

int rwk_attribution_create(int nr_cpus, struct rwk_attribution **ret)
{
	struct rwk_attribution *a = calloc(1, sizeof(*a));

	if (a) {
		a->nr_cpus = nr_cpus;
		a->change = calloc((size_t)nr_cpus + 1, sizeof(*a->change));
	}
	if (!a || !a->change) {
		rwk_attribution_destroy(a);
		return -ENOMEM;
	}
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		a->change[cpu].ts = RWK_NS_NONE;
	*ret = a;
	return 0;
}

void rwk_attribution_destroy(struct rwk_attribution *a)
{
	if (!a)
		return;
	free(a->change);
	free(a->nr_decisions);
	free(a->open);
	free(a);
}

int rwk_attribution_history(struct rwk_attribution *a, int32_t utid, enum rwk_history *ret)
{
	uint32_t nr;

	if (rwk_vec_grow(&a->nr_decisions, &a->task_cap, (size_t)utid + 1, sizeof(uint32_t)))
		return -ENOMEM;
	nr = a->nr_decisions[utid];
	if (nr < 20)
		a->nr_decisions[utid]++;
	*ret = nr == 0   ? RWK_HISTORY_FIRST
	       : nr < 5  ? RWK_HISTORY_TO_5
	       : nr < 20 ? RWK_HISTORY_TO_20
			 : RWK_HISTORY_MORE;
	return 0;
}

static uint8_t worst(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

void rwk_attribution_provenance(
	const struct rwk_wakeup *w, bool has_idle_scan, uint8_t ret[RWK_PROVENANCE_COUNT])
{
	const int32_t cpu[] = {w->this_cpu, w->prev_cpu};

	ret[RWK_PROVENANCE_FLIPS] = worst(w->waker.flips_source, w->wakee.flips_source);
	ret[RWK_PROVENANCE_RECENT] = w->wakee.recent_source;
	ret[RWK_PROVENANCE_SYNC] = w->sync_source;
	ret[RWK_PROVENANCE_SCAN] = RWK_SOURCE_COUNT;
	for (int i = 0; has_idle_scan && i < 2; i++) {
		int llc = cpu[i] != RWK_NONE ? w->machine->cpu[cpu[i]].llc : RWK_NONE;

		if (llc != RWK_NONE)
			ret[RWK_PROVENANCE_SCAN] =
				worst(ret[RWK_PROVENANCE_SCAN], w->llc[llc].nr_idle_scan_source);
	}
	ret[RWK_PROVENANCE_WORST] = RWK_PROBED;
	for (int i = RWK_PROVENANCE_WORST + 1; i < RWK_PROVENANCE_COUNT; i++)
		ret[RWK_PROVENANCE_WORST] = worst(ret[RWK_PROVENANCE_WORST], ret[i]);
}

static bool is_near(const struct open_miss *o, rwk_ns ts)
{
	uint64_t d = ts > o->entry ? (uint64_t)ts - (uint64_t)o->entry
				   : (uint64_t)o->entry - (uint64_t)ts;

	return ts != RWK_NS_NONE && d <= (uint64_t)RWK_RACE_NS;
}

static bool is_over(const struct open_miss *o, rwk_ns now)
{
	return now > o->entry && !is_near(o, now) && (o->ret == RWK_NS_NONE || now > o->ret);
}

int rwk_attribution_miss(struct rwk_attribution *a, const struct rwk_wakeup *w, int cpu,
	const struct rwk_probe_row *probe)
{
	struct open_miss *o;

	if (rwk_vec_grow(&a->open, &a->open_cap, a->nr_open + 1, sizeof(*a->open)))
		return -ENOMEM;
	o = &a->open[a->nr_open++];
	*o = (struct open_miss){.wakeup_id = w->id,
		.wakee_utid = w->wakee.utid,
		.entry = w->ts,
		.ret = probe->ret_seq ? probe->ret_ts : RWK_NS_NONE,
		.llc = {RWK_NONE, RWK_NONE}};
	if (cpu >= 0 && cpu < a->nr_cpus)
		o->llc[0] = w->machine->cpu[cpu].llc;
	if (w->recorded_cpu >= 0 && w->recorded_cpu < a->nr_cpus)
		o->llc[1] = w->machine->cpu[w->recorded_cpu].llc;
	for (int i = 0; i < 2; i++) {
		if (o->llc[i] == RWK_NONE)
			continue;
		rwk_cpuset_foreach (c, &w->machine->llc[o->llc[i]].cpus) {
			if (c < a->nr_cpus && is_near(o, a->change[c].ts))
				o->near_entry = true;
		}
	}
	return 0;
}

static void count(struct rwk_races *r, const struct open_miss *o)
{
	r->misses++;
	r->in_call += o->in_call;
	r->near_entry += o->near_entry;
	r->either += o->in_call || o->near_entry;
}

static void close_over(struct rwk_attribution *a, rwk_ns now)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->nr_open; i++) {
		if (is_over(&a->open[i], now))
			count(&a->races, &a->open[i]);
		else
			a->open[kept++] = a->open[i];
	}
	a->nr_open = kept;
}

static void look(struct rwk_attribution *a, const struct rwk_model *m,
	const struct rwk_feed_item *it, int cpu)
{
	const struct rwk_cpu_view *v;
	struct change *c;
	bool was_known;
	int32_t llc;

	if (cpu < 0 || cpu >= a->nr_cpus)
		return;
	v = &m->view[cpu];
	c = &a->change[cpu];
	was_known = c->known;
	c->known = v->source != RWK_UNKNOWN;
	if (c->idle == v->idle)
		return;
	c->idle = v->idle;
	if (!was_known || !c->known)
		return;
	c->ts = it->ev.ts;
	llc = m->machine->cpu[cpu].llc;
	for (size_t i = 0; i < a->nr_open && llc != RWK_NONE; i++) {
		struct open_miss *o = &a->open[i];

		/* What the decision itself brought about is no race. */
		if ((o->llc[0] != llc && o->llc[1] != llc) ||
			(it->wakeup && it->wakeup->id == o->wakeup_id) ||
			(it->ev.kind == RWK_EV_SWITCH && m->cpu[cpu].curr == o->wakee_utid))
			continue;
		o->near_entry |= is_near(o, c->ts);
		o->in_call |= o->ret != RWK_NS_NONE && c->ts <= o->ret;
	}
}

void rwk_attribution_apply(
	struct rwk_attribution *a, const struct rwk_model *m, const struct rwk_feed_item *it)
{
	if (a->nr_open)
		close_over(a, it->ev.ts);
	look(a, m, it, it->ev.cpu);
	if (it->wakeup)
		look(a, m, it, it->wakeup->target_cpu);
}

struct rwk_races rwk_attribution_races(const struct rwk_attribution *a)
{
	struct rwk_races r = a->races;

	for (size_t i = 0; i < a->nr_open; i++)
		count(&r, &a->open[i]);
	return r;
}
