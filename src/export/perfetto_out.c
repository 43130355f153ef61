/* Packing packets, and giving names numbers. */
#include "export/perfetto_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Sequences of packets: what refers to names, and what does not. */
#define TRACKS 1
#define KERNEL 2

#define STATE_CLEARED 1 /* names begin here */
#define NEEDS_STATE   2 /* refers to names told before */

void rwk_pf_init(struct rwk_pf_out *o, FILE *file)
{
	*o = (struct rwk_pf_out){.file = file};
}

void rwk_pf_finish(struct rwk_pf_out *o)
{
	for (int k = 0; k < RWK_PF_KIND_COUNT; k++) {
		for (size_t i = 0; i < o->names[k].nr; i++)
			free(o->names[k].text[i]);
		free(o->names[k].text);
		rwk_map_finish(&o->names[k].index);
	}
	free(o->buf);
	free(o->name);
	free(o->name_at);
	*o = (struct rwk_pf_out){0};
}

/* FNV-1a: the same names get the same numbers everywhere. */
static uint64_t hash(const char *text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return h;
}

int rwk_pf_name(struct rwk_pf_out *o, enum rwk_pf_kind kind, const char *text, uint64_t *ret)
{
	struct rwk_pf_names *n = &o->names[kind];
	uint64_t key = hash(text);
	int32_t *at;
	int err;

	while ((at = rwk_map_find(&n->index, key)) && strcmp(n->text[*at], text))
		key++;
	if (at) {
		*ret = (uint64_t)*at + 1;
		return 0;
	}
	err = rwk_vec_grow(&n->text, &n->cap, n->nr + 1, sizeof(*n->text));
	if (!err)
		err = rwk_map_set(&n->index, key, (int32_t)n->nr);
	if (err)
		return err;
	n->text[n->nr] = strdup(text);
	if (!n->text[n->nr])
		return -ENOMEM;
	*ret = ++n->nr;
	return 0;
}

/* Names that the file does not have yet: into *data, from place on in name and name_at. */
static size_t new_names(
	struct rwk_pf_out *o, enum rwk_pf_kind kind, size_t place, RwkPb__InternedName ***ret)
{
	struct rwk_pf_names *n = &o->names[kind];
	size_t nr = n->nr - n->nr_told;

	*ret = &o->name_at[place];
	for (size_t i = 0; i < nr; i++) {
		RwkPb__InternedName *name = &o->name[place + i];

		rwk_pb__interned_name__init(name);
		name->has_iid = 1;
		name->iid = n->nr_told + i + 1;
		name->name = n->text[n->nr_told + i];
		o->name_at[place + i] = name;
	}
	n->nr_told = n->nr;
	return nr;
}

static int add_names(struct rwk_pf_out *o, RwkPb__TracePacket *packet, RwkPb__InternedData *data)
{
	size_t nr = 0, at = 0;
	int err;

	for (int k = 0; k < RWK_PF_KIND_COUNT; k++)
		nr += o->names[k].nr - o->names[k].nr_told;
	if (!nr)
		return 0;
	err = rwk_vec_grow(&o->name, &o->cap_name, nr, sizeof(*o->name));
	if (!err)
		err = rwk_vec_grow(&o->name_at, &o->cap_name_at, nr, sizeof(*o->name_at));
	if (err)
		return err;
	data->n_event_categories = new_names(o, RWK_PF_CATEGORY, at, &data->event_categories);
	at += data->n_event_categories;
	data->n_event_names = new_names(o, RWK_PF_EVENT, at, &data->event_names);
	at += data->n_event_names;
	data->n_debug_annotation_names =
		new_names(o, RWK_PF_KEY, at, &data->debug_annotation_names);
	at += data->n_debug_annotation_names;
	data->n_debug_annotation_string_values =
		new_names(o, RWK_PF_VALUE, at, &data->debug_annotation_string_values);
	packet->interned_data = data;
	return 0;
}

/* As a trace of one packet: traces that follow one another are one trace. */
static int write_packet(struct rwk_pf_out *o, RwkPb__TracePacket *packet)
{
	RwkPb__Trace trace = RWK_PB__TRACE__INIT;
	size_t size;
	int err;

	trace.n_packet = 1;
	trace.packet = &packet;
	size = rwk_pb__trace__get_packed_size(&trace);
	err = rwk_vec_grow(&o->buf, &o->cap, size, 1);
	if (err)
		return err;
	rwk_pb__trace__pack(&trace, o->buf);
	fwrite(o->buf, 1, size, o->file);
	/* A disk that is full ends it now rather than after the last row. */
	return ferror(o->file) ? -EIO : 0;
}

int rwk_pf_put(struct rwk_pf_out *o, RwkPb__TracePacket *packet)
{
	RwkPb__InternedData data = RWK_PB__INTERNED_DATA__INIT;
	int err = add_names(o, packet, &data);

	packet->has_trusted_packet_sequence_id = 1;
	packet->trusted_packet_sequence_id = TRACKS;
	packet->has_sequence_flags = 1;
	packet->sequence_flags = o->begun ? NEEDS_STATE : STATE_CLEARED;
	o->begun = true;
	return err ? err : write_packet(o, packet);
}

int rwk_pf_put_kernel(struct rwk_pf_out *o, uint32_t cpu, RwkPb__FtraceEvent *event)
{
	RwkPb__TracePacket packet = RWK_PB__TRACE_PACKET__INIT;
	RwkPb__FtraceEventBundle bundle = RWK_PB__FTRACE_EVENT_BUNDLE__INIT;

	bundle.has_cpu = 1;
	bundle.cpu = cpu;
	bundle.n_event = 1;
	bundle.event = &event;
	packet.ftrace_events = &bundle;
	packet.has_trusted_packet_sequence_id = 1;
	packet.trusted_packet_sequence_id = KERNEL;
	return write_packet(o, &packet);
}
