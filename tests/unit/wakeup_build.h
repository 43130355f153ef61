/*
 * Hand-made pictures of a wakeup for tests of policies: a small machine whose
 * CPUs are all busy, and a wakeup on it, to be changed by the test.
 */
#ifndef TESTS_UNIT_WAKEUP_BUILD_H
#define TESTS_UNIT_WAKEUP_BUILD_H

#include <rewake/policy.h>

#define PIC_CPUS   16
#define PIC_QUEUED 4

struct picture {
	struct rwk_machine machine;
	struct rwk_machine_cpu machine_cpu[PIC_CPUS];
	struct rwk_machine_llc machine_llc[PIC_CPUS];
	struct rwk_cpu_view cpu[PIC_CPUS];
	struct rwk_llc_view llc[PIC_CPUS];
	struct rwk_queued_view queued[2][PIC_QUEUED]; /* on T and on P */
	struct rwk_wake_mix mix; /* of whom the test likes */
	struct rwk_wakeup w;
};

/*
 * nr_cpus CPUs in LLCs of llc_size, each LLC a node, cores of threads
 * neighbouring CPUs.  Every CPU runs one task; everything is known; the waker
 * runs on 0, the wakee slept on 1; it is no sync wakeup, and by load it stays on 1.
 */
void picture_init(struct picture *pic, int nr_cpus, int llc_size, int threads, const char *kernel);

/*
 * Level PKG between the LLCs and the whole: LLCs of the same node, llcs of them
 * each; the machine's nodes are renumbered.
 */
void picture_nodes(struct picture *pic, int llcs);

/* One capacity domain over all CPUs, innermost; CPUs below nr_little are of half the capacity. */
void picture_asym(struct picture *pic, int nr_little);

/* L2 clusters of size CPUs. */
void picture_clusters(struct picture *pic, int size);

/* cpu runs nothing. */
void picture_idle(struct picture *pic, int cpu);

/* Sets of free and unknown CPUs that say what w->cpu says, shown by w. */
void picture_sets(
	struct rwk_wakeup *w, struct rwk_cpuset *free_cpus, struct rwk_cpuset *unknown_cpus);

/* The answer of a policy (spec as on the command line). */
struct rwk_verdict picture_ask(const struct picture *pic, const char *spec);

/* The name of a verdict's reason or detail under the policy of spec. */
const char *picture_reason(const char *spec, const struct rwk_verdict *v);
const char *picture_detail(const char *spec, const struct rwk_verdict *v);

/* The policy of spec answers want_cpu, for want_reason. */
#define assert_answer(pic, spec, want_cpu, want_reason)                                            \
	do {                                                                                       \
		struct rwk_verdict v_ = picture_ask(pic, spec);                                    \
		assert_string_equal(picture_reason(spec, &v_), want_reason);                       \
		assert_int_equal(v_.cpu, want_cpu);                                                \
	} while (0)

/* The policy of spec searches around want_target, which arose as want_detail. */
#define assert_target(pic, spec, want_target, want_detail)                                         \
	do {                                                                                       \
		struct rwk_verdict v_ = picture_ask(pic, spec);                                    \
		assert_string_equal(picture_detail(spec, &v_), want_detail);                       \
		assert_int_equal(v_.target, want_target);                                          \
	} while (0)

#endif
