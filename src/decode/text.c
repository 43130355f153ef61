/*
 * The decoder of text: headings in front, one event per line.  Lines may be
 * somewhat out of order: a window of them is sorted by CPU and merged like the
 * streams of a trace.dat.  A hand-written text can say
 *   # rewake: release=6.1.0 clock=local
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "decode/merge.h"
#include "decode/ops.h"
#include "decode/text_heading.h"
#include "decode/text_line.h"
#include "decode/text_reader.h"

#define SCAN_OF_STREAM (8 << 20) /* bytes: as many as can be kept */
#define WINDOW         1024 /* events waiting */
#define NR_SLOTS       (WINDOW + RWK_MAX_CPUS + 2)

/* An event waiting, or the last that a CPU gave to the merge: its probe is still borrowed. */
struct slot {
	struct rwk_event event;
	struct rwk_ev_probe probe;
	int next; /* in its CPU's queue or the free list; -1 none */
};

struct cpu {
	int first, last; /* queue of slots, -1 none */
	int given; /* slot whose event the merge holds, -1 none */
	int64_t lost; /* told by a marker, 0: none, RWK_NONE: unknown number */
	bool seen_switch;
};

struct text {
	const struct rwk_file *file;
	struct rwk_trace_info *info;
	struct rwk_prev_state states;
	struct rwk_merge *merge;
	struct cpu cpu[RWK_MAX_CPUS];
	struct slot *slot;
	int free_slot, nr_queued;
	struct rwk_text_reader reader;
	int64_t nr_lines; /* events */
	int64_t nr_no_cpu; /* events printed without their CPU */
	int64_t block_with_events; /* the last block of a page that has shown one */
};

static void close_text(void *state)
{
	struct text *t = state;

	if (!t)
		return;
	rwk_merge_destroy(t->merge);
	free(t->slot);
	rwk_text_reader_finish(&t->reader);
	free(t);
}

static void bad_line(struct text *t, enum rwk_anomaly_kind kind, rwk_ns ts, int cpu)
{
	rwk_anomaly_add(&t->info->anomalies, kind, ts, cpu, t->reader.line);
}

static void read_heading(struct text *t, const char *line)
{
	struct rwk_version kernel;
	bool known = t->info->release[0];

	rwk_text_heading_read(line, t->info);
	if (!known && t->info->release[0] && !rwk_parse_version(t->info->release, &kernel))
		rwk_prev_state_init(&t->states, NULL, kernel);
}

static int take_slot(struct text *t)
{
	int i = t->free_slot;

	t->free_slot = t->slot[i].next;
	return i;
}

static void release_slot(struct text *t, int i)
{
	t->slot[i].next = t->free_slot;
	t->free_slot = i;
}

static int enqueue(struct text *t, int cpu, int i, struct rwk_diag *diag)
{
	struct cpu *c = &t->cpu[cpu];

	t->slot[i].next = -1;
	if (c->last >= 0)
		t->slot[c->last].next = i;
	else
		c->first = i;
	c->last = i;
	t->nr_queued++;
	return rwk_merge_wake(t->merge, cpu, diag);
}

static int enqueue_lost(struct text *t, int cpu, rwk_ns ts, int64_t line, struct rwk_diag *diag)
{
	struct rwk_trace_cpu *count = &t->info->cpu[cpu];
	struct cpu *c = &t->cpu[cpu];
	int i = take_slot(t);

	t->slot[i].event = (struct rwk_event){
		.ts = ts,
		.offset = line,
		.cpu = cpu,
		.tid = RWK_NONE,
		.kind = RWK_EV_LOST,
		.lost = {.count = c->lost, .from_ts = count->last_ts},
	};
	if (c->lost > 0)
		count->nr_lost += c->lost;
	c->lost = 0;
	c->seen_switch = false;
	return enqueue(t, cpu, i, diag);
}

static void note_cpu(struct text *t, int cpu)
{
	t->info->cpu[cpu].present = true;
	if (cpu >= t->info->nr_cpus)
		t->info->nr_cpus = cpu + 1;
}

static void note_lost(struct text *t, const struct rwk_text_line *line)
{
	struct cpu *c;

	if (line->cpu >= RWK_MAX_CPUS) {
		bad_line(t, RWK_AN_CPU_OUT_OF_RANGE, RWK_NS_NONE, RWK_NONE);
		return;
	}
	note_cpu(t, (int)line->cpu);
	c = &t->cpu[line->cpu];
	/* Far more than any ring buffer holds is a misprint: how many is then unknown. */
	if (c->lost < 0 || line->lost <= 0 || line->lost > INT32_MAX)
		c->lost = RWK_NONE;
	else
		c->lost += line->lost;
}

