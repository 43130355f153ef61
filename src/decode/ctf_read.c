/*
 * What the messages of libbabeltrace2 say, to records: the trace, its streams and
 * their CPUs, events, and what was lost.
 */
#include "decode/ctf_read.h"

#include <errno.h>
#include <string.h>

#include "base/vec.h"

/* What messages do: 0, or negative errno with a cause told. */

int rwk_ctf_reader_fail(struct rwk_ctf_reader *r, const char *why)
{
	rwk_ctf_out_cause(&r->out, why);
	return -EBADMSG;
}

static uint64_t key_of(const void *address)
{
	return (uint64_t)(uintptr_t)address;
}

static int64_t env_number(const bt_trace *trace, const char *name)
{
	const bt_value *v = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);
	int64_t n;

	if (!v || !bt_value_is_signed_integer(v))
		return 0;
	n = bt_value_integer_signed_get(v);
	return n < 0 ? 0 : n > 999 ? 999 : n;
}

static const char *env_text(const bt_trace *trace, const char *name)
{
	const bt_value *v = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

	return v && bt_value_is_string(v) ? bt_value_string_get(v) : NULL;
}

static void tell_trace(struct rwk_ctf_reader *r, const bt_trace *trace, const bt_clock_class *clock)
{
	const char *tracer = env_text(trace, "tracer_name");

	rwk_ctf_out_text(&r->out, RWK_CTF_RELEASE, 0, env_text(trace, "kernel_release"));
	rwk_ctf_out_text(&r->out, RWK_CTF_CLOCK, 0, bt_clock_class_get_name(clock));
	rwk_ctf_out_text(&r->out, RWK_CTF_TRACER,
		env_number(trace, "tracer_major") * 1000 + env_number(trace, "tracer_minor"),
		tracer);
	r->told_trace = true;
}

/* Values that stand for one thing each; a range says nothing of a mask. */
static void tell_states(struct rwk_ctf_reader *r, const bt_field_class *states)
{
	bool is_signed = bt_field_class_type_is(
		bt_field_class_get_type(states), BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION);
	uint64_t nr = bt_field_class_enumeration_get_mapping_count(states);

	for (uint64_t i = 0; i < nr; i++) {
		const bt_field_class_enumeration_mapping *m;
		uint64_t low, high;

		if (is_signed) {
			const bt_field_class_enumeration_signed_mapping *s =
				bt_field_class_enumeration_signed_borrow_mapping_by_index_const(
					states, i);
			const bt_integer_range_signed *range =
				bt_integer_range_set_signed_borrow_range_by_index_const(
					bt_field_class_enumeration_signed_mapping_borrow_ranges_const(
						s),
					0);

			m = bt_field_class_enumeration_signed_mapping_as_mapping_const(s);
			low = (uint64_t)bt_integer_range_signed_get_lower(range);
			high = (uint64_t)bt_integer_range_signed_get_upper(range);
		} else {
			const bt_field_class_enumeration_unsigned_mapping *u =
				bt_field_class_enumeration_unsigned_borrow_mapping_by_index_const(
					states, i);
			const bt_integer_range_unsigned *range =
				bt_integer_range_set_unsigned_borrow_range_by_index_const(
					bt_field_class_enumeration_unsigned_mapping_borrow_ranges_const(
						u),
					0);

			m = bt_field_class_enumeration_unsigned_mapping_as_mapping_const(u);
			low = bt_integer_range_unsigned_get_lower(range);
			high = bt_integer_range_unsigned_get_upper(range);
		}
		if (low == high)
			rwk_ctf_out_text(&r->out, RWK_CTF_STATE, (int64_t)low,
				bt_field_class_enumeration_mapping_get_label(m));
	}
}

static int class_of(
	struct rwk_ctf_reader *r, const bt_event_class *event_class, struct rwk_ctf_class **ret)
{
	const int32_t *place = rwk_map_find(&r->classes, key_of(event_class));

	if (place) {
		*ret = &r->class[*place];
		return 0;
	}
	if (rwk_vec_grow(&r->class, &r->cap_classes, r->nr_classes + 1, sizeof(*r->class)) ||
		rwk_map_set(&r->classes, key_of(event_class), (int32_t)r->nr_classes))
		return -ENOMEM;
	*ret = &r->class[r->nr_classes++];
	rwk_ctf_class_init(*ret, event_class);
	return 0;
}

