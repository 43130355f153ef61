/* Words for the values of a picture. */
#include "explain/words.h"

#include <inttypes.h>
#include <stdio.h>

const char *explain_source(uint8_t source)
{
	static const char *const names[RWK_SOURCE_COUNT] = {
		"unknown", "inferred", "rebuilt", "calibrated", "probed"};

	return source < RWK_SOURCE_COUNT ? names[source] : "unknown";
}

const char *explain_context(enum rwk_context context)
{
	static const char *const names[RWK_CTX_COUNT] = {"in task context", "in the idle task",
		"in a softirq", "in a hard interrupt", "in an NMI", "in an unknown context"};

	return context < RWK_CTX_COUNT ? names[context] : names[RWK_CTX_UNKNOWN];
}

const char *explain_input(enum rwk_input input)
{
	static const char *const names[RWK_IN_COUNT] = {[RWK_IN_TOPOLOGY] = "topology",
		[RWK_IN_CPU_STATE] = "state of a CPU",
		[RWK_IN_SYNC] = "sync hint",
		[RWK_IN_AFFINITY] = "affinity",
		[RWK_IN_FLIPS] = "wakee_flips",
		[RWK_IN_LAST_WAKEE] = "last_wakee",
		[RWK_IN_RECENT_CPU] = "recent_used_cpu",
		[RWK_IN_IDLE_CORES] = "has_idle_cores",
		[RWK_IN_NR_IDLE_SCAN] = "nr_idle_scan",
		[RWK_IN_LOAD] = "load",
		[RWK_IN_AVG_RUN] = "average run",
		[RWK_IN_AVG_IDLE] = "average idle time",
		[RWK_IN_RECORDED] = "the kernel's answer",
		[RWK_IN_DELAYED] = "delayed tasks",
		[RWK_IN_QUEUE] = "queued tasks",
		[RWK_IN_AVG_OVERLAP] = "average overlap",
		[RWK_IN_RUN_TOTAL] = "CPU time of a task's life",
		[RWK_IN_SYNC_SHARE] = "share of sync wakeups",
		[RWK_IN_HOT_UNTIL] = "hot until",
		[RWK_IN_SLICE] = "slice",
		[RWK_IN_UCLAMP] = "uclamp",
		[RWK_IN_IDLE_SINCE] = "idle since"};

	return input < RWK_IN_COUNT && names[input] ? names[input] : "?";
}

const char *explain_input_key(enum rwk_input input)
{
	static const char *const names[RWK_IN_COUNT] = {[RWK_IN_TOPOLOGY] = "topology",
		[RWK_IN_CPU_STATE] = "cpu_state",
		[RWK_IN_SYNC] = "sync",
		[RWK_IN_AFFINITY] = "affinity",
		[RWK_IN_FLIPS] = "flips",
		[RWK_IN_LAST_WAKEE] = "last_wakee",
		[RWK_IN_RECENT_CPU] = "recent_cpu",
		[RWK_IN_IDLE_CORES] = "idle_cores",
		[RWK_IN_NR_IDLE_SCAN] = "nr_idle_scan",
		[RWK_IN_LOAD] = "load",
		[RWK_IN_AVG_RUN] = "avg_run",
		[RWK_IN_AVG_IDLE] = "avg_idle",
		[RWK_IN_RECORDED] = "recorded",
		[RWK_IN_DELAYED] = "delayed",
		[RWK_IN_QUEUE] = "queue",
		[RWK_IN_AVG_OVERLAP] = "avg_overlap",
		[RWK_IN_RUN_TOTAL] = "run_total",
		[RWK_IN_SYNC_SHARE] = "sync_share",
		[RWK_IN_HOT_UNTIL] = "hot_until",
		[RWK_IN_SLICE] = "slice",
		[RWK_IN_UCLAMP] = "uclamp",
		[RWK_IN_IDLE_SINCE] = "idle_since"};

	return input < RWK_IN_COUNT && names[input] ? names[input] : "?";
}

void explain_time(rwk_ns ns, char *buf, size_t size)
{
	if (ns < 10000)
		snprintf(buf, size, "%" PRId64 " ns", ns);
	else if (ns < 1000000)
		snprintf(buf, size, "%.1f us", (double)ns / 1e3);
	else if (ns < INT64_C(10000000000))
		snprintf(buf, size, "%.1f ms", (double)ns / 1e6);
	else
		snprintf(buf, size, "%.1f s", (double)ns / 1e9);
}
