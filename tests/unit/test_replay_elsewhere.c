/* Hints of last-level caches that the recorded machine does not have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "events_build.h"
#include "model/hints.h"
#include "model/picture.h"
#include "replay/elsewhere.h"

#define MS ((rwk_ns)1000000)
#define S  RWK_END_SLEEPING

/*
 * Recorded: 8 CPUs in two caches of 4, cores of one or two threads.  Elsewhere: the same
 * until the test changes it.
 */
struct scene {
	struct rows rows; /* for its machine */
	struct rwk_machine other;
	struct rwk_machine_cpu cpu[8];
	struct rwk_machine_llc llc[8];
	struct rwk_model *m;
	struct rwk_elsewhere *e;
};

static void set_threads(struct rwk_machine *m, int threads)
{
	m->smt_active = threads > 1;
	for (int cpu = 0; cpu < 8; cpu++) {
		m->cpu[cpu].core = cpu / threads * threads;
		rwk_cpuset_zero(&m->cpu[cpu].smt);
		for (int i = 0; i < threads; i++)
			rwk_cpuset_add(&m->cpu[cpu].smt, m->cpu[cpu].core + i);
	}
}

static void set_llcs(struct rwk_machine *m, int size)
{
	m->nr_llc = 8 / size;
	for (int i = 0; i < m->nr_llc; i++)
		m->llc[i] = (struct rwk_machine_llc){.first_cpu = i * size, .size = size};
	for (int cpu = 0; cpu < 8; cpu++) {
		m->cpu[cpu].llc = cpu / size;
		rwk_cpuset_add(&m->llc[cpu / size].cpus, cpu);
	}
}

static void happen(struct scene *s, struct rwk_event ev)
{
	assert_int_equal(rwk_model_apply(s->m, &ev), 0);
	rwk_elsewhere_apply(s->e, s->m, &ev);
}

/* All CPUs are busy with tasks 30 to 37. */
static void begin(struct scene *s, int threads, int other_llc, int other_threads, bool has_kernel)
{
	struct rwk_model_options opt = {.machine = &s->rows.machine, .hidden = true};

	rows_begin(&s->rows, "6.1.192", false, RWK_PROBE_ALL);
	set_threads(&s->rows.machine, threads);
	s->other = s->rows.machine;
	s->other.cpu = s->cpu;
	s->other.llc = s->llc;
	memcpy(s->cpu, s->rows.cpu, sizeof(s->cpu));
	set_llcs(&s->other, other_llc);
	set_threads(&s->other, other_threads);
	assert_int_equal(rwk_model_create(&opt, NULL, &s->m), 0);
	assert_int_equal(rwk_elsewhere_create(&s->other, s->m, has_kernel, &s->e), 0);
	for (int cpu = 0; cpu < 8; cpu++)
		happen(s, ev_switch(100 + cpu, cpu, 0, RWK_END_RUNNABLE, 30 + cpu));
}

static void end(struct scene *s)
{
	rwk_elsewhere_destroy(s->e);
	rwk_model_destroy(s->m);
	rows_free(&s->rows);
}

static struct rwk_wakeup look(struct scene *s)
{
	struct rwk_wakeup w = {.this_cpu = 3, .prev_cpu = 5, .sync = true}, other;

	rwk_model_picture(s->m, &w);
	rwk_elsewhere_picture(s->e, s->m, &w, &other);
	/* All that is not the machine is the recorded picture. */
	assert_ptr_equal(other.machine, &s->other);
	assert_ptr_equal(other.cpu, w.cpu);
	assert_int_equal(other.this_cpu, 3);
	assert_int_equal(other.prev_cpu, 5);
	assert_true(other.sync);
	return other;
}

static void probe(struct scene *s)
{
	struct rwk_ev_probe p = {.has_hidden = true, .nr_llc = 2};

	p.llc[0].first_cpu = 0;
	p.llc[0].nr_idle_scan = 1;
	p.llc[0].has_idle_cores = 1;
	p.llc[1].first_cpu = 4;
	p.llc[1].nr_idle_scan = 2;
	rwk_model_hint_probe(s->m, &p, true);
}

