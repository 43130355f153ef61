/*
 * The decoder of trace.dat files: joins the layout, the event formats, the pages
 * of each CPU and the merge, and keeps the counts.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "decode/merge.h"
#include "decode/ops.h"
#include "decode/tracedat_buffers.h"
#include "decode/tracedat_layout.h"
#include "decode/tracedat_lookup.h"
#include "decode/tracedat_pages.h"
#include "decode/tracedat_record.h"

#define MEMORY_FOR_BLOCKS (32 << 20) /* shared out among the CPUs */
#define MAX_BLOCK         (256 << 10)

/* One CPU. */
struct stream {
	struct rwk_pages *pages;
	struct rwk_trace_cpu *count; /* in the info */
	struct rwk_record record; /* behind a LOST that was given out before it */
	struct rwk_ev_probe probe;
	rwk_ns last_ts;
	uint32_t kinds; /* bits of those that are taken from it */
	int32_t cpu;
	bool has_record;
	bool ended;
	bool *seen_switch; /* of the CPU, since the start or the last gap: others tell no news of
			      who runs */
};

struct tracedat {
	struct rwk_trace_info *info;
	struct rwk_tracedat_layout layout;
	struct rwk_tracedat_formats formats;
	struct rwk_pages_env env;
	struct rwk_record_reader reader;
	struct rwk_merge *merge;
	struct stream *stream;
	int nr_streams;
	bool seen_switch[RWK_MAX_CPUS];
	int64_t total; /* bytes of all CPUs' data */
	uint64_t unknown_ids[65536 / 64];
};

static bool probe(const unsigned char *head, size_t size)
{
	return size >= 10 && !memcmp(head, "\x17\x08\x44tracing", 10);
}

static void close_tracedat(void *state)
{
	struct tracedat *t = state;

	if (!t)
		return;
	for (int i = 0; i < t->nr_streams; i++)
		rwk_pages_close(t->stream[i].pages);
	free(t->stream);
	free(t->env.scratch);
	rwk_merge_destroy(t->merge);
	rwk_tracedat_formats_finish(&t->formats);
	rwk_tracedat_layout_finish(&t->layout);
	free(t);
}

static void note_truncated(struct tracedat *t, int cpu, int64_t offset)
{
	if (!t->info->truncated) {
		t->info->truncated = true;
		t->info->truncated_at = offset;
		t->info->truncated_cpu = cpu;
	}
	rwk_anomaly_add(&t->info->anomalies, RWK_AN_TRUNCATED, RWK_NS_NONE, cpu, offset);
}

/* A gap in front of ts, or behind the CPU's last record. */
static void make_lost(
	struct stream *s, struct rwk_gap gap, rwk_ns ts, int64_t offset, struct rwk_event *ret)
{
	int64_t sum;

	ret->ts = ts;
	ret->offset = offset;
	ret->cpu = s->cpu;
	ret->tid = RWK_NONE;
	ret->kind = RWK_EV_LOST;
	ret->flags = 0;
	ret->lost.count = gap.count;
	ret->lost.from_ts = s->last_ts;
	if (gap.count > 0 && !__builtin_add_overflow(s->count->nr_lost, gap.count, &sum))
		s->count->nr_lost = sum;
	*s->seen_switch = false;
}

static int end_stream(struct tracedat *t, struct stream *s, struct rwk_event *ret)
{
	struct rwk_gap gap = rwk_pages_gap_at_end(s->pages);
	int64_t cut_at = rwk_pages_cut_at(s->pages);

	if (s->ended)
		return 0;
	s->ended = true;
	if (cut_at != RWK_NONE)
		note_truncated(t, s->cpu, cut_at);
	/* A CPU of which nothing is known at all cannot lose sight of anything. */
	if (!gap.present || s->last_ts == RWK_NS_NONE)
		return 0;
	make_lost(s, gap, s->last_ts, RWK_NONE, ret);
	return 1;
}

static void count_unknown(struct tracedat *t, int id)
{
	if (id >= 0 && !(t->unknown_ids[id / 64] >> (id % 64) & 1)) {
		t->unknown_ids[id / 64] |= UINT64_C(1) << (id % 64);
		t->info->nr_unknown_ids++;
	}
}

/* Whether the record becomes an event that is given out. */
static bool decode(
	struct tracedat *t, struct stream *s, const struct rwk_record *rec, struct rwk_event *ret)
{
	static const enum rwk_anomaly_kind anomaly[RWK_RECORD_COUNT] = {
		[RWK_RECORD_UNKNOWN_ID] = RWK_AN_UNKNOWN_EVENT,
		[RWK_RECORD_BAD] = RWK_AN_BAD_RECORD,
		[RWK_RECORD_CPU_OUT_OF_RANGE] = RWK_AN_CPU_OUT_OF_RANGE,
	};
	enum rwk_record_result result;
	int id;

