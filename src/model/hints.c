/*
 * Upkeep of the per-LLC hints.
 *
 * has_idle_cores: set when a CPU goes idle and all its hardware siblings are
 * idle (its own state is not tested); cleared by a scan that fails.
 */
#include "model/hints.h"

bool rwk_model_core_is_left(const struct rwk_model *m, const struct rwk_machine *machine, int cpu)
{
	if (!machine->smt_active)
		return false;
	rwk_cpuset_foreach_below (sibling, &machine->cpu[cpu].smt, machine->nr_cpu_ids) {
		if (sibling != cpu && !m->view[sibling].idle)
			return false;
	}
	return true;
}

void rwk_model_hint_idle(struct rwk_model *m, int cpu)
{
	const struct rwk_machine_cpu *mc = &m->machine->cpu[cpu];

	if (mc->llc == RWK_NONE || !rwk_model_core_is_left(m, m->machine, cpu))
		return;
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
		/* Negative: the recorder found that the kernel has none. */
		if (has_idle_scan && probe->llc[i].nr_idle_scan >= 0) {
			m->scan_ts[m->machine->cpu[cpu].llc] = m->now;
			llc->nr_idle_scan = probe->llc[i].nr_idle_scan;
			llc->nr_idle_scan_source = RWK_PROBED;
		}
	}
}

/* Design §2.7: CPUs worth scanning for an LLC of size CPUs with that utilisation. */
int32_t rwk_nr_idle_scan(uint64_t sum_util, int size)
{
	uint64_t x = sum_util / (uint64_t)size;
	uint64_t used = x * x * 117 * 117 / (10000 * 1024);

	return (int32_t)((1024 - (used < 1024 ? used : 1024)) * (uint64_t)size / 1024);
}

int32_t rwk_model_scan_of(const struct rwk_model *m, const struct rwk_machine_llc *llc)
{
	uint64_t sum = 0;

	rwk_cpuset_foreach_below (cpu, &llc->cpus, m->nr_cpus) {
		const struct rwk_cpu_state *c = &m->cpu[cpu];
		uint32_t util = c->cfs.util_avg > c->util_est ? c->cfs.util_avg : c->util_est;

		sum += util < 1024 ? util : 1024;
	}
	return rwk_nr_idle_scan(sum, llc->size);
}

static bool has_idle(const struct rwk_model *m, const struct rwk_machine_llc *llc)
{
	/* One that runs SCHED_IDLE tasks only balances as often as an idle one. */
	return rwk_cpuset_intersects(&llc->cpus, &m->free_cpus);
}

bool rwk_model_scan_is_due(
	const struct rwk_model *m, const struct rwk_machine_llc *llc, uint8_t source, rwk_ns *last)
{
	rwk_ns tick = m->now - m->now % m->tick_ns;
	rwk_ns interval = (rwk_ns)llc->size * 2 * 1000000;

	if (source != RWK_UNKNOWN) {
		if (tick - *last < interval)
			return false;
		if (tick - *last < interval * RWK_SCAN_BUSY_FACTOR && !has_idle(m, llc))
			return false;
	}
	*last = tick;
	return true;
}

void rwk_model_hint_scan(struct rwk_model *m)
{
	for (int i = 0; i < m->machine->nr_llc; i++) {
		if (!rwk_model_scan_is_due(
			    m, &m->machine->llc[i], m->llc[i].nr_idle_scan_source, &m->scan_ts[i]))
			continue;
		m->llc[i].nr_idle_scan = rwk_model_scan_of(m, &m->machine->llc[i]);
		m->llc[i].nr_idle_scan_source = RWK_INFERRED;
	}
}
