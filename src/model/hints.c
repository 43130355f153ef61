/*
 * Upkeep of the per-LLC hints.
 *
 * has_idle_cores: set when a CPU goes idle and all its hardware siblings are
 * idle (its own state is not tested); cleared by a scan that fails.
 */
#include "model/hints.h"

void rwk_model_hint_idle(struct rwk_model *m, int cpu)
{
	const struct rwk_machine_cpu *mc = &m->machine->cpu[cpu];

	if (!m->machine->smt_active || mc->llc == RWK_NONE)
		return;
	rwk_cpuset_foreach (sibling, &mc->smt) {
		if (sibling != cpu && !m->view[sibling].idle)
			return;
	}
	m->llc[mc->llc].has_idle_cores = true;
	m->llc[mc->llc].has_idle_cores_source = RWK_REBUILT;
}

void rwk_model_hint_clear(struct rwk_model *m, int target)
{
	int llc = m->machine->cpu[target].llc;

	if (llc == RWK_NONE)
		return;
	m->llc[llc].has_idle_cores = false;
	m->llc[llc].has_idle_cores_source = RWK_REBUILT;
}

void rwk_model_hint_probe(struct rwk_model *m, const struct rwk_ev_probe *probe, bool has_idle_scan)
{
	for (int i = 0; i < probe->nr_llc; i++) {
		int cpu = probe->llc[i].first_cpu;
		struct rwk_llc_view *llc;

		if (!rwk_model_cpu_ok(m, cpu) || m->machine->cpu[cpu].llc == RWK_NONE)
			continue;
		llc = &m->llc[m->machine->cpu[cpu].llc];
		llc->has_idle_cores = probe->llc[i].has_idle_cores != 0;
		llc->has_idle_cores_source = RWK_PROBED;
		if (has_idle_scan) {
			llc->nr_idle_scan = probe->llc[i].nr_idle_scan;
			llc->nr_idle_scan_source = RWK_PROBED;
		}
	}
}
