/*
 * The decoder of perf.data files: joins the layout, the records, the queues of
 * each CPU and the merge.
 *
 * perf empties the buffers of all CPUs in rounds, one buffer after the other,
 * and ends each round with a record.  What is still in a buffer then is older
 * than nothing that the round after it will not bring: so after a round, all
 * that is earlier than the latest time of the round before it can go.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "decode/bytes.h"
#include "decode/merge.h"
#include "decode/ops.h"
#include "decode/perf_borrow.h"
#include "decode/perf_intake.h"
#include "decode/perf_scan.h"
#include "decode/tracedat_lookup.h"

#define MEMORY_FOR_QUEUES (32 << 20)

struct perf {
	const struct rwk_file *file;
	struct rwk_trace_info *info;
	struct rwk_perf_layout layout;
	struct rwk_tracedat_formats formats;
	struct rwk_perf_borrowed borrowed;
	struct rwk_perf_stream stream;
	struct rwk_perf_intake intake;
	struct rwk_perf_queues *queues;
	struct rwk_merge *merge;
	struct rwk_ev_probe *probe; /* of each CPU, of the event that the merge has */
	struct rwk_file part; /* one of those beside the file that have the rest of the records */
	int nr_parts; /* begun */
	rwk_ns max_before; /* of all samples up to the last round */
	rwk_ns bound; /* events before it can go */
	bool ended;
};

static bool probe(const unsigned char *head, size_t size)
{
	return size >= 8 && (!memcmp(head, "PERFILE2", 8) || !memcmp(head, "2ELIFREP", 8));
}

/* What perf writes into a pipe, whose headers are short. */
static bool streams(const unsigned char *head, size_t size)
{
	return size >= 16 && rwk_bytes_u64(head + 8, rwk_bytes_swap(head[0] == '2')) == 16;
}

static void close_perf(void *state)
{
	struct perf *p = state;

	if (!p)
		return;
	rwk_merge_destroy(p->merge);
	rwk_perf_queues_destroy(p->queues);
	rwk_perf_stream_close(&p->stream);
	rwk_file_close(&p->part);
	rwk_tracedat_formats_finish(&p->formats);
	rwk_perf_layout_finish(&p->layout);
	free(p->intake.cpu);
	free(p->probe);
	free(p);
}

static void note_truncated(struct perf *p, int64_t offset)
{
	if (p->info->truncated)
		return;
	p->info->truncated = true;
	p->info->truncated_at = offset;
	rwk_anomaly_add(
		&p->info->anomalies, RWK_AN_TRUNCATED, RWK_NS_NONE, p->intake.last_cpu, offset);
}

/* The end of a file of records: 0, also when others follow. */
static int end_records(struct perf *p, struct rwk_diag *diag)
{
	int more;

	if (p->stream.cut_at != RWK_NONE || rwk_file_cut(p->stream.file))
		note_truncated(p, p->stream.cut_at != RWK_NONE ? p->stream.cut_at : p->stream.pos);
	more = rwk_perf_next_part(&p->layout, p->file, &p->nr_parts, &p->part, &p->stream, diag);
	if (more)
		return more < 0 ? more : 0;
	p->ended = true;
	p->bound = INT64_MAX;
	return rwk_perf_intake_end(&p->intake, diag);
}

/* All records up to the end of a round, after which events can go. */
static int read_round(struct perf *p, struct rwk_diag *diag)
{
	struct rwk_perf_record rec;
	int got;

	while ((got = rwk_perf_stream_next(&p->stream, &rec, diag)) > 0) {
		int err;

		/* The rounds of one file say nothing of the others. */
		if (rec.type == RWK_PERF_RECORD_FINISHED_ROUND && !p->layout.directory) {
			p->bound = p->max_before;
			p->max_before = p->intake.max_ts;
			return 0;
		}
		err = rwk_perf_intake_record(&p->intake, &rec, diag);
		if (err)
			return err;
	}
	return got < 0 ? got : end_records(p, diag);
}

static int pull(void *ctx, int index, struct rwk_event *ret, struct rwk_diag *diag)
{
	struct perf *p = ctx;

	if (rwk_perf_queues_next_ts(p->queues, index) >= p->bound)
		return 0;
	return rwk_perf_queues_pop(p->queues, index, ret, &p->probe[index], diag);
}

