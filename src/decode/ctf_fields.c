/* Fields by name, values by place. */
#include "decode/ctf_fields.h"

#include <string.h>

static const char *const field_name[RWK_CTF_FIELDS] = {"comm", "tid", "prio", "success",
	"target_cpu", "orig_cpu", "dest_cpu", "prev_comm", "prev_tid", "prev_prio", "prev_state",
	"next_comm", "next_tid", "next_prio"};

static bool is_comm(int field)
{
	return field == RWK_CTF_COMM || field == RWK_CTF_PREV_COMM || field == RWK_CTF_NEXT_COMM;
}

static const bt_field_class *member_class(const bt_field_class *structure, int place)
{
	return bt_field_class_structure_member_borrow_field_class_const(
		bt_field_class_structure_borrow_member_by_index_const(structure, (uint64_t)place));
}

int rwk_ctf_member_find(const bt_field_class *structure, const char *name)
{
	uint64_t nr;

	if (!structure || bt_field_class_get_type(structure) != BT_FIELD_CLASS_TYPE_STRUCTURE)
		return -1;
	nr = bt_field_class_structure_get_member_count(structure);
	for (uint64_t i = 0; i < nr && i < INT32_MAX; i++) {
		const char *has = bt_field_class_structure_member_get_name(
			bt_field_class_structure_borrow_member_by_index_const(structure, i));

		if (!strcmp(has + (*has == '_'), name))
			return (int)i;
	}
	return -1;
}

bool rwk_ctf_member_value(const bt_field *structure, int place, int64_t *ret)
{
	const bt_field *f;
	bt_field_class_type type;

	if (!structure || place < 0)
		return false;
	f = bt_field_structure_borrow_member_field_by_index_const(structure, (uint64_t)place);
	type = bt_field_get_class_type(f);
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
		*ret = bt_field_integer_signed_get_value(f);
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		*ret = (int64_t)bt_field_integer_unsigned_get_value(f);
	else
		return false;
	return true;
}

static enum rwk_event_kind kind_of(const char *name)
{
	static const enum rwk_event_kind kinds[] = {
		RWK_EV_SWITCH, RWK_EV_WAKING, RWK_EV_WAKEUP, RWK_EV_WAKEUP_NEW, RWK_EV_MIGRATE};

	for (size_t i = 0; name && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(name, rwk_event_kind_name(kinds[i])))
			return kinds[i];
	}
	return RWK_EV_OTHER;
}

/* Whether the field's class can hold what is looked for. */
static bool fits(int field, const bt_field_class *class)
{
	return bt_field_class_type_is(bt_field_class_get_type(class),
		is_comm(field) ? BT_FIELD_CLASS_TYPE_STRING : BT_FIELD_CLASS_TYPE_INTEGER);
}

void rwk_ctf_class_init(struct rwk_ctf_class *c, const bt_event_class *event_class)
{
	const bt_field_class *payload =
		bt_event_class_borrow_payload_field_class_const(event_class);
	const bt_field_class *common =
		bt_stream_class_borrow_event_common_context_field_class_const(
			bt_event_class_borrow_stream_class_const(event_class));

	c->kind = kind_of(bt_event_class_get_name(event_class));
	for (int i = 0; i < RWK_CTF_FIELDS; i++) {
		int place =
			c->kind == RWK_EV_OTHER ? -1 : rwk_ctf_member_find(payload, field_name[i]);

		c->field[i] = place >= 0 && fits(i, member_class(payload, place)) ? place : -1;
	}
	c->common_tid = rwk_ctf_member_find(common, "tid");
	c->common_cpu = rwk_ctf_member_find(common, "cpu_id");
	c->own_tid = rwk_ctf_member_find(
		bt_event_class_borrow_specific_context_field_class_const(event_class), "tid");
}

const bt_field_class *rwk_ctf_class_states(
	const struct rwk_ctf_class *c, const bt_event_class *event_class)
{
	const bt_field_class *class;

	if (c->field[RWK_CTF_PREV_STATE] < 0)
		return NULL;
	class = member_class(bt_event_class_borrow_payload_field_class_const(event_class),
		c->field[RWK_CTF_PREV_STATE]);
	return bt_field_class_type_is(
		       bt_field_class_get_type(class), BT_FIELD_CLASS_TYPE_ENUMERATION)
		       ? class
		       : NULL;
}

