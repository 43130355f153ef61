/* Probed state of CPUs in the place of the rebuilt one. */
#include "replay/probed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct rwk_probed {
	struct rwk_cpuset free_cpus, unknown_cpus; /* what view says, as sets */
	struct rwk_cpu_view view[]; /* [nr_cpus of the model] */
};

int rwk_probed_create(int nr_cpus, struct rwk_probed **ret)
{
	struct rwk_probed *p = calloc(1, sizeof(*p) + (size_t)nr_cpus * sizeof(p->view[0]));

	if (!p)
		return -ENOMEM;
	*ret = p;
	return 0;
}

void rwk_probed_destroy(struct rwk_probed *p)
{
	free(p);
}

static void take_queue(const struct rwk_probe_cpu *from, struct rwk_cpu_view *v)
{
	int gone = v->nr_running - from->nr_running;

	if (v->source != RWK_UNKNOWN && !gone)
		return;
	/*
	 * Another queue than the one rebuilt: of what it consists is a guess then.  Tasks
	 * too many are delayed ones in the first place, whose end no event shows.
	 */
	if (gone > 0)
		v->nr_delayed = gone < v->nr_delayed ? (uint16_t)(v->nr_delayed - gone) : 0;
	v->nr_running = (uint16_t)from->nr_running;
	v->sched_idle = false;
	if (v->queue_source != RWK_UNKNOWN)
		v->queue_source = RWK_INFERRED;
}

static void take_current(
	const struct rwk_model *m, const struct rwk_probe_cpu *from, struct rwk_cpu_view *v)
{
	const struct rwk_task *t = rwk_tasks_find(&m->tasks, from->curr_tid, from->cpu);
	int32_t curr = t ? t->utid : RWK_NONE;

	if (curr == v->curr)
		return;
	v->curr = curr;
	v->curr_run_total_source = RWK_UNKNOWN;
}

static void take_cpu(
	const struct rwk_model *m, const struct rwk_probe_cpu *from, struct rwk_cpu_view *v)
{
	bool was_idle = v->source != RWK_UNKNOWN && v->idle;

	take_queue(from, v);
	take_current(m, from, v);
	if (from->pending != RWK_NONE)
		v->pending = from->pending != 0;
	v->idle = !from->nr_running && !from->curr_tid && !v->pending;
	v->source = RWK_PROBED;
	if (v->idle && !was_idle) {
		v->idle_since_ns = RWK_NS_NONE;
		v->idle_since_source = RWK_UNKNOWN;
	}
	/* One of several averages that share a source, which the others have to keep. */
	if (from->load != RWK_NONE && v->load_source != RWK_UNKNOWN)
		v->load_avg = from->load < UINT32_MAX ? (uint32_t)from->load : UINT32_MAX;
}

static void set_member(struct rwk_cpuset *set, int cpu, bool value)
{
	if (value)
		rwk_cpuset_add(set, cpu);
	else
		rwk_cpuset_del(set, cpu);
}

void rwk_probed_picture(struct rwk_probed *p, const struct rwk_model *m,
	const struct rwk_probe_cpu *cpu, int nr, struct rwk_wakeup *w)
{
	memcpy(p->view, m->view, (size_t)m->nr_cpus * sizeof(p->view[0]));
	p->free_cpus = m->free_cpus;
	p->unknown_cpus = m->unknown_cpus;
	for (int i = 0; i < nr; i++) {
		struct rwk_cpu_view *v;

		if (!rwk_model_cpu_ok(m, cpu[i].cpu) || cpu[i].nr_running > UINT16_MAX)
			continue;
		v = &p->view[cpu[i].cpu];
		take_cpu(m, &cpu[i], v);
		set_member(&p->free_cpus, cpu[i].cpu, v->idle || v->sched_idle);
		rwk_cpuset_del(&p->unknown_cpus, cpu[i].cpu);
	}
	w->cpu = p->view;
	w->free_cpus = &p->free_cpus;
	w->unknown_cpus = &p->unknown_cpus;
}
