/* The wakeup and the CPUs around it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "explain/explain.h"
#include "explain/words.h"
#include "report/text.h"

#define LIST_SIZE 256

static const struct rwk_task_row *row_of(const struct rwk_explained *x, int32_t utid)
{
	return utid > 0 && (size_t)utid <= x->nr_task ? &x->task[utid - 1] : NULL;
}

void rwk_explain_task(FILE *out, const struct rwk_explained *x, int32_t utid)
{
	const struct rwk_task_row *row = row_of(x, utid);
	char *name;
	int width;

	if (!row) {
		fputs("?", out);
		return;
	}
	if (row->idle_cpu != RWK_NONE) {
		fputs("the idle task", out);
		return;
	}
	name = row->comm_known
		       ? rwk_text_for_table(row->comm, strnlen(row->comm, RWK_COMM_LEN), &width)
		       : NULL;
	fprintf(out, "%s (%" PRId32 ")", name ? name : "?", row->tid);
	free(name);
}

static void put_history(
	FILE *out, const struct rwk_explained *x, const char *who, const struct rwk_task_view *t)
{
	fprintf(out, "  %s ", who);
	rwk_explain_task(out, x, t->utid);
	if (t->flips_source == RWK_UNKNOWN)
		fputs(": wakee_flips ?, last woke ", out);
	else
		fprintf(out, ": wakee_flips %" PRIu32 " (%s), last woke ", t->wakee_flips,
			explain_source(t->flips_source));
	if (t->last_wakee_source == RWK_UNKNOWN)
		fputs("?", out);
	else if (t->last_wakee == RWK_NONE)
		fputs("nobody of this run", out);
	else
		rwk_explain_task(out, x, t->last_wakee);
	if (t->recent_source == RWK_UNKNOWN)
		fputs(", recent CPU ?", out);
	else
		fprintf(out, ", recent CPU %" PRId32 " (%s)", t->recent_cpu,
			explain_source(t->recent_source));
	if (t->load_source == RWK_UNKNOWN)
		fputs(", load ?\n", out);
	else
		fprintf(out, ", load %" PRIu32 " (%s)\n", t->h_load,
			explain_source(t->load_source));
}

/* Only where there is something to tell: CPUs that were not there at that moment. */
static void put_absent(FILE *out, const struct rwk_machine *m)
{
	struct rwk_cpuset absent;
	char list[LIST_SIZE];

	rwk_cpuset_zero(&absent);
	for (int cpu = 0; cpu < m->nr_cpu_ids; cpu++) {
		if (m->cpu[cpu].present && !rwk_cpuset_has(&m->active, cpu))
			rwk_cpuset_add(&absent, cpu);
	}
	if (rwk_cpuset_empty(&absent) && !m->changing)
		return;
	if (rwk_format_cpulist(&absent, list, sizeof(list)) >= (int)sizeof(list))
		snprintf(list, sizeof(list), "%d", rwk_cpuset_weight(&absent));
	fprintf(out, "  CPUs that are not there: %s%s\n", list[0] ? list : "none",
		m->changing ? "; one was just coming or going" : "");
}

void rwk_explain_wakeup(FILE *out, const struct rwk_explained *x)
{
	static const char *const verbs[RWK_WAKE_TYPE_COUNT] = {"wakes", "forks", "execs as"};
	const struct rwk_wakeup *w = x->w;
	char allowed[LIST_SIZE];

	if (rwk_format_cpulist(&w->allowed, allowed, sizeof(allowed)) >= (int)sizeof(allowed))
		snprintf(allowed, sizeof(allowed), "on %d CPUs", rwk_cpuset_weight(&w->allowed));
	fprintf(out, "wakeup %" PRId64 ", %.6f s into the recording: on CPU %" PRId32 " ", w->id,
		(double)(w->ts - x->begin_ts) / 1e9, w->this_cpu);
	rwk_explain_task(out, x, w->waker.utid);
	fprintf(out, " %s ", verbs[w->type]);
	rwk_explain_task(out, x, w->wakee.utid);
	fprintf(out, ", %s\n", explain_context(w->context));
	fprintf(out, "  previous CPU %" PRId32 ", allowed %s (%s), sync %s (%s)%s\n", w->prev_cpu,
		allowed, explain_source(w->allowed_source), w->sync ? "yes" : "no",
		explain_source(w->sync_source),
		w->waker.is_exiting ? ", waker exits: counts as no" : "");
	put_absent(out, w->machine);
	put_history(out, x, "waker", &w->waker);
	put_history(out, x, "wakee", &w->wakee);
}

/* ---- CPUs ---- */

static void add_llc(const struct rwk_wakeup *w, int cpu, struct rwk_cpuset *ret)
{
	const struct rwk_machine *m = w->machine;

	if (cpu < 0 || cpu >= m->nr_cpu_ids)
		return;
	rwk_cpuset_add(ret, cpu);
	if (!m->topology_known || m->cpu[cpu].llc == RWK_NONE)
		return;
	rwk_cpuset_foreach (c, &m->llc[m->cpu[cpu].llc].cpus) {
		if (c < m->nr_cpu_ids)
			rwk_cpuset_add(ret, c);
	}
}

bool explain_is_idle_task(const struct rwk_explained *x, int32_t utid)
{
	const struct rwk_task_row *row = row_of(x, utid);

	return row && row->idle_cpu != RWK_NONE;
}

static void put_number(FILE *out, int number)
{
	if (number == RWK_NONE)
		fprintf(out, " %5s", "?");
	else
		fprintf(out, " %5d", number);
}