static int next(void *state, struct rwk_event *ret, struct rwk_diag *diag)
{
	struct perf *p = state;
	const struct rwk_event *event;

	for (;;) {
		int err = rwk_merge_next(p->merge, &event, diag);

		if (err > 0)
			*ret = *event;
		if (err)
			return err;
		if (p->ended)
			return 0;
		err = read_round(p, diag);
		for (int cpu = 0; cpu < p->info->nr_cpus && !err; cpu++) {
			if (rwk_perf_queues_next_ts(p->queues, cpu) < p->bound)
				err = rwk_merge_wake(p->merge, cpu, diag);
		}
		if (err)
			return err;
	}
}

static const struct rwk_prev_state *prev_state(const void *state)
{
	const struct perf *p = state;

	return &p->intake.reader.prev_state;
}

static int permille(const void *state)
{
	const struct perf *p = state;
	int64_t total = p->stream.end - p->layout.data;
	int64_t done = p->stream.pos - p->layout.data;

	if (p->layout.directory)
		return p->ended ? 1000 : 0;
	return done < total ? (int)((double)done / (double)total * 1000) : 1000;
}

static int open_cpus(struct perf *p, const struct rwk_file *file, struct rwk_diag *diag)
{
	int32_t cpus[RWK_MAX_CPUS];
	bool scan = !p->layout.nr_cpus || p->borrowed.used;
	int err = scan ? rwk_perf_scan(&p->layout, file, &p->formats, &p->borrowed,
				 p->info->formats_from, diag)
		       : 0;
	size_t nr = (size_t)p->layout.nr_cpus;

	if (err)
		return err;
	p->intake.cpu = calloc(nr + 1, sizeof(*p->intake.cpu));
	p->probe = calloc(nr + 1, sizeof(*p->probe));
	if (!p->intake.cpu || !p->probe || rwk_trace_info_cpus(p->info, (int)nr))
		return -ENOMEM;
	p->info->nr_cpus = (int)nr;
	for (size_t i = 0; i < nr; i++)
		cpus[i] = (int32_t)i;
	err = rwk_perf_queues_create((int)nr, MEMORY_FOR_QUEUES, &p->queues);
	p->intake.queues = p->queues;
	if (!err)
		err = rwk_merge_create((int)nr, cpus, pull, p, &p->info->anomalies, &p->merge);
	return err ? err
		   : rwk_perf_stream_open(
			     &p->stream, file, p->layout.data, p->layout.data_end, p->layout.swap);
}

/* What the samples of tracepoints must have to be of any use. */
static int check_attrs(struct perf *p, const struct rwk_file *file,
	const struct rwk_tracedat_texts *texts, struct rwk_diag *diag)
{
	const struct rwk_perf_attrs *attrs = &p->layout.attrs;
	size_t nr = 0, nr_good = 0, nr_known = 0;
	const char *why = NULL;

	for (size_t i = 0; i < attrs->nr; i++) {
		const struct rwk_perf_attr *a = &attrs->attr[i];

		if (a->type != RWK_PERF_TYPE_TRACEPOINT)
			continue;
		nr++;
		nr_known += rwk_tracedat_texts_has(texts, a->config);
		if (a->at.time < 0)
			why = "its samples have no times (perf record -T keeps them)";
		else if (a->at.cpu < 0)
			why = "its samples have no CPUs (perf record --sample-cpu keeps them)";
		else if (!(a->sample_type & RWK_PERF_SAMPLE_RAW))
			why = "its samples have no fields (perf record -R keeps them)";
		else
			nr_good++;
	}
	if (nr && (!p->layout.has_texts || (p->layout.texts_cut && !nr_known)) && !p->borrowed.used)
		why = p->layout.cut
			      ? "the file ends before its event formats, which perf writes "
				"when a recording ends (--formats takes those of another recording "
				"of the same kernel); a recording to a pipe has them in front"
			      : "it has no event formats (--formats takes those of another "
				"recording of the same kernel)";
	else if (nr_good || !nr)
		return 0;
	return rwk_diag_push(diag, -EBADMSG, "cannot read perf.data: file=%s offset=0x%llx why=%s",
		file->path, (unsigned long long)(p->layout.cut ? file->size : p->layout.data), why);
}

