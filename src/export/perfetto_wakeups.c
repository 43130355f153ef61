/*
 * Each waking is an event on a track of the CPU that woke, from which a flow
 * leads to one on a track of the CPU on which the wakee ran first.  What is
 * known of it, and every policy's answer, are annotations; what is unknown is
 * left out, beside a source that says so.
 */
#include "export/perfetto_wakeups.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "export/run.h"
#include "report/text.h"
#include "store/bits.h"

#define ROOT_UUID   1
#define TRACK_UUID  16 /* and up: RWK_PF_TRACKS per CPU */
#define MAX_NOTES   24 /* of an event, apart from verdicts */
#define MAX_ANSWERS 10 /* of one verdict */

enum track { TRACK_WAKES, TRACK_RUNS, TRACK_LOST };

struct rwk_pf_notes {
	RwkPb__DebugAnnotation note[MAX_NOTES], *at[MAX_NOTES];
	size_t nr;
	/* Of all replays: each is a note of its own with up to MAX_ANSWERS in it. */
	RwkPb__DebugAnnotation *label, **label_at, *answer, **answer_at;
	size_t nr_labels;
};

/* ---- tracks ---- */

static int put_track(struct rwk_pf_wakeups *w, uint64_t uuid, const char *name, int rank)
{
	RwkPb__TracePacket packet = RWK_PB__TRACE_PACKET__INIT;
	RwkPb__TrackDescriptor track = RWK_PB__TRACK_DESCRIPTOR__INIT;
	char text[64];

	snprintf(text, sizeof(text), "%s", name);
	track.has_uuid = 1;
	track.uuid = uuid;
	track.name = text;
	track.has_parent_uuid = track.has_sibling_order_rank = uuid != ROOT_UUID;
	track.parent_uuid = ROOT_UUID;
	track.sibling_order_rank = rank;
	track.has_child_ordering = uuid == ROOT_UUID;
	track.child_ordering = RWK_PB__TRACK_DESCRIPTOR__CHILD_ORDERING__EXPLICIT;
	packet.track_descriptor = &track;
	return rwk_pf_put(w->out, &packet);
}

static int track_of(struct rwk_pf_wakeups *w, int32_t cpu, enum track track, uint64_t *ret)
{
	static const char *const names[RWK_PF_TRACKS] = {"wakes", "runs woken", "lost events"};
	int rank = cpu * RWK_PF_TRACKS + (int)track;
	char name[64];
	int err = 0;

	*ret = TRACK_UUID + (uint64_t)rank;
	if (!w->has_root)
		err = put_track(w, ROOT_UUID, "rewake", 0);
	w->has_root = true;
	if (err || w->has_track[cpu][track])
		return err;
	w->has_track[cpu][track] = true;
	snprintf(name, sizeof(name), "CPU %" PRId32 " %s", cpu, names[track]);
	return put_track(w, *ret, name, rank);
}

/* ---- annotations ---- */

static int name_key(struct rwk_pf_wakeups *w, RwkPb__DebugAnnotation *n, const char *key)
{
	rwk_pb__debug_annotation__init(n);
	n->has_name_iid = 1;
	return rwk_pf_name(w->out, RWK_PF_KEY, key, &n->name_iid);
}

static char *text_of(const struct rwk_value *v)
{
	size_t size;
	char *raw = rwk_text_of_value(v, &size), *text;
	int width;

	text = raw ? rwk_text_for_table(raw, size, &width) : NULL;
	free(raw);
	return text;
}

static int set_text(struct rwk_pf_wakeups *w, RwkPb__DebugAnnotation *n, const struct rwk_value *v)
{
	char *text = text_of(v);
	int err = text ? rwk_pf_name(w->out, RWK_PF_VALUE, text, &n->string_value_iid) : -ENOMEM;

	free(text);
	n->has_string_value_iid = 1;
	return err;
}