static int32_t int32_of(
	const struct rwk_ctf_class *c, const bt_field *payload, int field, int32_t otherwise)
{
	int64_t v;

	if (!rwk_ctf_member_value(payload, c->field[field], &v))
		return otherwise;
	return v >= INT32_MIN && v <= INT32_MAX ? (int32_t)v : otherwise;
}

static void read_comm(const struct rwk_ctf_class *c, const bt_field *payload, int field, char *ret)
{
	const char *text;
	size_t size;

	memset(ret, 0, RWK_COMM_LEN);
	if (c->field[field] < 0)
		return;
	text = bt_field_string_get_value(bt_field_structure_borrow_member_field_by_index_const(
		payload, (uint64_t)c->field[field]));
	size = strlen(text);
	memcpy(ret, text, size < RWK_COMM_LEN ? size : RWK_COMM_LEN);
}

static bool read_switch(
	const struct rwk_ctf_class *c, const bt_field *payload, struct rwk_ev_switch *s)
{
	s->prev_tid = int32_of(c, payload, RWK_CTF_PREV_TID, RWK_NONE);
	s->next_tid = int32_of(c, payload, RWK_CTF_NEXT_TID, RWK_NONE);
	s->prev_prio = int32_of(c, payload, RWK_CTF_PREV_PRIO, RWK_PRIO_UNKNOWN);
	s->next_prio = int32_of(c, payload, RWK_CTF_NEXT_PRIO, RWK_PRIO_UNKNOWN);
	s->prev_state = RWK_END_UNKNOWN;
	if (!rwk_ctf_member_value(payload, c->field[RWK_CTF_PREV_STATE], &s->prev_state_raw))
		s->prev_state_raw = RWK_NONE;
	read_comm(c, payload, RWK_CTF_PREV_COMM, s->prev_comm);
	read_comm(c, payload, RWK_CTF_NEXT_COMM, s->next_comm);
	return s->prev_tid >= 0 && s->next_tid >= 0;
}

static bool read_migrate(
	const struct rwk_ctf_class *c, const bt_field *payload, struct rwk_ev_migrate *m)
{
	m->tid = int32_of(c, payload, RWK_CTF_TID, RWK_NONE);
	m->prio = int32_of(c, payload, RWK_CTF_PRIO, RWK_PRIO_UNKNOWN);
	m->orig_cpu = int32_of(c, payload, RWK_CTF_ORIG, RWK_NONE);
	m->dest_cpu = int32_of(c, payload, RWK_CTF_DEST, RWK_NONE);
	read_comm(c, payload, RWK_CTF_COMM, m->comm);
	return m->tid >= 0 && m->orig_cpu >= 0 && m->dest_cpu >= 0;
}

static bool read_task(const struct rwk_ctf_class *c, const bt_field *payload, struct rwk_event *ret)
{
	struct rwk_ev_task *t = &ret->task;
	int64_t success;

	t->tid = int32_of(c, payload, RWK_CTF_TID, RWK_NONE);
	t->prio = int32_of(c, payload, RWK_CTF_PRIO, RWK_PRIO_UNKNOWN);
	t->target_cpu = int32_of(c, payload, RWK_CTF_TARGET, RWK_NONE);
	read_comm(c, payload, RWK_CTF_COMM, t->comm);
	/* A wakeup that changed nothing: kernels up to 2.6.38. */
	if (rwk_ctf_member_value(payload, c->field[RWK_CTF_SUCCESS], &success) && !success)
		ret->kind = RWK_EV_OTHER;
	return t->tid >= 0 && (t->target_cpu >= 0 || c->field[RWK_CTF_TARGET] < 0);
}

bool rwk_ctf_class_read(const struct rwk_ctf_class *c, const bt_event *event, struct rwk_event *ret)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	int64_t tid;

	ret->kind = (uint8_t)c->kind;
	ret->tid = RWK_NONE;
	if ((rwk_ctf_member_value(
		     bt_event_borrow_specific_context_field_const(event), c->own_tid, &tid) ||
		    rwk_ctf_member_value(bt_event_borrow_common_context_field_const(event),
			    c->common_tid, &tid)) &&
		tid >= 0 && tid <= INT32_MAX)
		ret->tid = (int32_t)tid;
	switch (c->kind) {
	case RWK_EV_SWITCH:
		return read_switch(c, payload, &ret->sw);
	case RWK_EV_MIGRATE:
		return read_migrate(c, payload, &ret->migrate);
	case RWK_EV_WAKING:
	case RWK_EV_WAKEUP:
	case RWK_EV_WAKEUP_NEW:
		return read_task(c, payload, ret);
	default:
		return true;
	}
}
