/* One screen of a check. */
#include "cli/check_show.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cpu_counters.h"
#include "report/text.h"

#define CPUS_SHOWN 16 /* with more, those with nothing to tell are summed up */

const char *rwk_check_verdict(const struct rwk_findings *f)
{
	if (!f->nr || f->of[0].grade == RWK_GRADE_NOTE)
		return "good";
	return f->of[0].grade == RWK_GRADE_ABSENT ? "unfit" : "degraded";
}

/* Words of the trace may be any bytes. */
static int put(FILE *out, const char *label, const char *text)
{
	int width;
	char *safe = rwk_text_for_table(text, strlen(text), &width);

	if (!safe)
		return -ENOMEM;
	fprintf(out, "%-12s%s\n", label, *safe ? safe : "?");
	free(safe);
	return 0;
}

static void put_seconds(FILE *out, rwk_ns ns)
{
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	fprintf(out, "%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "", size / 1000000000,
		size % 1000000000);
}

static int show_facts(const struct rwk_check_view *v, FILE *out)
{
	const struct rwk_trace_info *info = v->facts->info;
	const struct rwk_check_result *r = v->facts->result;
	const struct rwk_machine *m = v->tm->machine;
	const char *release = info->release;
	int err;

	if (!release[0] && v->tm->snap)
		release = rwk_snapshot_release(v->tm->snap);
	err = put(out, "format", info->format ? info->format : "");
	if (!err && info->formats_from)
		err = put(out, "formats of", info->formats_from);
	if (!err)
		err = put(out, "kernel", release);
	if (!err)
		err = put(out, "clock", info->clock);
	if (!err)
		err = put(out, "prev_state", v->prev_state);
	if (err)
		return err;
	fprintf(out, "%-12s", "topology");
	if (m->topology_known)
		fprintf(out, "%d CPUs, %d last-level caches, %d nodes\n",
			rwk_cpuset_weight(&m->online), m->nr_llc, m->nr_nodes);
	else
		fputs("unknown\n", out);
	fprintf(out, "%-12s", "time");
	if (r->first_ts == RWK_NS_NONE) {
		fputs("no event\n", out);
	} else {
		put_seconds(out, r->first_ts);
		fputs(" to ", out);
		put_seconds(out, r->last_ts);
		fputs(", ", out);
		put_seconds(out, (rwk_ns)((uint64_t)r->last_ts - (uint64_t)r->first_ts));
		fputs(" s\n", out);
	}
	fprintf(out, "%-12s%zu, of them %" PRId64 " with the thread id of an earlier one\n",
		"tasks", r->nr_tasks, r->anomalies.of[RWK_AN_TID_REUSED].count);
	return 0;
}

static void show_findings(const struct rwk_check_view *v, FILE *out)
{
	static const char *const grades[RWK_GRADE_COUNT] = {"absent", "degraded", "note"};

	for (int i = 0; i < v->findings->nr; i++) {
		const struct rwk_finding *f = &v->findings->of[i];

		fprintf(out, "%-10s%s: %s\n", grades[f->grade], f->name, f->what);
		if (f->remedy)
			fprintf(out, "%-10s  %s\n", "", f->remedy);
	}
}

static void show_events(const struct rwk_check_view *v, FILE *out)
{
	const struct rwk_trace_info *info = v->facts->info;

	fputs("\nEvents\n", out);
	for (int kind = 0; kind < RWK_EV_COUNT; kind++) {
		if (kind == RWK_EV_LOST || kind == RWK_EV_OTHER)
			continue;
		/* Rare, and nothing that anybody misses. */
		if ((kind == RWK_EV_SEL_STATE || kind == RWK_EV_NR) && !info->has_format[kind])
			continue;
		fprintf(out, "%-20s%10" PRId64 "%s\n",
			rwk_event_kind_name((enum rwk_event_kind)kind), info->nr_events[kind],
			info->nr_events[kind]    ? ""
			: info->has_format[kind] ? "  described, none met"
						 : "  not recorded");
	}
}

static void show_wakeups(const struct rwk_check_view *v, FILE *out)
{
	const struct rwk_check_wakeups *w = &v->facts->result->wakeups;
	int64_t decisions = w->nr[RWK_KIND_DECISION];
	const struct {
		const char *what;
		int64_t nr;
	} row[] = {
		{"that it was one", w->kind_guessed},
		{"whether sync: inferred", w->sync_guessed},
		{"whether sync: unknown", w->sync_unknown},
		{"previous CPU unknown", w->prev_unknown},
		{"target CPU unknown", w->target_unknown},
		{"when it ran: not seen", w->censored},
	};
	bool any = false;

	for (int kind = 0; kind < RWK_KIND_COUNT; kind++) {
		if (w->nr[kind] && !any)
			fputs("\nWakeups\n", out);
		any |= w->nr[kind] > 0;
		if (w->nr[kind])
			fprintf(out, "%-20s%10" PRId64 "\n",
				rwk_wakeup_kind_name((enum rwk_wakeup_kind)kind), w->nr[kind]);
	}
	if (!decisions)
		return;
	fputs("\nTo guess of the decisions\n", out);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		fprintf(out, "%-24s%10" PRId64 "%8.1f %%\n", row[i].what, row[i].nr,
			100.0 * (double)row[i].nr / (double)decisions);
}

