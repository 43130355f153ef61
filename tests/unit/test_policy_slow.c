/*
 * The slow path on hand-made pictures, with the answer worked out from the
 * wakeup-placement design, §2.9.  A busy CPU of these pictures runs one task and
 * is full: load, utilisation and runnable 1024.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "wakeup_build.h"

static void begin(struct picture *pic, int nr_cpus, int llc_size, int threads, const char *kernel)
{
	picture_init(pic, nr_cpus, llc_size, threads, kernel);
	pic->w.type = RWK_WAKE_FORK;
	pic->w.prev_cpu = 0;
	pic->w.wakee.util_avg = 0;
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		pic->cpu[cpu].load_avg = 1024;
}

static void idle(struct picture *pic, int first, int last)
{
	for (int cpu = first; cpu <= last; cpu++) {
		picture_idle(pic, cpu);
		pic->cpu[cpu].util_avg = pic->cpu[cpu].runnable_avg = 0;
	}
}

/* nr tasks, all of them wanting all of the CPU. */
static void crowd(struct picture *pic, int first, int last, int nr)
{
	for (int cpu = first; cpu <= last; cpu++) {
		pic->cpu[cpu].nr_running = (uint16_t)nr;
		pic->cpu[cpu].load_avg = pic->cpu[cpu].runnable_avg = (uint32_t)nr * 1024;
	}
}

#define assert_slow(pic, spec, want_cpu, want_detail)                                              \
	do {                                                                                       \
		struct rwk_verdict v_ = picture_ask(pic, spec);                                    \
		assert_string_equal(picture_reason(spec, &v_), "slow");                            \
		assert_string_equal(picture_detail(spec, &v_), want_detail);                       \
		assert_int_equal(v_.cpu, want_cpu);                                                \
	} while (0)

/* Nobody is better: T, at every level. */
static void nowhere_better(void **state)
{
	struct picture pic;

	(void)state;
	begin(&pic, 8, 4, 2, "6.1.192");
	assert_slow(&pic, "linux", 0, "local_group");
	pic.w.this_cpu = 5;
	assert_slow(&pic, "linux", 5, "local_group");
	/* ordinary wakeups do not come here */
	pic.w.type = RWK_WAKE_TTWU;
	assert_answer(&pic, "linux", 5, "none");
}

/* nr < weight is to spare, one per full CPU is fully busy, more is overloaded. */
static void group_types(void **state)
{
	struct picture pic;

	(void)state;
	/* own node to spare (2 idle), other node fully busy; within it the core of 2 */
	begin(&pic, 8, 4, 2, "6.1.192");
	idle(&pic, 2, 2);
	assert_slow(&pic, "linux", 2, "idlest_group");
	/* own overloaded, other fully busy: the one with the least load there */
	begin(&pic, 8, 4, 1, "6.1.192");
	crowd(&pic, 0, 3, 2);
	pic.cpu[4].load_avg = 1100;
	pic.cpu[5].load_avg = 1000;
	assert_slow(&pic, "linux", 5, "idlest_group");
	/* two per CPU that want little: the node still has room, so it is not overloaded */
	for (int cpu = 0; cpu < 4; cpu++)
		pic.cpu[cpu].util_avg = pic.cpu[cpu].runnable_avg = 500;
	assert_slow(&pic, "linux", 0, "local_group");
	/* room ends where util·117 reaches capacity·100: 875 has it, 876 has not */
	begin(&pic, 2, 2, 1, "6.1.192");
	pic.cpu[0].util_avg = 100;
	pic.cpu[0].runnable_avg = 100;
	pic.cpu[0].load_avg = 5000;
	pic.cpu[1].util_avg = 875;
	pic.cpu[0].util_avg = 876;
	assert_slow(&pic, "linux", 1, "idlest_group");
	pic.cpu[1].util_avg = 876;
	pic.cpu[0].load_avg = 1024;
	assert_slow(&pic, "linux", 0, "local_group");
	/* what tasks are expected to use counts like what they use */
	pic.cpu[1].util_avg = 875;
	pic.cpu[1].util_est = 876;
	assert_slow(&pic, "linux", 0, "local_group");
}

