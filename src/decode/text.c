/*
 * The decoder of ftrace text, for hand-written and diffable input: headings
 * in front, one event per line.  Lines may be somewhat out of order: a window
 * of them is sorted by CPU and merged like the streams of a trace.dat.
 *   # rewake: release=6.1.0 clock=local
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "decode/merge.h"
#include "decode/ops.h"
#include "decode/text_line.h"

#define BUFFER   (64 << 10) /* also the longest line */
#define WINDOW   1024 /* events waiting */
#define NR_SLOTS (WINDOW + RWK_MAX_CPUS + 2)

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
	char *buffer; /* BUFFER + 1 bytes */
	size_t len, at;
	int64_t pos; /* of the buffer's end in the file */
	int64_t line;
	bool skip_line; /* the line was too long: drop the rest of it */
	bool ended;
};

/* One line of the first bytes that only such a text has. */
static bool probe(const unsigned char *head, size_t size)
{
	char line[512];

	if (memchr(head, '\0', size))
		return false;
	while (size) {
		const unsigned char *eol = memchr(head, '\n', size);
		size_t n = eol ? (size_t)(eol - head) : size;
		struct rwk_text_line parsed;

		snprintf(line, sizeof(line), "%.*s", (int)n, (const char *)head);
		rwk_text_line_parse(line, &parsed);
		if (parsed.kind == RWK_TEXT_EVENT || parsed.kind == RWK_TEXT_LOST ||
			!strncmp(line, "# tracer:", 9) || !strncmp(line, "# rewake:", 9) ||
			!strncmp(line, "cpus=", 5))
			return true;
		n += eol != NULL;
		head += n;
		size -= n;
	}
	return false;
}

static void close_text(void *state)
{
	struct text *t = state;

	if (!t)
		return;
	rwk_merge_destroy(t->merge);
	free(t->slot);
	free(t->buffer);
	free(t);
}

static void bad_line(struct text *t, enum rwk_anomaly_kind kind, rwk_ns ts, int cpu)
{
	rwk_anomaly_add(&t->info->anomalies, kind, ts, cpu, t->line);
}

/* Next line, terminated, in the buffer: 1, 0 at the end, negative errno. */
static int read_line(struct text *t, char **ret, struct rwk_diag *diag)
{
	for (;;) {
		char *eol = memchr(t->buffer + t->at, '\n', t->len - t->at);
		int64_t n;

		if (eol || (t->ended && t->at < t->len)) {
			*ret = t->buffer + t->at;
			t->at = eol ? (size_t)(eol - t->buffer) + 1 : t->len;
			*(eol ? eol : t->buffer + t->len) = '\0';
			t->line++;
			if (!t->skip_line)
				return 1;
			t->skip_line = false;
			continue;
		}
		if (t->ended)
			return 0;
		memmove(t->buffer, t->buffer + t->at, t->len - t->at);
		t->len -= t->at;
		t->at = 0;
		if (t->len == BUFFER) {
			if (!t->skip_line)
				rwk_anomaly_add(&t->info->anomalies, RWK_AN_BAD_RECORD, RWK_NS_NONE,
					RWK_NONE, t->line + 1);
			t->skip_line = true;
			t->len = 0;
		}
		n = rwk_file_read(t->file, t->pos, t->buffer + t->len, BUFFER - t->len, diag);
		if (n < 0)
			return (int)n;
		t->ended = !n;
		t->pos += n;
		t->len += (size_t)n;
	}
}

/* "key=value" of a heading into buf. */
static void heading_value(const char *line, const char *key, char *buf, size_t size)
{
	const char *p = strstr(line, key);
	size_t n;

	if (!p)
		return;
	p += strlen(key);
	n = strcspn(p, " \t\r\n");
	if (n && n < size)
		snprintf(buf, size, "%.*s", (int)n, p);
}

static void read_heading(struct text *t, const char *line)
{
	struct rwk_version kernel;

	if (strncmp(line, "# rewake:", 9))
		return;
	heading_value(line, "release=", t->info->release, sizeof(t->info->release));
	heading_value(line, "clock=", t->info->clock, sizeof(t->info->clock));
	if (!rwk_parse_version(t->info->release, &kernel))
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
	if (c->lost)
		err = enqueue_lost(t, cpu, line->ts, t->line, diag);
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
		.offset = t->line,
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

static int add_line(struct text *t, const char *text, struct rwk_diag *diag)
{
	struct rwk_text_line line;

	rwk_text_line_parse(text, &line);
	switch (line.kind) {
	case RWK_TEXT_COMMENT:
		read_heading(t, text);
		return 0;
	case RWK_TEXT_LOST:
		note_lost(t, &line);
		return 0;
	case RWK_TEXT_EVENT:
		if (line.cpu < RWK_MAX_CPUS)
			return add_event(t, &line, diag);
		bad_line(t, RWK_AN_CPU_OUT_OF_RANGE, line.ts, RWK_NONE);
		return 0;
	default:
		bad_line(t, RWK_AN_BAD_RECORD, RWK_NS_NONE, RWK_NONE);
		return 0;
	}
}

/* Gaps behind the last event of their CPU. */
static int add_last_gaps(struct text *t, struct rwk_diag *diag)
{
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
		int err = read_line(t, &line, diag);

		if (!err)
			return add_last_gaps(t, diag);
		if (err > 0)
			err = add_line(t, line, diag);
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

static int open_text(const struct rwk_file *file, struct rwk_trace_info *info,
	struct rwk_diag *diag, void **ret_state)
{
	struct text *t = calloc(1, sizeof(*t));
	int32_t cpus[RWK_MAX_CPUS];
	int err = -ENOMEM;

	if (!t)
		return -ENOMEM;
	t->file = file;
	t->info = info;
	info->format = "ftrace text";
	rwk_prev_state_init(&t->states, NULL, (struct rwk_version){0});
	t->buffer = malloc(BUFFER + 1);
	t->slot = calloc(NR_SLOTS, sizeof(*t->slot));
	info->cpu = calloc(RWK_MAX_CPUS, sizeof(*info->cpu));
	if (!t->buffer || !t->slot || !info->cpu)
		goto out;
	for (int i = 0; i < NR_SLOTS; i++)
		t->slot[i].next = i + 1 < NR_SLOTS ? i + 1 : -1;
	for (int i = 0; i < RWK_MAX_CPUS; i++) {
		cpus[i] = i;
		t->cpu[i] = (struct cpu){.first = -1, .last = -1, .given = -1};
		info->cpu[i] = (struct rwk_trace_cpu){
			.entries = RWK_NONE,
			.overrun = RWK_NONE,
			.dropped = RWK_NONE,
			.first_ts = RWK_NS_NONE,
			.last_ts = RWK_NS_NONE,
		};
	}
	err = rwk_merge_create(RWK_MAX_CPUS, cpus, pull, t, &info->anomalies, &t->merge);
	/* Headings stand in front, so that reading the first window finds them. */
	if (!err)
		err = fill(t, diag);
out:
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

static int permille(const void *state)
{
	const struct text *t = state;

	return t->file->size > 0 ? (int)((double)(t->pos - (int64_t)(t->len - t->at)) /
					   (double)t->file->size * 1000)
				 : 1000;
}

const struct rwk_decoder rwk_decoder_text = {
	.probe = probe,
	.open = open_text,
	.next = next,
	.permille = permille,
	.close = close_text,
};
