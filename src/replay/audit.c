/* Rebuilt values against recorded ones. */
#include "replay/audit.h"

#include <string.h>

#include "model/hints.h"

#define MAX_LLC 128 /* a probe names no more than RWK_PROBE_MAX_LLC */

const char *rwk_audited_name(enum rwk_audited which)
{
	static const char *const names[] = {
#define X(id, name) name,
		RWK_AUDITED(X)
#undef X
	};

	return names[which];
}

const char *rwk_audited_cpu_name(enum rwk_audited_cpu which)
{
	static const char *const names[] = {
#define X(id, name) name,
		RWK_AUDITED_CPU(X)
#undef X
	};

	return names[which];
}

static bool answer_changes(const struct rwk_policy_instance *kernel, const struct rwk_wakeup *w,
	const struct rwk_verdict *v)
{
	struct rwk_verdict other = {.cpu = RWK_NONE, .target = RWK_NONE};

	kernel->policy->select_cpu(kernel->state, w, &other);
	return other.cpu != v->cpu;
}

static void count(
	struct rwk_audit *a, enum rwk_audited which, uint8_t source, int64_t rebuilt, int64_t truth)
{
	a->of[which].known += source != RWK_UNKNOWN;
	if (rebuilt == truth)
		a->of[which].right++;
	else if (rebuilt - truth == 1 || truth - rebuilt == 1)
		a->of[which].off_by_one++;
}

static void audit_task(struct rwk_audit *a, const struct rwk_model *m,
	const struct rwk_policy_instance *kernel, const struct rwk_wakeup *w,
	const struct rwk_verdict *v, const struct rwk_ev_probe *probe)
{
	const struct rwk_task *last =
		probe->last_wakee_tid > 0
			? rwk_tasks_find(&m->tasks, probe->last_wakee_tid, RWK_NONE)
			: NULL;
	struct rwk_wakeup t = *w;

	count(a, RWK_AUDIT_FLIPS, w->wakee.flips_source, w->wakee.wakee_flips, probe->flips);
	t.wakee.wakee_flips = (uint32_t)probe->flips;
	t.wakee.flips_source = RWK_PROBED;
	a->of[RWK_AUDIT_FLIPS].changed += answer_changes(kernel, &t, v);

	count(a, RWK_AUDIT_LAST_WAKEE, w->wakee.last_wakee_source, w->wakee.last_wakee,
		last ? last->utid : RWK_NONE);
	t = *w;
	t.wakee.last_wakee = last ? last->utid : RWK_NONE;
	a->of[RWK_AUDIT_LAST_WAKEE].changed += answer_changes(kernel, &t, v);

	count(a, RWK_AUDIT_RECENT, w->wakee.recent_source, w->wakee.recent_cpu, probe->recent_cpu);
	t = *w;
	t.wakee.recent_cpu = probe->recent_cpu;
	t.wakee.recent_source = RWK_PROBED;
	a->of[RWK_AUDIT_RECENT].changed += answer_changes(kernel, &t, v);
}

static void audit_llc(struct rwk_audit *a, const struct rwk_policy_instance *kernel,
	const struct rwk_wakeup *w, const struct rwk_verdict *v, const struct rwk_ev_probe *probe)
{
	struct rwk_llc_view llc[MAX_LLC];
	struct rwk_wakeup t = *w;
	int at = v->target >= 0 ? w->machine->cpu[v->target].llc : RWK_NONE;

	if (at == RWK_NONE || w->machine->nr_llc > MAX_LLC)
		return;
	memcpy(llc, w->llc, (size_t)w->machine->nr_llc * sizeof(llc[0]));
	t.llc = llc;
	for (int i = 0; i < probe->nr_llc; i++) {
		int cpu = probe->llc[i].first_cpu;

		if (cpu < 0 || cpu >= w->machine->nr_cpu_ids || w->machine->cpu[cpu].llc != at)
			continue;
		/* Of kernels without nr_idle_scan there is -1, or garbage in older recordings. */
		if (rwk_has_idle_scan(w->machine->kernel) && probe->llc[i].nr_idle_scan >= 0) {
			count(a, RWK_AUDIT_IDLE_SCAN, w->llc[at].nr_idle_scan_source,
				w->llc[at].nr_idle_scan, probe->llc[i].nr_idle_scan);
			llc[at].nr_idle_scan = probe->llc[i].nr_idle_scan;
			a->of[RWK_AUDIT_IDLE_SCAN].changed += answer_changes(kernel, &t, v);
			llc[at] = w->llc[at];
		}
		count(a, RWK_AUDIT_IDLE_CORES, w->llc[at].has_idle_cores_source,
			w->llc[at].has_idle_cores, probe->llc[i].has_idle_cores != 0);
		llc[at].has_idle_cores = probe->llc[i].has_idle_cores != 0;
		a->of[RWK_AUDIT_IDLE_CORES].changed += answer_changes(kernel, &t, v);
		return;
	}
}

void rwk_audit_decision(struct rwk_audit *a, const struct rwk_model *m,
	const struct rwk_policy_instance *kernel, const struct rwk_wakeup *w,
	const struct rwk_verdict *v, const struct rwk_ev_probe *probe)
{
	if (!probe->has_hidden)
		return;
	a->nr_decisions++;
	audit_task(a, m, kernel, w, v, probe);
	audit_llc(a, kernel, w, v, probe);
}

static void count_cpu(struct rwk_audit *a, enum rwk_audited_cpu which, uint8_t source,
	int64_t rebuilt, int64_t truth)
{
	int64_t more = rebuilt - truth;

	a->of_cpu[which].nr++;
	a->of_cpu[which].known += source != RWK_UNKNOWN;
	a->of_cpu[which].right += !more;
	a->of_cpu[which].off_by_one += more == 1 || more == -1;
}

void rwk_audit_cpus(struct rwk_audit *a, const struct rwk_policy_instance *kernel,
	const struct rwk_wakeup *w, const struct rwk_wakeup *truth, const struct rwk_verdict *v,
	const struct rwk_probe_cpu *cpu, int nr)
{
	a->nr_cpu_decisions++;
	a->cpus_changed += answer_changes(kernel, truth, v);
	for (int i = 0; i < nr; i++) {
		const struct rwk_cpu_view *is, *was;

		if (cpu[i].cpu < 0 || cpu[i].cpu >= w->machine->nr_cpu_ids)
			continue;
		was = &w->cpu[cpu[i].cpu];
		is = &truth->cpu[cpu[i].cpu];
		if (is->source != RWK_PROBED)
			continue;
		count_cpu(a, RWK_AUDIT_CPU_NR, was->source, was->nr_running, is->nr_running);
		count_cpu(a, RWK_AUDIT_CPU_CURR, was->source, was->curr, is->curr);
		count_cpu(a, RWK_AUDIT_CPU_IDLE, was->source, was->idle, is->idle);
		if (cpu[i].pending != RWK_NONE)
			count_cpu(a, RWK_AUDIT_CPU_PENDING, was->source, was->pending, is->pending);
	}
}