/* Busy groups of one type: by load against capacity, with a margin of 174 and 17 %. */
static void busy_margin(void **state)
{
	struct picture pic;

	(void)state;
	/* one cache: 100·1024 ≤ 117·876 stays, 117·875 = 102375 is less */
	begin(&pic, 2, 2, 1, "6.1.192");
	pic.cpu[1].load_avg = 876;
	assert_slow(&pic, "linux", 0, "local_group");
	pic.cpu[1].load_avg = 875;
	assert_slow(&pic, "linux", 1, "idlest_group");
	/* a CPU with half the capacity carries its load twice */
	pic.cpu[1].capacity = 512;
	pic.cpu[1].util_avg = 512;
	assert_slow(&pic, "linux", 0, "local_group");
	/* across nodes: 850 + 174 ≥ 1024 stays, 849 does not */
	begin(&pic, 8, 4, 1, "6.1.192");
	for (int cpu = 4; cpu < 8; cpu++)
		pic.cpu[cpu].load_avg = 850;
	assert_slow(&pic, "linux", 0, "local_group");
	for (int cpu = 4; cpu < 8; cpu++)
		pic.cpu[cpu].load_avg = 849;
	assert_slow(&pic, "linux", 4, "idlest_group");
}

/* To spare: more idle CPUs, then less utilisation, then the next one round from T. */
static void spare(void **state)
{
	struct picture pic;

	(void)state;
	begin(&pic, 8, 8, 2, "6.1.192");
	idle(&pic, 2, 2);
	idle(&pic, 4, 5);
	assert_slow(&pic, "linux", 4, "idlest_group"); /* a whole core before one thread */
	begin(&pic, 4, 4, 1, "6.1.192");
	idle(&pic, 1, 3);
	assert_slow(&pic, "linux", 1, "idlest_group");
	pic.cpu[1].util_avg = 30;
	pic.cpu[2].util_avg = pic.cpu[3].util_avg = 10;
	assert_slow(&pic, "linux", 2, "idlest_group");
	begin(&pic, 4, 4, 1, "6.1.192");
	idle(&pic, 0, 3);
	crowd(&pic, 2, 2, 1);
	pic.cpu[2].idle = false;
	pic.w.this_cpu = 2;
	assert_slow(&pic, "linux", 3, "idlest_group");
	pic.cpu[3].util_avg = 1;
	assert_slow(&pic, "linux", 0, "idlest_group");
}

/* A node that runs little keeps the child; how little is a matter of version. */
static void numa_stay(void **state)
{
	struct picture pic;

	(void)state;
	/* one LLC of 4 per node: imb_numa_nr 1; the parent alone makes 1 + 1 */
	begin(&pic, 8, 4, 1, "6.1.192");
	idle(&pic, 1, 7);
	assert_slow(&pic, "linux", 4, "idlest_group");
	assert_slow(&pic, "linux,version=5.10", 1, "idlest_group"); /* any idle CPU */
	assert_slow(&pic, "linux,version=5.11", 1, "idlest_group"); /* 1 < 8/4 */
	assert_slow(&pic, "linux,version=5.17", 4, "idlest_group"); /* 2 < 4/4 not */
	/* the waker's node is asleep but for an interrupt: 0 + 1 */
	idle(&pic, 0, 0);
	crowd(&pic, 4, 4, 1);
	pic.cpu[4].idle = false;
	assert_slow(&pic, "linux", 0, "local_group");
	/* two LLCs per node: imb_numa_nr 2, so the child stays, on the other cache */
	begin(&pic, 16, 4, 1, "6.1.192");
	picture_nodes(&pic, 2);
	idle(&pic, 1, 15);
	assert_slow(&pic, "linux", 4, "idlest_group");
	/* … unless the nodes' idle CPUs differ by more than two (6.0+) */
	for (int cpu = 5; cpu < 8; cpu++) {
		pic.cpu[cpu].idle = false;
		pic.cpu[cpu].pending = true;
	}
	assert_slow(&pic, "linux", 8, "idlest_group");
	assert_slow(&pic, "linux,version=5.18", 1, "idlest_group");
	/* … or its affinity leaves one CPU of the node */
	begin(&pic, 16, 4, 1, "6.1.192");
	picture_nodes(&pic, 2);
	idle(&pic, 1, 15);
	for (int cpu = 1; cpu < 8; cpu++)
		rwk_cpuset_del(&pic.w.allowed, cpu);
	assert_slow(&pic, "linux", 8, "idlest_group");
	/* as many idle CPUs here as there */
	begin(&pic, 8, 4, 1, "6.1.192");
	idle(&pic, 1, 3);
	idle(&pic, 5, 7);
	assert_slow(&pic, "linux", 1, "idlest_group");
}

