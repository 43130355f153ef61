/*
 * Where fields lie in records: who is asked, in which order, and the checks on
 * every number of the answer, which comes from a library that read hostile input.
 */
#include "decode/tracedat_formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decode/isolate.h"
#include "decode/tracedat_lookup.h"
#include "decode/tracedat_texts.h"

#define MAX_OFFSET 65000 /* no record is longer than a page */

/*
 * libtracecmd needs 30 MB and 0.1 s for the largest headers seen: 7 MB, with
 * the symbols of a distribution's kernel.
 */
static const struct rwk_isolate_limits limits = {
	.memory = 256 << 20,
	.cpu_seconds = 5,
	.wall_ms = 60000,
};

void rwk_tracedat_formats_finish(struct rwk_tracedat_formats *f)
{
	free(f->index);
	free(f->pairs);
	free(f->states);
	free(f->state_fmt);
	*f = (struct rwk_tracedat_formats){0};
}

/* A place in format, and 0 for none. */
_Static_assert(RWK_EV_COUNT + RWK_PROBE_MAX_STATES <= UINT8_MAX, "index has bytes");

static bool in_record(const struct rwk_lookup_field *in)
{
	return in->offset >= 0 && in->size > 0 && in->offset <= MAX_OFFSET &&
	       in->size <= MAX_OFFSET - in->offset;
}

static void need(struct rwk_format *fmt, const struct rwk_lookup_field *in)
{
	uint32_t end = (uint32_t)(in->offset + in->size);

	if (end > fmt->need)
		fmt->need = end;
}

/* What is no number of a usual size stays absent. */
static struct rwk_field number(struct rwk_format *fmt, const struct rwk_lookup_field *in)
{
	if (in->form != RWK_STRING_ABSENT || !in_record(in) ||
		(in->size != 1 && in->size != 2 && in->size != 4 && in->size != 8))
		return (struct rwk_field){0};
	need(fmt, in);
	return (struct rwk_field){
		.offset = (uint16_t)in->offset,
		.size = (uint8_t)in->size,
		.is_signed = in->is_signed != 0,
	};
}

static struct rwk_string_field string(struct rwk_format *fmt, const struct rwk_lookup_field *in)
{
	bool loc = in->form == RWK_STRING_DATA_LOC || in->form == RWK_STRING_REL_LOC;

	if (!in_record(in) || (loc ? in->size != 4 : in->form != RWK_STRING_FIXED))
		return (struct rwk_string_field){0};
	need(fmt, in);
	return (struct rwk_string_field){
		.offset = (uint16_t)in->offset,
		.size = (uint16_t)in->size,
		.kind = (uint8_t)in->form,
	};
}

/* The pair of N, added in its place; NULL when there is no room for it. */
static struct rwk_probe_pair *find_pair(struct rwk_probe_pairs *pairs, int32_t first_cpu)
{
	int at = 0;

	while (at < pairs->nr && pairs->pair[at].first_cpu < first_cpu)
		at++;
	if (at < pairs->nr && pairs->pair[at].first_cpu == first_cpu)
		return &pairs->pair[at];
	if (pairs->nr == RWK_PROBE_MAX_LLC)
		return NULL;
	memmove(&pairs->pair[at + 1], &pairs->pair[at],
		(size_t)(pairs->nr - at) * sizeof(pairs->pair[0]));
	pairs->nr++;
	pairs->pair[at] = (struct rwk_probe_pair){.first_cpu = first_cpu};
	return &pairs->pair[at];
}

static void take_half(
	struct rwk_format *fmt, struct rwk_probe_pairs *pairs, const struct rwk_lookup_half *half)
{
	struct rwk_field field = number(fmt, &half->field);
	struct rwk_probe_pair *pair;

	if (!field.size || half->cpu < 0 || half->cpu >= RWK_MAX_CPUS)
		return;
	pair = find_pair(pairs, half->cpu);
	if (pair && half->is_core)
		pair->core = field;
	else if (pair)
		pair->scan = field;
}

/* A half of a pair says nothing of use. */
static void drop_halves(struct rwk_probe_pairs *pairs)
{
	int n = 0;

	for (int i = 0; i < pairs->nr; i++) {
		if (pairs->pair[i].scan.size && pairs->pair[i].core.size)
			pairs->pair[n++] = pairs->pair[i];
	}
	pairs->nr = n;
}

static int take_pairs(
	struct rwk_tracedat_formats *f, struct rwk_format *fmt, const struct rwk_lookup *found)
{
	int nr = found->nr_halves;

	f->pairs = calloc(1, sizeof(*f->pairs));
	if (!f->pairs)
		return -ENOMEM;
	for (int i = 0; i < nr && i < RWK_LOOKUP_MAX_HALVES; i++)
		take_half(fmt, f->pairs, &found->half[i]);
	drop_halves(f->pairs);
	fmt->pairs = f->pairs;
	return 0;
}

/* The fields of that CPU, added in their place; NULL when there is no room for them. */
static struct rwk_probe_state_field *find_state(struct rwk_probe_state_fields *s, int32_t cpu)
{
	int at = 0;

