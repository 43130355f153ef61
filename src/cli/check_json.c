/* A check as one JSON object; unknown numbers are null. */
#include <inttypes.h>
#include <string.h>

#include "cli/check_show.h"
#include "cli/cpu_counters.h"
#include "report/text.h"

static void put_text(FILE *out, const char *key, const char *text)
{
	fprintf(out, "\"%s\": ", key);
	if (text && *text)
		rwk_text_put_json(out, text, strlen(text));
	else
		fputs("null", out);
}

static void put_number(FILE *out, const char *key, int64_t value, int64_t unknown)
{
	fprintf(out, ", \"%s\": ", key);
	if (value == unknown)
		fputs("null", out);
	else
		fprintf(out, "%" PRId64, value);
}

static void put_count(FILE *out, const char *key, int64_t value)
{
	put_number(out, key, value, RWK_NONE);
}

static void put_ns(FILE *out, const char *key, rwk_ns value)
{
	put_number(out, key, value, RWK_NS_NONE);
}

static void put_bool(FILE *out, const char *key, bool value)
{
	fprintf(out, ", \"%s\": %s", key, value ? "true" : "false");
}

static void put_head(const struct rwk_check_view *v, FILE *out)
{
	const struct rwk_trace_info *info = v->facts->info;
	const struct rwk_check_result *r = v->facts->result;
	const char *release = info->release;

	if (!release[0] && v->tm->snap)
		release = rwk_snapshot_release(v->tm->snap);
	put_text(out, "verdict", rwk_check_verdict(v->findings));
	fputs(", ", out);
	put_text(out, "trace", v->trace);
	fputs(", ", out);
	put_text(out, "format", info->format);
	fputs(", ", out);
	put_text(out, "formats_from", info->formats_from);
	fputs(", ", out);
	put_text(out, "kernel", release);
	fputs(", ", out);
	put_text(out, "clock", info->clock);
	fputs(", ", out);
	put_text(out, "prev_state", v->prev_state);
	put_bool(out, "topology_known", v->facts->topology_known);
	put_ns(out, "first_ts", r->first_ts);
	put_ns(out, "last_ts", r->last_ts);
	put_count(out, "events", r->nr_events);
	put_count(out, "tasks", (int64_t)r->nr_tasks);
	put_count(out, "tids_reused", r->anomalies.of[RWK_AN_TID_REUSED].count);
	put_count(out, "lost", v->facts->lost);
	put_count(out, "gaps", v->facts->gaps);
	put_bool(out, "truncated", info->truncated);
	put_count(out, "truncated_at", info->truncated_at);
	put_count(out, "other_buffers", info->nr_other_buffers);
}

static void put_findings(const struct rwk_check_view *v, FILE *out)
{
	static const char *const grades[RWK_GRADE_COUNT] = {"absent", "degraded", "note"};

	fputs(",\n \"findings\": [", out);
	for (int i = 0; i < v->findings->nr; i++) {
		const struct rwk_finding *f = &v->findings->of[i];

		fputs(i ? ",\n  {" : "\n  {", out);
		put_text(out, "grade", grades[f->grade]);
		fputs(", ", out);
		put_text(out, "name", f->name);
		fputs(", ", out);
		put_text(out, "what", f->what);
		fputs(", ", out);
		put_text(out, "remedy", f->remedy);
		fputc('}', out);
	}
	fputs("]", out);
}

static void put_events(const struct rwk_check_view *v, FILE *out)
{
	const struct rwk_trace_info *info = v->facts->info;
	bool first = true;

	fputs(",\n \"event\": [", out);
	for (int kind = 0; kind < RWK_EV_COUNT; kind++) {
		if (kind == RWK_EV_LOST || kind == RWK_EV_OTHER)
			continue;
		/* Rare, and nothing that anybody misses. */
		if ((kind == RWK_EV_SEL_STATE || kind == RWK_EV_NR) && !info->has_format[kind])
			continue;
		fputs(first ? "\n  {" : ",\n  {", out);
		first = false;
		put_text(out, "name", rwk_event_kind_name((enum rwk_event_kind)kind));
		put_bool(out, "described", info->has_format[kind]);
		put_count(out, "count", info->nr_events[kind]);
		fputc('}', out);
	}
	fputs("]", out);
}

