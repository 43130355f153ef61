/* Hand-made pictures of a wakeup. */
#include "wakeup_build.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/parse.h"
#include "policy/registry.h"

static void add_domain(struct rwk_machine_cpu *mc, enum rwk_domain_level level, uint32_t flags,
	int pct, int first, int nr)
{
	struct rwk_domain *d = &mc->domain[mc->nr_domains++];

	*d = (struct rwk_domain){.level = level,
		.flags = flags | RWK_SD_WAKE_AFFINE | RWK_SD_BALANCE_EXEC | RWK_SD_BALANCE_FORK,
		.imbalance_pct = pct};
	for (int cpu = first; cpu < first + nr; cpu++)
		rwk_cpuset_add(&d->span, cpu);
}

/* One second, and no sleep in it: nobody's definition of short. */
#define LONG_LIFE_NS ((rwk_ns)1000000000)

static void all_known(struct rwk_task_view *t, int cpu)
{
	t->last_wakee = RWK_NONE;
	t->recent_cpu = cpu;
	t->uclamp_max = 1024;
	t->run_total_ns = LONG_LIFE_NS;
	t->flips_source = t->last_wakee_source = t->recent_source = RWK_PROBED;
	t->load_source = t->avg_run_source = t->avg_overlap_source = RWK_PROBED;
	t->run_total_source = t->short_slice_source = t->uclamp_source = RWK_PROBED;
}

void picture_init(struct picture *pic, int nr_cpus, int llc_size, int threads, const char *kernel)
{
	struct rwk_machine *m = &pic->machine;

	memset(pic, 0, sizeof(*pic));
	*m = (struct rwk_machine){.topology_known = true,
		.smt_active = threads > 1,
		.nr_cpu_ids = nr_cpus,
		.nr_llc = nr_cpus / llc_size,
		.nr_nodes = nr_cpus / llc_size,
		.hz = 250,
		.migration_cost_ns = 500000,
		.min_granularity_ns = 3000000,
		.cpu = pic->machine_cpu,
		.llc = pic->machine_llc};
	assert_int_equal(rwk_parse_version(kernel, &m->kernel), 0);
	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		struct rwk_machine_cpu *mc = &m->cpu[cpu];
		int core = cpu - cpu % threads, llc = cpu / llc_size;

		*mc = (struct rwk_machine_cpu){.present = true,
			.online = true,
			.core = core,
			.cluster = llc * llc_size,
			.llc = llc,
			.node = llc,
			.package = llc,
			.capacity = 1024};
		for (int i = 0; i < threads; i++)
			rwk_cpuset_add(&mc->smt, core + i);
		if (threads > 1)
			add_domain(mc, RWK_LEVEL_SMT, RWK_SD_SHARE_CPUCAPACITY | RWK_SD_SHARE_LLC,
				110, core, threads);
		if (llc_size > threads)
			add_domain(
				mc, RWK_LEVEL_MC, RWK_SD_SHARE_LLC, 117, llc * llc_size, llc_size);
		if (nr_cpus > llc_size)
			add_domain(mc, RWK_LEVEL_NUMA, RWK_SD_NUMA, 117, 0, nr_cpus);
		rwk_cpuset_add(&m->online, cpu);
		rwk_cpuset_add(&m->active, cpu);
		m->llc[llc].first_cpu = llc * llc_size;
		m->llc[llc].size = llc_size;
		rwk_cpuset_add(&m->llc[llc].cpus, cpu);
		pic->cpu[cpu] = (struct rwk_cpu_view){.curr = 100 + cpu,
			.nr_running = 1,
			.source = RWK_PROBED,
			.load_source = RWK_PROBED,
			.load_avg = 1024,
			.util_avg = 1024,
			.runnable_avg = 1024,
			.capacity = 1024,
			.idle_since_source = RWK_PROBED,
			.queue_source = RWK_PROBED,
			.nr_fair = 1,
			.load_weight = 1024,
			.hot_source = RWK_PROBED,
			.hot_until_ns = RWK_NS_NONE,
			.curr_run_total_source = RWK_PROBED,
			.curr_run_total_ns = LONG_LIFE_NS,
			.curr_since_ns = RWK_NS_NONE};
		pic->llc[llc] = (struct rwk_llc_view){.nr_idle_scan = llc_size,
			.nr_idle_scan_source = RWK_PROBED,
			.has_idle_cores_source = RWK_PROBED};
	}
	/* So that an undecided wakeup searches around the previous CPU. */
	pic->cpu[0].load_avg = 2048;
	pic->w = (struct rwk_wakeup){.id = 1,
		.ts = 1000000000,
		.type = RWK_WAKE_TTWU,
		.context = RWK_CTX_TASK,
		.this_cpu = 0,
		.prev_cpu = 1,
		.sync_source = RWK_PROBED,
		.allowed_source = RWK_PROBED,
		.allowed = m->online,
		.recorded_cpu = 1,
		.recorded_source = RWK_PROBED,
		.machine = m,
		.cpu = pic->cpu,
		.llc = pic->llc,
		.waker = {.utid = 100, .tid = 1000, .prio = 120, .weight = 1024},
		.wakee = {.utid = 50, .tid = 500, .prio = 120, .weight = 1024}};
	all_known(&pic->w.waker, 0);
	all_known(&pic->w.wakee, 1);
	pic->queued[0][0] =
		(struct rwk_queued_view){.utid = 100, .h_load = 1024, .load_source = RWK_PROBED};
	pic->queued[1][0] =
		(struct rwk_queued_view){.utid = 101, .h_load = 1024, .load_source = RWK_PROBED};
	pic->w.this_queue = (struct rwk_queue_view){pic->queued[0], 1, RWK_PROBED};
	pic->w.prev_queue = (struct rwk_queue_view){pic->queued[1], 1, RWK_PROBED};
}