static int tell_classes(struct rwk_ctf_reader *r, const bt_stream_class *sc)
{
	uint64_t nr = bt_stream_class_get_event_class_count(sc);

	for (uint64_t i = 0; i < nr; i++) {
		const bt_event_class *ec = bt_stream_class_borrow_event_class_by_index_const(sc, i);
		const bt_field_class *states;
		struct rwk_ctf_class *c;
		int err;

		if (rwk_map_find(&r->classes, key_of(ec)))
			continue;
		err = class_of(r, ec, &c);
		if (err)
			return err;
		if (c->kind == RWK_EV_OTHER)
			continue;
		rwk_ctf_out_add(&r->out, RWK_CTF_KIND)->value = c->kind;
		states = rwk_ctf_class_states(c, ec);
		if (states)
			tell_states(r, states);
	}
	return 0;
}

static int begin_stream(struct rwk_ctf_reader *r, const bt_stream *stream)
{
	const bt_stream_class *sc = bt_stream_borrow_class_const(stream);
	const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(sc);

	r->stream = NULL;
	if (!clock)
		return rwk_ctf_reader_fail(r, "its events have no clock");
	if (r->scanning && !r->told_trace)
		tell_trace(r, bt_stream_borrow_trace_const(stream), clock);
	if (rwk_map_set(&r->streams, key_of(stream), RWK_NONE))
		return -ENOMEM;
	return r->scanning ? tell_classes(r, sc) : 0;
}

static int begin_packet(struct rwk_ctf_reader *r, const bt_packet *packet)
{
	const bt_stream *stream = bt_packet_borrow_stream_const(packet);
	const bt_field *context = bt_packet_borrow_context_field_const(packet);
	int64_t cpu;

	if (!r->scanning)
		rwk_ctf_out_add(&r->out, RWK_CTF_PACKET);
	if (!context ||
		!rwk_ctf_member_value(context,
			rwk_ctf_member_find(bt_field_borrow_class_const(context), "cpu_id"), &cpu))
		return 0;
	r->stream = NULL;
	if (cpu < 0 || cpu > INT32_MAX)
		cpu = INT32_MAX;
	if (rwk_map_set(&r->streams, key_of(stream), (int32_t)cpu))
		return -ENOMEM;
	if (r->scanning && (cpu >= RWK_MAX_CPUS || !r->cpu[cpu].told)) {
		rwk_ctf_out_add(&r->out, RWK_CTF_CPU)->cpu = (int32_t)cpu;
		if (cpu < RWK_MAX_CPUS)
			r->cpu[cpu].told = true;
	}
	return 0;
}

static int32_t cpu_of_stream(struct rwk_ctf_reader *r, const bt_stream *stream)
{
	if (stream != r->stream) {
		const int32_t *cpu = rwk_map_find(&r->streams, key_of(stream));

		r->stream = stream;
		r->stream_cpu = cpu ? *cpu : RWK_NONE;
	}
	return r->stream_cpu;
}

static void tell_lost(struct rwk_ctf_reader *r, int32_t cpu, rwk_ns ts)
{
	struct rwk_ctf_cpu *c = &r->cpu[cpu];
	struct rwk_ctf_record *rec = rwk_ctf_out_add(&r->out, RWK_CTF_EVENT);

	rec->event = (struct rwk_event){
		.ts = ts,
		.offset = RWK_NONE,
		.cpu = cpu,
		.tid = RWK_NONE,
		.kind = RWK_EV_LOST,
		.lost = {.count = c->lost, .from_ts = c->nr_events ? c->last_ts : RWK_NS_NONE},
	};
	c->lost = 0;
	c->seen_switch = false;
}

