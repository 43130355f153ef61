/*
 * Everything impossible, dropped, clamped or guessed is counted here with the
 * place of its first occurrence, and ends as a row of the run.
 */
#ifndef SRC_EVENT_ANOMALY_H
#define SRC_EVENT_ANOMALY_H

#include "event/event.h"

/*   X(enum, name, what it means) */
#define RWK_ANOMALIES(X)                                                                           \
	X(TIME_BACKWARDS, "time_backwards",                                                        \
		"events of one CPU whose time stamp is before the last; quarantined")              \
	X(UNKNOWN_EVENT, "unknown_event",                                                          \
		"records whose event id has no format in the file; skipped")                       \
	X(UNKNOWN_RECORD, "unknown_record",                                                        \
		"records and header parts of a kind that is not known, and so no events; skipped") \
	X(BAD_RECORD, "bad_record",                                                                \
		"records too short for their format or with impossible values; skipped")           \
	X(BAD_PAGE, "bad_page", "pages that cannot be a ring-buffer page; skipped")                \
	X(TRUNCATED, "truncated", "the file ends before its own index says; read up to there")     \
	X(SOME_TASKS_ONLY, "some_tasks_only",                                                      \
		"counters that follow one task each: what others did was not recorded")            \
	X(CPU_OUT_OF_RANGE, "cpu_out_of_range",                                                    \
		"CPU numbers that the machine cannot have; record skipped")                        \
	X(SWITCH_MISMATCH, "switch_mismatch", "another task on a CPU than was switched in there")  \
	X(FIRST_SWITCH, "first_switch",                                                            \
		"first switch of a CPU or after a loss; time of the task before is unknown")       \
	X(WAKEUP_WITHOUT_WAKING, "wakeup_without_waking",                                          \
		"sched_wakeup without a sched_waking before it")                                   \
	X(WAKING_WITHOUT_WAKEUP, "waking_without_wakeup",                                          \
		"sched_waking never followed by its sched_wakeup")                                 \
	X(WAKING_RUNNABLE, "waking_runnable", "sched_waking of a task that was running or queued") \
	X(MIGRATE_LOST, "migrate_lost",                                                            \
		"task seen on another CPU without a migration; row added and marked")              \
	X(TASK_ON_TWO_CPUS, "task_on_two_cpus",                                                    \
		"task switched in while running elsewhere; older slice cut")                       \
	X(IMPOSSIBLE_ORDER, "impossible_order",                                                    \
		"effects that come before their causes on another CPU; see rewake check")          \
	X(PROBE_UNPAIRED, "probe_unpaired",                                                        \
		"probe entry or return without its partner or its waking")                         \
	X(OCCUPANT_INFERRED, "occupant_inferred",                                                  \
		"times that a CPU's task became known from common_pid only")                       \
	X(TID_REUSED, "tid_reused", "thread ids that came back as another task")                   \
	X(CPU_UNOBSERVED, "cpu_unobserved",                                                        \
		"CPUs of the machine without a single event; neither idle nor busy")               \
	X(CENSORED, "censored", "wakeups whose first run lies outside what was recorded")          \
	X(BAD_SIDECAR, "bad_sidecar",                                                              \
		"machine facts that contradict each other or the trace; not used")                 \
	X(ANOTHER_BEHIND, "another_behind",                                                        \
		"another recording stands behind the end of this one in the file; not read")       \
	X(FORMATS_FROM_ELSEWHERE, "formats_from_elsewhere",                                        \
		"recorded events whose formats the file lacks; read by those of --formats")

enum rwk_anomaly_kind {
#define X(id, name, help) RWK_AN_##id,
	RWK_ANOMALIES(X)
#undef X
		RWK_AN_COUNT
};

struct rwk_anomaly {
	int64_t count;
	rwk_ns first_ts; /* RWK_NS_NONE if it has no time */
	int64_t first_offset;
	int32_t first_cpu;
};

struct rwk_anomalies {
	struct rwk_anomaly of[RWK_AN_COUNT];
};

const char *rwk_anomaly_name(enum rwk_anomaly_kind kind);
const char *rwk_anomaly_help(enum rwk_anomaly_kind kind);

/* Counts one at a place; use RWK_NS_NONE and RWK_NONE for what has no time, CPU or offset. */
void rwk_anomaly_add(
	struct rwk_anomalies *set, enum rwk_anomaly_kind kind, rwk_ns ts, int cpu, int64_t offset);

/* Adds from's counts to into's; the first place of each kind is the earlier one. */
void rwk_anomalies_merge(struct rwk_anomalies *into, const struct rwk_anomalies *from);

#endif