static void the_same_caches_have_the_recorded_hints(void **state)
{
	struct scene s;
	struct rwk_wakeup w;

	(void)state;
	begin(&s, 2, 4, 2, true);
	w = look(&s);
	assert_int_equal(w.llc[0].nr_idle_scan_source, RWK_UNKNOWN);
	assert_int_equal(w.llc[0].has_idle_cores_source, RWK_UNKNOWN);
	probe(&s);
	rwk_elsewhere_scan(s.e, s.m);
	w = look(&s);
	assert_int_equal(w.llc[0].nr_idle_scan, 1);
	assert_int_equal(w.llc[1].nr_idle_scan, 2);
	assert_int_equal(w.llc[1].nr_idle_scan_source, RWK_PROBED);
	assert_true(w.llc[0].has_idle_cores);
	assert_int_equal(w.llc[0].has_idle_cores_source, RWK_PROBED);
	/* They follow the recorded kernel alone. */
	rwk_elsewhere_effects(
		s.e, &(struct rwk_verdict){.effects = RWK_EFFECT_NO_IDLE_CORES, .target = 1});
	assert_true(look(&s).llc[0].has_idle_cores);
	rwk_model_hint_clear(s.m, 2);
	assert_false(look(&s).llc[0].has_idle_cores);
	end(&s);
}

static void set_idle(struct rwk_model *m, int cpu, bool idle)
{
	m->view[cpu].idle = idle;
	if (idle)
		rwk_cpuset_add(&m->free_cpus, cpu);
	else
		rwk_cpuset_del(&m->free_cpus, cpu);
}

static void other_caches_have_none_of_them(void **state)
{
	struct scene s;
	struct rwk_wakeup w;

	(void)state;
	begin(&s, 2, 8, 2, true);
	probe(&s);
	w = look(&s);
	assert_int_equal(w.llc[0].nr_idle_scan_source, RWK_UNKNOWN);
	assert_int_equal(w.llc[0].has_idle_cores_source, RWK_UNKNOWN);
	s.m->now = 200 * MS;
	for (int cpu = 0; cpu < 8; cpu++)
		s.m->cpu[cpu].cfs.util_avg = 512;
	rwk_elsewhere_scan(s.e, s.m);
	w = look(&s);
	/* 512 of 1024 on each of 8: what the rule gives for them together, not 1 or 2. */
	assert_int_equal(w.llc[0].nr_idle_scan, rwk_nr_idle_scan(8 * 512, 8));
	assert_int_equal(w.llc[0].nr_idle_scan, 5);
	assert_int_equal(w.llc[0].nr_idle_scan_source, RWK_INFERRED);
	/* As stale as a kernel's own. */
	for (int cpu = 0; cpu < 8; cpu++)
		s.m->cpu[cpu].cfs.util_avg = 1024;
	set_idle(s.m, 7, true);
	s.m->now += 16 * MS - 1; /* twice its size */
	rwk_elsewhere_scan(s.e, s.m);
	assert_int_equal(look(&s).llc[0].nr_idle_scan, 5);
	s.m->now++;
	rwk_elsewhere_scan(s.e, s.m);
	assert_int_equal(look(&s).llc[0].nr_idle_scan, 0);
	/* With nobody idle, sixteen times as late. */
	for (int cpu = 0; cpu < 8; cpu++) {
		s.m->cpu[cpu].cfs.util_avg = 512;
		set_idle(s.m, cpu, false);
	}
	s.m->now += RWK_SCAN_BUSY_FACTOR * 16 * MS - 1;
	rwk_elsewhere_scan(s.e, s.m);
	assert_int_equal(look(&s).llc[0].nr_idle_scan, 0);
	s.m->now++;
	rwk_elsewhere_scan(s.e, s.m);
	assert_int_equal(look(&s).llc[0].nr_idle_scan, 5);
	end(&s);
}