	while (at < s->nr && s->of[at].cpu < cpu)
		at++;
	if (at < s->nr && s->of[at].cpu == cpu)
		return &s->of[at];
	if (s->nr == RWK_PROBE_MAX_CPUS)
		return NULL;
	memmove(&s->of[at + 1], &s->of[at], (size_t)(s->nr - at) * sizeof(s->of[0]));
	s->nr++;
	s->of[at] = (struct rwk_probe_state_field){.cpu = cpu};
	return &s->of[at];
}

static void take_state_field(struct rwk_format *fmt, struct rwk_probe_state_fields *s,
	const struct rwk_lookup_state_field *in)
{
	struct rwk_field field = number(fmt, &in->field);
	struct rwk_probe_state_field *of;

	if (!field.size || in->cpu < 0 || in->cpu >= RWK_MAX_CPUS)
		return;
	of = find_state(s, in->cpu);
	if (!of)
		return;
	switch (in->what) {
	case RWK_LOOKUP_NR:
		of->nr = field;
		break;
	case RWK_LOOKUP_PEND:
		of->pend = field;
		break;
	case RWK_LOOKUP_CURR:
		of->curr = field;
		break;
	case RWK_LOOKUP_LOAD:
		of->load = field;
		break;
	}
}

/* Without these two nothing can be told of a CPU. */
static void drop_partial(struct rwk_probe_state_fields *s)
{
	int n = 0;

	for (int i = 0; i < s->nr; i++) {
		if (s->of[i].nr.size && s->of[i].curr.size)
			s->of[n++] = s->of[i];
	}
	s->nr = n;
}

/* One sel_state event; one that the library gave nothing of is there all the same, but broken. */
static void take_state(struct rwk_tracedat_formats *f, int nr, int64_t id,
	const struct rwk_lookup *found, int in_found)
{
	struct rwk_format *fmt = &f->format[RWK_EV_COUNT + nr];
	const struct rwk_lookup_state *in = in_found < 0 ? NULL : &found->state[in_found];

	*fmt = (struct rwk_format){.kind = RWK_EV_SEL_STATE, .present = true, .broken = !in};
	f->index[id] = (uint8_t)(RWK_EV_COUNT + nr + 1);
	f->format[RWK_EV_SEL_STATE].present = true;
	if (!in)
		return;
	fmt->common_tid = number(fmt, &in->common_pid);
	fmt->common_flags = number(fmt, &in->common_flags);
	for (int i = 0; i < found->nr_state_fields && i < RWK_LOOKUP_MAX_STATE_FIELDS; i++) {
		if (found->state_field[i].event == in_found)
			take_state_field(fmt, &f->states[nr], &found->state_field[i]);
	}
	drop_partial(&f->states[nr]);
	fmt->state = &f->states[nr];
}

static int take_states(struct rwk_tracedat_formats *f, const struct rwk_lookup *found,
	const struct rwk_tracedat_texts *texts)
{
	int nr = 0, nr_found = found->nr_states, max;

	if (nr_found < 0 || nr_found > RWK_PROBE_MAX_STATES)
		nr_found = 0;
	max = nr_found > texts->nr_states ? nr_found : texts->nr_states;
	if (!max)
		return 0;
	f->states = calloc((size_t)max, sizeof(*f->states));
	if (!f->states)
		return -ENOMEM;
	for (int i = 0; i < nr_found; i++) {
		int64_t id = found->state[i].id;

		if (id >= 0 && id <= UINT16_MAX && !f->index[id])
			take_state(f, nr++, id, found, i);
	}
	for (int i = 0; i < texts->nr_states && nr < max; i++) {
		if (!f->index[texts->state[i].id])
			take_state(f, nr++, texts->state[i].id, found, -1);
	}
	return 0;
}

static void take_role(struct rwk_format *fmt, const struct rwk_lookup_event *event,
	const struct rwk_lookup_role *r)
{
	const struct rwk_lookup_field *in = &event->of[r->role];

	if (r->role == RWK_LOOKUP_COMM)
		fmt->comm = string(fmt, in);
	else if (r->role == RWK_LOOKUP_NEXT_COMM)
		fmt->next_comm = string(fmt, in);
	else
		fmt->field[r->role] = number(fmt, in);
	if (r->required && !fmt->field[r->role].size)
		fmt->broken = true;
}

static int take_event(
	struct rwk_tracedat_formats *f, enum rwk_event_kind kind, const struct rwk_lookup *found)
{
	const struct rwk_lookup_event *event = &found->event[kind];
	struct rwk_format *fmt = &f->format[kind];
	struct rwk_format ignored = {0};

	*fmt = (struct rwk_format){.kind = kind, .present = true};
	fmt->common_tid = number(fmt, &event->common_pid);
	fmt->common_flags = number(fmt, &event->common_flags);
	for (const struct rwk_lookup_role *r = rwk_lookup_roles; r->field; r++) {
		if (r->kind == kind)
			take_role(fmt, event, r);
	}
	if (!f->type.size)
		f->type = number(&ignored, &event->common_type);
	return kind == RWK_EV_SEL ? take_pairs(f, fmt, found) : 0;
}

