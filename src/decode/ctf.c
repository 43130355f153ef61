/*
 * The decoder of CTF traces of Linux kernels, as LTTng records them: checks what
 * the child process with the library tells (ctf_wire.h), completes it, and puts
 * events of one time into their order.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "decode/ctf_check.h"
#include "decode/ctf_child.h"
#include "decode/ctf_find.h"
#include "decode/ctf_packets.h"
#include "decode/ctf_salvage.h"
#include "decode/merge.h"
#include "decode/ops.h"

#define MAX_GROUP 4096 /* events of one time that are put in order */

struct cpu {
	struct rwk_event *queue; /* of the group at hand */
	size_t nr, at, cap;
	int32_t occupant; /* who runs there by the last switch; RWK_NONE */
};

struct ctf {
	const struct rwk_file *file;
	struct rwk_trace_info *info;
	char format[64], tracer[32];
	int tracer_version;
	struct rwk_ctf_child child;
	bool complete; /* all has been told */
	bool ended; /* or not, and that has been dealt with */
	struct rwk_ctf_salvage salvage;
	struct rwk_ctf_codings codings;
	struct cpu *cpu;
	struct rwk_event held; /* first of the next group */
	bool has_held;
	struct rwk_merge *merge;
	bool begun; /* some event was given */
	int64_t nr_packets, nr_begun; /* below 1: unknown; those of them that have begun */
};

static bool probe(const unsigned char *head, size_t size)
{
	(void)head;
	(void)size;
	return false; /* a folder, which decoder.c finds by other means */
}

static void close_ctf(void *state)
{
	struct ctf *c = state;

	if (!c)
		return;
	rwk_ctf_child_finish(&c->child);
	rwk_ctf_salvage_finish(&c->salvage);
	for (int i = 0; c->cpu && i < c->info->nr_cpus; i++)
		free(c->cpu[i].queue);
	free(c->cpu);
	rwk_merge_destroy(c->merge);
	free(c);
}

/* The next record: 1, 0 the child has ended, or told all. */
static int read_record(struct ctf *c, struct rwk_ctf_record *ret)
{
	return c->complete ? 0 : rwk_ctf_child_next(&c->child, ret);
}

static int fail(struct ctf *c, struct rwk_diag *diag)
{
	return rwk_diag_push(diag, -EBADMSG, "cannot decode: folder=%s format=CTF why=%s",
		c->file->path, rwk_ctf_child_why(&c->child));
}

static int add_cpu(struct ctf *c, int32_t cpu, struct rwk_diag *diag)
{
	if (cpu < 0 || cpu >= RWK_MAX_CPUS)
		return rwk_diag_push(diag, -ERANGE,
			"cannot decode: folder=%s format=CTF cpu=%d why=CPU ids from %d on are not "
			"supported",
			c->file->path, cpu, RWK_MAX_CPUS);
	c->info->cpu[cpu].present = true;
	if (cpu >= c->info->nr_cpus)
		c->info->nr_cpus = cpu + 1;
	return 0;
}

/* What comes in front of the events: 1 go on, 0 that was all of it, negative errno. */
static int take_fact(struct ctf *c, const struct rwk_ctf_record *rec, struct rwk_diag *diag)
{
	struct rwk_trace_info *info = c->info;

	switch (rec->type) {
	case RWK_CTF_RELEASE:
		rwk_ctf_set_text(info->release, sizeof(info->release), rec->text);
		break;
	case RWK_CTF_CLOCK:
		rwk_ctf_set_text(info->clock, sizeof(info->clock), rec->text);
		break;
	case RWK_CTF_TRACER:
		rwk_ctf_set_text(c->tracer, sizeof(c->tracer), rec->text);
		c->tracer_version = rec->value >= 0 && rec->value < 1000000 ? (int)rec->value : 0;
		snprintf(c->format, sizeof(c->format), "CTF (%s %d.%d)", c->tracer,
			c->tracer_version / 1000, c->tracer_version % 1000);
		rwk_ctf_codings_init(&c->codings, c->tracer, c->tracer_version, info->release);
		break;
	case RWK_CTF_KIND:
		if (rec->value > 0 && rec->value < RWK_EV_COUNT)
			info->has_format[rec->value] = true;
		break;
	case RWK_CTF_STATE:
		rwk_ctf_codings_state(&c->codings, (uint64_t)rec->value, rec->text);
		break;
	case RWK_CTF_CPU:
		return add_cpu(c, rec->cpu, diag) ?: 1;
	case RWK_CTF_CAUSE:
		rwk_ctf_child_add_cause(&c->child, rec->text);
		break;
	default:
		break;
	}
	return rec->type != RWK_CTF_READY;
}

static int read_facts(struct ctf *c, struct rwk_diag *diag)
{
	struct rwk_ctf_record rec;
	int err;

	do {
		if (!read_record(c, &rec))
			return fail(c, diag);
		err = take_fact(c, &rec, diag);
	} while (err > 0);
	return err;
}

