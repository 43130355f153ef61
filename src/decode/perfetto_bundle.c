/* Whole events by their fields, packed ones by walking all columns in step. */
#include "decode/perfetto_bundle.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Fields, by the names of Perfetto's own .proto files. */
enum { BUNDLE_EVENT = 2, BUNDLE_LOST = 3, BUNDLE_COMPACT = 4, BUNDLE_CLOCK = 5 };
enum { COMPACT_COMMS = 5 };
enum {
	EVENT_TIMESTAMP = 1,
	EVENT_PID = 2,
	EVENT_SWITCH = 4,
	EVENT_FLAGS = 5,
	EVENT_WAKEUP = 17,
	EVENT_WAKING = 20,
	EVENT_WAKEUP_NEW = 114,
	EVENT_MIGRATE = 491,
};
enum { TASK_COMM = 1, TASK_PID, TASK_PRIO, TASK_SUCCESS, TASK_TARGET };
enum { MIGRATE_COMM = 1, MIGRATE_PID, MIGRATE_PRIO, MIGRATE_ORIG, MIGRATE_DEST };
enum {
	SWITCH_PREV_COMM = 1,
	SWITCH_PREV_PID,
	SWITCH_PREV_PRIO,
	SWITCH_PREV_STATE,
	SWITCH_NEXT_COMM,
	SWITCH_NEXT_PID,
	SWITCH_NEXT_PRIO
};
#define MAX_FIELD 7 /* of the above */

enum { WHOLE, WAKINGS, SWITCHES };

/* The fields of an event of interest by number. */
struct fields {
	bool has[MAX_FIELD + 1];
	uint64_t value[MAX_FIELD + 1];
	struct rwk_pb text[MAX_FIELD + 1];
};

static bool read_fields(struct rwk_pb message, struct fields *ret)
{
	struct rwk_pb_field f;

	memset(ret, 0, sizeof(*ret));
	while (rwk_pb_next(&message, &f)) {
		if (f.nr > MAX_FIELD)
			continue;
		ret->has[f.nr] = true;
		ret->value[f.nr] = f.value;
		if (f.type == RWK_PB_BYTES)
			ret->text[f.nr] = f.body;
	}
	return !message.bad;
}

static void set_comm(char *dst, struct rwk_pb text)
{
	size_t size = (size_t)(text.end - text.p);

	memset(dst, 0, RWK_COMM_LEN);
	if (size)
		memcpy(dst, text.p, size < RWK_COMM_LEN ? size : RWK_COMM_LEN);
}

/* An int32 is written as the 64-bit number of the same value. */
static int32_t int32_of(uint64_t value, int32_t otherwise)
{
	int64_t v = (int64_t)value;

	return v >= INT32_MIN && v <= INT32_MAX ? (int32_t)v : otherwise;
}

static int32_t prio_of(const struct fields *f, int nr)
{
	return f->has[nr] ? int32_of(f->value[nr], RWK_PRIO_UNKNOWN) : RWK_PRIO_UNKNOWN;
}

static bool cpu_possible(int32_t cpu)
{
	return cpu >= 0 && cpu < RWK_MAX_CPUS;
}

static enum rwk_perfetto_result fill_task(const struct fields *f, struct rwk_ev_task *t)
{
	t->tid = f->has[TASK_PID] ? int32_of(f->value[TASK_PID], RWK_NONE) : RWK_NONE;
	t->prio = prio_of(f, TASK_PRIO);
	t->target_cpu = RWK_NONE;
	set_comm(t->comm, f->text[TASK_COMM]);
	if (t->tid < 0)
		return RWK_PERFETTO_BAD;
	/* A wakeup that changed nothing: kernels up to 2.6.38. */
	if (f->has[TASK_SUCCESS] && !f->value[TASK_SUCCESS])
		return RWK_PERFETTO_OTHER;
	if (!f->has[TASK_TARGET])
		return RWK_PERFETTO_EVENT;
	t->target_cpu = int32_of(f->value[TASK_TARGET], RWK_NONE);
	return cpu_possible(t->target_cpu) ? RWK_PERFETTO_EVENT : RWK_PERFETTO_CPU_OUT_OF_RANGE;
}

static enum rwk_perfetto_result fill_migrate(const struct fields *f, struct rwk_ev_migrate *m)
{
	m->tid = f->has[MIGRATE_PID] ? int32_of(f->value[MIGRATE_PID], RWK_NONE) : RWK_NONE;
	m->prio = prio_of(f, MIGRATE_PRIO);
	set_comm(m->comm, f->text[MIGRATE_COMM]);
	if (m->tid < 0 || !f->has[MIGRATE_ORIG] || !f->has[MIGRATE_DEST])
		return RWK_PERFETTO_BAD;
	m->orig_cpu = int32_of(f->value[MIGRATE_ORIG], RWK_NONE);
	m->dest_cpu = int32_of(f->value[MIGRATE_DEST], RWK_NONE);
	return cpu_possible(m->orig_cpu) && cpu_possible(m->dest_cpu)
		       ? RWK_PERFETTO_EVENT
		       : RWK_PERFETTO_CPU_OUT_OF_RANGE;
}