static bool has_news(const struct rwk_check_view *v, int cpu)
{
	const struct rwk_check_cpu *c = &v->facts->result->cpu[cpu];
	struct rwk_cpu_counters count = rwk_cpu_counters(v->facts->info, v->tm->snap, cpu);

	return c->first_ts == RWK_NS_NONE || c->nr_gaps || count.overrun > 0 || count.dropped > 0 ||
	       v->applied->of[cpu].skew_ns || v->facts->skew->of[cpu].skew_ns;
}

static void put_count(FILE *out, int64_t count)
{
	if (count == RWK_NONE)
		fprintf(out, " %9s", "?");
	else
		fprintf(out, " %9" PRId64, count);
}

static void show_cpu(const struct rwk_check_view *v, int cpu, FILE *out)
{
	const struct rwk_check_result *r = v->facts->result;
	const struct rwk_check_cpu *c = &r->cpu[cpu];
	const struct rwk_skew_cpu *skew =
		v->applied->of[cpu].skew_ns ? &v->applied->of[cpu] : &v->facts->skew->of[cpu];
	struct rwk_cpu_counters count = rwk_cpu_counters(v->facts->info, v->tm->snap, cpu);

	fprintf(out, "%4d ", cpu);
	if (c->first_ts == RWK_NS_NONE) {
		fprintf(out, "%13s %13s", "-", "-");
	} else {
		/* From the start of the trace, in microseconds: what people compare. */
		fprintf(out, "%13.3f %13.3f", (double)(c->first_ts - r->first_ts) / 1e3,
			(double)(c->last_ts - r->first_ts) / 1e3);
	}
	fprintf(out, " %9" PRId64,
		cpu < v->facts->info->nr_cpus ? v->facts->info->cpu[cpu].nr_events : 0);
	put_count(out, c->nr_gaps);
	put_count(out, c->nr_unknown ? RWK_NONE : c->lost);
	put_count(out, count.overrun);
	put_count(out, count.dropped);
	if (c->nr_gaps && c->longest.from_ts == c->longest.to_ts)
		fprintf(out, "  lost at %.3f us", (double)(c->longest.from_ts - r->first_ts) / 1e3);
	else if (c->nr_gaps && c->longest.from_ts != RWK_NS_NONE)
		fprintf(out, "  longest gap %.3f to %.3f us",
			(double)(c->longest.from_ts - r->first_ts) / 1e3,
			(double)(c->longest.to_ts - r->first_ts) / 1e3);
	else if (c->nr_gaps)
		fputs("  lost before its first event", out);
	if (skew->skew_ns)
		fprintf(out, "  %s by %+" PRId64 " ns",
			v->applied->of[cpu].skew_ns ? "shifted" : "to shift", skew->skew_ns);
	if (skew->skew_ns && skew->low_ns != RWK_NS_NONE && skew->high_ns != RWK_NS_NONE)
		fprintf(out, " (%+" PRId64 " to %+" PRId64 ")", skew->low_ns, skew->high_ns);
	fputc('\n', out);
}

static void show_cpus(const struct rwk_check_view *v, FILE *out)
{
	int nr = v->facts->result->nr_cpus, nr_hidden = 0;

	fprintf(out, "\n%4s %13s %13s %9s %9s %9s %9s %9s\n", "CPU", "first_us", "last_us",
		"events", "gaps", "lost", "overrun", "dropped");
	for (int cpu = 0; cpu < nr; cpu++) {
		if (nr > CPUS_SHOWN && !has_news(v, cpu))
			nr_hidden++;
		else
			show_cpu(v, cpu, out);
	}
	if (nr_hidden)
		fprintf(out, "%d further CPUs: nothing lost\n", nr_hidden);
}

static void show_anomalies(const struct rwk_check_view *v, FILE *out)
{
	bool any = false;

	for (int kind = 0; kind < RWK_AN_COUNT; kind++) {
		const struct rwk_anomaly *a = &v->anomalies.of[kind];

		if (!a->count)
			continue;
		if (!any)
			fputs("\nAnomalies\n", out);
		any = true;
		fprintf(out, "%-24s%10" PRId64, rwk_anomaly_name((enum rwk_anomaly_kind)kind),
			a->count);
		if (a->first_cpu >= 0)
			fprintf(out, "  first: CPU %d", a->first_cpu);
		if (a->first_ts != RWK_NS_NONE) {
			fputs(a->first_cpu >= 0 ? " at " : "  first: ", out);
			put_seconds(out, a->first_ts);
		}
		if (a->first_offset >= 0)
			fprintf(out, " offset 0x%" PRIx64, a->first_offset);
		fputc('\n', out);
	}
}

int rwk_check_show(const struct rwk_check_view *v, FILE *out)
{
	static const struct {
		const char *name, *text;
	} verdicts[] = {
		{"good", "good for wakeup analysis and replay"},
		{"degraded", "usable for wakeup analysis and replay, with what is said below"},
		{"unfit", "not fit for wakeup analysis and replay"},
	};
	const char *verdict = rwk_check_verdict(v->findings);
	int err = 0;

	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]) && !err; i++) {
		if (!strcmp(verdict, verdicts[i].name))
			err = put(out, "verdict", verdicts[i].text);
	}
	if (!err)
		err = put(out, "trace", v->trace);
	if (!err)
		err = show_facts(v, out);
	if (err)
		return err;
	if (v->findings->nr)
		fputc('\n', out);
	show_findings(v, out);
	show_events(v, out);
	show_wakeups(v, out);
	show_cpus(v, out);
	show_anomalies(v, out);
	return 0;
}
