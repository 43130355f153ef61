/* The timeline with sinks that count. */
#include "check/check.h"

#include <errno.h>
#include <stdlib.h>

struct rwk_check {
	struct rwk_check_result result;
	struct rwk_check_cpu *cpu; /* [nr_cpus] */
	const struct rwk_check_span *change;
	size_t nr_change;
	struct rwk_timeline *tl;
	struct rwk_order *order;
};

static bool is_near_change(const struct rwk_check *c, rwk_ns ts)
{
	size_t lo = 0, hi = c->nr_change;

	/* The last one that has begun by then. */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->change[mid].from_ts <= ts)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && ts < c->change[lo - 1].to_ts;
}

static int count_wakeup(void *ctx, const struct rwk_wakeup_row *row)
{
	struct rwk_check_wakeups *w = &((struct rwk_check *)ctx)->result.wakeups;

	w->nr[row->kind]++;
	if (row->kind != RWK_KIND_DECISION)
		return 0;
	w->kind_guessed += row->kind_source < RWK_REBUILT;
	w->sync_guessed += row->sync_source == RWK_INFERRED;
	w->sync_unknown += row->sync_source == RWK_UNKNOWN;
	w->prev_unknown += row->prev_cpu == RWK_NONE;
	w->target_unknown += row->target_cpu == RWK_NONE;
	w->censored += row->run_dur == RWK_NS_NONE;
	w->near_change += is_near_change(ctx, row->ts);
	return 0;
}

static int count_loss(void *ctx, const struct rwk_loss_row *row)
{
	struct rwk_check *c = ctx;
	struct rwk_check_cpu *cpu = &c->cpu[row->cpu];
	const struct rwk_check_gap *l = &cpu->longest;
	int64_t sum;
	bool longer = !cpu->nr_gaps;

	/* One whose beginning is unknown has no length to compare. */
	if (!longer && row->from_ts != RWK_NS_NONE)
		longer = l->from_ts == RWK_NS_NONE ||
			 row->to_ts - row->from_ts > l->to_ts - l->from_ts;
	if (longer)
		cpu->longest = (struct rwk_check_gap){row->from_ts, row->to_ts, row->count};
	cpu->nr_gaps++;
	if (row->count == RWK_NONE)
		cpu->nr_unknown++;
	else if (!__builtin_add_overflow(cpu->lost, row->count, &sum))
		cpu->lost = sum;
	return 0;
}

static int count_probe(void *ctx, const struct rwk_probe_row *row)
{
	(void)row;
	((struct rwk_check *)ctx)->result.nr_probes++;
	return 0;
}

#define IGNORE(name)                                                                               \
	static int ignore_##name(void *ctx, const struct rwk_##name##_row *row)                    \
	{                                                                                          \
		(void)ctx;                                                                         \
		(void)row;                                                                         \
		return 0;                                                                          \
	}
IGNORE(slice)
IGNORE(probe_cpu)
IGNORE(migration)
IGNORE(orphan)
IGNORE(nr)
#undef IGNORE

int rwk_check_create(
	const struct rwk_timeline_options *opt, struct rwk_diag *diag, struct rwk_check **ret)
{
	struct rwk_timeline_options to = *opt;
	struct rwk_check *c = calloc(1, sizeof(*c));
	int nr = opt->machine->nr_cpu_ids, err = -ENOMEM;

	if (!c)
		return rwk_diag_push(diag, -ENOMEM, "cannot check: out of memory");
	c->result.first_ts = c->result.last_ts = RWK_NS_NONE;
	c->result.nr_cpus = nr;
	c->cpu = calloc((size_t)nr + 1, sizeof(*c->cpu));
	if (!c->cpu || rwk_order_create(&c->order)) {
		rwk_diag_push(diag, err, "cannot check: out of memory");
		goto out;
	}
	c->result.cpu = c->cpu;
	to.sink = (struct rwk_row_sink){.ctx = c,
		.slice = ignore_slice,
		.wakeup = count_wakeup,
		.probe = count_probe,
		.probe_cpu = ignore_probe_cpu,
		.migration = ignore_migration,
		.orphan = ignore_orphan,
		.nr = ignore_nr,
		.loss = count_loss};
	err = rwk_timeline_create(&to, diag, &c->tl);
out:
	if (err)
		rwk_check_destroy(c);
	else
		*ret = c;
	return err;
}

void rwk_check_destroy(struct rwk_check *c)
{
	if (!c)
		return;
	rwk_timeline_destroy(c->tl);
	rwk_order_destroy(c->order);
	free(c->cpu);
	free(c);
}

void rwk_check_set_changes(struct rwk_check *c, const struct rwk_check_span *span, size_t nr)
{
	c->change = span;
	c->nr_change = nr;
}

int rwk_check_event(struct rwk_check *c, const struct rwk_event *ev)
{
	struct rwk_check_result *r = &c->result;
	int err;

	if (!r->nr_events++)
		r->first_ts = ev->ts;
	r->last_ts = ev->ts;
	if (ev->kind == RWK_EV_SWITCH) {
		r->nr_switches++;
		r->nr_states_unknown += ev->sw.prev_state == RWK_END_UNKNOWN;
	}
	err = rwk_order_event(c->order, ev);
	return err ? err : rwk_timeline_event(c->tl, ev);
}

int rwk_check_finish(struct rwk_check *c, const struct rwk_check_result **ret)
{
	struct rwk_task_row *tasks;
	int err = rwk_timeline_finish(c->tl);

	if (!err)
		err = rwk_timeline_tasks(c->tl, &tasks, &c->result.nr_tasks);
	if (!err)
		err = rwk_skew_solve(c->order, NULL, &c->result.skew);
	if (err)
		return err;
	for (int cpu = 0; cpu < c->result.nr_cpus; cpu++)
		rwk_timeline_cpu_span(c->tl, cpu, &c->cpu[cpu].first_ts, &c->cpu[cpu].last_ts);
	rwk_anomalies_merge(&c->result.anomalies, rwk_timeline_anomalies(c->tl));
	rwk_anomalies_merge(&c->result.anomalies, rwk_order_anomalies(c->order));
	*ret = &c->result;
	return 0;
}