/* Who was on the CPU, where no context tells it: a switch is written by whom it ends. */
static void complete_event(struct cpu *cpu, struct rwk_event *ev)
{
	if (ev->kind == RWK_EV_LOST) {
		cpu->occupant = RWK_NONE;
		return;
	}
	if (ev->kind == RWK_EV_SWITCH) {
		if (ev->tid == RWK_NONE)
			ev->tid = ev->sw.prev_tid;
		cpu->occupant = ev->sw.next_tid;
	} else if (ev->tid == RWK_NONE) {
		ev->tid = cpu->occupant;
	}
}

static void count_event(struct rwk_trace_cpu *count, const struct rwk_event *ev)
{
	if (ev->kind == RWK_EV_LOST) {
		if (ev->lost.count > 0)
			count->nr_lost += ev->lost.count;
		return;
	}
	count->nr_events++;
	if (count->first_ts == RWK_NS_NONE)
		count->first_ts = ev->ts;
	if (ev->ts > count->last_ts)
		count->last_ts = ev->ts;
}

/* With those that are not told one by one. */
static void take_count(struct ctf *c, const struct rwk_ctf_record *rec)
{
	struct rwk_trace_cpu *count;

	if (rec->cpu < 0 || rec->cpu >= c->info->nr_cpus)
		return;
	count = &c->info->cpu[rec->cpu];
	if (rec->value > count->nr_events)
		count->nr_events = rec->value;
	if (rec->event.ts >= 0 &&
		(count->first_ts == RWK_NS_NONE || rec->event.ts < count->first_ts))
		count->first_ts = rec->event.ts;
	if (rec->event.lost.from_ts > count->last_ts)
		count->last_ts = rec->event.lost.from_ts;
}

/* Whether the record is an event to give out, which it makes good. */
static bool take_event(struct ctf *c, int32_t type, struct rwk_event *ev)
{
	enum rwk_anomaly_kind kind = RWK_AN_BAD_RECORD;
	bool known = ev->cpu >= 0 && ev->cpu < c->info->nr_cpus;
	enum rwk_ctf_verdict v =
		type == RWK_CTF_BAD ? RWK_CTF_IMPOSSIBLE : rwk_ctf_check(&c->codings, ev);

	if (!known)
		v = RWK_CTF_CPU_OUT_OF_RANGE;
	if (v == RWK_CTF_GOOD) {
		count_event(&c->info->cpu[ev->cpu], ev);
		complete_event(&c->cpu[ev->cpu], ev);
		return true;
	}
	if (v == RWK_CTF_CPU_OUT_OF_RANGE && ev->cpu != RWK_NONE)
		kind = RWK_AN_CPU_OUT_OF_RANGE;
	rwk_anomaly_add(&c->info->anomalies, kind, ev->ts, known ? ev->cpu : RWK_NONE, RWK_NONE);
	return false;
}

/* The next event into held: whether there is one. */
static bool hold_next(struct ctf *c)
{
	struct rwk_ctf_record rec;

	while (!c->has_held && read_record(c, &rec)) {
		switch (rec.type) {
		case RWK_CTF_EVENT:
		case RWK_CTF_BAD:
			c->has_held = take_event(c, rec.type, &rec.event);
			c->held = rec.event;
			break;
		case RWK_CTF_COUNT:
			take_count(c, &rec);
			break;
		case RWK_CTF_CAUSE:
			rwk_ctf_child_add_cause(&c->child, rec.text);
			break;
		case RWK_CTF_PACKET:
			c->nr_begun++;
			break;
		case RWK_CTF_END:
			c->complete = true;
			break;
		default:
			break;
		}
	}
	return c->has_held;
}

/* The events of the next time to their CPUs' queues: how many, or negative errno. */
static int fill(struct ctf *c, struct rwk_diag *diag)
{
	rwk_ns ts = 0;
	int nr = 0;

	while (nr < MAX_GROUP && hold_next(c) && (!nr || c->held.ts == ts)) {
		struct cpu *cpu = &c->cpu[c->held.cpu];
		int err = 0;

		if (cpu->at == cpu->nr)
			cpu->at = cpu->nr = 0;
		if (rwk_vec_grow(&cpu->queue, &cpu->cap, cpu->nr + 1, sizeof(*cpu->queue)))
			return -ENOMEM;
		cpu->queue[cpu->nr++] = c->held;
		c->has_held = false;
		err = rwk_merge_wake(c->merge, c->held.cpu, diag);
		if (err)
			return err;
		ts = c->held.ts;
		nr++;
	}
	return nr;
}

static int pull(void *ctx, int index, struct rwk_event *ret, struct rwk_diag *diag)
{
	struct ctf *c = ctx;
	struct cpu *cpu = &c->cpu[index];

	(void)diag;
	if (cpu->at == cpu->nr)
		return 0;
	*ret = cpu->queue[cpu->at++];
	return 1;
}

