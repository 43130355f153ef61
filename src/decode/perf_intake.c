/* What each record says of events, and how the losses among them are placed. */
#include "decode/perf_intake.h"

#include <errno.h>

#include "decode/bytes.h"
#include "decode/perf_sample.h"

#define MISC_NOT_LOST (1 << 15) /* of a LOST_SAMPLES: a filter dropped them on purpose */

static void bad_record(struct rwk_perf_intake *in, rwk_ns ts, int cpu, int64_t offset)
{
	rwk_anomaly_add(&in->info->anomalies, RWK_AN_BAD_RECORD, ts, cpu, offset);
}

static int64_t add_counts(int64_t a, int64_t b)
{
	int64_t sum;

	if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum))
		return RWK_NONE;
	return sum;
}

static void add_loss(struct rwk_perf_loss *into, int64_t count, int64_t offset)
{
	if (!into->present)
		*into = (struct rwk_perf_loss){.present = true, .offset = offset};
	into->count = add_counts(into->count, count);
}

/* A gap in front of ts. */
static int push_loss(struct rwk_perf_intake *in, int cpu, const struct rwk_perf_loss *loss,
	rwk_ns ts, struct rwk_diag *diag)
{
	struct rwk_perf_intake_cpu *c = &in->cpu[cpu];
	struct rwk_trace_cpu *count = &in->info->cpu[cpu];
	struct rwk_event ev = {
		.ts = ts,
		.offset = loss->offset,
		.cpu = cpu,
		.tid = RWK_NONE,
		.kind = RWK_EV_LOST,
		.lost = {.count = loss->count,
			/* Records of one time may stand in any order. */
			.from_ts = count->last_ts < ts ? count->last_ts : ts},
	};
	int64_t sum = add_counts(count->nr_lost, loss->count);

	if (sum != RWK_NONE)
		count->nr_lost = sum;
	c->seen_switch = false;
	return rwk_perf_queues_push(in->queues, &ev, diag);
}

/* The losses in front of a CPU's record at ts. */
static int push_losses(struct rwk_perf_intake *in, int cpu, rwk_ns ts, struct rwk_diag *diag)
{
	struct rwk_perf_loss *own = &in->cpu[cpu].loss;
	int err = 0;

	if (in->loss.present) {
		add_loss(own, in->loss.count, in->loss.offset);
		in->loss = (struct rwk_perf_loss){0};
	}
	if (own->present)
		err = push_loss(in, cpu, own, ts, diag);
	*own = (struct rwk_perf_loss){0};
	return err;
}

static void count_record(struct rwk_trace_cpu *count, rwk_ns ts)
{
	count->present = true;
	count->nr_events++;
	if (count->first_ts == RWK_NS_NONE || ts < count->first_ts)
		count->first_ts = ts;
	if (ts > count->last_ts)
		count->last_ts = ts;
}

static void count_unknown(struct rwk_perf_intake *in, int id)
{
	if (id >= 0 && !(in->unknown_ids[id / 64] >> (id % 64) & 1)) {
		in->unknown_ids[id / 64] |= UINT64_C(1) << (id % 64);
		in->info->nr_unknown_ids++;
	}
}

/* Whether the sample becomes an event that is given out. */
static bool decode(
	struct rwk_perf_intake *in, const struct rwk_perf_sample *s, struct rwk_event *ev)
{
	static const enum rwk_anomaly_kind anomaly[RWK_RECORD_COUNT] = {
		[RWK_RECORD_UNKNOWN_ID] = RWK_AN_UNKNOWN_EVENT,
		[RWK_RECORD_BAD] = RWK_AN_BAD_RECORD,
		[RWK_RECORD_CPU_OUT_OF_RANGE] = RWK_AN_CPU_OUT_OF_RANGE,
	};
	struct rwk_perf_intake_cpu *c = &in->cpu[s->cpu];
	enum rwk_record_result result = RWK_RECORD_OTHER;
	int id;

	ev->tid = s->tid;
	ev->flags = 0;
	if (s->attr->type == RWK_PERF_TYPE_TRACEPOINT) {
		result = s->raw ? rwk_record_decode(
					  &in->reader, s->raw, s->raw_size, ev, &in->probe, &id)
				: RWK_RECORD_BAD;
		/* A record that is not of the event that was opened. */
		if (s->raw && id >= 0 && (uint64_t)id != s->attr->config)
			result = RWK_RECORD_BAD;
		if (result == RWK_RECORD_EVENT && in->borrowed->used &&
			!rwk_perf_borrow_fits(in->borrowed, in->reader.formats,
				rwk_tracedat_format_find(in->reader.formats, (uint64_t)id), s, ev))
			result = RWK_RECORD_BAD;
		if (result == RWK_RECORD_UNKNOWN_ID)
			count_unknown(in, id);
	}
	ev->ts = s->ts;
	ev->cpu = s->cpu;
	if (result == RWK_RECORD_EVENT) {
		if (ev->kind == RWK_EV_SWITCH)
			c->seen_switch = true;
		return true;
	}
	if (result == RWK_RECORD_OTHER) {
		ev->kind = RWK_EV_OTHER;
		return !c->seen_switch && ev->tid != RWK_NONE;
	}
	rwk_anomaly_add(&in->info->anomalies, anomaly[result], s->ts, s->cpu, ev->offset);
	return false;
}