/* CPU 7 goes on both machines: the kernel takes new domains with nothing in them. */
static void rebuilt_domains_begin_anew(void **state)
{
	struct rwk_machine recorded;
	struct rwk_machine_cpu cpu[8];
	struct rwk_machine_llc llc[8];
	struct scene s;
	struct rwk_wakeup w;

	(void)state;
	begin(&s, 2, 8, 2, true);
	probe(&s);
	happen(&s, ev_switch(1000, 6, 36, S, 0));
	rwk_model_pending_add(s.m, 7);
	s.m->now = 100 * MS;
	recorded = s.rows.machine;
	recorded.cpu = cpu;
	recorded.llc = llc;
	memcpy(cpu, s.rows.cpu, sizeof(cpu));
	memcpy(llc, s.rows.llc, sizeof(llc));
	rwk_cpuset_del(&recorded.online, 7);
	rwk_model_set_machine(s.m, &recorded, false);
	/* Nothing is on its way to a CPU that is gone; what domains keep is still there. */
	assert_false(s.m->view[7].pending);
	assert_int_equal(s.m->view[7].nr_running, 0);
	assert_int_equal(s.m->llc[1].nr_idle_scan, 2);

	cpu[7].llc = RWK_NONE;
	rwk_cpuset_del(&llc[1].cpus, 7);
	llc[1].size = 3;
	rwk_model_set_machine(s.m, &recorded, true);
	s.cpu[7].llc = RWK_NONE;
	rwk_cpuset_del(&s.llc[0].cpus, 7);
	s.llc[0].size = 7;
	rwk_elsewhere_set_machine(s.e, &s.other, s.m, true);
	assert_int_equal(s.m->llc[1].nr_idle_scan, 0);
	assert_int_equal(s.m->llc[1].nr_idle_scan_source, RWK_REBUILT);
	assert_false(s.m->llc[0].has_idle_cores);
	w = look(&s);
	assert_int_equal(w.llc[0].nr_idle_scan, 0);
	assert_int_equal(w.llc[0].nr_idle_scan_source, RWK_INFERRED);
	/* And are looked at again at the first tick after twice their size in ms. */
	s.m->now += 8 * MS - 1;
	rwk_model_hint_scan(s.m);
	assert_int_equal(s.m->llc[1].nr_idle_scan, 0);
	s.m->now++;
	rwk_model_hint_scan(s.m);
	assert_int_equal(s.m->llc[1].nr_idle_scan, 3);
	assert_int_equal(s.m->llc[1].nr_idle_scan_source, RWK_INFERRED);
	/* What the probe says of a cache that it reads through a CPU that is gone is nobody's. */
	cpu[4].llc = RWK_NONE;
	probe(&s);
	assert_int_equal(s.m->llc[0].nr_idle_scan, 1);
	assert_int_equal(s.m->llc[1].nr_idle_scan, 3);
	end(&s);
}

/* Cores of two where the recorded machine has single CPUs. */
static void idle_cores_by_the_other_cores(void **state)
{
	struct scene s;
	struct rwk_wakeup w;

	(void)state;
	begin(&s, 1, 4, 2, true);
	happen(&s, ev_switch(1000, 4, 34, S, 0));
	assert_int_equal(look(&s).llc[1].has_idle_cores_source, RWK_UNKNOWN);
	happen(&s, ev_switch(1001, 5, 35, S, 0));
	w = look(&s);
	assert_true(w.llc[1].has_idle_cores);
	assert_int_equal(w.llc[1].has_idle_cores_source, RWK_INFERRED);
	assert_int_equal(w.llc[0].has_idle_cores_source, RWK_UNKNOWN);
	/* A scan around another cache's target says nothing of it; one of its own does. */
	rwk_elsewhere_effects(
		s.e, &(struct rwk_verdict){.effects = RWK_EFFECT_NO_IDLE_CORES, .target = 0});
	w = look(&s);
	assert_true(w.llc[1].has_idle_cores);
	assert_int_equal(w.llc[0].has_idle_cores_source, RWK_INFERRED);
	rwk_elsewhere_effects(s.e,
		&(struct rwk_verdict){.target = RWK_NONE, .more_no_idle_cores = 1 << 1 | 1 << 9});
	assert_false(look(&s).llc[1].has_idle_cores);
	end(&s);
}

static void without_a_kernel_they_stay_unknown(void **state)
{
	struct scene s;

	(void)state;
	begin(&s, 1, 4, 2, false);
	happen(&s, ev_switch(1000, 4, 34, S, 0));
	happen(&s, ev_switch(1001, 5, 35, S, 0));
	assert_int_equal(look(&s).llc[1].has_idle_cores_source, RWK_UNKNOWN);
	end(&s);
}

/* The same caches but no SMT: the scan limit is the recorded one, the other hint is not. */
static void smt_off(void **state)
{
	struct scene s;
	struct rwk_wakeup w;

	(void)state;
	begin(&s, 2, 4, 1, true);
	probe(&s);
	happen(&s, ev_switch(1000, 0, 30, S, 0));
	w = look(&s);
	assert_int_equal(w.llc[0].nr_idle_scan, 1);
	assert_int_equal(w.llc[0].nr_idle_scan_source, RWK_PROBED);
	assert_int_equal(w.llc[0].has_idle_cores_source, RWK_UNKNOWN);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_caches_have_the_recorded_hints),
		cmocka_unit_test(other_caches_have_none_of_them),
		cmocka_unit_test(rebuilt_domains_begin_anew),
		cmocka_unit_test(idle_cores_by_the_other_cores),
		cmocka_unit_test(without_a_kernel_they_stay_unknown),
		cmocka_unit_test(smt_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
