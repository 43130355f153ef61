/*
 * Texts of probe events.  Per-CPU variables are reached through the kernel's
 * table of offsets: what stands at "@__per_cpu_offset+8*N" plus the variable's
 * own address is where CPU N has it.
 */
#include "record/probe_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const level_names[RWK_PROBE_LEVEL_COUNT] = {
	[RWK_PROBE_LEVEL_NONE] = "none",
	[RWK_PROBE_LEVEL_FLAGS] = "flags",
	[RWK_PROBE_LEVEL_HIDDEN] = "hidden",
	[RWK_PROBE_LEVEL_STATE] = "state",
	[RWK_PROBE_LEVEL_AUTO] = "auto",
};

const char *rwk_probe_level_name(enum rwk_probe_level level)
{
	return level_names[level];
}

int rwk_probe_level_parse(const char *text, enum rwk_probe_level *ret)
{
	for (int i = 0; i < RWK_PROBE_LEVEL_COUNT; i++) {
		if (!strcmp(text, level_names[i])) {
			*ret = (enum rwk_probe_level)i;
			return 0;
		}
	}
	return -EINVAL;
}

/* A definition being written; a group of fields that does not fit is taken back whole. */
struct fields {
	char text[RWK_PROBE_MAX_TEXT + 1];
	size_t len;
	int nr;
	bool is_full;
};

static void __attribute__((format(printf, 2, 3))) put(struct fields *f, const char *fmt, ...)
{
	size_t room = sizeof(f->text) - f->len;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(f->text + f->len, room, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= room)
		f->is_full = true;
	else
		f->len += (size_t)n;
}

/* Begins the field "nameN=", or "name=" with cpu RWK_NONE. */
static void begin_field(struct fields *f, const char *name, int cpu)
{
	put(f, f->len ? " %s" : "%s", name);
	if (cpu != RWK_NONE)
		put(f, "%d", cpu);
	put(f, "=");
	if (f->nr == RWK_PROBE_MAX_FIELDS)
		f->is_full = true;
	f->nr++;
}

static void end_field(struct fields *f, const struct rwk_btf_member *m)
{
	put(f, ":%c%d", m->is_signed ? 's' : 'u', m->size * 8);
}

static void task_field(struct fields *f, const char *name, const struct rwk_btf_member *m)
{
	begin_field(f, name, RWK_NONE);
	put(f, "+%" PRId64 "($arg1)", m->offset);
	end_field(f, m);
}

/* The address of CPU cpu's own copy of a variable, with at more added, as a place to read from. */
static void put_percpu(struct fields *f, const struct rwk_probe_facts *facts, uint64_t variable,
	int64_t at, int cpu)
{
	/* A full kernel address is a negative number to the kernel's parser. */
	put(f, "%+" PRId64 "(@__per_cpu_offset+%d)", (int64_t)(variable + (uint64_t)at),
		facts->pointer_size * cpu);
}

static void llc_field(struct fields *f, const struct rwk_probe_facts *facts, const char *name,
	const struct rwk_btf_member *m, int cpu)
{
	begin_field(f, name, cpu);
	if (!m->size) {
		put(f, "\\-1:s32");
		return;
	}
	put(f, "+%" PRId64 "(", m->offset);
	put_percpu(f, facts, facts->llc_shared, 0, cpu);
	put(f, ")");
	end_field(f, m);
}

/* As many cache domains as fit; the rest of a domain that does not is taken back. */
static int put_llcs(struct fields *f, const struct rwk_probe_facts *facts)
{
	for (int i = 0; i < facts->nr_llc; i++) {
		size_t len = f->len;
		int nr = f->nr;

		llc_field(f, facts, "scan", &facts->nr_idle_scan, facts->llc_cpu[i]);
		llc_field(f, facts, "core", &facts->has_idle_cores, facts->llc_cpu[i]);
		if (f->is_full) {
			f->len = len;
			f->nr = nr;
			f->text[len] = '\0';
			f->is_full = false;
			return i;
		}
	}
	return facts->nr_llc;
}

static void rq_field(struct fields *f, const struct rwk_probe_facts *facts, const char *name,
	const struct rwk_btf_member *m, int cpu)
{
	if (!m->size)
		return;
	begin_field(f, name, cpu);
	put_percpu(f, facts, facts->runqueues, m->offset, cpu);
	end_field(f, m);
}

