/*
 * The decoder of Perfetto traces that hold ftrace's scheduler events: joins the
 * index, the bundle at hand of each CPU and the merge, and keeps the counts.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "decode/merge.h"
#include "decode/ops.h"
#include "decode/perfetto_bundle.h"
#include "decode/perfetto_index.h"

/* One CPU. */
struct stream {
	struct rwk_trace_cpu *count; /* in the info */
	struct rwk_perfetto_bundle bundle;
	struct rwk_perfetto_occupant occupant;
	struct rwk_prev_state states;
	unsigned char *data; /* of the bundle */
	size_t cap_data;
	size_t next, end; /* of the index */
	int64_t place; /* of the bundle at hand */
	int64_t lost; /* in front of the next event; 0 none */
	struct rwk_event held; /* behind a LOST that is given out before it */
	enum rwk_perfetto_result held_result;
	int32_t cpu;
	bool has_bundle, has_held, seen_switch;
};

struct perfetto {
	const struct rwk_file *file;
	struct rwk_trace_info *info;
	struct rwk_perfetto_index index;
	struct rwk_merge *merge;
	struct stream *stream;
	int nr_streams;
	int64_t bytes_read;
	bool clock_known;
};

/* Whether a field's first bytes can stand at the beginning of a packet. */
static bool packet_begins(const unsigned char *p, size_t size)
{
	unsigned type;

	if (!size)
		return true;
	type = *p & 7;
	return (type <= 2 || type == 5) && *p >> 3;
}

/* The length behind a field's tag at *at, which is moved past it; false: not to be seen. */
static bool length_at(const unsigned char *head, size_t size, size_t *at, uint64_t *ret)
{
	uint64_t len = 0;

	for (int shift = 0; shift <= 28 && *at < size; shift += 7) {
		unsigned char byte = head[(*at)++];

		len |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = len;
			return true;
		}
	}
	return false;
}

/* Packets one behind the other, as far as can be seen: each is field 1 with a length. */
static bool probe(const unsigned char *head, size_t size)
{
	size_t at = 0;

	for (int n = 0; n < 3; n++) {
		uint64_t len;

		if (at == size)
			return n > 0;
		if (head[at++] != 0x0a)
			return false;
		if (!length_at(head, size, &at, &len))
			return n > 0;
		if (!packet_begins(head + at, len < size - at ? (size_t)len : size - at))
			return false;
		/* A first packet beyond what is to be seen: no text, where 0x0a ends a line. */
		if (len > size - at)
			return n || len > 127;
		at += (size_t)len;
	}
	return true;
}

static void close_perfetto(void *state)
{
	struct perfetto *p = state;

	if (!p)
		return;
	for (int i = 0; i < p->nr_streams; i++) {
		rwk_perfetto_bundle_finish(&p->stream[i].bundle);
		free(p->stream[i].data);
	}
	free(p->stream);
	rwk_merge_destroy(p->merge);
	rwk_perfetto_index_finish(&p->index);
	free(p);
}

static void note_clock(struct perfetto *p, uint32_t clock)
{
	static const char *const names[] = {"boot", "", "global", "local", "mono_raw"};

	if (p->clock_known)
		return;
	p->clock_known = true;
	if (clock < sizeof(names) / sizeof(names[0]))
		snprintf(p->info->clock, sizeof(p->info->clock), "%s", names[clock]);
}

/* The CPU's next bundle: 1, 0 there is none, negative errno. */
static int load(struct perfetto *p, struct stream *s, struct rwk_diag *diag)
{
	const struct rwk_perfetto_ref *ref;
	int err;

	if (s->next == s->end)
		return 0;
	ref = &p->index.ref[s->next++];
	if (ref->size > s->cap_data) {
		unsigned char *more = realloc(s->data, ref->size);

		if (!more)
			return -ENOMEM;
		s->data = more;
		s->cap_data = ref->size;
	}
	err = rwk_perfetto_index_load(&p->index, p->file, ref, s->data, diag);
	/* It was there when the index was made. */
	if (err == -EBADMSG)
		return rwk_diag_push(diag, err,
			"cannot decode: file=%s cpu=%d offset=0x%llx why=the file shrinks while it "
			"is read",
			p->file->path, s->cpu, (unsigned long long)ref->place);
	if (!err)
		err = rwk_perfetto_bundle_begin(
			&s->bundle, s->data, ref->size, &s->states, &s->occupant);
	if (err)
		return err;
	s->has_bundle = true;
	s->place = ref->place;
	p->bytes_read += ref->size;
	note_clock(p, s->bundle.clock);
	if (s->bundle.lost) {
		s->lost = s->bundle.lost;
		s->occupant.known = false;
	}
	return 1;
}

/* A gap in front of ts. */
static void make_lost(struct stream *s, rwk_ns ts, struct rwk_event *ret)
{
	*ret = (struct rwk_event){
		.ts = ts,
		.offset = s->place,
		.cpu = s->cpu,
		.tid = RWK_NONE,
		.kind = RWK_EV_LOST,
		.lost = {.count = s->lost, .from_ts = s->count->last_ts},
	};
	if (s->lost > 0)
		s->count->nr_lost += s->lost;
	s->lost = 0;
	s->seen_switch = false;
}

static void count_event(struct rwk_trace_cpu *count, rwk_ns ts)
{
	count->nr_events++;
	if (count->first_ts == RWK_NS_NONE)
		count->first_ts = ts;
	if (ts > count->last_ts)
		count->last_ts = ts;
}