static void put_wakeups(const struct rwk_check_view *v, FILE *out)
{
	const struct rwk_check_wakeups *w = &v->facts->result->wakeups;

	fputs(",\n \"wakeup\": {", out);
	for (int kind = 0; kind < RWK_KIND_COUNT; kind++)
		fprintf(out, "%s\"%s\": %" PRId64, kind ? ", " : "",
			rwk_wakeup_kind_name((enum rwk_wakeup_kind)kind), w->nr[kind]);
	fprintf(out,
		"},\n \"to_guess\": {\"kind\": %" PRId64 ", \"sync_inferred\": %" PRId64
		", \"sync_unknown\": %" PRId64 ", \"prev_cpu\": %" PRId64
		", \"target_cpu\": %" PRId64 ", \"run\": %" PRId64 ", \"end_state\": %" PRId64 "}",
		w->kind_guessed, w->sync_guessed, w->sync_unknown, w->prev_unknown,
		w->target_unknown, w->censored, v->facts->result->nr_states_unknown);
}

static void put_cpus(const struct rwk_check_view *v, FILE *out)
{
	const struct rwk_check_result *r = v->facts->result;

	fputs(",\n \"cpu\": [", out);
	for (int cpu = 0; cpu < r->nr_cpus; cpu++) {
		const struct rwk_check_cpu *c = &r->cpu[cpu];
		struct rwk_cpu_counters n = rwk_cpu_counters(v->facts->info, v->tm->snap, cpu);
		const struct rwk_skew_cpu *s = &v->facts->skew->of[cpu];

		fprintf(out, "%s\n  {\"cpu\": %d", cpu ? "," : "", cpu);
		put_ns(out, "first_ts", c->first_ts);
		put_ns(out, "last_ts", c->last_ts);
		put_count(out, "events",
			cpu < v->facts->info->nr_cpus ? v->facts->info->cpu[cpu].nr_events : 0);
		put_count(out, "gaps", c->nr_gaps);
		put_count(out, "lost", c->nr_unknown ? RWK_NONE : c->lost);
		put_count(out, "overrun", n.overrun);
		put_count(out, "dropped", n.dropped);
		put_ns(out, "longest_gap_from", c->nr_gaps ? c->longest.from_ts : RWK_NS_NONE);
		put_ns(out, "longest_gap_to", c->nr_gaps ? c->longest.to_ts : RWK_NS_NONE);
		put_ns(out, "shifted", v->applied->of[cpu].skew_ns);
		put_ns(out, "to_shift", s->skew_ns);
		put_ns(out, "to_shift_low", s->skew_ns ? s->low_ns : RWK_NS_NONE);
		put_ns(out, "to_shift_high", s->skew_ns ? s->high_ns : RWK_NS_NONE);
		fputc('}', out);
	}
	fputs("]", out);
}

static void put_anomalies(const struct rwk_check_view *v, FILE *out)
{
	bool first = true;

	fputs(",\n \"anomaly\": [", out);
	for (int kind = 0; kind < RWK_AN_COUNT; kind++) {
		const struct rwk_anomaly *a = &v->anomalies.of[kind];

		if (!a->count)
			continue;
		fputs(first ? "\n  {" : ",\n  {", out);
		first = false;
		put_text(out, "name", rwk_anomaly_name((enum rwk_anomaly_kind)kind));
		put_count(out, "count", a->count);
		put_ns(out, "first_ts", a->first_ts);
		put_count(out, "first_cpu", a->first_cpu);
		put_count(out, "first_offset", a->first_offset);
		fputc('}', out);
	}
	fputs("]", out);
}

int rwk_check_show_json(const struct rwk_check_view *v, FILE *out)
{
	const struct rwk_skew *skew = v->facts->skew;

	fputs("{", out);
	put_head(v, out);
	put_findings(v, out);
	put_events(v, out);
	put_wakeups(v, out);
	fputs(",\n \"order\": {", out);
	put_text(out, "skew", rwk_skew_state_name(skew->state));
	put_count(out, "impossible", skew->nr_impossible);
	put_count(out, "cpu_pairs", skew->nr_pairs);
	fputs("}", out);
	put_cpus(v, out);
	put_anomalies(v, out);
	fputs("}\n", out);
	return 0;
}