/* The child told no end: what came before is good, if there is any. */
static int end_early(struct ctf *c, struct rwk_diag *diag)
{
	struct rwk_trace_info *info = c->info;
	rwk_ns last = RWK_NS_NONE;

	if (!c->begun)
		return fail(c, diag);
	for (int i = 0; i < info->nr_cpus; i++) {
		if (info->cpu[i].last_ts > last)
			last = info->cpu[i].last_ts;
	}
	c->ended = true;
	info->truncated = true;
	rwk_ctf_set_text(
		info->truncated_why, sizeof(info->truncated_why), rwk_ctf_child_why(&c->child));
	rwk_anomaly_add(&info->anomalies, RWK_AN_TRUNCATED, last, RWK_NONE, RWK_NONE);
	return 0;
}

static int next(void *state, struct rwk_event *ret, struct rwk_diag *diag)
{
	struct ctf *c = state;
	const struct rwk_event *event;
	int err;

	for (;;) {
		/* The merge asks each CPU only once, and before the first time there is nothing. */
		err = c->begun ? rwk_merge_next(c->merge, &event, diag) : 0;
		if (err < 0)
			return err;
		if (err)
			break;
		err = fill(c, diag);
		if (err < 0)
			return err;
		if (!err)
			return c->complete || c->ended ? 0 : end_early(c, diag);
		c->begun = true;
	}
	*ret = *event;
	return 1;
}

static int permille(const void *state)
{
	const struct ctf *c = state;

	if (c->complete || c->ended)
		return 1000;
	if (c->nr_packets < 1)
		return -1;
	/* A child may tell any number of them. */
	return c->nr_begun < c->nr_packets
		       ? (int)((double)c->nr_begun / (double)c->nr_packets * 1000)
		       : 999;
}

static int start_child(struct ctf *c, struct rwk_diag *diag)
{
	const char *folder = c->salvage.folder ? c->salvage.folder : c->file->path;
	int err = rwk_ctf_child_start(&c->child, folder);

	c->nr_packets = rwk_ctf_packets_count(folder);
	return err ? rwk_diag_push(diag, err, "cannot decode: folder=%s format=CTF why=a child %s",
			     c->file->path, c->child.why)
		   : 0;
}

/* Once more without what is cut: 1 that went well, 0 not, negative errno. */
static int open_rest(struct ctf *c, struct rwk_diag *diag)
{
	struct rwk_trace_info *info = c->info;
	struct rwk_diag ignored = {0};
	int err = rwk_ctf_salvage(c->file->path, diag, &c->salvage);

	if (err <= 0)
		return err;
	rwk_ctf_child_stop(&c->child);
	err = start_child(c, &ignored);
	if (!err)
		err = read_facts(c, &ignored);
	if (err)
		return 0;
	info->truncated = true;
	info->truncated_at = c->salvage.first_at;
	snprintf(info->truncated_why, sizeof(info->truncated_why),
		"%s ends in the middle of a packet, which is left out", c->salvage.first_cut);
	for (int i = 0; i < c->salvage.nr_cut; i++)
		rwk_anomaly_add(&info->anomalies, RWK_AN_TRUNCATED, RWK_NS_NONE, RWK_NONE,
			c->salvage.first_at);
	return 1;
}

/* What a child that fails at once pushes is taken back when there is a rest that can be read. */
static int open_trace(struct ctf *c, struct rwk_diag *diag)
{
	struct rwk_diag first = {0};
	int err = start_child(c, &first), rest;

	if (!err)
		err = read_facts(c, &first);
	rest = err == -EBADMSG ? open_rest(c, diag) : 0;
	if (rest > 0)
		return 0;
	if (diag && err)
		*diag = first;
	return rest ? rest : err;
}

static int open_streams(struct ctf *c)
{
	int32_t cpus[RWK_MAX_CPUS];
	int nr = c->info->nr_cpus;

	c->cpu = calloc((size_t)nr + 1, sizeof(*c->cpu));
	if (!c->cpu)
		return -ENOMEM;
	for (int i = 0; i < nr; i++) {
		cpus[i] = i;
		c->cpu[i].occupant = RWK_NONE;
	}
	return rwk_merge_create(nr, cpus, pull, c, &c->info->anomalies, &c->merge);
}

static int open_ctf(const struct rwk_file *file, struct rwk_trace_info *info, struct rwk_diag *diag,
	void **ret_state)
{
	struct ctf *c;
	int err = -ENOMEM;

	if (!rwk_ctf_built)
		return rwk_diag_push(diag, -ENOTSUP,
			"cannot decode: folder=%s format=CTF why=this rewake was built without "
			"libbabeltrace2",
			file->path);
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->file = file;
	c->info = info;
	snprintf(c->format, sizeof(c->format), "CTF");
	info->format = c->format;
	if (rwk_trace_info_cpus(info, RWK_MAX_CPUS))
		goto out;
	err = rwk_ctf_metadata_check(file->path, diag);
	if (!err)
		err = open_trace(c, diag);
	if (!err)
		err = open_streams(c);
out:
	if (err) {
		close_ctf(c);
		return err;
	}
	*ret_state = c;
	return 0;
}

const struct rwk_decoder rwk_decoder_ctf = {
	.probe = probe,
	.open = open_ctf,
	.next = next,
	.permille = permille,
	.close = close_ctf,
};