/* Whether what the bundle gave is an event that is given out. */
static bool accept(
	struct perfetto *p, struct stream *s, enum rwk_perfetto_result result, struct rwk_event *ev)
{
	ev->cpu = s->cpu;
	ev->offset = s->place;
	if (ev->ts != RWK_NS_NONE)
		count_event(s->count, ev->ts);
	switch (result) {
	case RWK_PERFETTO_EVENT:
		p->info->has_format[ev->kind] = true;
		if (ev->kind == RWK_EV_SWITCH)
			s->seen_switch = true;
		return true;
	case RWK_PERFETTO_OTHER:
		ev->kind = RWK_EV_OTHER;
		return !s->seen_switch && ev->tid != RWK_NONE;
	case RWK_PERFETTO_CPU_OUT_OF_RANGE:
		rwk_anomaly_add(
			&p->info->anomalies, RWK_AN_CPU_OUT_OF_RANGE, ev->ts, s->cpu, s->place);
		return false;
	default:
		rwk_anomaly_add(&p->info->anomalies, RWK_AN_BAD_RECORD, ev->ts, s->cpu, s->place);
		return false;
	}
}

/* A bundle that ended early has lost what it held beyond. */
static void end_bundle(struct perfetto *p, struct stream *s)
{
	s->has_bundle = false;
	if (!s->bundle.bad)
		return;
	rwk_anomaly_add(
		&p->info->anomalies, RWK_AN_BAD_RECORD, s->count->last_ts, s->cpu, s->place);
	s->lost = RWK_NONE;
	s->occupant.known = false;
}

/* The next event into held: 1, 0 none, negative errno. */
static int fetch(struct perfetto *p, struct stream *s, struct rwk_diag *diag)
{
	for (;;) {
		int err = s->has_bundle ? 1 : load(p, s, diag);

		if (err <= 0)
			return err;
		s->held_result = rwk_perfetto_bundle_next(&s->bundle, &s->held);
		if (s->held_result != RWK_PERFETTO_END)
			return 1;
		end_bundle(p, s);
	}
}

static int pull(void *ctx, int index, struct rwk_event *ret, struct rwk_diag *diag)
{
	struct perfetto *p = ctx;
	struct stream *s = &p->stream[index];

	for (;;) {
		rwk_ns ts;

		if (!s->has_held) {
			int err = fetch(p, s, diag);

			if (err < 0)
				return err;
			s->has_held = err;
			ts = err ? s->held.ts : s->count->last_ts;
			if (s->lost && ts != RWK_NS_NONE) {
				make_lost(s, ts, ret);
				return 1;
			}
			if (!err)
				return 0;
		}
		s->has_held = false;
		*ret = s->held;
		if (accept(p, s, s->held_result, ret))
			return 1;
	}
}

/* A stream for each CPU that the index has, and for each its part of the index. */
static int open_streams(struct perfetto *p)
{
	const struct rwk_perfetto_index *x = &p->index;
	struct rwk_version kernel = {0};
	int32_t cpus[RWK_MAX_CPUS];

	rwk_parse_version(p->info->release, &kernel);
	p->stream = calloc(RWK_MAX_CPUS, sizeof(*p->stream));
	if (!p->stream)
		return -ENOMEM;
	for (size_t i = 0; i < x->nr_refs; i++) {
		int32_t cpu = x->ref[i].cpu;
		struct stream *s = &p->stream[p->nr_streams];

		if (i && cpu == x->ref[i - 1].cpu) {
			s[-1].end = i + 1;
			continue;
		}
		s->count = &p->info->cpu[cpu];
		s->count->present = true;
		s->cpu = cpus[p->nr_streams++] = cpu;
		s->next = i;
		s->end = i + 1;
		rwk_prev_state_init(&s->states, NULL, kernel);
		p->info->nr_cpus = cpu + 1;
	}
	return rwk_merge_create(p->nr_streams, cpus, pull, p, &p->info->anomalies, &p->merge);
}

static int open_perfetto(const struct rwk_file *file, struct rwk_trace_info *info,
	struct rwk_diag *diag, void **ret_state)
{
	struct perfetto *p = calloc(1, sizeof(*p));
	int err = -ENOMEM;

	if (!p)
		return -ENOMEM;
	p->file = file;
	p->info = info;
	p->index.fd = -1;
	info->format = "Perfetto";
	if (rwk_trace_info_cpus(info, RWK_MAX_CPUS))
		goto out;
	err = rwk_perfetto_index_read(&p->index, file, info, diag);
	if (!err)
		err = open_streams(p);
out:
	if (err) {
		close_perfetto(p);
		return err;
	}
	*ret_state = p;
	return 0;
}

static int next(void *state, struct rwk_event *ret, struct rwk_diag *diag)
{
	struct perfetto *p = state;
	const struct rwk_event *event;
	int err = rwk_merge_next(p->merge, &event, diag);

	if (err > 0)
		*ret = *event;
	return err;
}

static int permille(const void *state)
{
	const struct perfetto *p = state;

	return p->index.bytes > 0 ? (int)((double)p->bytes_read / (double)p->index.bytes * 1000)
				  : 1000;
}

const struct rwk_decoder rwk_decoder_perfetto = {
	.probe = probe,
	.open = open_perfetto,
	.next = next,
	.permille = permille,
	.close = close_perfetto,
};