/*
 * The process of the thread that was sampled.  In a namespace of its own, perf
 * counts threads and processes otherwise than the kernel's records do.
 */
static int note_process(
	struct rwk_perf_intake *in, const struct rwk_perf_sample *s, const struct rwk_event *ev)
{
	struct rwk_perf_intake_cpu *c = &in->cpu[s->cpu];

	if (in->other_ids || s->tid <= 0 || s->tgid <= 0 || ev->tid <= 0)
		return 0;
	if (s->tid != ev->tid) {
		in->other_ids = true;
		rwk_processes_finish(&in->info->processes);
		return 0;
	}
	if (s->tid == c->tid && s->tgid == c->tgid)
		return 0;
	c->tid = s->tid;
	c->tgid = s->tgid;
	return rwk_processes_add(&in->info->processes, s->tid, s->tgid);
}

static int take_sample(
	struct rwk_perf_intake *in, const struct rwk_perf_record *rec, struct rwk_diag *diag)
{
	struct rwk_perf_sample s;
	struct rwk_event *ev;
	int err = rwk_perf_sample_read(&in->layout->attrs, rec, in->layout->swap, &s);

	if (err) {
		bad_record(in, s.ts, s.cpu, rec->offset);
		return 0;
	}
	if (s.ts == RWK_NS_NONE || s.attr->at.cpu < 0) {
		/* Other events may be without: they have nothing to say here. */
		if (s.attr->type == RWK_PERF_TYPE_TRACEPOINT)
			bad_record(in, s.ts, RWK_NONE, rec->offset);
		return 0;
	}
	if (s.cpu < 0 || s.cpu >= in->info->nr_cpus) {
		rwk_anomaly_add(
			&in->info->anomalies, RWK_AN_CPU_OUT_OF_RANGE, s.ts, s.cpu, rec->offset);
		return 0;
	}
	if (s.id)
		rwk_perf_id_learn(s.id, s.cpu);
	in->last_cpu = s.cpu;
	if (s.ts > in->max_ts)
		in->max_ts = s.ts;
	err = push_losses(in, s.cpu, s.ts, diag);
	count_record(&in->info->cpu[s.cpu], s.ts);
	if (err)
		return err;
	ev = rwk_perf_queues_room(in->queues, s.cpu);
	ev->offset = rec->offset;
	if (!decode(in, &s, ev))
		return 0;
	err = note_process(in, &s, ev);
	return err ? err : rwk_perf_queues_push(in->queues, ev, diag);
}

static int64_t to_count(const unsigned char *at, bool swap)
{
	uint64_t v = rwk_bytes_u64(at, swap);

	return v <= INT64_MAX ? (int64_t)v : RWK_NONE;
}

/*
 * The kernel writes these where there is room again, in front of the record
 * that found it: so without a CPU of its own a loss has that of the next record.
 */
static void place_loss(struct rwk_perf_intake *in, const struct rwk_perf_sample *s, int32_t cpu,
	int64_t count, int64_t offset)
{
	if (s->attr && s->attr->back.cpu >= 0 && s->cpu >= 0)
		cpu = s->cpu;
	if (!count)
		return;
	add_loss(cpu >= 0 && cpu < in->info->nr_cpus ? &in->cpu[cpu].loss : &in->loss, count,
		offset);
}

static void take_lost(struct rwk_perf_intake *in, const struct rwk_perf_record *rec)
{
	const unsigned char *body = rec->data + RWK_PERF_HEADER;
	bool swap = in->layout->swap;
	struct rwk_perf_sample s;
	struct rwk_perf_id *id;

	if (rec->size < RWK_PERF_HEADER + 16) {
		bad_record(in, RWK_NS_NONE, RWK_NONE, rec->offset);
		return;
	}
	rwk_perf_trailer_read(&in->layout->attrs, rec, swap, 16, &s);
	id = rwk_perf_attrs_find(&in->layout->attrs, rwk_bytes_u64(body, swap));
	place_loss(in, &s, id ? id->cpu : RWK_NONE, to_count(body + 8, swap), rec->offset);
}

/*
 * With a time: of samples that the hardware dropped.  Without: perf's sum, at
 * the end, of all that one event lost on one CPU.  Its gaps tell of the same.
 */
