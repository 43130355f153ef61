/* The only place that asks libtracecmd and libtraceevent; it runs in a child process. */
#include "decode/tracedat_lookup.h"

#include <errno.h>
#include <string.h>

#include <event-parse.h>
#include <trace-cmd.h>

const struct rwk_lookup_role rwk_lookup_roles[] = {
	{"pid", RWK_EV_WAKING, RWK_FIELD_TID, true},
	{"prio", RWK_EV_WAKING, RWK_FIELD_PRIO, false},
	{"success", RWK_EV_WAKING, RWK_FIELD_SUCCESS, false},
	{"target_cpu", RWK_EV_WAKING, RWK_FIELD_CPU, false},
	{"comm", RWK_EV_WAKING, RWK_LOOKUP_COMM, false},
	{"pid", RWK_EV_WAKEUP, RWK_FIELD_TID, true},
	{"prio", RWK_EV_WAKEUP, RWK_FIELD_PRIO, false},
	{"success", RWK_EV_WAKEUP, RWK_FIELD_SUCCESS, false},
	{"target_cpu", RWK_EV_WAKEUP, RWK_FIELD_CPU, false},
	{"comm", RWK_EV_WAKEUP, RWK_LOOKUP_COMM, false},
	{"pid", RWK_EV_WAKEUP_NEW, RWK_FIELD_TID, true},
	{"prio", RWK_EV_WAKEUP_NEW, RWK_FIELD_PRIO, false},
	{"success", RWK_EV_WAKEUP_NEW, RWK_FIELD_SUCCESS, false},
	{"target_cpu", RWK_EV_WAKEUP_NEW, RWK_FIELD_CPU, false},
	{"comm", RWK_EV_WAKEUP_NEW, RWK_LOOKUP_COMM, false},
	{"pid", RWK_EV_MIGRATE, RWK_FIELD_TID, true},
	{"prio", RWK_EV_MIGRATE, RWK_FIELD_PRIO, false},
	{"orig_cpu", RWK_EV_MIGRATE, RWK_FIELD_CPU, true},
	{"dest_cpu", RWK_EV_MIGRATE, RWK_FIELD_DEST_CPU, true},
	{"comm", RWK_EV_MIGRATE, RWK_LOOKUP_COMM, false},
	{"prev_pid", RWK_EV_SWITCH, RWK_FIELD_TID, true},
	{"prev_prio", RWK_EV_SWITCH, RWK_FIELD_PRIO, false},
	{"prev_state", RWK_EV_SWITCH, RWK_FIELD_STATE, false},
	{"prev_comm", RWK_EV_SWITCH, RWK_LOOKUP_COMM, false},
	{"next_pid", RWK_EV_SWITCH, RWK_FIELD_NEXT_TID, true},
	{"next_prio", RWK_EV_SWITCH, RWK_FIELD_NEXT_PRIO, false},
	{"next_comm", RWK_EV_SWITCH, RWK_LOOKUP_NEXT_COMM, false},
	{"prev", RWK_EV_SEL, RWK_FIELD_CPU, true},
	{"wf", RWK_EV_SEL, RWK_FIELD_WAKE_FLAGS, true},
	{"flips", RWK_EV_SEL, RWK_FIELD_FLIPS, false},
	{"recent", RWK_EV_SEL, RWK_FIELD_RECENT, false},
	{"nca", RWK_EV_SEL, RWK_FIELD_ALLOWED, false},
	{"lastw", RWK_EV_SEL, RWK_FIELD_LAST_WAKEE, false},
	{"cpu", RWK_EV_SEL_RET, RWK_FIELD_CPU, true},
	{"cpu", RWK_EV_NR, RWK_FIELD_CPU, true},
	{"nr", RWK_EV_NR, RWK_FIELD_NR, true},
	{"change", RWK_EV_NR, RWK_FIELD_CHANGE, true},
	{0},
};

static struct rwk_lookup_field take(const struct tep_format_field *field)
{
	struct rwk_lookup_field ret = {0};

	if (!field)
		return ret;
	ret.offset = field->offset;
	ret.size = field->size;
	if (field->flags & TEP_FIELD_IS_DYNAMIC)
		ret.form = field->flags & TEP_FIELD_IS_RELATIVE ? RWK_STRING_REL_LOC
								: RWK_STRING_DATA_LOC;
	else if (field->flags & TEP_FIELD_IS_ARRAY)
		ret.form = RWK_STRING_FIXED;
	ret.is_signed = field->flags & TEP_FIELD_IS_SIGNED ? 1 : 0;
	return ret;
}

/* The N of "keyN", or -1. */
static int number_behind(const char *key, const char *name)
{
	size_t len = strlen(key);
	int n = 0;

	if (strncmp(name, key, len))
		return -1;
	name += len;
	if (!*name)
		return -1;
	for (; *name; name++) {
		if (*name < '0' || *name > '9' || n >= RWK_MAX_CPUS)
			return -1;
		n = n * 10 + (*name - '0');
	}
	return n;
}