/* The ids: an event that the library gave nothing of is there all the same, but broken. */
static int take_known(struct rwk_tracedat_formats *f, const struct rwk_lookup *found,
	const struct rwk_tracedat_texts *texts)
{
	for (int id = 0; id < 65536; id++) {
		if (texts->other[id / 64] >> (id % 64) & 1) {
			f->index[id] = RWK_EV_OTHER + 1;
			f->format[RWK_EV_OTHER].present = true;
		}
	}
	for (int kind = 0; kind < RWK_EV_OTHER; kind++) {
		const struct rwk_lookup_event *event = &found->event[kind];
		int64_t id = event->found ? event->id : texts->of[kind].id;
		int err;

		if (!rwk_event_names[kind].name || id < 0 || id > UINT16_MAX ||
			(!event->found && !texts->of[kind].text))
			continue;
		f->index[id] = (uint8_t)(kind + 1);
		err = take_event(f, (enum rwk_event_kind)kind, found);
		if (err)
			return err;
	}
	return take_states(f, found, texts);
}

int rwk_tracedat_formats_take(struct rwk_tracedat_formats *f, const struct rwk_lookup *found,
	const struct rwk_tracedat_texts *texts)
{
	const char *fmt = texts->of[RWK_EV_SWITCH].print_fmt;
	int err;

	f->index = calloc(65536, sizeof(*f->index));
	f->state_fmt = fmt ? strdup(fmt) : NULL;
	if (!f->index || (fmt && !f->state_fmt))
		return -ENOMEM;
	err = take_event(f, RWK_EV_OTHER, found);
	f->format[RWK_EV_OTHER].present = false;
	return err ? err : take_known(f, found, texts);
}

static int look_up(const struct rwk_lookup_source *source, int (*run)(void *ctx, void *result),
	uint32_t kinds, struct rwk_lookup *ret, char why[RWK_ISOLATE_WHY])
{
	struct rwk_lookup_source s = *source;

	s.kinds = kinds;
	*ret = (struct rwk_lookup){0};
	return rwk_isolate_run(&limits, run, &s, ret, sizeof(*ret), why);
}

static bool has_text(const struct rwk_tracedat_texts *texts, int kind)
{
	return kind == RWK_EV_SEL_STATE ? texts->nr_states > 0 : texts->of[kind].text != NULL;
}

/* Each text in a child of its own, so that one that is deadly does not take the others along. */
static int look_up_one_by_one(
	const struct rwk_lookup_source *source, struct rwk_lookup *ret, char why[RWK_ISOLATE_WHY])
{
	struct rwk_lookup part;
	int nr_found = 0;

	*ret = (struct rwk_lookup){0};
	for (int kind = 0; kind < RWK_EV_COUNT; kind++) {
		int err;

		if (!has_text(source->texts, kind))
			continue;
		err = look_up(source, rwk_lookup_in_texts, 1u << kind, &part, why);
		if (err == -EBADMSG)
			continue;
		if (err)
			return err;
		nr_found++;
		ret->event[kind] = part.event[kind];
		ret->event[RWK_EV_OTHER] = part.event[RWK_EV_OTHER];
		if (kind == RWK_EV_SEL) {
			ret->nr_halves = part.nr_halves;
			memcpy(ret->half, part.half, sizeof(ret->half));
		}
		if (kind == RWK_EV_SEL_STATE) {
			ret->nr_states = part.nr_states;
			memcpy(ret->state, part.state, sizeof(ret->state));
			ret->nr_state_fields = part.nr_state_fields;
			memcpy(ret->state_field, part.state_field, sizeof(ret->state_field));
		}
	}
	return nr_found ? 0 : -EBADMSG;
}

static bool any_text(const struct rwk_tracedat_texts *texts)
{
	for (int kind = 0; kind < RWK_EV_COUNT; kind++) {
		if (has_text(texts, kind))
			return true;
	}
	return false;
}

int rwk_tracedat_formats_read(struct rwk_tracedat_formats *f,
	const struct rwk_lookup_source *source, struct rwk_diag *diag)
{
	char tracecmd[RWK_ISOLATE_WHY] = "cannot read such files",
	     traceevent[RWK_ISOLATE_WHY] = "had no format to read";
	struct rwk_lookup found;
	int err =
		source->path ? look_up(source, rwk_lookup_in_file, 0, &found, tracecmd) : -EBADMSG;

	if (err == -EBADMSG && any_text(source->texts)) {
		err = look_up(source, rwk_lookup_in_texts, UINT32_MAX, &found, traceevent);
		if (err == -EBADMSG)
			err = look_up_one_by_one(source, &found, traceevent);
	}
	if (err)
		return rwk_diag_push(diag, err,
			"cannot read the event formats: file=%s why=libtracecmd %s; libtraceevent "
			"%s",
			source->name, tracecmd, traceevent);
	return rwk_tracedat_formats_take(f, &found, source->texts);
}