/* Loads of a CPU that was not followed long enough say nothing. */
static void put_loads(FILE *out, const struct rwk_cpu_view *c)
{
	if (c->load_source == RWK_UNKNOWN)
		fprintf(out, " %6s %6s  ", "?", "?");
	else
		fprintf(out, " %6" PRIu32 " %6" PRIu32 "  ", c->load_avg, c->util_avg);
}

static void put_state(FILE *out, const struct rwk_explained *x, int cpu)
{
	const struct rwk_cpu_view *c = &x->w->cpu[cpu];
	char since[32];

	if (c->source == RWK_UNKNOWN) {
		fputs("not seen yet", out);
	} else if (c->idle || (c->pending && !c->nr_running)) {
		fputs("idle", out);
		if (c->idle_since_source != RWK_UNKNOWN) {
			explain_time(x->w->ts - c->idle_since_ns, since, sizeof(since));
			fprintf(out, " for %s", since);
		} else {
			fputs(", since when is not known", out);
		}
	} else if (explain_is_idle_task(x, c->curr)) {
		fputs("about to leave its idle task", out);
	} else {
		fputs("runs ", out);
		rwk_explain_task(out, x, c->curr);
	}
	if (c->pending)
		fputs(", a wakeup on its way", out);
	if (c->sched_idle)
		fputs(", SCHED_IDLE only", out);
	if (c->nr_delayed)
		fprintf(out, ", %u of them delayed", c->nr_delayed);
}

static void put_marks(FILE *out, const struct rwk_wakeup *w, int cpu)
{
	const char *sep = "  <- ";
	const struct {
		bool is;
		const char *what;
	} marks[] = {{cpu == w->this_cpu, "waker"}, {cpu == w->prev_cpu, "previous"},
		{w->wakee.recent_source != RWK_UNKNOWN && cpu == w->wakee.recent_cpu, "recent"},
		{cpu == w->recorded_cpu, "kernel's choice"},
		{!rwk_cpuset_has(&w->allowed, cpu), "not allowed"}};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (!marks[i].is)
			continue;
		fprintf(out, "%s%s", sep, marks[i].what);
		sep = ", ";
	}
}

static void put_cpu(FILE *out, const struct rwk_explained *x, int cpu)
{
	const struct rwk_machine *m = x->w->machine;
	const struct rwk_machine_cpu *mc = &m->cpu[cpu];
	const struct rwk_cpu_view *c = &x->w->cpu[cpu];

	fprintf(out, "  %4d", cpu);
	put_number(out, m->topology_known ? mc->core : RWK_NONE);
	put_number(out,
		m->topology_known && mc->llc != RWK_NONE ? m->llc[mc->llc].first_cpu : RWK_NONE);
	put_number(out, m->topology_known ? mc->node : RWK_NONE);
	fprintf(out, " %5u", c->nr_running);
	put_loads(out, c);
	put_state(out, x, cpu);
	put_marks(out, x->w, cpu);
	fputc('\n', out);
}

static void put_hints(FILE *out, const struct rwk_wakeup *w, const struct rwk_cpuset *shown)
{
	const struct rwk_machine *m = w->machine;

	for (int i = 0; m->topology_known && i < m->nr_llc; i++) {
		const struct rwk_llc_view *llc = &w->llc[i];

		if (!rwk_cpuset_has(shown, m->llc[i].first_cpu))
			continue;
		fprintf(out, "  LLC of CPU %d: ", m->llc[i].first_cpu);
		if (llc->nr_idle_scan_source == RWK_UNKNOWN)
			fputs("nr_idle_scan ?", out);
		else
			fprintf(out, "nr_idle_scan %" PRId32 " (%s)", llc->nr_idle_scan,
				explain_source(llc->nr_idle_scan_source));
		if (m->smt_active && llc->has_idle_cores_source == RWK_UNKNOWN)
			fputs(", has_idle_cores ?", out);
		else if (m->smt_active)
			fprintf(out, ", has_idle_cores %s (%s)", llc->has_idle_cores ? "yes" : "no",
				explain_source(llc->has_idle_cores_source));
		fputc('\n', out);
	}
}

void explain_shown_cpus(const struct rwk_wakeup *w, const struct rwk_cpuset *cpu,
	struct rwk_cpuset *ret, int *ret_idle, int *ret_others)
{
	*ret = (struct rwk_cpuset){{0}};
	*ret_idle = *ret_others = 0;
	add_llc(w, w->this_cpu, ret);
	add_llc(w, w->prev_cpu, ret);
	add_llc(w, w->recorded_cpu, ret);
	if (w->wakee.recent_source != RWK_UNKNOWN)
		add_llc(w, w->wakee.recent_cpu, ret);
	rwk_cpuset_foreach (c, cpu)
		add_llc(w, c, ret);
	for (int c = 0; c < w->machine->nr_cpu_ids; c++) {
		if (rwk_cpuset_has(ret, c) || !w->machine->cpu[c].present)
			continue;
		*ret_idle += w->cpu[c].idle;
		*ret_others += !w->cpu[c].idle;
	}
}

void rwk_explain_cpus(FILE *out, const struct rwk_explained *x, const struct rwk_cpuset *cpu)
{
	const struct rwk_wakeup *w = x->w;
	struct rwk_cpuset shown;
	int nr_idle, nr_others;

	explain_shown_cpus(w, cpu, &shown, &nr_idle, &nr_others);
	fprintf(out, "   CPU  core   LLC  node tasks   load   util  state\n");
	for (int c = 0; c < w->machine->nr_cpu_ids; c++) {
		if (rwk_cpuset_has(&shown, c))
			put_cpu(out, x, c);
	}
	if (nr_idle || nr_others)
		fprintf(out, "  elsewhere: %d idle, %d others\n", nr_idle, nr_others);
	put_hints(out, w, &shown);
}