	result = rwk_record_decode(&t->reader, rec->data, rec->size, ret, &s->probe, &id);
	ret->ts = (rwk_ns)rec->ts;
	ret->cpu = s->cpu;
	ret->offset = rec->offset;
	switch (result) {
	case RWK_RECORD_EVENT:
		if (!(s->kinds >> ret->kind & 1)) {
			t->info->nr_left_out++;
			return false;
		}
		if (ret->kind == RWK_EV_SWITCH)
			*s->seen_switch = true;
		return true;
	case RWK_RECORD_OTHER:
		ret->kind = RWK_EV_OTHER;
		return !*s->seen_switch && ret->tid != RWK_NONE;
	case RWK_RECORD_UNKNOWN_ID:
		count_unknown(t, id);
		break;
	default:
		break;
	}
	rwk_anomaly_add(&t->info->anomalies, anomaly[result], ret->ts, s->cpu, rec->offset);
	return false;
}

static void count_record(struct stream *s, rwk_ns ts)
{
	struct rwk_trace_cpu *count = s->count;

	if (ts > s->last_ts)
		s->last_ts = ts;
	count->nr_events++;
	if (count->first_ts == RWK_NS_NONE || ts < count->first_ts)
		count->first_ts = ts;
	if (ts > count->last_ts)
		count->last_ts = ts;
}

static int pull(void *ctx, int index, struct rwk_event *ret, struct rwk_diag *diag)
{
	struct tracedat *t = ctx;
	struct stream *s = &t->stream[index];
	struct rwk_record *rec = &s->record;

	for (;;) {
		bool held = s->has_record;

		if (!held) {
			int err = rwk_pages_next(s->pages, rec, diag);

			if (err < 0)
				return err;
			if (!err)
				return end_stream(t, s, ret);
			rec->ts = rwk_tracedat_time(&t->layout, s->cpu, rec->ts);
			if (rec->ts > INT64_MAX) {
				rwk_anomaly_add(&t->info->anomalies, RWK_AN_BAD_RECORD, RWK_NS_NONE,
					s->cpu, rec->offset);
				continue;
			}
			if (rec->gap.present) {
				s->has_record = true;
				make_lost(s, rec->gap, (rwk_ns)rec->ts, rec->offset, ret);
				return 1;
			}
		}
		s->has_record = false;
		count_record(s, (rwk_ns)rec->ts);
		if (decode(t, s, rec, ret))
			return 1;
	}
}

/* Blocks as large as memory for that many CPUs allows. */
static size_t block_size(const struct rwk_tracedat_layout *l)
{
	size_t block = MEMORY_FOR_BLOCKS / (l->nr_cpus ? l->nr_cpus : 1);

	return block > MAX_BLOCK ? MAX_BLOCK : block;
}

static int open_streams(struct tracedat *t)
{
	size_t nr = t->layout.nr_cpus;
	int32_t *cpus = calloc(nr + 1, sizeof(*cpus));
	int err = 0;

	t->stream = calloc(nr + 1, sizeof(*t->stream));
	if (!t->stream || !cpus)
		err = -ENOMEM;
	for (size_t i = 0; i < nr && !err; i++) {
		const struct rwk_tracedat_cpu *cpu = &t->layout.cpu[i];
		uint32_t kinds = t->layout.buffer[cpu->buffer].kinds;
		struct stream *s = &t->stream[t->nr_streams];

		if (!kinds)
			continue;
		*s = (struct stream){.kinds = kinds,
			.cpu = cpu->cpu,
			.last_ts = RWK_NS_NONE,
			.count = &t->info->cpu[cpu->cpu],
			.seen_switch = &t->seen_switch[cpu->cpu]};
		err = rwk_pages_open(&t->env, cpu, &s->pages);
		if (err)
			break;
		cpus[t->nr_streams++] = cpu->cpu;
		t->total += cpu->size;
	}
	if (!err)
		err = rwk_merge_create(
			t->nr_streams, cpus, pull, t, &t->info->anomalies, &t->merge);
	free(cpus);
	return err;
}

/* Whether some CPU's stream will tell where the file ends. */
static bool any_cut(const struct rwk_tracedat_layout *l)
{
	for (size_t i = 0; i < l->nr_cpus; i++) {
		if (l->cpu[i].cut)
			return true;
	}
	return false;
}

static void fill_formats(struct tracedat *t)
{
	for (int kind = 0; kind < RWK_EV_COUNT; kind++) {
		const struct rwk_format *fmt = &t->formats.format[kind];

		t->info->has_format[kind] = fmt->present && !fmt->broken;
	}
}