/* A value that is not NULL. */
static int set_value(struct rwk_pf_wakeups *w, RwkPb__DebugAnnotation *n, const char *key,
	const struct rwk_value *v, bool flag)
{
	int err = name_key(w, n, key);

	if (err)
		return err;
	if (flag) {
		n->has_bool_value = 1;
		n->bool_value = v->i != 0;
		return 0;
	}
	if (v->type != RWK_VALUE_INT)
		return set_text(w, n, v);
	n->has_int_value = 1;
	n->int_value = v->i;
	return 0;
}

struct column {
	int number;
	const char *key;
	bool flag;
};

static int add_note(struct rwk_pf_wakeups *w, const char *key, const struct rwk_value *v, bool flag)
{
	struct rwk_pf_notes *notes = w->notes;
	RwkPb__DebugAnnotation *n = &notes->note[notes->nr];

	if (v->type == RWK_VALUE_NULL)
		return 0;
	notes->at[notes->nr++] = n;
	return set_value(w, n, key, v, flag);
}

static int add_task(
	struct rwk_pf_wakeups *w, const char *key, const char *tid_key, int64_t utid, int32_t cpu)
{
	struct rwk_value tid = {.type = RWK_VALUE_INT};
	const struct rwk_pf_task *t = rwk_pf_task_of(w->tasks, utid, cpu);
	struct rwk_pf_notes *notes = w->notes;
	RwkPb__DebugAnnotation *n;
	int err;

	if (t->tid >= RWK_PF_NOBODY_TID)
		return 0;
	tid.i = t->tid;
	err = add_note(w, tid_key, &tid, false);
	if (err || !*t->name)
		return err;
	/* Escaped already, unlike what add_note() takes. */
	n = notes->at[notes->nr] = &notes->note[notes->nr];
	notes->nr++;
	err = name_key(w, n, key);
	n->has_string_value_iid = 1;
	return err ? err : rwk_pf_name(w->out, RWK_PF_VALUE, t->name, &n->string_value_iid);
}

/* ---- verdicts ---- */

static int next_verdict(struct rwk_pf_wakeups *w, struct rwk_pf_replay *r)
{
	int ret = rwk_query_step(r->verdicts, w->diag);

	if (ret >= 0)
		r->wakeup_id = ret ? rwk_export_int(r->verdicts, 0, 0) : INT64_MAX;
	return ret < 0 ? ret : 0;
}

static int add_verdict(struct rwk_pf_wakeups *w, struct rwk_pf_replay *r, bool *ret_differs)
{
	static const struct column columns[] = {{1, "cpu", false}, {2, "reason", false},
		{3, "detail", false}, {4, "agrees", true}, {6, "unknown", false},
		{7, "price", false}, {8, "wait_ns", false}, {9, "kernel_wait_ns", false}};
	struct rwk_pf_notes *notes = w->notes;
	size_t place = notes->nr_labels * MAX_ANSWERS, nr = 0;
	RwkPb__DebugAnnotation *label = &notes->label[notes->nr_labels];
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(columns) / sizeof(columns[0]); i++) {
		struct rwk_value v = rwk_query_value(r->verdicts, columns[i].number);

		if (v.type == RWK_VALUE_NULL)
			continue;
		notes->answer_at[place + nr] = &notes->answer[place + nr];
		err = set_value(w, &notes->answer[place + nr], columns[i].key, &v, columns[i].flag);
		nr++;
	}
	if (!rwk_export_int(r->verdicts, 4, 1))
		*ret_differs = true;
	rwk_pb__debug_annotation__init(label);
	label->has_name_iid = 1;
	label->name_iid = r->label;
	label->n_dict_entries = nr;
	label->dict_entries = &notes->answer_at[place];
	notes->label_at[notes->nr_labels++] = label;
	return err;
}

/* The answers of all replays to a wakeup, as one annotation. */
static int add_verdicts(struct rwk_pf_wakeups *w, int64_t wakeup_id, bool *ret_differs)
{
	struct rwk_pf_notes *notes = w->notes;
	RwkPb__DebugAnnotation *all = &notes->note[notes->nr];
	int err = 0;

	notes->nr_labels = 0;
	for (size_t i = 0; !err && i < w->nr_replay; i++) {
		struct rwk_pf_replay *r = &w->replay[i];

		while (!err && r->wakeup_id < wakeup_id)
			err = next_verdict(w, r);
		if (!err && r->wakeup_id == wakeup_id)
			err = add_verdict(w, r, ret_differs);
	}
	if (err || !notes->nr_labels)
		return err;
	notes->at[notes->nr++] = all;
	err = name_key(w, all, "verdicts");
	all->n_dict_entries = notes->nr_labels;
	all->dict_entries = notes->label_at;
	return err;
}

