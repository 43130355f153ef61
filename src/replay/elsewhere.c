/* Hints of last-level caches that nobody recorded. */
#include "replay/elsewhere.h"

#include <errno.h>
#include <stdlib.h>

#include "model/hints.h"

struct hint {
	int recorded; /* LLC of the recorded machine with the same CPUs; RWK_NONE: there is none */
	bool same_cores; /* and with the same cores */
	rwk_ns scan_ts; /* when nr_idle_scan was last worked out */
};

struct rwk_elsewhere {
	const struct rwk_machine *machine;
	bool has_kernel;
	/* [machine->nr_llc], with room for one per CPU, as machine may change. */
	struct hint *hint;
	struct rwk_llc_view *llc;
};

static bool same_cores(
	const struct rwk_machine *a, const struct rwk_machine *b, const struct rwk_cpuset *cpus)
{
	/* Without any SMT the kernel keeps no hint at all, not even of single CPUs. */
	if (a->smt_active != b->smt_active)
		return false;
	rwk_cpuset_foreach (cpu, cpus) {
		if (!rwk_cpuset_equal(&a->cpu[cpu].smt, &b->cpu[cpu].smt))
			return false;
	}
	return true;
}

int rwk_elsewhere_create(const struct rwk_machine *machine, const struct rwk_model *m,
	bool has_kernel, struct rwk_elsewhere **ret)
{
	struct rwk_elsewhere *e = calloc(1, sizeof(*e));

	if (e) {
		e->has_kernel = has_kernel;
		e->hint = calloc((size_t)machine->nr_cpu_ids + 1, sizeof(*e->hint));
		e->llc = calloc((size_t)machine->nr_cpu_ids + 1, sizeof(*e->llc));
	}
	if (!e || !e->hint || !e->llc) {
		rwk_elsewhere_destroy(e);
		return -ENOMEM;
	}
	rwk_elsewhere_set_machine(e, machine, m, false);
	*ret = e;
	return 0;
}

void rwk_elsewhere_set_machine(struct rwk_elsewhere *e, const struct rwk_machine *machine,
	const struct rwk_model *m, bool rebuilt)
{
	e->machine = machine;
	for (int i = 0; i < machine->nr_llc; i++) {
		const struct rwk_machine_llc *llc = &machine->llc[i];
		int recorded = m->machine->cpu[llc->first_cpu].llc;

		e->hint[i].recorded = RWK_NONE;
		e->hint[i].same_cores = false;
		if (rebuilt) {
			e->llc[i] = (struct rwk_llc_view){
				.has_idle_cores_source = e->has_kernel ? RWK_INFERRED : RWK_UNKNOWN,
				.nr_idle_scan_source = RWK_INFERRED};
			e->hint[i].scan_ts = m->now - m->now % m->tick_ns;
		}
		if (recorded == RWK_NONE ||
			!rwk_cpuset_equal(&m->machine->llc[recorded].cpus, &llc->cpus))
			continue;
		e->hint[i].recorded = recorded;
		e->hint[i].same_cores = same_cores(machine, m->machine, &llc->cpus);
	}
}

void rwk_elsewhere_destroy(struct rwk_elsewhere *e)
{
	if (!e)
		return;
	free(e->hint);
	free(e->llc);
	free(e);
}

static void set_idle_cores(struct rwk_elsewhere *e, int llc, bool value)
{
	if (e->hint[llc].same_cores)
		return;
	e->llc[llc].has_idle_cores = value;
	e->llc[llc].has_idle_cores_source = RWK_INFERRED;
}

void rwk_elsewhere_apply(
	struct rwk_elsewhere *e, const struct rwk_model *m, const struct rwk_event *ev)
{
	if (!e->has_kernel || ev->kind != RWK_EV_SWITCH || ev->sw.next_tid ||
		!rwk_model_cpu_ok(m, ev->cpu) || e->machine->cpu[ev->cpu].llc == RWK_NONE)
		return;
	if (rwk_model_core_is_left(m, e->machine, ev->cpu))
		set_idle_cores(e, e->machine->cpu[ev->cpu].llc, true);
}

void rwk_elsewhere_scan(struct rwk_elsewhere *e, const struct rwk_model *m)
{
	for (int i = 0; i < e->machine->nr_llc; i++) {
		struct hint *h = &e->hint[i];

		if (h->recorded != RWK_NONE || !rwk_model_scan_is_due(m, &e->machine->llc[i],
						       e->llc[i].nr_idle_scan_source, &h->scan_ts))
			continue;
		e->llc[i].nr_idle_scan = rwk_model_scan_of(m, &e->machine->llc[i]);
		e->llc[i].nr_idle_scan_source = RWK_INFERRED;
	}
}

void rwk_elsewhere_picture(struct rwk_elsewhere *e, const struct rwk_model *m,
	const struct rwk_wakeup *w, struct rwk_wakeup *ret)
{
	for (int i = 0; i < e->machine->nr_llc; i++) {
		const struct hint *h = &e->hint[i];

		if (h->recorded == RWK_NONE)
			continue;
		e->llc[i].nr_idle_scan = m->llc[h->recorded].nr_idle_scan;
		e->llc[i].nr_idle_scan_source = m->llc[h->recorded].nr_idle_scan_source;
		if (!h->same_cores)
			continue;
		e->llc[i].has_idle_cores = m->llc[h->recorded].has_idle_cores;
		e->llc[i].has_idle_cores_source = m->llc[h->recorded].has_idle_cores_source;
	}
	*ret = *w;
	ret->machine = e->machine;
	ret->llc = e->llc;
}

void rwk_elsewhere_effects(struct rwk_elsewhere *e, const struct rwk_verdict *v)
{
	if (v->effects & RWK_EFFECT_NO_IDLE_CORES && v->target >= 0 &&
		v->target < e->machine->nr_cpu_ids && e->machine->cpu[v->target].llc != RWK_NONE)
		set_idle_cores(e, e->machine->cpu[v->target].llc, false);
	for (uint64_t more = v->more_no_idle_cores; more; more &= more - 1) {
		int llc = __builtin_ctzll(more);

		if (llc < e->machine->nr_llc)
			set_idle_cores(e, llc, false);
	}
}