/* Layout and formats, each of which needs a part of the other. */
static int read_headers(struct tracedat *t, const struct rwk_file *file, struct rwk_diag *diag)
{
	struct rwk_tracedat_texts texts = {0};
	struct rwk_lookup_source source = {.texts = &texts, .name = file->path};
	char path[32];
	int err = rwk_tracedat_layout_read(&t->layout, file, &texts, t->info, diag);

	if (!err) {
		/* The file that is open, whatever its name has become since. */
		snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
		source.path = path;
		source.big_endian = t->layout.big_endian;
		source.long_size = t->layout.commit_size;
		err = rwk_tracedat_formats_read(&t->formats, &source, diag);
	}
	rwk_tracedat_texts_finish(&texts);
	return err ? err : rwk_tracedat_layout_cpus(&t->layout, file, &t->formats, t->info, diag);
}

/* The first CPU whose times cannot be put on the host's clock. */
static int32_t without_shift(const struct rwk_tracedat_layout *l)
{
	for (size_t i = 0; i < l->nr_cpus; i++) {
		if (l->cpu[i].size && !rwk_tracedat_session_shifts(&l->session, l->cpu[i].cpu))
			return l->cpu[i].cpu;
	}
	return RWK_NONE;
}

/* All that is read has to be on one clock. */
static int take_session(struct tracedat *t, const struct rwk_file *file,
	struct rwk_trace_info *info, struct rwk_diag *diag)
{
	int32_t cpu = without_shift(&t->layout);

	info->session = (struct rwk_trace_session){.id = t->layout.session.id,
		.host_id = t->layout.session.host_id,
		.complete = cpu == RWK_NONE};
	t->layout.host_clock = info->options->host_clock;
	if (t->layout.host_clock && !t->layout.session.vcpu)
		return rwk_diag_push(diag, -ENOENT,
			"cannot use the host's clock: file=%s why=it says nothing of one "
			"(TIME_SHIFT)",
			file->path);
	if (t->layout.host_clock && cpu != RWK_NONE)
		return rwk_diag_push(diag, -ENOENT,
			"cannot use the host's clock: file=%s cpu=%d why=its TIME_SHIFT has "
			"nothing for that CPU",
			file->path, cpu);
	return rwk_tracedat_session_note(&t->layout.session, info);
}

static int open_tracedat(const struct rwk_file *file, struct rwk_trace_info *info,
	struct rwk_diag *diag, void **ret_state)
{
	struct tracedat *t = calloc(1, sizeof(*t));
	struct rwk_version kernel = {0};
	int err;

	if (!t)
		return -ENOMEM;
	t->info = info;
	err = read_headers(t, file, diag);
	if (err)
		goto out;
	err = take_session(t, file, info, diag);
	if (err)
		goto out;
	if (t->layout.truncated && !any_cut(&t->layout))
		note_truncated(t, RWK_NONE, file->size);
	fill_formats(t);
	/* A release that is no number leaves the version unknown. */
	if (rwk_parse_version(info->release, &kernel))
		kernel = (struct rwk_version){0};
	t->reader = (struct rwk_record_reader){.formats = &t->formats, .swap = t->layout.swap};
	rwk_prev_state_init(&t->reader.prev_state, t->formats.state_fmt, kernel);
	t->env = (struct rwk_pages_env){
		.file = file,
		.layout = &t->layout,
		.anomalies = &info->anomalies,
		.block = block_size(&t->layout),
	};
	err = rwk_tracedat_buffers_choose(
		&t->env, &t->layout, &t->reader, info->options->buffer, diag);
	if (err)
		goto out;
	rwk_tracedat_layout_chosen(&t->layout, info);
	err = open_streams(t);
out:
	if (err) {
		close_tracedat(t);
		return err;
	}
	*ret_state = t;
	return 0;
}

static int next(void *state, struct rwk_event *ret, struct rwk_diag *diag)
{
	struct tracedat *t = state;
	const struct rwk_event *event;
	int err = rwk_merge_next(t->merge, &event, diag);

	if (err > 0)
		*ret = *event;
	return err;
}

static const struct rwk_prev_state *prev_state(const void *state)
{
	const struct tracedat *t = state;

	return &t->reader.prev_state;
}

static int permille(const void *state)
{
	const struct tracedat *t = state;
	int64_t done = 0;

	for (int i = 0; i < t->nr_streams; i++)
		done += rwk_pages_consumed(t->stream[i].pages);
	return done < t->total ? (int)((double)done / (double)t->total * 1000) : 1000;
}

static int64_t data_end(const void *state)
{
	const struct tracedat *t = state;
	int64_t end = t->layout.list_from;

	for (size_t i = 0; i < t->layout.nr_cpus; i++) {
		const struct rwk_tracedat_cpu *cpu = &t->layout.cpu[i];

		if (cpu->offset + cpu->size > end)
			end = cpu->offset + cpu->size;
	}
	return end;
}

const struct rwk_decoder rwk_decoder_tracedat = {
	.probe = probe,
	.open = open_tracedat,
	.next = next,
	.prev_state = prev_state,
	.data_end = data_end,
	.permille = permille,
	.close = close_tracedat,
};