static void take_lost_samples(struct rwk_perf_intake *in, const struct rwk_perf_record *rec)
{
	bool swap = in->layout->swap;
	struct rwk_perf_sample s;
	struct rwk_trace_cpu *cpu;
	int64_t count;

	if (rec->size < RWK_PERF_HEADER + 8) {
		bad_record(in, RWK_NS_NONE, RWK_NONE, rec->offset);
		return;
	}
	count = to_count(rec->data + RWK_PERF_HEADER, swap);
	rwk_perf_trailer_read(&in->layout->attrs, rec, swap, 8, &s);
	if (!count || rwk_bytes_u16(rec->data + 4, swap) & MISC_NOT_LOST ||
		(s.attr && s.attr->type != RWK_PERF_TYPE_TRACEPOINT))
		return;
	if (s.ts != RWK_NS_NONE && s.ts) {
		place_loss(in, &s, s.id ? s.id->cpu : RWK_NONE, count, rec->offset);
		return;
	}
	if (!s.id || s.id->cpu < 0 || s.id->cpu >= in->info->nr_cpus) {
		/* Of no CPU that can be told: not to be forgotten all the same. */
		bad_record(in, RWK_NS_NONE, RWK_NONE, rec->offset);
		return;
	}
	cpu = &in->info->cpu[s.id->cpu];
	cpu->dropped = add_counts(cpu->dropped < 0 ? 0 : cpu->dropped, count);
}

static int take_id_index(struct rwk_perf_intake *in, const struct rwk_perf_record *rec)
{
	int nr = 0;
	int err = rwk_perf_layout_take_id_index(in->layout, rec, &nr);

	for (; nr; nr--)
		rwk_anomaly_add(&in->info->anomalies, RWK_AN_SOME_TASKS_ONLY, RWK_NS_NONE, RWK_NONE,
			rec->offset);
	return err;
}

int rwk_perf_intake_record(
	struct rwk_perf_intake *in, const struct rwk_perf_record *rec, struct rwk_diag *diag)
{
	int err = 0;

	switch (rec->type) {
	case RWK_PERF_RECORD_SAMPLE:
		return take_sample(in, rec, diag);
	case RWK_PERF_RECORD_LOST:
		take_lost(in, rec);
		return 0;
	case RWK_PERF_RECORD_LOST_SAMPLES:
		take_lost_samples(in, rec);
		return 0;
	case RWK_PERF_RECORD_HEADER_ATTR:
		if (rec->offset >= in->layout->headers_end)
			err = rwk_perf_layout_take_attr(in->layout, rec);
		break;
	case RWK_PERF_RECORD_ID_INDEX:
		err = take_id_index(in, rec);
		break;
	default:
		if (!rec->type || (rec->type > RWK_PERF_RECORD_KERNEL_LAST && rec->type < 64) ||
			rec->type > RWK_PERF_RECORD_PERF_LAST)
			rwk_anomaly_add(&in->info->anomalies, RWK_AN_UNKNOWN_RECORD, RWK_NS_NONE,
				RWK_NONE, rec->offset);
		break;
	}
	if (err == -EBADMSG) {
		bad_record(in, RWK_NS_NONE, RWK_NONE, rec->offset);
		err = 0;
	}
	return err;
}

/* Losses that nothing comes behind, and those that left no gap but in a sum. */
static int end_cpu(struct rwk_perf_intake *in, int cpu, struct rwk_diag *diag)
{
	struct rwk_perf_intake_cpu *c = &in->cpu[cpu];
	struct rwk_trace_cpu *count = &in->info->cpu[cpu];
	struct rwk_perf_loss rest = {.present = true, .offset = RWK_NONE};
	int err;

	/* A CPU of which nothing is known at all cannot lose sight of anything. */
	if (count->last_ts == RWK_NS_NONE) {
		if (c->loss.present && c->loss.count > 0)
			count->nr_lost = add_counts(count->nr_lost, c->loss.count);
		return 0;
	}
	err = push_losses(in, cpu, count->last_ts, diag);
	rest.count = count->dropped - count->nr_lost;
	if (!err && count->dropped > 0 && rest.count > 0)
		err = push_loss(in, cpu, &rest, count->last_ts, diag);
	return err;
}

int rwk_perf_intake_end(struct rwk_perf_intake *in, struct rwk_diag *diag)
{
	int err = 0;

	if (in->loss.present && in->last_cpu == RWK_NONE)
		bad_record(in, RWK_NS_NONE, RWK_NONE, in->loss.offset);
	else if (in->loss.present)
		add_loss(&in->cpu[in->last_cpu].loss, in->loss.count, in->loss.offset);
	in->loss = (struct rwk_perf_loss){0};
	for (int cpu = 0; cpu < in->info->nr_cpus && !err; cpu++)
		err = end_cpu(in, cpu, diag);
	return err;
}
