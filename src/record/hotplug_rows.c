/* Steps that begin and end, paired by CPU. */
#include "record/hotplug_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NR_STEPS 3

struct begun {
	bool on, up;
	bool told; /* its row is there already */
	rwk_ns ts;
};

struct pairing {
	const struct rwk_hotplug_states *states;
	bool with_domains;
	struct begun step[NR_STEPS][RWK_MAX_CPUS];
	struct begun rebuild;
	FILE *out;
};

static int state_of(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *line = text; line && *line;) {
		int number, used = 0;

		if (sscanf(line, " %9d: %n", &number, &used) == 1 && used &&
			!strncmp(line + used, name, len) &&
			(line[used + (int)len] == '\n' || !line[used + (int)len]))
			return number;
		line = strchr(line, '\n');
		line += line != NULL;
	}
	return -1;
}

struct rwk_hotplug_states rwk_hotplug_states_parse(const char *text)
{
	return (struct rwk_hotplug_states){.active = state_of(text, "sched:active"),
		.bringup = state_of(text, "cpu:bringup"),
		.teardown = state_of(text, "cpu:teardown")};
}

static void put(struct pairing *p, rwk_ns from, rwk_ns to, const char *what, int cpu)
{
	fprintf(p->out, "%" PRId64 " ", from);
	if (to == RWK_NS_NONE)
		fputs("end", p->out);
	else
		fprintf(p->out, "%" PRId64, to);
	fprintf(p->out, " %s", what);
	if (cpu >= 0)
		fprintf(p->out, " %d", cpu);
	fputc('\n', p->out);
}

static struct begun *step_of(struct pairing *p, const struct rwk_hotplug_event *e)
{
	int which = e->step == p->states->active     ? 0
		    : e->step == p->states->bringup  ? 1
		    : e->step == p->states->teardown ? 2
						     : -1;

	if (which < 0 || e->cpu < 0 || e->cpu >= RWK_MAX_CPUS)
		return NULL;
	return &p->step[which][e->cpu];
}

/* Bringing up may go on until all other steps are done, but a CPU is online before it is active. */
static void come_before(struct pairing *p, const struct rwk_hotplug_event *e)
{
	struct begun *up = &p->step[1][e->cpu];

	if (!up->on || !up->up || up->told)
		return;
	put(p, up->ts, e->ts, "online", e->cpu);
	up->told = true;
}

static void enter(struct pairing *p, const struct rwk_hotplug_event *e)
{
	struct begun *b = step_of(p, e);

	if (!b)
		return;
	*b = (struct begun){.on = true, .up = e->state >= e->step, .ts = e->ts};
	/* The mask of active CPUs is the first thing that either way changes. */
	if (e->step == p->states->active) {
		if (b->up)
			come_before(p, e);
		put(p, e->ts, e->ts, b->up ? "active" : "inactive", e->cpu);
	}
}

/* Of a step that began before the recording: a row from its beginning, time 0. */
static void leave(struct pairing *p, const struct rwk_hotplug_event *e)
{
	struct begun *b = step_of(p, e);
	bool up = e->state >= e->step;
	rwk_ns from;

	if (!b)
		return;
	if (b->on && b->told) {
		b->on = false;
		return;
	}
	if (b->on)
		up = b->up;
	from = b->on ? b->ts : 0;
	if (e->step == p->states->active) {
		if (!b->on)
			put(p, from, from, up ? "active" : "inactive", e->cpu);
		if (e->result)
			put(p, e->ts, e->ts, up ? "inactive" : "active", e->cpu);
		if (p->with_domains)
			put(p, from, e->ts, "domains", -1);
	} else if (!e->result && up == (e->step == p->states->bringup)) {
		/* On the other way these steps only tidy up. */
		put(p, from, e->ts, up ? "online" : "offline", e->cpu);
	}
	b->on = false;
}

static void rebuild(struct pairing *p, const struct rwk_hotplug_event *e)
{
	if (e->kind == RWK_HOTPLUG_REBUILD) {
		p->rebuild = (struct begun){.on = true, .ts = e->ts};
		return;
	}
	put(p, p->rebuild.on ? p->rebuild.ts : 0, e->ts, "domains", -1);
	p->rebuild.on = false;
}

/* What the recording did not see the end of. */
static void put_rest(struct pairing *p)
{
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++) {
		const struct begun *active = &p->step[0][cpu];
		const struct begun *up = &p->step[1][cpu], *down = &p->step[2][cpu];

		if (active->on && p->with_domains)
			put(p, active->ts, RWK_NS_NONE, "domains", -1);
		if (up->on && up->up && !up->told)
			put(p, up->ts, RWK_NS_NONE, "online", cpu);
		if (down->on && !down->up)
			put(p, down->ts, RWK_NS_NONE, "offline", cpu);
	}
	if (p->rebuild.on)
		put(p, p->rebuild.ts, RWK_NS_NONE, "domains", -1);
}

static int compare_ts(const void *a, const void *b)
{
	const struct rwk_hotplug_event *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts > y->ts ? 1 : -1;
	return (int)x->kind - (int)y->kind;
}

char *rwk_hotplug_rows(struct rwk_hotplug_event *events, size_t nr,
	const struct rwk_hotplug_states *states, bool with_domains)
{
	struct pairing *p = calloc(1, sizeof(*p));
	char *text = NULL;
	size_t size;

	if (!p)
		return NULL;
	p->states = states;
	p->with_domains = with_domains;
	p->out = open_memstream(&text, &size);
	if (!p->out) {
		free(p);
		return NULL;
	}
	if (nr)
		qsort(events, nr, sizeof(*events), compare_ts);
	for (size_t i = 0; i < nr; i++) {
		const struct rwk_hotplug_event *e = &events[i];

		if (e->kind == RWK_HOTPLUG_ENTER)
			enter(p, e);
		else if (e->kind == RWK_HOTPLUG_EXIT)
			leave(p, e);
		else
			rebuild(p, e);
	}
	put_rest(p);
	if (fclose(p->out)) {
		free(text);
		text = NULL;
	}
	free(p);
	return text;
}