static int add_event(struct text *t, const struct rwk_text_line *line, struct rwk_diag *diag)
{
	int cpu = (int)line->cpu, i, err = 0;
	struct rwk_trace_cpu *count = &t->info->cpu[cpu];
	struct cpu *c = &t->cpu[cpu];
	enum rwk_text_result result;
	struct rwk_event *ev;

	note_cpu(t, cpu);
	if (line->tgid != RWK_NONE)
		err = rwk_processes_add(&t->info->processes, line->tid, line->tgid);
	if (!err && c->lost)
		err = enqueue_lost(t, cpu, line->ts, t->reader.line, diag);
	if (err)
		return err;
	count->nr_events++;
	if (count->first_ts == RWK_NS_NONE)
		count->first_ts = line->ts;
	if (line->ts > count->last_ts)
		count->last_ts = line->ts;
	i = take_slot(t);
	ev = &t->slot[i].event;
	*ev = (struct rwk_event){
		.ts = line->ts,
		.offset = t->reader.line,
		.cpu = cpu,
		.tid = line->tid,
		.flags = line->flags,
	};
	result = rwk_text_fields_parse(line, &t->states, ev, &t->slot[i].probe);
	if (result == RWK_TEXT_OTHER)
		ev->kind = RWK_EV_OTHER;
	t->info->has_format[ev->kind] = true;
	if (ev->kind == RWK_EV_SWITCH && result == RWK_TEXT_FILLED)
		c->seen_switch = true;
	if (result == RWK_TEXT_FILLED || (result == RWK_TEXT_OTHER && !c->seen_switch))
		return enqueue(t, cpu, i, diag);
	release_slot(t, i);
	if (result != RWK_TEXT_OTHER)
		bad_line(t,
			result == RWK_TEXT_MALFORMED ? RWK_AN_BAD_RECORD : RWK_AN_CPU_OUT_OF_RANGE,
			line->ts, cpu);
	return 0;
}

/* By the first event; times without nanoseconds leave their order to the lines. */
static void name_format(struct text *t, const struct rwk_text_line *line)
{
	static const char *const names[2][2] = {
		{"ftrace text", "systrace page"}, {"perf script text", "perf script page"}};

	t->info->format = names[line->perf][t->reader.html];
	if (line->coarse)
		rwk_merge_order_by_offset(t->merge);
}

/* Lines of a page's other blocks, such as lists of processes, are none of ours. */
static bool is_of_trace(const struct text *t)
{
	return !t->reader.html || t->block_with_events == t->reader.nr_blocks;
}

static void note_cut_at(struct text *t, int64_t offset)
{
	if (t->info->truncated)
		return;
	t->info->truncated = true;
	t->info->truncated_at = offset;
	rwk_anomaly_add(&t->info->anomalies, RWK_AN_TRUNCATED, RWK_NS_NONE, RWK_NONE, offset);
}

/* The packing of the file ended too early, or was damaged: what was in it ends here. */
static void note_cut(struct text *t)
{
	if (rwk_file_cut(t->file))
		note_cut_at(t, rwk_text_reader_consumed(&t->reader));
}

static int add_line(struct text *t, const char *text, struct rwk_diag *diag)
{
	struct rwk_text_line line;

	rwk_text_line_parse(text, &line);
	/* A line without its end may be the beginning of one: its last number is half of it. */
	if (t->reader.unended && is_of_trace(t) && *text && !rwk_text_line_is_whole(&line)) {
		note_cut_at(t, t->reader.line_at);
		return 0;
	}
	switch (line.kind) {
	case RWK_TEXT_COMMENT:
		read_heading(t, text);
		return 0;
	case RWK_TEXT_LOST:
		note_lost(t, &line);
		return 0;
	case RWK_TEXT_EVENT:
		t->block_with_events = t->reader.nr_blocks;
		if (!t->nr_lines++)
			name_format(t, &line);
		if (line.cpu < RWK_MAX_CPUS)
			return add_event(t, &line, diag);
		bad_line(t, RWK_AN_CPU_OUT_OF_RANGE, line.ts, RWK_NONE);
		return 0;
	case RWK_TEXT_NO_CPU:
		t->nr_no_cpu++;
		bad_line(t, RWK_AN_BAD_RECORD, line.ts, RWK_NONE);
		return 0;
	default:
		if (is_of_trace(t))
			bad_line(t, RWK_AN_BAD_RECORD, RWK_NS_NONE, RWK_NONE);
		return 0;
	}
}

/* Gaps behind the last event of their CPU. */
static int add_last_gaps(struct text *t, struct rwk_diag *diag)
{
	note_cut(t);
	for (int cpu = 0; cpu < t->info->nr_cpus; cpu++) {
		rwk_ns last = t->info->cpu[cpu].last_ts;
		int err = 0;

		if (t->cpu[cpu].lost && last != RWK_NS_NONE)
			err = enqueue_lost(t, cpu, last, RWK_NONE, diag);
		if (err)
			return err;
	}
	return 0;
}

