/* Construction of the model and the queue primitives that every handler shares. */
#include "model/state.h"

#include <errno.h>
#include <stdlib.h>

#include "model/load.h"
#include "model/queues.h"

/* Of kernels with delayed dequeue this tunable is the base slice. */
static rwk_ns slice_of(const struct rwk_machine *machine)
{
	int cpus = rwk_cpuset_weight(&machine->online);
	rwk_ns factor = 1;

	if (machine->min_granularity_ns > 0)
		return machine->min_granularity_ns;
	for (int n = cpus < 8 ? cpus : 8; n > 1; n /= 2)
		factor++;
	return factor * RWK_DEFAULT_SLICE_NS;
}

int rwk_model_create(
	const struct rwk_model_options *opt, struct rwk_diag *diag, struct rwk_model **ret)
{
	struct rwk_model *m = calloc(1, sizeof(*m));
	size_t nr_cpus = (size_t)opt->machine->nr_cpu_ids;

	if (!m)
		goto nomem;
	m->machine = opt->machine;
	m->hidden = opt->hidden;
	m->delays = rwk_version_cmp(m->machine->kernel, (struct rwk_version){6, 12, 0}) >= 0 &&
		    !(m->machine->feature_known[RWK_FEAT_DELAY_DEQUEUE] &&
			    !m->machine->feature[RWK_FEAT_DELAY_DEQUEUE]);
	m->slice_ns = slice_of(m->machine);
	m->tick_ns = 1000000000 / (m->machine->hz > 0 ? m->machine->hz : 250);
	m->nr_cpus = (int)nr_cpus;
	m->now = RWK_NS_NONE;
	m->cpu = calloc(nr_cpus + 1, sizeof(*m->cpu));
	m->view = calloc(nr_cpus + 1, sizeof(*m->view));
	m->llc = calloc(nr_cpus + 1, sizeof(*m->llc));
	m->scan_ts = calloc(nr_cpus + 1, sizeof(*m->scan_ts));
	if (!m->cpu || !m->view || !m->llc || !m->scan_ts ||
		rwk_tasks_init(&m->tasks, (int)nr_cpus))
		goto nomem;
	m->tasks.sched_idle = opt->sched_idle;
	m->tasks.nr_sched_idle = opt->nr_sched_idle;
	m->tasks.groups = opt->groups;
	if (opt->groups && opt->hidden &&
		rwk_group_tree_create(opt->groups, m->machine->kernel, m->nr_cpus, &m->groups))
		goto nomem;
	for (int cpu = 0; cpu < m->nr_cpus; cpu++) {
		m->cpu[cpu].curr = RWK_NONE;
		m->cpu[cpu].idle_ts = RWK_NS_NONE;
		m->cpu[cpu].nr_told = RWK_NONE;
		m->cpu[cpu].cfs.last = RWK_NS_NONE;
		m->cpu[cpu].load_from = RWK_NS_NONE;
		m->cpu[cpu].stray_ts = RWK_NS_NONE;
		m->view[cpu].hot_until_ns = RWK_NS_NONE;
		m->view[cpu].curr_since_ns = RWK_NS_NONE;
		/* Whatever was hot before the recording is cold within a fraction of a ms. */
		m->view[cpu].hot_source = RWK_INFERRED;
		m->view[cpu].capacity = (uint32_t)opt->machine->cpu[cpu].capacity;
		rwk_model_cpu_refresh(m, cpu);
	}
	*ret = m;
	return 0;
nomem:
	rwk_model_destroy(m);
	return rwk_diag_push(diag, -ENOMEM, "cannot build the model: out of memory");
}

void rwk_model_destroy(struct rwk_model *m)
{
	if (!m)
		return;
	rwk_tasks_finish(&m->tasks);
	rwk_group_tree_destroy(m->groups);
	free(m->cpu);
	free(m->view);
	free(m->llc);
	free(m->scan_ts);
	free(m->queued[0].of);
	free(m->queued[1].of);
	free(m);
}

static void set_member(struct rwk_cpuset *set, int cpu, bool member)
{
	if (member)
		rwk_cpuset_add(set, cpu);
	else
		rwk_cpuset_del(set, cpu);
}

/*
 * The length of the queue as the kernel counted.  Who is on the CPU does not always
 * come with it: the CPU can be told to be idle, or not, all the same.
 */