/* In the group: whom SCHED_IDLE occupies, else the latest to idle, else the least loaded. */
static void within_group(void **state)
{
	struct picture pic;

	(void)state;
	begin(&pic, 8, 4, 1, "6.1.192");
	idle(&pic, 4, 6);
	pic.cpu[4].idle_since_ns = 10;
	pic.cpu[5].idle_since_ns = 30;
	pic.cpu[6].idle_since_ns = 20;
	assert_slow(&pic, "linux", 5, "idlest_group");
	pic.cpu[4].idle_since_ns = 30;
	assert_slow(&pic, "linux", 4, "idlest_group"); /* ties: the first */
	rwk_cpuset_del(&pic.w.allowed, 4);
	assert_slow(&pic, "linux", 5, "idlest_group");
	/* all of the other node busy */
	begin(&pic, 8, 4, 1, "6.1.192");
	crowd(&pic, 0, 3, 2);
	pic.cpu[5].load_avg = 1000;
	assert_slow(&pic, "linux", 5, "idlest_group");
	pic.cpu[6].sched_idle = true;
	assert_slow(&pic, "linux", 6, "idlest_group");
}

/* A task that calls exec is where it is, and does not count there. */
static void exec(void **state)
{
	struct picture pic;

	(void)state;
	begin(&pic, 4, 4, 1, "6.1.192");
	idle(&pic, 1, 3);
	pic.w.wakee.load_avg = pic.w.wakee.util_avg = pic.w.wakee.runnable_avg = 1024;
	assert_slow(&pic, "linux", 1, "idlest_group");
	pic.w.type = RWK_WAKE_EXEC;
	assert_slow(&pic, "linux", 0, "local_group");
	pic.cpu[0].pending = true; /* somebody else is on the way here */
	assert_slow(&pic, "linux", 1, "idlest_group");
	pic.cpu[0].pending = false;
	crowd(&pic, 0, 0, 2);
	assert_slow(&pic, "linux", 1, "idlest_group");
	/* busy everywhere: 1024 of its own 2000 leave 976, the others' 850 are not enough less */
	begin(&pic, 2, 2, 1, "6.1.192");
	pic.w.type = RWK_WAKE_EXEC;
	crowd(&pic, 0, 0, 2);
	pic.cpu[0].load_avg = 2000;
	pic.cpu[0].util_avg = 1024;
	pic.w.wakee.load_avg = 1024;
	pic.w.wakee.util_avg = 0;
	pic.cpu[1].load_avg = 850;
	assert_slow(&pic, "linux", 0, "local_group");
	pic.w.wakee.load_avg = 1000;
	assert_slow(&pic, "linux", 1, "idlest_group");
}

/* Affinity, and which domains take part. */
static void bounds(void **state)
{
	struct picture pic;

	(void)state;
	/* nothing allowed in the domain: P */
	begin(&pic, 8, 4, 1, "6.1.192");
	pic.machine_cpu[0].nr_domains = 1;
	pic.w.prev_cpu = 5;
	for (int cpu = 0; cpu < 4; cpu++)
		rwk_cpuset_del(&pic.w.allowed, cpu);
	assert_slow(&pic, "linux", 5, "no_group");
	/* nothing allowed in T's own group: the other, however busy */
	begin(&pic, 8, 4, 1, "6.1.192");
	idle(&pic, 1, 3);
	crowd(&pic, 4, 7, 3);
	for (int cpu = 0; cpu < 4; cpu++)
		rwk_cpuset_del(&pic.w.allowed, cpu);
	assert_slow(&pic, "linux", 4, "idlest_group");
	/* CPUs that are not allowed are not counted; 5.9 counts them */
	begin(&pic, 8, 8, 2, "6.1.192");
	idle(&pic, 2, 5);
	rwk_cpuset_del(&pic.w.allowed, 3);
	assert_slow(&pic, "linux", 4, "idlest_group");
	assert_slow(&pic, "linux,version=5.9", 2, "idlest_group");
	/* far nodes do not balance forks */
	begin(&pic, 8, 4, 1, "6.1.192");
	idle(&pic, 4, 7);
	pic.machine_cpu[0].domain[1].flags &= ~(uint32_t)RWK_SD_BALANCE_FORK;
	assert_slow(&pic, "linux", 0, "local_group");
	pic.w.type = RWK_WAKE_EXEC;
	pic.w.wakee.load_avg = 0;
	pic.cpu[0].nr_running = 2;
	assert_slow(&pic, "linux", 4, "idlest_group"); /* but execs here */
	/* a level without the flag ends the walk outwards */
	pic.w.type = RWK_WAKE_FORK;
	pic.machine_cpu[0].domain[1].flags |= RWK_SD_BALANCE_FORK;
	pic.machine_cpu[0].domain[0].flags &= ~(uint32_t)RWK_SD_BALANCE_FORK;
	pic.w.prev_cpu = 3;
	assert_slow(&pic, "linux", 3, "nodomain");
}

