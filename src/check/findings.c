/* Conclusions of a check. */
#include "check/findings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define RECORD "record with: rewake record -o NAME"
#define PROBE  "record with: rewake record --probe=auto -o NAME"

/* The scheduler's events, and what is not known without them. */
static const struct {
	enum rwk_event_kind kind;
	enum rwk_grade grade;
	const char *without, *remedy;
} wanted[] = {
	{RWK_EV_SWITCH, RWK_GRADE_ABSENT, "no CPU's state is known", RECORD},
	{RWK_EV_WAKING, RWK_GRADE_ABSENT, "there is no wakeup to look at", RECORD},
	{RWK_EV_WAKEUP, RWK_GRADE_NOTE, "where a task was put shows only when it moves or runs",
		RECORD},
	{RWK_EV_MIGRATE, RWK_GRADE_NOTE, "moves show only when a task runs elsewhere", RECORD},
	{RWK_EV_WAKEUP_NEW, RWK_GRADE_NOTE, "new tasks are first seen when they run", RECORD},
	{RWK_EV_SEL, RWK_GRADE_NOTE,
		"which wakeups were decisions, and which were sync, is inferred", PROBE},
};

bool rwk_anomaly_degrades(enum rwk_anomaly_kind kind)
{
	switch (kind) {
	case RWK_AN_TIME_BACKWARDS:
	case RWK_AN_UNKNOWN_EVENT:
	case RWK_AN_BAD_RECORD:
	case RWK_AN_BAD_PAGE:
	case RWK_AN_TRUNCATED:
	case RWK_AN_SOME_TASKS_ONLY:
	case RWK_AN_CPU_OUT_OF_RANGE:
	case RWK_AN_ANOTHER_BEHIND:
	case RWK_AN_FORMATS_FROM_ELSEWHERE:
		return true;
	default:
		return false;
	}
}

static void add(struct rwk_findings *f, enum rwk_grade grade, const char *name, const char *remedy,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));

static void add(struct rwk_findings *f, enum rwk_grade grade, const char *name, const char *remedy,
	const char *fmt, ...)
{
	struct rwk_finding *one;
	va_list args;

	if (f->nr == RWK_FINDINGS_MAX)
		return;
	one = &f->of[f->nr++];
	one->grade = grade;
	one->name = name;
	one->remedy = remedy;
	va_start(args, fmt);
	vsnprintf(one->what, sizeof(one->what), fmt, args);
	va_end(args);
}

static void draw_events(
	const struct rwk_check_facts *facts, enum rwk_grade grade, struct rwk_findings *ret)
{
	const struct rwk_trace_info *info = facts->info;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		enum rwk_event_kind kind = wanted[i].kind;

		if (wanted[i].grade != grade || info->nr_events[kind])
			continue;
		/* Nothing forked is nothing missing. */
		if (kind == RWK_EV_WAKEUP_NEW && info->has_format[kind])
			continue;
		add(ret, grade, rwk_event_kind_name(kind), wanted[i].remedy, "%s: %s",
			info->has_format[kind] ? "none, although it is described" : "not recorded",
			wanted[i].without);
	}
}

static void draw_skew(const struct rwk_skew *skew, struct rwk_findings *ret)
{
	static const char *const remedy[RWK_SKEW_STATE_COUNT] = {
		[RWK_SKEW_FOUND] = "import with: --skew=auto",
		[RWK_SKEW_ONE_SIDED] = "import with: --skew=CPU:NS, if it is known",
		[RWK_SKEW_TOO_FAR] = "import a shorter part of it, or with: --skew=CPU:NS",
		[RWK_SKEW_INFEASIBLE] =
			"record with a clock that all CPUs share, or import with: --skew=CPU:NS",
	};
	static const char farther[] = "look for clocks that are farther apart with: rewake check "
				      "--skew=auto";
	const char *what =
		skew->searched || skew->state == RWK_SKEW_FOUND ? remedy[skew->state] : farther;
	int nr = 0;

	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++)
		nr += skew->of[cpu].skew_ns != 0;
	switch (skew->state) {
	case RWK_SKEW_FOUND:
		add(ret, RWK_GRADE_DEGRADED, "clock skew", what,
			"effects come before causes between %" PRId64
			" pairs of CPUs; a constant shift of %d clocks puts them right",
			skew->nr_pairs, nr);
		break;
	case RWK_SKEW_ONE_SIDED:
		add(ret, RWK_GRADE_DEGRADED, "clock skew", what,
			"effects come before causes between %" PRId64
			" pairs of CPUs; how far CPU %d is off has no upper bound",
			skew->nr_pairs, skew->cpu);
		break;
	case RWK_SKEW_TOO_FAR:
		add(ret, RWK_GRADE_DEGRADED, "clock skew", what,
			"clocks of CPUs seem to be so far apart that their events cannot be put "
			"right: too many lie in between, or times are before 0 then");
		break;
	case RWK_SKEW_INFEASIBLE:
		add(ret, RWK_GRADE_DEGRADED, "clock skew", what,
			"effects come before causes between %" PRId64
			" pairs of CPUs; no constant shift that puts them right was found (seen at "
			"CPU %d)",
			skew->nr_pairs, skew->cpu);
		break;
	default:
		break;
	}
}