/* Lines into the window until it is full. */
static int fill(struct text *t, struct rwk_diag *diag)
{
	while (t->nr_queued < WINDOW) {
		char *line = NULL;
		int err = rwk_text_reader_next(&t->reader, &line, diag);

		if (!err)
			return add_last_gaps(t, diag);
		if (err > 0 && !line)
			rwk_anomaly_add(&t->info->anomalies, RWK_AN_BAD_RECORD, RWK_NS_NONE,
				RWK_NONE, t->reader.line + 1);
		if (err > 0)
			err = line ? add_line(t, line, diag) : 0;
		if (err < 0)
			return err;
	}
	return 0;
}

static int pull(void *ctx, int stream, struct rwk_event *ret, struct rwk_diag *diag)
{
	struct text *t = ctx;
	struct cpu *c = &t->cpu[stream];

	(void)diag;
	if (c->given >= 0)
		release_slot(t, c->given);
	c->given = c->first;
	if (c->first < 0)
		return 0;
	*ret = t->slot[c->first].event;
	c->first = t->slot[c->first].next;
	if (c->first < 0)
		c->last = -1;
	t->nr_queued--;
	return 1;
}

/* What the first window has shown to be of no use. */
static int check_start(const struct text *t, struct rwk_diag *diag)
{
	const char *why = NULL;

	if (t->reader.html && !t->reader.nr_blocks && t->reader.has_packed)
		why = "a page of trace2html, whose trace data is packed (give the trace that it "
		      "was "
		      "made of)";
	else if (t->reader.html && !t->reader.nr_blocks)
		why = "a page without trace data";
	else if (t->nr_no_cpu && !t->nr_lines)
		why = "its events have no CPUs (perf script -F +cpu prints them)";
	return why ? rwk_diag_push(
			     diag, -EBADMSG, "cannot read text: file=%s why=%s", t->file->path, why)
		   : 0;
}

static int alloc_text(struct text *t, bool html)
{
	t->slot = calloc(NR_SLOTS, sizeof(*t->slot));
	if (!t->slot || rwk_trace_info_cpus(t->info, RWK_MAX_CPUS))
		return -ENOMEM;
	for (int i = 0; i < NR_SLOTS; i++)
		t->slot[i].next = i + 1 < NR_SLOTS ? i + 1 : -1;
	for (int i = 0; i < RWK_MAX_CPUS; i++)
		t->cpu[i] = (struct cpu){.first = -1, .last = -1, .given = -1};
	return rwk_text_reader_init(&t->reader, t->file, html);
}

static int is_html(const struct rwk_file *file, bool *ret, struct rwk_diag *diag)
{
	unsigned char head[256];
	int64_t n = rwk_file_read(file, 0, head, sizeof(head), diag);

	*ret = n > 0 && rwk_text_reader_is_page(head, (size_t)n);
	return n < 0 ? (int)n : 0;
}

static bool streams(const unsigned char *head, size_t size)
{
	(void)head;
	(void)size;
	return true;
}

static int open_text(const struct rwk_file *file, struct rwk_trace_info *info,
	struct rwk_diag *diag, void **ret_state)
{
	struct text *t = calloc(1, sizeof(*t));
	int32_t cpus[RWK_MAX_CPUS];
	bool html = false;
	int err;

	if (!t)
		return -ENOMEM;
	t->file = file;
	t->info = info;
	info->format = "text";
	rwk_prev_state_init(&t->states, NULL, (struct rwk_version){0});
	for (int i = 0; i < RWK_MAX_CPUS; i++)
		cpus[i] = i;
	err = is_html(file, &html, diag);
	if (!err)
		err = alloc_text(t, html);
	if (!err)
		err = rwk_text_cpus_scan(file, html, file->stream ? SCAN_OF_STREAM : INT64_MAX,
			&info->nr_cpus, diag);
	if (!err)
		err = rwk_merge_create(RWK_MAX_CPUS, cpus, pull, t, &info->anomalies, &t->merge);
	/* Headings stand in front, so that reading the first window finds them. */
	if (!err)
		err = fill(t, diag);
	if (!err)
		err = check_start(t, diag);
	if (err) {
		close_text(t);
		return err;
	}
	*ret_state = t;
	return 0;
}

static int next(void *state, struct rwk_event *ret, struct rwk_diag *diag)
{
	struct text *t = state;
	const struct rwk_event *event;
	int err = fill(t, diag);

	if (!err)
		err = rwk_merge_next(t->merge, &event, diag);
	if (err > 0)
		*ret = *event;
	return err;
}

static const struct rwk_prev_state *prev_state(const void *state)
{
	const struct text *t = state;

	return &t->states;
}

static int permille(const void *state)
{
	const struct text *t = state;

	return t->file->size > 0 ? (int)((double)rwk_text_reader_consumed(&t->reader) /
					   (double)t->file->size * 1000)
				 : 1000;
}

const struct rwk_decoder rwk_decoder_text = {
	.probe = rwk_text_probe,
	.streams = streams,
	.open = open_text,
	.next = next,
	.prev_state = prev_state,
	.permille = permille,
	.close = close_text,
};