/* A task that does not fit on a small CPU leaves for a big one. */
static void misfit(void **state)
{
	struct picture pic;

	(void)state;
	begin(&pic, 4, 4, 1, "6.1.192");
	picture_asym(&pic, 2);
	idle(&pic, 1, 3);
	pic.w.type = RWK_WAKE_EXEC;
	pic.w.wakee.load_avg = pic.w.wakee.runnable_avg = 1024;
	pic.w.wakee.util_avg = 600; /* 600·1280 > 512·1024 */
	assert_slow(&pic, "linux", 2, "idlest_group");
	pic.w.wakee.util_avg = 400;
	assert_slow(&pic, "linux", 0, "local_group");
}

/* A CPU not seen yet is taken for idle, and the answer says what it did not know. */
static void unknown(void **state)
{
	struct picture pic;
	struct rwk_verdict v;

	(void)state;
	begin(&pic, 8, 4, 1, "6.1.192");
	pic.cpu[5].source = pic.cpu[5].load_source = RWK_UNKNOWN;
	pic.cpu[5].idle_since_source = RWK_UNKNOWN;
	pic.cpu[5].idle_since_ns = RWK_NS_NONE;
	pic.cpu[5].nr_running = 0;
	pic.cpu[5].util_avg = pic.cpu[5].load_avg = pic.cpu[5].runnable_avg = 0;
	v = picture_ask(&pic, "linux");
	assert_int_equal(v.cpu, 5);
	assert_int_equal(
		v.unknown, 1u << RWK_IN_CPU_STATE | 1u << RWK_IN_LOAD | 1u << RWK_IN_IDLE_SINCE);
	/* one that was put there counts */
	pic.cpu[5].nr_running = 1;
	pic.cpu[5].util_avg = pic.cpu[5].load_avg = pic.cpu[5].runnable_avg = 1024;
	assert_slow(&pic, "linux", 0, "local_group");
	begin(&pic, 2, 2, 1, "6.1.192");
	pic.w.allowed_source = RWK_UNKNOWN;
	assert_int_equal(picture_ask(&pic, "linux").unknown, 1u << RWK_IN_AFFINITY);
}

/* Policies of the family share it; others keep their own rule. */
static void other_policies(void **state)
{
	static const char *const family[] = {
		"v5.9", "lawall", "gorman", "vagin", "sis-sync", "wf-current"};
	struct picture pic;

	(void)state;
	begin(&pic, 4, 4, 1, "6.1.192");
	idle(&pic, 1, 3);
	pic.w.prev_cpu = 3;
	pic.w.sync = true;
	for (size_t i = 0; i < sizeof(family) / sizeof(family[0]); i++)
		assert_slow(&pic, family[i], 1, "idlest_group");
	assert_int_equal(picture_ask(&pic, "prev").cpu, 3);
	assert_int_equal(picture_ask(&pic, "waker").cpu, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nowhere_better),
		cmocka_unit_test(group_types),
		cmocka_unit_test(busy_margin),
		cmocka_unit_test(spare),
		cmocka_unit_test(numa_stay),
		cmocka_unit_test(within_group),
		cmocka_unit_test(exec),
		cmocka_unit_test(bounds),
		cmocka_unit_test(misfit),
		cmocka_unit_test(unknown),
		cmocka_unit_test(other_policies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