static void put_cpu_state(struct fields *f, const struct rwk_probe_facts *facts, int cpu)
{
	rq_field(f, facts, "nr", &facts->nr_running, cpu);
	rq_field(f, facts, "pend", &facts->ttwu_pending, cpu);
	begin_field(f, "curr", cpu);
	put(f, "+%" PRId64 "(", facts->tid.offset);
	put_percpu(f, facts, facts->runqueues, facts->curr.offset, cpu);
	put(f, ")");
	end_field(f, &facts->tid);
	rq_field(f, facts, "load", &facts->load, cpu);
}

struct rwk_dynevent_text rwk_probe_event_text(const struct rwk_probe_event *event)
{
	return (struct rwk_dynevent_text){.type = event->type,
		.name = event->name,
		.place = RWK_PROBE_FUNCTION,
		.fetch = event->fetch};
}

static int add_event(struct rwk_probe_plan *plan, const char *name, enum rwk_dynevent_type type,
	const struct fields *f)
{
	struct rwk_probe_event *event =
		realloc(plan->event, ((size_t)plan->nr_events + 1) * sizeof(*plan->event));

	if (!event)
		return -ENOMEM;
	plan->event = event;
	event += plan->nr_events;
	*event = (struct rwk_probe_event){.type = type, .fetch = strdup(f->text)};
	if (!event->fetch)
		return -ENOMEM;
	snprintf(event->name, sizeof(event->name), "%s", name);
	plan->nr_events++;
	return 0;
}

static int add_state(struct rwk_probe_plan *plan, const struct rwk_probe_facts *facts)
{
	struct fields f = {0};
	int per_cpu = facts->ttwu_pending.size ? 4 : 3, nr = 0, err;
	char name[24];

	rwk_cpuset_foreach (cpu, &facts->cpus) {
		put_cpu_state(&f, facts, cpu);
		if (f.nr + per_cpu <= RWK_PROBE_STATE_FIELDS)
			continue;
		snprintf(name, sizeof(name), "sel_state%d", nr++);
		err = add_event(plan, name, RWK_DYNEVENT_KPROBE, &f);
		if (err)
			return err;
		f = (struct fields){0};
	}
	if (!f.nr)
		return 0;
	snprintf(name, sizeof(name), "sel_state%d", nr);
	return add_event(plan, name, RWK_DYNEVENT_KPROBE, &f);
}

/* Wake flags are the fourth argument up to 5.10 and the third later; BTF knows for certain. */
static void put_arguments(struct fields *f, const struct rwk_probe_facts *facts)
{
	int prev = facts->prev_place ? facts->prev_place : 2;
	int flags = rwk_version_cmp(facts->kernel, (struct rwk_version){5, 11, 0}) < 0 ? 4 : 3;

	if (facts->flags_place)
		flags = facts->flags_place;
	put(f, "prev=$arg%d:s32 wf=$arg%d:x32", prev, flags);
	f->nr = 2;
}