/* ---- events ---- */

static int put_event(struct rwk_pf_wakeups *w, RwkPb__TrackEvent *event, rwk_ns ts)
{
	RwkPb__TracePacket packet = RWK_PB__TRACE_PACKET__INIT;

	packet.has_timestamp = 1;
	packet.timestamp = (uint64_t)ts;
	packet.track_event = event;
	event->has_type = event->has_track_uuid = 1;
	event->n_debug_annotations = w->notes->nr;
	event->debug_annotations = w->notes->at;
	return rwk_pf_put(w->out, &packet);
}

static int name_event(struct rwk_pf_wakeups *w, RwkPb__TrackEvent *event, const char *name)
{
	event->has_name_iid = 1;
	return rwk_pf_name(w->out, RWK_PF_EVENT, *name ? name : "?", &event->name_iid);
}

static int put_waking(struct rwk_pf_wakeups *w, const struct rwk_query *q, int64_t id, int32_t cpu)
{
	static const struct column columns[] = {{0, "wakeup", false}, {4, "context", false},
		{11, "kind", false}, {12, "kind_source", false}, {8, "prev_cpu", false},
		{9, "target_cpu", false}, {10, "target_source", false}, {13, "sync", true},
		{14, "sync_source", false}, {15, "wakeup_dur_ns", false}, {16, "run_cpu", false},
		{17, "wait_ns", false}, {18, "censor", false}};
	RwkPb__TrackEvent event = RWK_PB__TRACK_EVENT__INIT;
	struct rwk_value kind = rwk_query_value(q, 11);
	int64_t wakee = rwk_export_int(q, 6, RWK_NONE);
	uint64_t category[2], flow = (uint64_t)id;
	char *text = text_of(&kind);
	bool differs = false;
	int err = text ? rwk_pf_name(w->out, RWK_PF_CATEGORY, text, &category[0]) : -ENOMEM;

	free(text);
	w->notes->nr = 0;
	if (!err)
		err = add_task(w, "waker", "waker_tid", rwk_export_int(q, 5, RWK_NONE), cpu);
	if (!err)
		err = add_task(w, "wakee", "wakee_tid", wakee, cpu);
	for (size_t i = 0; !err && i < sizeof(columns) / sizeof(columns[0]); i++) {
		struct rwk_value v = rwk_query_value(q, columns[i].number);

		err = add_note(w, columns[i].key, &v, columns[i].flag);
	}
	if (!err)
		err = add_verdicts(w, id, &differs);
	if (!err && differs)
		err = rwk_pf_name(w->out, RWK_PF_CATEGORY, "differs", &category[1]);
	if (!err)
		err = name_event(w, &event, rwk_pf_task_of(w->tasks, wakee, cpu)->name);
	if (!err)
		err = track_of(w, cpu, TRACK_WAKES, &event.track_uuid);
	if (err)
		return err;
	event.type = RWK_PB__TRACK_EVENT__TYPE__INSTANT;
	event.n_category_iids = differs ? 2 : 1;
	event.category_iids = category;
	event.n_flow_ids = rwk_export_int(q, 17, RWK_NS_NONE) != RWK_NS_NONE;
	event.flow_ids = &flow;
	return put_event(w, &event, rwk_export_int(q, 2, 0));
}

static int put_first_run(
	struct rwk_pf_wakeups *w, const struct rwk_query *q, int64_t id, int32_t cpu)
{
	RwkPb__TrackEvent event = RWK_PB__TRACK_EVENT__INIT;
	struct rwk_value wakeup = {.type = RWK_VALUE_INT, .i = id};
	int64_t wakee = rwk_export_int(q, 6, RWK_NONE);
	uint64_t flow = (uint64_t)id;
	int err;