static void take_halves(const struct tep_event *event, struct rwk_lookup *ret)
{
	for (const struct tep_format_field *f = event->format.fields; f; f = f->next) {
		int scan = number_behind("scan", f->name), core = number_behind("core", f->name);
		bool is_core = core >= 0;
		int cpu = is_core ? core : scan;

		if (cpu < 0 || ret->nr_halves == RWK_LOOKUP_MAX_HALVES)
			continue;
		ret->half[ret->nr_halves++] = (struct rwk_lookup_half){
			.cpu = cpu,
			.is_core = is_core,
			.field = take(f),
		};
	}
}

static void take_state_fields(const struct tep_event *event, struct rwk_lookup *ret)
{
	static const char *const key[] = {[RWK_LOOKUP_NR] = "nr",
		[RWK_LOOKUP_PEND] = "pend",
		[RWK_LOOKUP_CURR] = "curr",
		[RWK_LOOKUP_LOAD] = "load"};

	for (const struct tep_format_field *f = event->format.fields; f; f = f->next) {
		for (size_t what = 0; what < sizeof(key) / sizeof(key[0]); what++) {
			int cpu = number_behind(key[what], f->name);

			if (cpu < 0 || ret->nr_state_fields == RWK_LOOKUP_MAX_STATE_FIELDS)
				continue;
			ret->state_field[ret->nr_state_fields++] =
				(struct rwk_lookup_state_field){.event = ret->nr_states,
					.cpu = cpu,
					.what = (int32_t)what,
					.field = take(f)};
		}
	}
}

/* Every sel_stateI, in the order of their ids. */
static void take_states(struct tep_handle *tep, struct rwk_lookup *ret)
{
	int nr = tep_get_events_count(tep);

	for (int i = 0; i < nr; i++) {
		struct tep_event *event = tep_get_event(tep, i);

		if (!event || strcmp(event->system, RWK_STATE_SYSTEM) ||
			number_behind(RWK_STATE_NAME, event->name) < 0 ||
			ret->nr_states == RWK_PROBE_MAX_STATES)
			continue;
		take_state_fields(event, ret);
		ret->state[ret->nr_states++] = (struct rwk_lookup_state){
			.id = event->id,
			.common_flags = take(tep_find_common_field(event, "common_flags")),
			.common_pid = take(tep_find_common_field(event, "common_pid")),
		};
	}
}

static void take_event(struct tep_event *event, enum rwk_event_kind kind, struct rwk_lookup *ret)
{
	struct rwk_lookup_event *e = &ret->event[kind];

	if (!event)
		return;
	e->found = 1;
	e->id = event->id;
	e->common_type = take(tep_find_common_field(event, "common_type"));
	e->common_flags = take(tep_find_common_field(event, "common_flags"));
	e->common_pid = take(tep_find_common_field(event, "common_pid"));
	for (const struct rwk_lookup_role *r = rwk_lookup_roles; r->field; r++) {
		if (r->kind == kind)
			e->of[r->role] = take(tep_find_any_field(event, r->field));
	}
	if (kind == RWK_EV_SEL)
		take_halves(event, ret);
}

static int take_events(struct tep_handle *tep, struct rwk_lookup *ret)
{
	if (!tep_get_events_count(tep))
		return -ENODATA;
	for (int kind = 0; kind < RWK_EV_COUNT; kind++) {
		const struct rwk_event_name *e = &rwk_event_names[kind];

		if (e->name)
			take_event(tep_find_event_by_name(tep, e->system, e->name),
				(enum rwk_event_kind)kind, ret);
	}
	take_event(tep_get_first_event(tep), RWK_EV_OTHER, ret);
	take_states(tep, ret);
	return 0;
}

int rwk_lookup_in_file(void *ctx, void *result)
{
	struct rwk_lookup_source *source = ctx;
	struct tracecmd_input *in;

	tracecmd_set_loglevel(TEP_LOG_NONE);
	tep_set_loglevel(TEP_LOG_NONE);
	in = tracecmd_open_head(
		source->path, TRACECMD_FL_LOAD_NO_PLUGINS | TRACECMD_FL_LOAD_NO_SYSTEM_PLUGINS);
	/* Not closed, which would only be one more chance to crash. */
	source->handle = in;
	return in ? take_events(tracecmd_get_tep(in), result) : -EBADMSG;
}

int rwk_lookup_in_texts(void *ctx, void *result)
{
	struct rwk_lookup_source *source = ctx;
	struct tep_handle *tep = tep_alloc();

	source->handle = tep;
	if (!tep)
		return -ENOMEM;
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_file_bigendian(tep, source->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(tep, source->long_size);
	for (int kind = 0; kind < RWK_EV_COUNT; kind++) {
		const struct rwk_tracedat_text *t = &source->texts->of[kind];

		/* What it returns does not matter: an event is there, or it is not. */
		if (source->kinds >> kind & 1 && t->text)
			tep_parse_event(tep, t->text, strlen(t->text), t->system);
	}
	for (int i = 0; i < source->texts->nr_states; i++) {
		const struct rwk_tracedat_text *t = &source->texts->state[i];

		if (source->kinds >> RWK_EV_SEL_STATE & 1)
			tep_parse_event(tep, t->text, strlen(t->text), t->system);
	}
	return take_events(tep, result);
}
