/*
 * Where the fields of packed columns are.  sql/migrate and sql/views hold the
 * same positions; tests/unit/test_store_bits.c reads every value back through
 * the views, so that the lists cannot drift apart.
 */
#ifndef SRC_STORE_BITS_H
#define SRC_STORE_BITS_H

#include <stdbool.h>
#include <stdint.h>

#include <rewake/types.h>

/* The number of the run - 1 stands above the id within the run. */
#define RWK_BITS_RUN_SHIFT 40
#define RWK_BITS_ID_MASK   ((INT64_C(1) << RWK_BITS_RUN_SHIFT) - 1)

static inline int64_t rwk_bits_run_base(int run_id)
{
	return (int64_t)((uint64_t)(run_id - 1) << RWK_BITS_RUN_SHIFT);
}

/* Sum and difference of stored numbers, which need not make sense. */
static inline int64_t rwk_bits_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t rwk_bits_sub(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* A CPU is stored as cpu + 1, so that 0 means none. */
#define RWK_BITS_CPU_WIDTH     11
#define RWK_BITS_PRIO_WIDTH    8
#define RWK_BITS_PRIO_DEADLINE 255

/* t_slice.bits */
#define RWK_BITS_SLICE_CPU             0
#define RWK_BITS_SLICE_PRIO            11
#define RWK_BITS_SLICE_END_STATE       19
#define RWK_BITS_SLICE_END_STATE_WIDTH 4
#define RWK_BITS_SLICE_BEGIN_UNKNOWN   23
#define RWK_BITS_SLICE_CUT             24

/* t_wakeup.cpus */
#define RWK_BITS_WAKEUP_CPU        0
#define RWK_BITS_WAKEUP_PREV_CPU   11
#define RWK_BITS_WAKEUP_TARGET_CPU 22
#define RWK_BITS_WAKEUP_WAKEUP_CPU 33
#define RWK_BITS_WAKEUP_RUN_CPU    44

/* t_wakeup.bits */
#define RWK_BITS_WAKEUP_KIND                0
#define RWK_BITS_WAKEUP_KIND_WIDTH          4
#define RWK_BITS_WAKEUP_KIND_SOURCE         4
#define RWK_BITS_WAKEUP_CONTEXT             7
#define RWK_BITS_WAKEUP_CONTEXT_WIDTH       3
#define RWK_BITS_WAKEUP_SYNC                10
#define RWK_BITS_WAKEUP_SYNC_SOURCE         11
#define RWK_BITS_WAKEUP_TARGET_SOURCE       14
#define RWK_BITS_WAKEUP_TARGET_SOURCE_WIDTH 3
#define RWK_BITS_WAKEUP_CENSOR              17
#define RWK_BITS_WAKEUP_CENSOR_WIDTH        3
#define RWK_BITS_WAKEUP_PRIO                20
#define RWK_BITS_WAKEUP_WAKER_EXITING       28
#define RWK_BITS_SOURCE_WIDTH               3

/* t_wakeup_count.bits */
#define RWK_BITS_COUNT_KIND          0
#define RWK_BITS_COUNT_KIND_SOURCE   4
#define RWK_BITS_COUNT_SYNC_SOURCE   7
#define RWK_BITS_COUNT_TARGET_SOURCE 10
#define RWK_BITS_COUNT_CENSOR        13
#define RWK_BITS_COUNT_WIDTH         16

/* t_migration.cpus and .bits */
#define RWK_BITS_MIGRATION_CPU       0
#define RWK_BITS_MIGRATION_ORIG_CPU  11
#define RWK_BITS_MIGRATION_DEST_CPU  22
#define RWK_BITS_MIGRATION_PRIO      0
#define RWK_BITS_MIGRATION_SYNTHETIC 8

/* t_orphan.bits */
#define RWK_BITS_ORPHAN_CPU        0
#define RWK_BITS_ORPHAN_TARGET_CPU 11
#define RWK_BITS_ORPHAN_PRIO       22

/* t_nr.cpus */
#define RWK_BITS_NR_BY_CPU 0
#define RWK_BITS_NR_CPU    11

/* t_verdict.bits */
#define RWK_BITS_VERDICT_CPU           0
#define RWK_BITS_VERDICT_AGREES        11
#define RWK_BITS_VERDICT_COMPARABLE    12
#define RWK_BITS_VERDICT_INTERESTING   13
#define RWK_BITS_VERDICT_VIOLATION     14
#define RWK_BITS_VERDICT_REASON        15
#define RWK_BITS_VERDICT_REASON_WIDTH  8
#define RWK_BITS_VERDICT_DETAIL        23
#define RWK_BITS_VERDICT_DETAIL_WIDTH  8
#define RWK_BITS_VERDICT_UNKNOWN       31
#define RWK_BITS_VERDICT_UNKNOWN_WIDTH 32

/* t_price.bits */
#define RWK_BITS_PRICE_KIND        0
#define RWK_BITS_PRICE_KERNEL_KIND 3
#define RWK_BITS_PRICE_KIND_WIDTH  3
#define RWK_BITS_PRICE_PASSED_IDLE 6
#define RWK_BITS_PRICE_WAKER_SLEPT 7
#define RWK_BITS_PRICE_HIDDEN      8 /* enum rwk_hidden + 1; 0: not asked for */
#define RWK_BITS_PRICE_WIDTH       11

/* t_replay_count of provenance: enum rwk_provenance times this + enum rwk_source. */
#define RWK_BITS_SOURCES 8

/* t_replay_count.what */
enum rwk_count_what {
	RWK_COUNT_PLACE, /* 0 stays on the previous CPU, 1 moves, 2 unknown */
	RWK_COUNT_WAKER_DISTANCE,
	RWK_COUNT_PREV_DISTANCE,
	RWK_COUNT_UNKNOWN_INPUT,
	RWK_COUNT_REASON,
	RWK_COUNT_PROVENANCE,
	RWK_COUNT_HISTORY,
	RWK_COUNT_HIDDEN,
	RWK_COUNT_RACE,
	RWK_COUNT_PRICE, /* enum rwk_price_kind of both CPUs */
};

static inline int64_t rwk_bits_get(int64_t bits, int shift, int width)
{
	return (int64_t)((uint64_t)bits >> shift & ((UINT64_C(1) << width) - 1));
}

/* value must fit; the caller has checked it or it is an enum. */
static inline int64_t rwk_bits_put(int64_t value, int shift)
{
	return (int64_t)((uint64_t)value << shift);
}

static inline bool rwk_bits_flag(int64_t bits, int shift)
{
	return (uint64_t)bits >> shift & 1;
}

static inline int32_t rwk_bits_get_cpu(int64_t bits, int shift)
{
	return (int32_t)rwk_bits_get(bits, shift, RWK_BITS_CPU_WIDTH) - 1;
}

static inline int64_t rwk_bits_put_cpu(int32_t cpu, int shift)
{
	return rwk_bits_put((int64_t)cpu + 1, shift);
}

static inline bool rwk_bits_cpu_fits(int32_t cpu)
{
	return cpu >= RWK_NONE && cpu < RWK_MAX_CPUS;
}

static inline int32_t rwk_bits_get_prio(int64_t bits, int shift)
{
	int64_t v = rwk_bits_get(bits, shift, RWK_BITS_PRIO_WIDTH);

	if (v == RWK_BITS_PRIO_DEADLINE)
		return RWK_PRIO_DEADLINE;
	return v ? (int32_t)v - 1 : RWK_PRIO_UNKNOWN;
}

/*
 * Kernel priorities end at 139; what is far outside comes back as unknown.  Files of the first
 * two versions have 0 for deadline tasks as well: what they were is not known any more.
 */
static inline int64_t rwk_bits_put_prio(int32_t prio, int shift)
{
	int64_t v = 0;

	if (prio == RWK_PRIO_DEADLINE)
		v = RWK_BITS_PRIO_DEADLINE;
	else if (prio >= 0 && prio + 1 < RWK_BITS_PRIO_DEADLINE)
		v = (int64_t)prio + 1;
	return rwk_bits_put(v, shift);
}

#endif
