#include "perfetto_build.h"

#include <stdlib.h>
#include <string.h>

void pb_varint(struct tb_bytes *m, uint64_t value)
{
	unsigned char byte;

	do {
		byte = (unsigned char)(value & 0x7f);
		value >>= 7;
		if (value)
			byte |= 0x80;
		tb_put(m, &byte, 1);
	} while (value);
}

void pb_number(struct tb_bytes *m, uint32_t field, uint64_t value)
{
	pb_varint(m, (uint64_t)field << 3);
	pb_varint(m, value);
}

void pb_data(struct tb_bytes *m, uint32_t field, const void *data, size_t size)
{
	pb_varint(m, (uint64_t)field << 3 | 2);
	pb_varint(m, size);
	if (size)
		tb_put(m, data, size);
}

void pb_text(struct tb_bytes *m, uint32_t field, const char *text)
{
	pb_data(m, field, text, strlen(text));
}

void pb_message(struct tb_bytes *m, uint32_t field, struct tb_bytes *inner)
{
	pb_data(m, field, inner->data, inner->len);
	free(inner->data);
	*inner = (struct tb_bytes){0};
}

static void put_comm(struct tb_bytes *m, uint32_t field, const char comm[RWK_COMM_LEN])
{
	pb_data(m, field, comm, strnlen(comm, RWK_COMM_LEN));
}

static uint64_t signed_number(int64_t v)
{
	return (uint64_t)v;
}

void pb_event(struct tb_bytes *bundle, const struct rwk_event *ev)
{
	static const uint32_t field[RWK_EV_COUNT] = {
		[RWK_EV_WAKING] = 20,
		[RWK_EV_WAKEUP] = 17,
		[RWK_EV_WAKEUP_NEW] = 114,
		[RWK_EV_MIGRATE] = 491,
		[RWK_EV_SWITCH] = 4,
	};
	struct tb_bytes e = {0}, m = {0};

	tb_check(field[ev->kind], "no such event in Perfetto");
	pb_number(&e, 1, (uint64_t)ev->ts);
	pb_number(&e, 2, (uint64_t)ev->tid);
	if (ev->kind == RWK_EV_SWITCH) {
		put_comm(&m, 1, ev->sw.prev_comm);
		pb_number(&m, 2, signed_number(ev->sw.prev_tid));
		pb_number(&m, 3, signed_number(ev->sw.prev_prio));
		pb_number(&m, 4, signed_number(ev->sw.prev_state_raw));
		put_comm(&m, 5, ev->sw.next_comm);
		pb_number(&m, 6, signed_number(ev->sw.next_tid));
		pb_number(&m, 7, signed_number(ev->sw.next_prio));
	} else if (ev->kind == RWK_EV_MIGRATE) {
		put_comm(&m, 1, ev->migrate.comm);
		pb_number(&m, 2, signed_number(ev->migrate.tid));
		pb_number(&m, 3, signed_number(ev->migrate.prio));
		pb_number(&m, 4, signed_number(ev->migrate.orig_cpu));
		pb_number(&m, 5, signed_number(ev->migrate.dest_cpu));
	} else {
		put_comm(&m, 1, ev->task.comm);
		pb_number(&m, 2, signed_number(ev->task.tid));
		pb_number(&m, 3, signed_number(ev->task.prio));
		pb_number(&m, 4, 1);
		pb_number(&m, 5, signed_number(ev->task.target_cpu));
	}
	pb_message(&e, field[ev->kind], &m);
	pb_message(bundle, 2, &e);
}

/* Each event brings a name of its own: the table may hold a name twice. */
static uint64_t intern(struct pb_compact *c, const char comm[RWK_COMM_LEN])
{
	put_comm(&c->comms, 5, comm);
	return (uint64_t)c->nr_comms++;
}

void pb_compact_event(struct pb_compact *c, const struct rwk_event *ev)
{
	if (ev->kind == RWK_EV_SWITCH) {
		pb_varint(&c->column[1], (uint64_t)ev->ts - c->switch_ts);
		pb_varint(&c->column[2], signed_number(ev->sw.prev_state_raw));
		pb_varint(&c->column[3], signed_number(ev->sw.next_tid));
		pb_varint(&c->column[4], signed_number(ev->sw.next_prio));
		pb_varint(&c->column[6], intern(c, ev->sw.next_comm));
		c->switch_ts = (uint64_t)ev->ts;
		return;
	}
	tb_check(ev->kind == RWK_EV_WAKING, "only switches and wakings are packed");
	pb_varint(&c->column[7], (uint64_t)ev->ts - c->waking_ts);
	pb_varint(&c->column[8], signed_number(ev->task.tid));
	pb_varint(&c->column[9], signed_number(ev->task.target_cpu));
	pb_varint(&c->column[10], signed_number(ev->task.prio));
	pb_varint(&c->column[11], intern(c, ev->task.comm));
	pb_varint(&c->column[12], ev->flags);
	c->waking_ts = (uint64_t)ev->ts;
}

void pb_compact_end(struct tb_bytes *bundle, struct pb_compact *c)
{
	struct tb_bytes m = c->comms;

	for (uint32_t i = 1; i < 13; i++) {
		if (c->column[i].len)
			pb_message(&m, i, &c->column[i]);
	}
	pb_message(bundle, 4, &m);
	*c = (struct pb_compact){0};
}

void pb_bundle(struct tb_bytes *trace, int sequence, struct tb_bytes *bundle)
{
	struct tb_bytes packet = {0};

	pb_message(&packet, 1, bundle);
	pb_number(&packet, 10, (uint64_t)sequence);
	pb_message(trace, 1, &packet);
}
