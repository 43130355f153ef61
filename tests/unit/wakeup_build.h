/*
 * Hand-made pictures of a wakeup for tests of policies: a small machine whose
 * CPUs are all busy, and a wakeup on it, to be changed by the test.
 */
#ifndef TESTS_UNIT_WAKEUP_BUILD_H
#define TESTS_UNIT_WAKEUP_BUILD_H

#include <rewake/policy.h>

#define PIC_CPUS 16

struct picture {
	struct rwk_machine machine;
	struct rwk_machine_cpu machine_cpu[PIC_CPUS];
	struct rwk_machine_llc machine_llc[PIC_CPUS];
	struct rwk_cpu_view cpu[PIC_CPUS];
	struct rwk_llc_view llc[PIC_CPUS];
	struct rwk_wakeup w;
};

/*
 * nr_cpus CPUs in LLCs of llc_size, each LLC a node, cores of threads
 * neighbouring CPUs.  Every CPU runs one task; everything is known; the waker
 * runs on 0, the wakee slept on 1; it is no sync wakeup, and by load it stays on 1.
 */
void picture_init(struct picture *pic, int nr_cpus, int llc_size, int threads, const char *kernel);

/* cpu runs nothing. */
void picture_idle(struct picture *pic, int cpu);

/* The answer of a policy (spec as on the command line). */
struct rwk_verdict picture_ask(const struct picture *pic, const char *spec);

/* The name of a verdict's reason or detail under the policy of spec. */
const char *picture_reason(const char *spec, const struct rwk_verdict *v);
const char *picture_detail(const char *spec, const struct rwk_verdict *v);

#endif