static int take_event(struct rwk_ctf_reader *r, const bt_message *message)
{
	const bt_event *event = bt_message_event_borrow_event_const(message);
	const bt_clock_snapshot *when =
		bt_message_event_borrow_default_clock_snapshot_const(message);
	struct rwk_event ev = {.offset = RWK_NONE};
	struct rwk_ctf_class *class;
	struct rwk_ctf_record *rec;
	struct rwk_ctf_cpu *c;
	int64_t cpu;
	bool good;
	int err = class_of(r, bt_event_borrow_class_const(event), &class);

	if (err)
		return err;
	if (bt_clock_snapshot_get_ns_from_origin(when, &ev.ts) !=
		BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK)
		return rwk_ctf_reader_fail(r, "a time stamp is out of range");
	cpu = cpu_of_stream(r, bt_event_borrow_stream_const(event));
	if (cpu == RWK_NONE)
		rwk_ctf_member_value(
			bt_event_borrow_common_context_field_const(event), class->common_cpu, &cpu);
	ev.cpu = cpu >= 0 && cpu < RWK_MAX_CPUS ? (int32_t)cpu : RWK_NONE;
	good = rwk_ctf_class_read(class, event, &ev);
	if (ev.cpu != RWK_NONE) {
		c = &r->cpu[ev.cpu];
		if (c->lost)
			tell_lost(r, ev.cpu, ev.ts);
		if (!c->nr_events++)
			c->first_ts = ev.ts;
		c->last_ts = ev.ts;
		if (ev.kind == RWK_EV_SWITCH && good)
			c->seen_switch = true;
		if (ev.kind == RWK_EV_OTHER && (ev.tid == RWK_NONE || c->seen_switch))
			return 0;
	} else if (ev.kind == RWK_EV_OTHER) {
		return 0;
	}
	rec = rwk_ctf_out_add(&r->out, good ? RWK_CTF_EVENT : RWK_CTF_BAD);
	rec->event = ev;
	return 0;
}

/* Between two packets: in front of what comes next on that CPU. */
static void take_lost(struct rwk_ctf_reader *r, const bt_stream *stream, bool known, uint64_t count)
{
	int32_t cpu = cpu_of_stream(r, stream);
	struct rwk_ctf_cpu *c;

	if (r->scanning || cpu < 0 || cpu >= RWK_MAX_CPUS || (known && !count))
		return;
	c = &r->cpu[cpu];
	if (!known || c->lost < 0 || count > INT32_MAX)
		c->lost = RWK_NONE;
	else
		c->lost += (int64_t)count;
}

static int take(struct rwk_ctf_reader *r, const bt_message *m)
{
	uint64_t count = 0;
	bool known;

	switch (bt_message_get_type(m)) {
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
		return begin_stream(r, bt_message_stream_beginning_borrow_stream_const(m));
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		return begin_packet(r, bt_message_packet_beginning_borrow_packet_const(m));
	case BT_MESSAGE_TYPE_EVENT:
		return r->scanning ? 0 : take_event(r, m);
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		known = bt_message_discarded_events_get_count(m, &count) ==
			BT_PROPERTY_AVAILABILITY_AVAILABLE;
		take_lost(r, bt_message_discarded_events_borrow_stream_const(m), known, count);
		return 0;
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		/* How many events were in them, nobody knows. */
		take_lost(r, bt_message_discarded_packets_borrow_stream_const(m), false, 0);
		return 0;
	default:
		return 0;
	}
}

int rwk_ctf_reader_take(struct rwk_ctf_reader *r, bt_message_iterator *it, bool *packet)
{
	bt_message_array_const messages;
	uint64_t nr = 0;
	int err = 0;

	switch (bt_message_iterator_next(it, &messages, &nr)) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
		return 1;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		return 0;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_MEMORY_ERROR:
		return -ENOMEM;
	default:
		return -EBADMSG;
	}
	for (uint64_t i = 0; i < nr; i++) {
		*packet |= bt_message_get_type(messages[i]) == BT_MESSAGE_TYPE_PACKET_BEGINNING;
		if (!err)
			err = take(r, messages[i]);
		bt_message_put_ref(messages[i]);
	}
	rwk_ctf_out_tick(&r->out);
	return err ? err : r->out.failed ? -EPIPE : 1;
}

void rwk_ctf_reader_counts(struct rwk_ctf_reader *r)
{
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++) {
		struct rwk_ctf_cpu *c = &r->cpu[cpu];
		struct rwk_ctf_record *rec;

		if (!c->nr_events)
			continue;
		if (c->lost)
			tell_lost(r, cpu, c->last_ts);
		rec = rwk_ctf_out_add(&r->out, RWK_CTF_COUNT);
		rec->cpu = cpu;
		rec->value = c->nr_events;
		rec->event.ts = c->first_ts;
		rec->event.lost.from_ts = c->last_ts;
	}
}
