/*
 * The idle scan on a machine whose CPU sets fill several words: with the sets of
 * free and unknown CPUs it must find, count and book what it does without.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "policy/registry.h"
#include "wakeup_build.h"

#define CPUS 200
#define LLCS 2

struct wide {
	struct rwk_machine machine;
	struct rwk_machine_cpu machine_cpu[CPUS];
	struct rwk_machine_llc machine_llc[LLCS];
	struct rwk_cpu_view cpu[CPUS];
	struct rwk_llc_view llc[LLCS];
	struct rwk_cpuset free_cpus, unknown_cpus;
	struct rwk_wakeup w;
};

static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33) % below;
}

/* Two LLCs that cut words in the middle, in one domain each. */
static void build(struct wide *p, bool clusters)
{
	struct rwk_machine *m = &p->machine;

	memset(p, 0, sizeof(*p));
	*m = (struct rwk_machine){.topology_known = true,
		.cluster_active = clusters,
		.nr_cpu_ids = CPUS,
		.nr_llc = LLCS,
		.nr_nodes = 1,
		.hz = 250,
		.migration_cost_ns = 500000,
		.min_granularity_ns = 3000000,
		.kernel = {6, 12, 117},
		.cpu = p->machine_cpu,
		.llc = p->machine_llc};
	for (int cpu = 0; cpu < CPUS; cpu++) {
		int llc = cpu >= 100, first = llc * 100;
		struct rwk_domain *d = &m->cpu[cpu].domain[0];

		m->cpu[cpu] = (struct rwk_machine_cpu){.present = true,
			.online = true,
			.core = cpu,
			.cluster = clusters ? cpu - cpu % 50 : first,
			.llc = llc,
			.capacity = 1024,
			.nr_domains = 1};
		rwk_cpuset_add(&m->cpu[cpu].smt, cpu);
		rwk_cpuset_add(&m->online, cpu);
		rwk_cpuset_add(&m->active, cpu);
		rwk_cpuset_add(&m->llc[llc].cpus, cpu);
		m->llc[llc].first_cpu = first;
		m->llc[llc].size = 100;
		*d = (struct rwk_domain){.level = RWK_LEVEL_MC,
			.flags = RWK_SD_SHARE_LLC | RWK_SD_WAKE_AFFINE,
			.imbalance_pct = 117};
		for (int other = first; other < first + 100; other++)
			rwk_cpuset_add(&d->span, other);
	}
}

/* Few free CPUs, so that most scans cross words; a limit in most. */
static void paint(struct wide *p, uint64_t *s)
{
	uint32_t rare = 1 + draw(s, 300);

	for (int cpu = 0; cpu < CPUS; cpu++) {
		struct rwk_cpu_view *c = &p->cpu[cpu];

		*c = (struct rwk_cpu_view){.curr = 100 + cpu,
			.source = draw(s, 40) ? RWK_REBUILT : RWK_UNKNOWN,
			.load_source = RWK_REBUILT,
			.hot_source = RWK_REBUILT,
			.hot_until_ns = draw(s, 2) ? INT64_MAX : 0,
			.capacity = 1024};
		c->idle = c->source != RWK_UNKNOWN && !draw(s, rare);
		c->sched_idle = !c->idle && !draw(s, 2 * rare);
		c->nr_running = !c->idle;
	}
	for (int llc = 0; llc < LLCS; llc++)
		p->llc[llc] = (struct rwk_llc_view){.nr_idle_scan = (int32_t)draw(s, 101),
			.nr_idle_scan_source = draw(s, 4) ? RWK_REBUILT : RWK_UNKNOWN,
			.has_idle_cores_source = RWK_REBUILT};
	p->w = (struct rwk_wakeup){.id = 1,
		.ts = 1000000000,
		.this_cpu = (int32_t)draw(s, CPUS),
		.prev_cpu = (int32_t)draw(s, CPUS),
		.sync_source = RWK_REBUILT,
		.allowed = p->machine.online,
		.allowed_source = RWK_REBUILT,
		.avg_idle_ns = draw(s, 1000000),
		.avg_idle_source = RWK_REBUILT,
		.avg_scan_cost_ns = draw(s, 5000),
		.avg_scan_cost_source = RWK_REBUILT,
		.machine = &p->machine,
		.cpu = p->cpu,
		.llc = p->llc};
	p->w.wakee.recent_cpu = RWK_NONE;
	p->w.wakee.recent_source = p->w.wakee.flips_source = p->w.waker.flips_source = RWK_REBUILT;
	p->w.wakee.is_sched_idle = draw(s, 2);
	for (int i = 0; i < 20; i++)
		rwk_cpuset_del(&p->w.allowed, (int)draw(s, CPUS));
}

/* What an answer depends on beyond its CPU: enough of each kind must have been met. */
struct met {
	int far, limit, unknown, spared;
};

static void compare(struct wide *p, const struct rwk_policy_instance *policy, struct met *met)
{
	struct rwk_verdict plain = {.cpu = RWK_NONE, .target = RWK_NONE}, fast = plain;
	const char *reason;

	policy->policy->select_cpu(policy->state, &p->w, &plain);
	picture_sets(&p->w, &p->free_cpus, &p->unknown_cpus);
	policy->policy->select_cpu(policy->state, &p->w, &fast);
	p->w.free_cpus = p->w.unknown_cpus = NULL;
	assert_int_equal(fast.cpu, plain.cpu);
	assert_int_equal(fast.reason, plain.reason);
	assert_int_equal(fast.detail, plain.detail);
	assert_int_equal(fast.unknown, plain.unknown);
	assert_int_equal(fast.effects, plain.effects);
	assert_int_equal(fast.more_no_idle_cores, plain.more_no_idle_cores);
	reason = policy->policy->reasons[plain.reason];
	met->far += !strcmp(reason, "scan") && plain.cpu / 64 != plain.target / 64;
	met->limit += !strcmp(reason, "scan_limit");
	met->unknown += (plain.unknown & 1u << RWK_IN_CPU_STATE) != 0;
	met->spared += !strcmp(reason, "cache_hot");
}

static void sets_change_nothing(void **state)
{
	static const char *const specs[] = {"linux,version=5.10", "linux,version=5.15",
		"linux,version=6.1", "linux,version=6.12", "linux,version=7.3",
		"linux,version=6.12,scan=full", "sis-cache,version=6.12", "sis-node,version=6.12",
		"sis-short-v1,version=6.12", "sis-short-v6,version=6.12"};
	struct wide *p = malloc(sizeof(*p));
	struct rwk_policy_env env = {.machine = &p->machine};
	struct met met = {0};
	uint64_t s = 1;

	(void)state;
	assert_non_null(p);
	for (size_t i = 0; i < 2 * sizeof(specs) / sizeof(specs[0]); i++) {
		struct rwk_policy_instance policy;
		struct rwk_diag diag = {0};

		build(p, i % 2);
		assert_int_equal(rwk_policy_open(specs[i / 2], &env, &diag, &policy), 0);
		for (int k = 0; k < 4000; k++) {
			paint(p, &s);
			compare(p, &policy, &met);
		}
		rwk_policy_close(&policy);
	}
	assert_true(met.far > 1000);
	assert_true(met.limit > 1000);
	assert_true(met.unknown > 1000);
	assert_true(met.spared > 100);
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(sets_change_nothing)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