static int read_formats(struct perf *p, const struct rwk_file *file,
	const struct rwk_tracedat_texts *texts, struct rwk_diag *diag)
{
	const struct rwk_lookup_source source = {
		.name = file->path,
		.texts = texts,
		.big_endian = p->layout.big_endian,
		.long_size = p->layout.long_size,
	};
	int err = rwk_tracedat_formats_read(&p->formats, &source, diag);

	if (!err && p->borrowed.used)
		rwk_perf_borrow_sizes(&p->borrowed, texts, &p->formats);
	if (err == -EBADMSG)
		rwk_diag_push(diag, err, "cannot read perf.data: file=%s offset=0x%llx", file->path,
			(unsigned long long)p->layout.texts_at);
	for (int kind = 0; kind < RWK_EV_COUNT && !err; kind++) {
		const struct rwk_format *fmt = &p->formats.format[kind];

		p->info->has_format[kind] = fmt->present && !fmt->broken;
	}
	return err;
}

static bool any_tracepoint(const struct rwk_perf_attrs *attrs)
{
	for (size_t i = 0; i < attrs->nr; i++) {
		if (attrs->attr[i].type == RWK_PERF_TYPE_TRACEPOINT)
			return true;
	}
	return false;
}

static void name_format(struct perf *p)
{
	static const char *const names[2][2] = {
		{"perf.data", "perf.data (zstd)"},
		{"perf.data (pipe)", "perf.data (pipe, zstd)"},
	};

	p->info->format = names[p->layout.pipe][p->layout.compressed];
}

static void name_clock(struct perf *p)
{
	static const char *const names[] = {
		[0] = "realtime", [1] = "mono", [4] = "mono_raw", [7] = "boot", [11] = "tai"};
	int id = p->layout.attrs.nr ? p->layout.attrs.attr[0].clockid : -1;
	const char *name = id < 0 ? "perf" : id <= 11 ? names[id] : NULL;

	if (name)
		snprintf(p->info->clock, sizeof(p->info->clock), "%s", name);
	else
		snprintf(p->info->clock, sizeof(p->info->clock), "clockid %d", id);
}

static int open_perf(const struct rwk_file *file, struct rwk_trace_info *info,
	struct rwk_diag *diag, void **ret_state)
{
	struct perf *p = calloc(1, sizeof(*p));
	struct rwk_tracedat_texts texts = {0};
	struct rwk_version kernel = {0};
	int err;

	if (!p)
		return -ENOMEM;
	p->file = file;
	p->part = (struct rwk_file){.fd = -1, .folder = -1};
	p->info = info;
	p->intake = (struct rwk_perf_intake){
		.info = info,
		.layout = &p->layout,
		.borrowed = &p->borrowed,
		.last_cpu = RWK_NONE,
		.max_ts = INT64_MIN,
	};
	p->max_before = p->bound = INT64_MIN;
	err = rwk_perf_layout_read(&p->layout, file, &texts, info, diag);
	if (!err && info->options->formats && any_tracepoint(&p->layout.attrs) &&
		(!p->layout.has_texts || p->layout.texts_cut))
		err = rwk_perf_borrow(
			&p->layout, file, info->options->formats, &texts, info, &p->borrowed, diag);
	if (!err)
		err = check_attrs(p, file, &texts, diag);
	if (!err && any_tracepoint(&p->layout.attrs))
		err = read_formats(p, file, &texts, diag);
	rwk_tracedat_texts_finish(&texts);
	if (!err)
		err = open_cpus(p, file, diag);
	p->intake.reader =
		(struct rwk_record_reader){.formats = &p->formats, .swap = p->layout.swap};
	if (err) {
		close_perf(p);
		return err;
	}
	/* Where data ends early, the records will tell. */
	if (p->layout.cut && p->layout.data_end <= file->size)
		note_truncated(p, file->size);
	name_format(p);
	name_clock(p);
	if (rwk_parse_version(info->release, &kernel))
		kernel = (struct rwk_version){0};
	rwk_prev_state_init(&p->intake.reader.prev_state, p->formats.state_fmt, kernel);
	*ret_state = p;
	return 0;
}

/* A stream of records meets the next one's header as a record that cannot be. */
static int64_t data_end(const void *state)
{
	const struct perf *p = state;

	return p->layout.pipe ? INT64_MAX : p->layout.data_end;
}

const struct rwk_decoder rwk_decoder_perf = {
	.probe = probe,
	.streams = streams,
	.open = open_perf,
	.next = next,
	.prev_state = prev_state,
	.data_end = data_end,
	.permille = permille,
	.close = close_perf,
};