static enum rwk_perfetto_result fill_switch(
	struct rwk_perfetto_bundle *b, const struct fields *f, struct rwk_ev_switch *s)
{
	if (!f->has[SWITCH_PREV_PID] || !f->has[SWITCH_NEXT_PID])
		return RWK_PERFETTO_BAD;
	s->prev_tid = int32_of(f->value[SWITCH_PREV_PID], RWK_NONE);
	s->next_tid = int32_of(f->value[SWITCH_NEXT_PID], RWK_NONE);
	s->prev_prio = prio_of(f, SWITCH_PREV_PRIO);
	s->next_prio = prio_of(f, SWITCH_NEXT_PRIO);
	set_comm(s->prev_comm, f->text[SWITCH_PREV_COMM]);
	set_comm(s->next_comm, f->text[SWITCH_NEXT_COMM]);
	if (s->prev_tid < 0 || s->next_tid < 0)
		return RWK_PERFETTO_BAD;
	s->prev_state = RWK_END_UNKNOWN;
	s->prev_state_raw = RWK_NONE;
	if (f->has[SWITCH_PREV_STATE]) {
		s->prev_state_raw = (int64_t)f->value[SWITCH_PREV_STATE];
		s->prev_state = rwk_prev_state_decode(b->states, s->prev_tid, s->prev_state_raw);
	}
	return RWK_PERFETTO_EVENT;
}

static enum rwk_perfetto_result fill(
	struct rwk_perfetto_bundle *b, const struct rwk_pb_field *which, struct rwk_event *ev)
{
	struct fields f;

	if (which->type != RWK_PB_BYTES || !read_fields(which->body, &f))
		return RWK_PERFETTO_BAD;
	switch ((enum rwk_event_kind)ev->kind) {
	case RWK_EV_SWITCH:
		return fill_switch(b, &f, &ev->sw);
	case RWK_EV_MIGRATE:
		return fill_migrate(&f, &ev->migrate);
	default:
		return fill_task(&f, &ev->task);
	}
}

static enum rwk_event_kind kind_of(uint32_t field)
{
	switch (field) {
	case EVENT_SWITCH:
		return RWK_EV_SWITCH;
	case EVENT_WAKING:
		return RWK_EV_WAKING;
	case EVENT_WAKEUP:
		return RWK_EV_WAKEUP;
	case EVENT_WAKEUP_NEW:
		return RWK_EV_WAKEUP_NEW;
	case EVENT_MIGRATE:
		return RWK_EV_MIGRATE;
	default:
		return RWK_EV_OTHER;
	}
}

static bool time_possible(uint64_t ts)
{
	return ts <= INT64_MAX;
}

static enum rwk_perfetto_result read_whole(
	struct rwk_perfetto_bundle *b, struct rwk_pb message, struct rwk_event *ev)
{
	struct rwk_pb_field f, which = {0};
	uint64_t ts = UINT64_MAX;

	*ev = (struct rwk_event){.tid = RWK_NONE, .kind = RWK_EV_OTHER, .ts = RWK_NS_NONE};
	while (rwk_pb_next(&message, &f)) {
		enum rwk_event_kind kind = kind_of(f.nr);

		if (f.nr == EVENT_TIMESTAMP && f.type == RWK_PB_VARINT)
			ts = f.value;
		else if (f.nr == EVENT_PID && f.type == RWK_PB_VARINT)
			ev->tid = int32_of(f.value, RWK_NONE);
		else if (f.nr == EVENT_FLAGS && f.type == RWK_PB_VARINT)
			ev->flags = (uint8_t)f.value;
		else if (kind != RWK_EV_OTHER) {
			ev->kind = (uint8_t)kind;
			which = f;
		}
	}
	if (ev->tid < 0)
		ev->tid = RWK_NONE;
	if (!time_possible(ts))
		return RWK_PERFETTO_BAD;
	ev->ts = (rwk_ns)ts;
	if (message.bad)
		return RWK_PERFETTO_BAD;
	return ev->kind == RWK_EV_OTHER ? RWK_PERFETTO_OTHER : fill(b, &which, ev);
}

static bool next_whole(struct rwk_perfetto_bundle *b, struct rwk_perfetto_head *ret)
{
	struct rwk_pb_field f;

	while (rwk_pb_next(&b->whole, &f)) {
		if (f.nr != BUNDLE_EVENT || f.type != RWK_PB_BYTES)
			continue;
		ret->result = read_whole(b, f.body, &ret->event);
		return true;
	}
	b->bad |= b->whole.bad;
	return false;
}