static void note(struct rwk_probe_plan *plan, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void note(struct rwk_probe_plan *plan, const char *fmt, ...)
{
	size_t len = strlen(plan->note);
	va_list ap;

	if (len && len + 2 < sizeof(plan->note)) {
		strcpy(plan->note + len, "; ");
		len += 2;
	}
	va_start(ap, fmt);
	vsnprintf(plan->note + len, sizeof(plan->note) - len, fmt, ap);
	va_end(ap);
}

/* What the wakee has, and of the cache domains what can be had. */
static void put_hidden(
	struct rwk_probe_plan *plan, struct fields *f, const struct rwk_probe_facts *facts)
{
	task_field(f, "flips", &facts->flips);
	task_field(f, "recent", &facts->recent);
	task_field(f, "nca", &facts->nr_cpus_allowed);
	begin_field(f, "lastw", RWK_NONE);
	put(f, "+%" PRId64 "(+%" PRId64 "($arg1))", facts->tid.offset, facts->last_wakee.offset);
	end_field(f, &facts->tid);

	if (!facts->nr_llc)
		note(plan, "nothing of cache domains: none of several CPUs is known");
	else if (!facts->has_idle_cores.size)
		note(plan, "nothing of cache domains: the kernel has no has_idle_cores");
	else if (!facts->nr_idle_scan.size &&
		 rwk_version_cmp(facts->kernel, (struct rwk_version){5, 5, 0}) < 0)
		note(plan, "nothing of cache domains: no nr_idle_scan, nor constants in its place");
	else if (!facts->has_llc_shared)
		note(plan, "nothing of cache domains: %s",
			facts->no_symbols[0] ? facts->no_symbols : "no address of sd_llc_shared");
	else
		plan->nr_llc = put_llcs(f, facts);
	if (plan->nr_llc && !facts->nr_idle_scan.size)
		note(plan, "no nr_idle_scan in this kernel");
	if (plan->nr_llc && plan->nr_llc < facts->nr_llc)
		note(plan, "only %d of %d cache domains fit, those of the lowest CPUs",
			plan->nr_llc, facts->nr_llc);
}

bool rwk_probe_plan_by_fprobes(const struct rwk_probe_facts *facts)
{
	return facts->no_kprobes[0] && !facts->no_fprobes[0];
}

const char *rwk_probe_plan_lack(const struct rwk_probe_facts *facts, enum rwk_probe_level level)
{
	bool by_fprobes = rwk_probe_plan_by_fprobes(facts);

	if (level >= RWK_PROBE_LEVEL_FLAGS && facts->no_kprobes[0] && !by_fprobes)
		return facts->no_kprobes;
	/* Of several fprobes on one function nothing says which comes first. */
	if (level >= RWK_PROBE_LEVEL_STATE && by_fprobes)
		return facts->no_kprobes;
	if (level >= RWK_PROBE_LEVEL_HIDDEN) {
		if (facts->no_btf[0])
			return facts->no_btf;
		if (!facts->flips.size || !facts->recent.size || !facts->nr_cpus_allowed.size ||
			!facts->last_wakee.is_pointer || !facts->tid.size)
			return "BTF lacks wakee_flips, recent_used_cpu, nr_cpus_allowed, "
			       "last_wakee or pid of task_struct";
	}
	if (level >= RWK_PROBE_LEVEL_STATE) {
		if (!facts->has_runqueues)
			return facts->no_symbols[0] ? facts->no_symbols : "no address of runqueues";
		if (!facts->nr_running.size || !facts->curr.is_pointer || !facts->load.size)
			return "BTF lacks nr_running, curr or cfs.avg.load_avg of rq";
	}
	return NULL;
}

int rwk_probe_plan_make(struct rwk_probe_plan *ret, const struct rwk_probe_facts *facts,
	enum rwk_probe_level level, struct rwk_diag *diag)
{
	struct rwk_probe_plan plan = {.level = level};
	const char *lack = rwk_probe_plan_lack(facts, level);
	bool by_fprobes = rwk_probe_plan_by_fprobes(facts);
	struct fields sel = {0}, answer = {0};
	int err = 0;

	if (lack)
		return rwk_diag_push(diag, -ENODATA, "no probe of level %s here: why=%s",
			level_names[level], lack);
	if (level == RWK_PROBE_LEVEL_NONE) {
		*ret = plan;
		return 0;
	}
	/*
	 * Of several events on one function the kernel runs the one made last
	 * first: what changes fastest is to be read last, next to the decision.
	 */
	if (level == RWK_PROBE_LEVEL_STATE)
		err = add_state(&plan, facts);
	put_arguments(&sel, facts);
	if (level >= RWK_PROBE_LEVEL_HIDDEN)
		put_hidden(&plan, &sel, facts);
	if (level == RWK_PROBE_LEVEL_STATE && !facts->ttwu_pending.size)
		note(&plan, "no ttwu_pending in this kernel");
	if (by_fprobes)
		note(&plan, "by fprobes, whose misses the kernel does not count: %s",
			facts->no_kprobes);
	put(&answer, "cpu=$retval:s32");
	if (!err)
		err = add_event(
			&plan, "sel", by_fprobes ? RWK_DYNEVENT_FPROBE : RWK_DYNEVENT_KPROBE, &sel);
	if (!err)
		err = add_event(&plan, "sel_ret",
			by_fprobes ? RWK_DYNEVENT_FRETPROBE : RWK_DYNEVENT_KRETPROBE, &answer);
	if (err) {
		rwk_probe_plan_finish(&plan);
		return rwk_diag_push(diag, err, "cannot plan the probe: why=no memory");
	}
	*ret = plan;
	return 0;
}

void rwk_probe_plan_finish(struct rwk_probe_plan *plan)
{
	for (int i = 0; i < plan->nr_events; i++)
		free(plan->event[i].fetch);
	free(plan->event);
	*plan = (struct rwk_probe_plan){0};
}