	w->notes->nr = 0;
	err = add_note(w, "wakeup", &wakeup, false);
	if (!err)
		err = name_event(w, &event, rwk_pf_task_of(w->tasks, wakee, cpu)->name);
	if (!err)
		err = track_of(w, cpu, TRACK_RUNS, &event.track_uuid);
	if (err)
		return err;
	event.type = RWK_PB__TRACK_EVENT__TYPE__INSTANT;
	event.n_terminating_flow_ids = 1;
	event.terminating_flow_ids = &flow;
	return put_event(
		w, &event, rwk_bits_add(rwk_export_int(q, 2, 0), rwk_export_int(q, 17, 0)));
}

/* As the kernel's own event, from which the UI knows who made a thread runnable. */
static int put_kernel(struct rwk_pf_wakeups *w, const struct rwk_query *q, int32_t cpu)
{
	static const struct {
		const char *context;
		uint32_t flags; /* of trace events */
	} contexts[] = {{"hardirq", 0x08}, {"softirq", 0x10}, {"nmi", 0x40}};
	RwkPb__FtraceEvent event = RWK_PB__FTRACE_EVENT__INIT;
	RwkPb__SchedWaking waking = RWK_PB__SCHED_WAKING__INIT;
	struct rwk_value context = rwk_query_value(q, 4), kind = rwk_query_value(q, 11);
	int64_t prev_cpu = rwk_export_int(q, 8, RWK_NONE);
	bool new_task =
		kind.type == RWK_VALUE_TEXT && kind.size == 3 && !memcmp(kind.text, "new", 3);
	const struct rwk_pf_task *wakee;

	event.has_timestamp = event.has_pid = 1;
	event.timestamp = (uint64_t)rwk_export_int(q, 2, 0);
	event.pid = (uint32_t)rwk_pf_task_of(w->tasks, rwk_export_int(q, 5, RWK_NONE), cpu)->tid;
	for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++) {
		size_t len = strlen(contexts[i].context);

		if (context.type != RWK_VALUE_TEXT || (size_t)context.size != len ||
			memcmp(context.text, contexts[i].context, len))
			continue;
		event.has_common_flags = 1;
		event.common_flags = contexts[i].flags;
	}
	wakee = rwk_pf_task_of(w->tasks, rwk_export_int(q, 6, RWK_NONE), cpu);
	waking.has_pid = waking.has_success = 1;
	waking.pid = wakee->tid;
	waking.comm = wakee->name;
	waking.has_prio = rwk_export_int(q, 7, RWK_PF_NO_PRIO) != RWK_PF_NO_PRIO;
	waking.prio = (int32_t)rwk_export_int(q, 7, 0);
	waking.success = 1;
	/* Of a waking the CPU where the wakee was, of a new task where it is put. */
	if (new_task)
		prev_cpu = rwk_export_int(q, 9, RWK_NONE);
	waking.has_target_cpu = prev_cpu != RWK_NONE;
	waking.target_cpu = (int32_t)prev_cpu;
	if (new_task)
		event.sched_wakeup_new = &waking;
	else
		event.sched_waking = &waking;
	return rwk_pf_put_kernel(w->out, (uint32_t)cpu, &event);
}

int rwk_pf_wakeups_put(struct rwk_pf_wakeups *w, const struct rwk_query *q)
{
	int64_t id = rwk_export_int(q, 0, 0), cpu = rwk_export_int(q, 3, RWK_NONE);
	int64_t run_cpu = rwk_export_int(q, 16, RWK_NONE);
	int err;

	if (cpu < 0 || cpu >= RWK_MAX_CPUS || run_cpu < RWK_NONE || run_cpu >= RWK_MAX_CPUS)
		return rwk_diag_push(w->diag, -EBADMSG,
			"cannot export wakeup %" PRId64
			": why=the database is damaged: no such CPU",
			id);
	err = put_kernel(w, q, (int32_t)cpu);
	if (!err)
		err = put_waking(w, q, id, (int32_t)cpu);
	if (!err && run_cpu != RWK_NONE && rwk_export_int(q, 17, RWK_NS_NONE) != RWK_NS_NONE)
		err = put_first_run(w, q, id, (int32_t)run_cpu);
	return err;
}