/*
 * One number of each column; false at the end.  Columns of unequal length, or
 * times beyond any clock, end the bundle: what belongs together is then unknown.
 */
static bool next_row(struct rwk_perfetto_bundle *b, struct rwk_pb *column, int nr_columns,
	uint64_t *row, uint64_t *ts)
{
	if (!rwk_pb_varint(&column[0], &row[0])) {
		for (int i = 0; i < nr_columns; i++)
			b->bad |= column[i].bad || column[i].p != column[i].end;
		return false;
	}
	for (int i = 1; i < nr_columns; i++) {
		if (!rwk_pb_varint(&column[i], &row[i])) {
			b->bad = true;
			column[0].p = column[0].end;
			return false;
		}
	}
	if (__builtin_add_overflow(*ts, row[0], ts) || !time_possible(*ts)) {
		b->bad = true;
		column[0].p = column[0].end;
		return false;
	}
	return true;
}

static void set_interned(struct rwk_perfetto_bundle *b, char *comm, uint64_t index)
{
	if (index < b->nr_comms)
		set_comm(comm, b->comm[index].body);
	else
		memset(comm, 0, RWK_COMM_LEN);
}

static bool next_waking(struct rwk_perfetto_bundle *b, struct rwk_perfetto_head *ret)
{
	bool flags = b->wakings[RWK_WAKING_FLAGS].p != NULL;
	struct rwk_event *ev = &ret->event;
	uint64_t row[RWK_WAKING_COLUMNS] = {0};

	if (!next_row(b, b->wakings, flags ? RWK_WAKING_COLUMNS : RWK_WAKING_FLAGS, row,
		    &b->waking_ts))
		return false;
	/* Who woke is known when it is given out: a switch may come before. */
	*ev = (struct rwk_event){
		.ts = (rwk_ns)b->waking_ts,
		.tid = RWK_NONE,
		.kind = RWK_EV_WAKING,
		.flags = (uint8_t)row[RWK_WAKING_FLAGS],
		.task.tid = int32_of(row[RWK_WAKING_TID], RWK_NONE),
		.task.prio = int32_of(row[RWK_WAKING_PRIO], RWK_PRIO_UNKNOWN),
		.task.target_cpu = int32_of(row[RWK_WAKING_CPU], RWK_NONE),
	};
	set_interned(b, ev->task.comm, row[RWK_WAKING_COMM]);
	ret->result = RWK_PERFETTO_EVENT;
	if (ev->task.tid < 0 || row[RWK_WAKING_COMM] >= b->nr_comms)
		ret->result = RWK_PERFETTO_BAD;
	else if (!cpu_possible(ev->task.target_cpu))
		ret->result = RWK_PERFETTO_CPU_OUT_OF_RANGE;
	return true;
}

/* The half that is known; whom it ends is set when it is given out. */
static bool next_switch(struct rwk_perfetto_bundle *b, struct rwk_perfetto_head *ret)
{
	struct rwk_event *ev = &ret->event;
	uint64_t row[RWK_SWITCH_COLUMNS];

	if (!next_row(b, b->switches, RWK_SWITCH_COLUMNS, row, &b->switch_ts))
		return false;
	*ev = (struct rwk_event){
		.ts = (rwk_ns)b->switch_ts,
		.tid = RWK_NONE,
		.kind = RWK_EV_SWITCH,
		.sw.prev_tid = RWK_NONE,
		.sw.prev_prio = RWK_PRIO_UNKNOWN,
		.sw.prev_state_raw = (int64_t)row[RWK_SWITCH_STATE],
		.sw.next_tid = int32_of(row[RWK_SWITCH_TID], RWK_NONE),
		.sw.next_prio = int32_of(row[RWK_SWITCH_PRIO], RWK_PRIO_UNKNOWN),
	};
	set_interned(b, ev->sw.next_comm, row[RWK_SWITCH_COMM]);
	ret->result = ev->sw.next_tid < 0 || row[RWK_SWITCH_COMM] >= b->nr_comms
			      ? RWK_PERFETTO_BAD
			      : RWK_PERFETTO_EVENT;
	return true;
}

static bool next_head(struct rwk_perfetto_bundle *b, int part)
{
	switch (part) {
	case WHOLE:
		return next_whole(b, &b->head[part]);
	case WAKINGS:
		return next_waking(b, &b->head[part]);
	default:
		return next_switch(b, &b->head[part]);
	}
}