static void draw_losses(const struct rwk_check_facts *facts, struct rwk_findings *ret)
{
	const struct rwk_trace_info *info = facts->info;

	for (int kind = 0; kind < RWK_AN_COUNT; kind++) {
		int64_t count =
			info->anomalies.of[kind].count + facts->result->anomalies.of[kind].count;

		if (!count || !rwk_anomaly_degrades((enum rwk_anomaly_kind)kind))
			continue;
		if (kind == RWK_AN_TRUNCATED && info->truncated_at != RWK_NONE)
			add(ret, RWK_GRADE_DEGRADED, rwk_anomaly_name(kind), NULL,
				"the file ends before its own index says; readable up to offset "
				"0x%" PRIx64,
				info->truncated_at);
		else
			add(ret, RWK_GRADE_DEGRADED, rwk_anomaly_name(kind), NULL,
				"%" PRId64 ": %s", count, rwk_anomaly_help(kind));
	}
	if (facts->lost == RWK_NONE)
		add(ret, RWK_GRADE_DEGRADED, "loss",
			"record with larger buffers: rewake record -b KB",
			"events lost in %" PRId64
			" gaps, how many is unknown; what was decided there is unknown, and tasks "
			"around them are marked",
			facts->gaps);
	else if (facts->lost || facts->gaps > 0)
		add(ret, RWK_GRADE_DEGRADED, "loss",
			"record with larger buffers: rewake record -b KB",
			"%" PRId64 " events lost in %" PRId64
			" gaps; what was decided there is unknown, and tasks around them are "
			"marked",
			facts->lost, facts->gaps > 0 ? facts->gaps : 0);
	if (facts->filtered)
		add(ret, RWK_GRADE_DEGRADED, "filter", NULL,
			"recorded without some CPUs or tasks: what those did is not known");
}

static void draw_notes(const struct rwk_check_facts *facts, struct rwk_findings *ret)
{
	const struct rwk_check_result *r = facts->result;
	int nr_silent = 0;

	if (facts->cpu_moves)
		add(ret, RWK_GRADE_NOTE, "CPUs", NULL,
			"CPUs came or went %d time%s, which replays follow; exactly when is not "
			"certain at %" PRId64 " of the decisions",
			facts->cpu_moves, facts->cpu_moves == 1 ? "" : "s", r->wakeups.near_change);
	if (facts->cpus_why)
		add(ret, RWK_GRADE_DEGRADED, "CPUs", NULL,
			"CPUs came or went, which replays do not follow: %s", facts->cpus_why);
	if (!facts->topology_known)
		add(ret, RWK_GRADE_NOTE, "topology",
			"on the recorded machine: rewake machine -o NAME.machine.json",
			"unknown: which CPUs share a cache, so that the kernel's rules cannot "
			"answer");
	for (int cpu = 0; cpu < r->nr_cpus; cpu++)
		nr_silent += r->cpu[cpu].first_ts == RWK_NS_NONE;
	if (nr_silent)
		add(ret, RWK_GRADE_NOTE, "silent CPUs", NULL,
			"%d without a single event: neither idle nor busy", nr_silent);
	if (r->nr_states_unknown)
		add(ret, RWK_GRADE_NOTE, "prev_state", NULL,
			"%" PRId64 " of %" PRId64
			" switches do not say how the task left: asleep or preempted is unknown",
			r->nr_states_unknown, r->nr_switches);
	if (facts->skew->state == RWK_SKEW_NONE && facts->skew->nr_impossible)
		add(ret, RWK_GRADE_NOTE, "order", NULL,
			"%" PRId64
			" single effects before their causes: too few to speak of clocks",
			facts->skew->nr_impossible);
	if (r->anomalies.of[RWK_AN_SWITCH_MISMATCH].count)
		add(ret, RWK_GRADE_NOTE, "switches", NULL,
			"%" PRId64 " are missing although no loss is reported",
			r->anomalies.of[RWK_AN_SWITCH_MISMATCH].count);
	if (facts->info->nr_other_buffers)
		add(ret, RWK_GRADE_NOTE, "buffers", NULL,
			"%d further buffer instances in the file are not read",
			facts->info->nr_other_buffers);
}

void rwk_findings_draw(const struct rwk_check_facts *facts, struct rwk_findings *ret)
{
	ret->nr = 0;
	draw_events(facts, RWK_GRADE_ABSENT, ret);
	draw_losses(facts, ret);
	draw_skew(facts->skew, ret);
	draw_events(facts, RWK_GRADE_NOTE, ret);
	draw_notes(facts, ret);
}