int rwk_pf_wakeups_put_loss(struct rwk_pf_wakeups *w, const struct rwk_query *q)
{
	RwkPb__TrackEvent event = RWK_PB__TRACK_EVENT__INIT;
	struct rwk_value count = rwk_query_value(q, 4);
	int64_t cpu = rwk_export_int(q, 1, RWK_NONE), to = rwk_export_int(q, 3, 0);
	int64_t from = rwk_export_int(q, 2, RWK_NS_NONE);
	int err;

	/* Without a CPU there is no track; the run's count has it all the same. */
	if (cpu < 0 || cpu >= RWK_MAX_CPUS)
		return 0;
	w->notes->nr = 0;
	err = add_note(w, "count", &count, false);
	if (!err)
		err = name_event(w, &event,
			count.type == RWK_VALUE_NULL ? "lost, nobody knows how many" : "lost");
	if (!err)
		err = track_of(w, (int32_t)cpu, TRACK_LOST, &event.track_uuid);
	event.type = from == RWK_NS_NONE ? RWK_PB__TRACK_EVENT__TYPE__INSTANT
					 : RWK_PB__TRACK_EVENT__TYPE__SLICE_BEGIN;
	if (!err)
		err = put_event(w, &event, from == RWK_NS_NONE ? to : from);
	if (err || from == RWK_NS_NONE)
		return err;
	w->notes->nr = 0;
	event.has_name_iid = 0;
	event.type = RWK_PB__TRACK_EVENT__TYPE__SLICE_END;
	return put_event(w, &event, to);
}

/* ---- the beginning and the end ---- */

static int open_replay(struct rwk_pf_wakeups *w, struct rwk_store *store, struct rwk_query *q)
{
	struct rwk_pf_replay *r = &w->replay[w->nr_replay];
	struct rwk_value label = rwk_query_value(q, 1);
	char *text = text_of(&label);
	int err = text ? rwk_pf_name(w->out, RWK_PF_KEY, text, &r->label) : -ENOMEM;

	free(text);
	if (err)
		return err;
	r->replay_id = rwk_export_int(q, 0, 0);
	err = rwk_export_query(store, "perfetto_verdict", 0, w->diag, &r->verdicts);
	if (err)
		return err;
	w->nr_replay++;
	rwk_query_bind_int(r->verdicts, ":replay", r->replay_id);
	return next_verdict(w, r);
}

int rwk_pf_wakeups_open(struct rwk_pf_wakeups *w, struct rwk_store *store, int64_t run_id)
{
	struct rwk_pf_notes *notes = w->notes = calloc(1, sizeof(*w->notes));
	size_t cap = 0;
	struct rwk_query *q;
	int err = notes ? rwk_export_query(store, "perfetto_replay", run_id, w->diag, &q) : -ENOMEM;

	if (err)
		return err;
	while (!err && (err = rwk_query_step(q, w->diag)) == 1) {
		err = rwk_vec_grow(&w->replay, &cap, w->nr_replay + 1, sizeof(*w->replay));
		if (!err)
			err = open_replay(w, store, q);
	}
	rwk_query_close(q);
	if (err)
		return err;
	notes->label = calloc(w->nr_replay + 1, sizeof(*notes->label));
	notes->label_at = calloc(w->nr_replay + 1, sizeof(*notes->label_at));
	notes->answer = calloc((w->nr_replay + 1) * MAX_ANSWERS, sizeof(*notes->answer));
	notes->answer_at = calloc((w->nr_replay + 1) * MAX_ANSWERS, sizeof(*notes->answer_at));
	return notes->label && notes->label_at && notes->answer && notes->answer_at ? 0 : -ENOMEM;
}

void rwk_pf_wakeups_finish(struct rwk_pf_wakeups *w)
{
	for (size_t i = 0; i < w->nr_replay; i++)
		rwk_query_close(w->replay[i].verdicts);
	if (w->notes) {
		free(w->notes->label);
		free(w->notes->label_at);
		free(w->notes->answer);
		free(w->notes->answer_at);
	}
	free(w->notes);
	free(w->replay);
}