/* Where the column of that field goes; NULL: it is none. */
static struct rwk_pb *column_of(struct rwk_perfetto_bundle *b, uint32_t field)
{
	static const uint8_t switch_field[RWK_SWITCH_COLUMNS] = {1, 2, 3, 4, 6};
	static const uint8_t waking_field[RWK_WAKING_COLUMNS] = {7, 8, 9, 10, 11, 12};

	for (int i = 0; i < RWK_SWITCH_COLUMNS; i++) {
		if (switch_field[i] == field)
			return &b->switches[i];
	}
	for (int i = 0; i < RWK_WAKING_COLUMNS; i++) {
		if (waking_field[i] == field)
			return &b->wakings[i];
	}
	return NULL;
}

static int begin_compact(struct rwk_perfetto_bundle *b, struct rwk_pb compact)
{
	struct rwk_pb_field f;

	while (rwk_pb_next(&compact, &f)) {
		struct rwk_pb *column = column_of(b, f.nr);

		if (column && (f.type != RWK_PB_BYTES || column->p))
			b->bad = true; /* number by number, or in pieces: nobody writes it so */
		else if (column)
			*column = f.body;
		else if (f.nr == COMPACT_COMMS && f.type == RWK_PB_BYTES) {
			if (rwk_vec_grow(
				    &b->comm, &b->cap_comms, b->nr_comms + 1, sizeof(*b->comm)))
				return -ENOMEM;
			b->comm[b->nr_comms++] = f;
		}
	}
	b->bad |= compact.bad;
	return 0;
}

int rwk_perfetto_bundle_begin(struct rwk_perfetto_bundle *b, const void *data, size_t size,
	struct rwk_prev_state *states, struct rwk_perfetto_occupant *occupant)
{
	struct rwk_pb fields = rwk_pb_of(data, size);
	struct rwk_pb_field f;
	int err = 0;

	*b = (struct rwk_perfetto_bundle){
		.states = states,
		.occupant = occupant,
		.whole = fields,
		.comm = b->comm,
		.cap_comms = b->cap_comms,
	};
	while (!err && rwk_pb_next(&fields, &f)) {
		/* At first the number of lost events, later merely whether there were any. */
		if (f.nr == BUNDLE_LOST && f.type == RWK_PB_VARINT && f.value)
			b->lost = f.value > 1 && f.value <= INT32_MAX ? (int64_t)f.value : RWK_NONE;
		else if (f.nr == BUNDLE_CLOCK && f.type == RWK_PB_VARINT)
			b->clock = (uint32_t)f.value;
		else if (f.nr == BUNDLE_COMPACT && f.type == RWK_PB_BYTES)
			err = begin_compact(b, f.body);
	}
	for (int i = 0; i < 3; i++)
		b->has_head[i] = next_head(b, i);
	return err;
}

/* What the packed events leave out, from who ran before. */
static void complete(struct rwk_perfetto_bundle *b, int part, struct rwk_event *ev)
{
	const struct rwk_perfetto_occupant *o = b->occupant;

	if (part == WHOLE || !o->known)
		return;
	ev->tid = o->tid;
	if (part != SWITCHES)
		return;
	ev->sw.prev_tid = o->tid;
	ev->sw.prev_prio = o->prio;
	memcpy(ev->sw.prev_comm, o->comm, RWK_COMM_LEN);
	ev->sw.prev_state = rwk_prev_state_decode(b->states, o->tid, ev->sw.prev_state_raw);
}

static void follow(struct rwk_perfetto_occupant *o, const struct rwk_ev_switch *s)
{
	o->known = true;
	o->tid = s->next_tid;
	o->prio = s->next_prio;
	memcpy(o->comm, s->next_comm, RWK_COMM_LEN);
}

enum rwk_perfetto_result rwk_perfetto_bundle_next(
	struct rwk_perfetto_bundle *b, struct rwk_event *ret)
{
	enum rwk_perfetto_result result;
	int first = -1;

	for (int i = 0; i < 3; i++) {
		if (b->has_head[i] &&
			(first < 0 || rwk_event_before(&b->head[i].event, &b->head[first].event)))
			first = i;
	}
	if (first < 0)
		return RWK_PERFETTO_END;
	*ret = b->head[first].event;
	result = b->head[first].result;
	b->has_head[first] = next_head(b, first);
	if (result != RWK_PERFETTO_EVENT)
		return result;
	complete(b, first, ret);
	if (ret->kind != RWK_EV_SWITCH)
		return result;
	follow(b->occupant, &ret->sw);
	/* The first one does not say whom it ended: who runs from then on is all there is. */
	if (ret->sw.prev_tid == RWK_NONE) {
		ret->kind = RWK_EV_OTHER;
		ret->tid = b->occupant->tid;
		return RWK_PERFETTO_OTHER;
	}
	return result;
}

void rwk_perfetto_bundle_finish(struct rwk_perfetto_bundle *b)
{
	free(b->comm);
}