static void take_told(const struct rwk_model *m, int cpu, struct rwk_cpu_view *v)
{
	const struct rwk_cpu_state *c = &m->cpu[cpu];
	int delayed = c->nr_known ? c->nr_told_delayed : c->eevdf.nr_delayed;

	v->nr_running = (uint16_t)(c->nr_told < UINT16_MAX ? c->nr_told : UINT16_MAX);
	v->nr_delayed = (uint16_t)(delayed < v->nr_running ? delayed : v->nr_running);
	v->sched_idle = v->sched_idle && c->nr_told == c->nr;
	if (v->source == RWK_UNKNOWN)
		v->source = RWK_INFERRED;
}

/* The idle task is on the CPU; where nobody knows who is, an empty queue says so, too. */
static bool runs_nothing(const struct rwk_model *m, int cpu)
{
	const struct rwk_cpu_state *c = &m->cpu[cpu];

	if (c->curr != RWK_NONE)
		return rwk_tasks_at(&m->tasks, c->curr)->idle_cpu != RWK_NONE;
	return c->assumed_idle || rwk_model_nr_is_told(m, cpu);
}

void rwk_model_cpu_refresh(struct rwk_model *m, int cpu)
{
	const struct rwk_cpu_state *c = &m->cpu[cpu];
	struct rwk_cpu_view *v = &m->view[cpu];

	if (!m->hidden)
		return;
	v->curr = c->curr;
	v->source = c->curr != RWK_NONE ? RWK_REBUILT
		    : c->assumed_idle   ? RWK_INFERRED
					: RWK_UNKNOWN;
	v->pending = c->nr_pending > 0;
	v->idle_since_ns = c->idle_ts;
	v->idle_since_source =
		c->curr == RWK_NONE || c->idle_ts == RWK_NS_NONE ? RWK_UNKNOWN : RWK_REBUILT;
	v->nr_fair = (uint16_t)(c->nr_fair > 0 ? c->nr_fair : 0);
	v->load_weight = c->load_weight;
	/* What a task of unknown group adds to the weights is not known either. */
	v->queue_source = c->nr_stray > 0 ? RWK_UNKNOWN : rwk_model_queue_source(m, cpu);
	if (c->curr == RWK_NONE)
		v->curr_run_total_source = RWK_UNKNOWN;
	v->nr_running = (uint16_t)(c->nr > 0 ? c->nr : 0);
	v->sched_idle = rwk_model_only_sched_idle(m, cpu);
	if (rwk_model_nr_is_told(m, cpu))
		take_told(m, cpu, v);
	v->idle = runs_nothing(m, cpu) && !v->nr_running && !v->pending;
	set_member(&m->free_cpus, cpu, v->idle || v->sched_idle);
	set_member(&m->unknown_cpus, cpu, v->source == RWK_UNKNOWN);
}

static bool is_queued_on(const struct rwk_model *m, const struct rwk_task *t, int cpu)
{
	return t->queued && t->queue_cpu == cpu && t->queue_id == m->cpu[cpu].queue_id;
}

void rwk_model_enqueue(struct rwk_model *m, struct rwk_task *t, int cpu)
{
	bool queued;

	if (t->idle_cpu != RWK_NONE || is_queued_on(m, t, cpu))
		return;
	queued = t->queued;
	rwk_model_dequeue(m, t);
	if (m->hidden)
		rwk_load_enqueue(m, t, cpu, queued);
	rwk_eevdf_enqueue(m, t, cpu);
	t->cpu = cpu;
	t->queued = true;
	t->queue_cpu = cpu;
	t->queue_id = m->cpu[cpu].queue_id;
	rwk_queue_add(m, t);
	m->cpu[cpu].nr++;
	m->cpu[cpu].nr_sched_idle += rwk_task_counts_idle(t);
	rwk_model_cpu_refresh(m, cpu);
}

void rwk_model_dequeue(struct rwk_model *m, struct rwk_task *t)
{
	int cpu = t->queue_cpu;

	if (!t->queued)
		return;
	if (is_queued_on(m, t, cpu)) {
		if (m->hidden)
			rwk_load_dequeue(m, t);
		rwk_queue_del(m, t);
		m->cpu[cpu].nr--;
		m->cpu[cpu].nr_sched_idle -= rwk_task_counts_idle(t);
		rwk_model_cpu_refresh(m, cpu);
	}
	t->queued = false;
	t->pelt.on_rq = false;
}

void rwk_model_pending_add(struct rwk_model *m, int cpu)
{
	m->cpu[cpu].nr_pending++;
	rwk_model_cpu_refresh(m, cpu);
}

void rwk_model_pending_del(struct rwk_model *m, int cpu)
{
	if (m->cpu[cpu].nr_pending > 0)
		m->cpu[cpu].nr_pending--;
	rwk_model_cpu_refresh(m, cpu);
}
