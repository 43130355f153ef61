/* Counters of the ring buffers. */
#include "cli/cpu_counters.h"

#include <stdio.h>

#include "record/record.h"

static int64_t add(int64_t a, int64_t b)
{
	int64_t sum;

	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* What a flight recorder overwrote of a CPU, which was before the recording; 0 of any other one. */
static int64_t overwritten(const struct rwk_snapshot *snap, int cpu)
{
	struct rwk_record_cpu kept = {0};
	const char *text = NULL;
	char path[48];

	snprintf(path, sizeof(path), "rewake/stats/cpu%d", cpu);
	if (snap && rwk_snapshot_file(snap, "rewake/flight"))
		text = rwk_snapshot_file(snap, path);
	if (text)
		rwk_stats_parse(text, &kept);
	return kept.overrun;
}

struct rwk_cpu_counters rwk_cpu_counters(
	const struct rwk_trace_info *info, const struct rwk_snapshot *snap, int cpu)
{
	struct rwk_cpu_counters ret = {RWK_NONE, RWK_NONE, RWK_NONE};
	struct rwk_record_cpu kept = {.entries = RWK_NONE,
		.overrun = RWK_NONE,
		.commit_overrun = RWK_NONE,
		.dropped = RWK_NONE,
		.read_events = RWK_NONE};
	const char *text;
	char path[48];

	if (cpu < info->nr_cpus) {
		ret.entries = info->cpu[cpu].entries;
		ret.overrun = info->cpu[cpu].overrun;
		ret.dropped = info->cpu[cpu].dropped;
	}
	snprintf(path, sizeof(path), "rewake/stats/cpu%d", cpu);
	text = snap ? rwk_snapshot_file(snap, path) : NULL;
	if (!text)
		return ret;
	rwk_stats_parse(text, &kept);
	if (ret.entries < 0)
		ret.entries = add(kept.read_events, kept.entries);
	if (ret.overrun < 0)
		ret.overrun = kept.overrun;
	if (overwritten(snap, cpu))
		ret.overrun = 0;
	if (ret.dropped < 0)
		ret.dropped = add(kept.dropped, kept.commit_overrun);
	return ret;
}

int64_t rwk_total_lost(const struct rwk_trace_info *info, const struct rwk_snapshot *snap)
{
	/* Events that stepped backwards are gaps in the data, which no recorder counted. */
	int64_t sum = add(info->nr_overwritten, info->anomalies.of[RWK_AN_TIME_BACKWARDS].count);

	for (int cpu = 0; cpu < info->nr_cpus; cpu++) {
		struct rwk_cpu_counters c = rwk_cpu_counters(info, snap, cpu);
		int64_t said = add(c.overrun, c.dropped), seen = info->cpu[cpu].nr_lost;
		int64_t unsized = info->cpu[cpu].nr_unsized;
		int64_t before = overwritten(snap, cpu);

		/* What a flight recorder overwrote is a gap too, in front of all others. */
		if (before > seen && unsized)
			unsized--;
		seen = seen > before ? seen - before : 0;
		if (unsized && said <= seen)
			return RWK_NONE;
		/* Gaps in the data and the recorder's counters tell of the same events. */
		sum = add(sum, said > seen ? said : seen);
	}
	return sum;
}

int64_t rwk_gaps_before(const struct rwk_trace_info *info, const struct rwk_snapshot *snap)
{
	int64_t nr = 0;

	for (int cpu = 0; cpu < info->nr_cpus; cpu++)
		nr += overwritten(snap, cpu) > 0;
	return nr;
}