void picture_nodes(struct picture *pic, int llcs)
{
	struct rwk_machine *m = &pic->machine;

	m->nr_nodes = (m->nr_llc + llcs - 1) / llcs;
	for (int cpu = 0; cpu < m->nr_cpu_ids; cpu++) {
		struct rwk_machine_cpu *mc = &m->cpu[cpu];
		int size = m->llc[0].size * llcs;
		bool wide =
			mc->nr_domains && mc->domain[mc->nr_domains - 1].level == RWK_LEVEL_NUMA;

		mc->node = mc->package = mc->llc / llcs;
		if (wide)
			mc->nr_domains--;
		add_domain(mc, RWK_LEVEL_PKG, 0, 117, cpu / size * size, size);
		if (m->nr_nodes > 1)
			add_domain(mc, RWK_LEVEL_NUMA, RWK_SD_NUMA, 117, 0, m->nr_cpu_ids);
	}
}

void picture_asym(struct picture *pic, int nr_little)
{
	struct rwk_machine *m = &pic->machine;

	m->asym_capacity = true;
	for (int cpu = 0; cpu < m->nr_cpu_ids; cpu++) {
		struct rwk_machine_cpu *mc = &m->cpu[cpu];

		if (cpu < nr_little)
			mc->capacity = 512;
		pic->cpu[cpu].capacity = (uint32_t)mc->capacity;
		for (int i = 0; i < mc->nr_domains; i++) {
			if (rwk_cpuset_weight(&mc->domain[i].span) == m->nr_cpu_ids)
				mc->domain[i].flags |= RWK_SD_ASYM_CPUCAPACITY;
		}
	}
}

void picture_clusters(struct picture *pic, int size)
{
	pic->machine.cluster_active = true;
	for (int cpu = 0; cpu < pic->machine.nr_cpu_ids; cpu++)
		pic->machine.cpu[cpu].cluster = cpu - cpu % size;
}

void picture_sets(
	struct rwk_wakeup *w, struct rwk_cpuset *free_cpus, struct rwk_cpuset *unknown_cpus)
{
	rwk_cpuset_zero(free_cpus);
	rwk_cpuset_zero(unknown_cpus);
	for (int cpu = 0; cpu < w->machine->nr_cpu_ids; cpu++) {
		if (w->cpu[cpu].idle || w->cpu[cpu].sched_idle)
			rwk_cpuset_add(free_cpus, cpu);
		if (w->cpu[cpu].source == RWK_UNKNOWN)
			rwk_cpuset_add(unknown_cpus, cpu);
	}
	w->free_cpus = free_cpus;
	w->unknown_cpus = unknown_cpus;
}

void picture_idle(struct picture *pic, int cpu)
{
	pic->cpu[cpu].curr = 200 + cpu;
	pic->cpu[cpu].nr_running = 0;
	pic->cpu[cpu].idle = true;
	pic->cpu[cpu].load_avg = 0;
	pic->cpu[cpu].nr_fair = 0;
	pic->cpu[cpu].load_weight = 0;
	pic->cpu[cpu].curr_run_total_ns = 0;
	if (cpu == pic->w.this_cpu)
		pic->w.this_queue.nr = 0;
	if (cpu == pic->w.prev_cpu)
		pic->w.prev_queue.nr = 0;
}

struct rwk_verdict picture_ask(const struct picture *pic, const char *spec)
{
	struct rwk_policy_env env = {.machine = &pic->machine};
	struct rwk_policy_instance p;
	struct rwk_diag diag = {0};
	struct rwk_verdict v = {.cpu = RWK_NONE, .target = RWK_NONE};

	assert_int_equal(rwk_policy_open(spec, &env, &diag, &p), 0);
	p.policy->select_cpu(p.state, &pic->w, &v);
	rwk_policy_close(&p);
	return v;
}

static const struct rwk_policy *policy_of(const char *spec)
{
	char name[64];
	size_t n = strcspn(spec, ",");

	assert_true(n < sizeof(name));
	memcpy(name, spec, n);
	name[n] = '\0';
	return rwk_policy_find(name);
}

const char *picture_reason(const char *spec, const struct rwk_verdict *v)
{
	return policy_of(spec)->reasons[v->reason];
}

const char *picture_detail(const char *spec, const struct rwk_verdict *v)
{
	return policy_of(spec)->details[v->detail];
}
