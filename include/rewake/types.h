/*
 * Ids, time and CPU sets shared by every room and by outside policies.
 * Needs nothing but libc.
 */
#ifndef REWAKE_TYPES_H
#define REWAKE_TYPES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Nanoseconds, of the trace's own clock or a difference of two such times. */
typedef int64_t rwk_ns;

/* "No such task, CPU or time": distinct from every valid value of these types. */
#define RWK_NONE    (-1)
#define RWK_NS_NONE INT64_MIN

/*
 * Priorities as the kernel's events have them: 100…139 fair (nice -20…19), 0…99
 * real-time, -1 deadline, so that "unknown" needs a value of its own.
 */
#define RWK_PRIO_DEADLINE (-1)
#define RWK_PRIO_UNKNOWN  INT32_MIN

/* CPU ids are 0 … RWK_MAX_CPUS-1; a trace with a larger id is refused, never wrapped. */
#define RWK_MAX_CPUS     1024
#define RWK_CPUSET_WORDS (RWK_MAX_CPUS / 64)

/*
 * Where a value comes from, from worst to best.  UNKNOWN means that the value
 * beside it must not be read as truth: it is a placeholder.
 */
enum rwk_source {
	RWK_UNKNOWN, /* nothing says it */
	RWK_INFERRED, /* deduced from behaviour; can be wrong */
	RWK_REBUILT, /* follows from recorded events by the kernel's own rules */
	RWK_CALIBRATED, /* fitted to recorded outcomes */
	RWK_PROBED, /* the kernel's own value, recorded at that moment */
	RWK_SOURCE_COUNT
};

struct rwk_cpuset {
	uint64_t word[RWK_CPUSET_WORDS];
};

static inline void rwk_cpuset_zero(struct rwk_cpuset *set)
{
	memset(set, 0, sizeof(*set));
}

/* false for any cpu outside 0 … RWK_MAX_CPUS-1, so callers need no range test. */
static inline bool rwk_cpuset_has(const struct rwk_cpuset *set, int cpu)
{
	return cpu >= 0 && cpu < RWK_MAX_CPUS && (set->word[cpu / 64] >> (cpu % 64) & 1);
}

/* cpu must be 0 … RWK_MAX_CPUS-1. */
static inline void rwk_cpuset_add(struct rwk_cpuset *set, int cpu)
{
	set->word[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

static inline void rwk_cpuset_del(struct rwk_cpuset *set, int cpu)
{
	set->word[cpu / 64] &= ~(UINT64_C(1) << (cpu % 64));
}

/* ret := a ∩ b; ret may be a or b. */
static inline void rwk_cpuset_and(
	struct rwk_cpuset *ret, const struct rwk_cpuset *a, const struct rwk_cpuset *b)
{
	for (int i = 0; i < RWK_CPUSET_WORDS; i++)
		ret->word[i] = a->word[i] & b->word[i];
}

/* a := a minus b. */
static inline void rwk_cpuset_sub(struct rwk_cpuset *a, const struct rwk_cpuset *b)
{
	for (int i = 0; i < RWK_CPUSET_WORDS; i++)
		a->word[i] &= ~b->word[i];
}

static inline int rwk_cpuset_weight(const struct rwk_cpuset *set)
{
	int n = 0;

	for (int i = 0; i < RWK_CPUSET_WORDS; i++)
		n += __builtin_popcountll(set->word[i]);
	return n;
}

static inline bool rwk_cpuset_intersects(const struct rwk_cpuset *a, const struct rwk_cpuset *b)
{
	for (int i = 0; i < RWK_CPUSET_WORDS; i++) {
		if (a->word[i] & b->word[i])
			return true;
	}
	return false;
}

static inline bool rwk_cpuset_equal(const struct rwk_cpuset *a, const struct rwk_cpuset *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Lowest member from … end-1 (from >= 0, end <= RWK_MAX_CPUS), or RWK_NONE. */
static inline int rwk_cpuset_next_below(const struct rwk_cpuset *set, int from, int end)
{
	int i = from / 64, cpu;

	if (from >= end)
		return RWK_NONE;
	uint64_t w = set->word[i] & (~UINT64_C(0) << (from % 64));
	while (!w) {
		if (++i * 64 >= end)
			return RWK_NONE;
		w = set->word[i];
	}
	cpu = i * 64 + __builtin_ctzll(w);
	return cpu < end ? cpu : RWK_NONE;
}

/* Lowest member >= from (from >= 0), or RWK_NONE. */
static inline int rwk_cpuset_next(const struct rwk_cpuset *set, int from)
{
	return rwk_cpuset_next_below(set, from, RWK_MAX_CPUS);
}

static inline bool rwk_cpuset_empty(const struct rwk_cpuset *set)
{
	return rwk_cpuset_next(set, 0) == RWK_NONE;
}

/* Members in ascending order. */
#define rwk_cpuset_foreach(cpu, set)                                                               \
	for (int cpu = rwk_cpuset_next(set, 0); cpu != RWK_NONE;                                   \
		cpu = rwk_cpuset_next(set, cpu + 1))

/* Those below end: where the machine's CPUs end, most of the set need not be looked at. */
#define rwk_cpuset_foreach_below(cpu, set, end)                                                    \
	for (int cpu = rwk_cpuset_next_below(set, 0, end); cpu != RWK_NONE;                        \
		cpu = rwk_cpuset_next_below(set, cpu + 1, end))

#endif
