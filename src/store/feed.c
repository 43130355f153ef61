/*
 * Rows back to events, in the order in which they were recorded: a merge of
 * cursors by event number, and a heap for the later events of a row.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/bits.h"
#include "store/feed_state.h"

static const struct rwk_feed_task *task_of(const struct rwk_feed_state *f, int32_t utid)
{
	return utid > 0 && (size_t)utid <= f->nr_tasks ? &f->task[utid - 1] : NULL;
}

static int32_t tid_of(const struct rwk_feed_state *f, int32_t utid)
{
	const struct rwk_feed_task *t = task_of(f, utid);

	return t ? t->tid : RWK_NONE;
}

/*
 * The task on the CPU at ts, by the last slice there.  One without an end was
 * there until the next began, as far as anybody knew.
 */
static int32_t occupant(const struct rwk_feed_state *f, int cpu, rwk_ns ts)
{
	const struct rwk_slice_row *s = &f->last[cpu];

	if (!s->id || (s->dur != RWK_NS_NONE && rwk_bits_add(s->ts, s->dur) < ts))
		return RWK_NONE;
	return tid_of(f, s->utid);
}

static uint8_t flags_of(enum rwk_context context)
{
	switch (context) {
	case RWK_CTX_SOFTIRQ:
		return RWK_FLAG_SOFTIRQ;
	case RWK_CTX_HARDIRQ:
		return RWK_FLAG_HARDIRQ;
	case RWK_CTX_NMI:
		return RWK_FLAG_NMI;
	default:
		return 0;
	}
}

static void begin_event(struct rwk_feed_item *it, enum rwk_event_kind kind, int64_t seq, rwk_ns ts,
	int cpu, int32_t tid)
{
	it->seq = seq;
	it->wakeup = NULL;
	it->probe = NULL;
	it->slice = NULL;
	it->probed = NULL;
	it->nr_probed = 0;
	it->ev.ts = ts;
	it->ev.offset = RWK_NONE;
	it->ev.cpu = cpu;
	it->ev.tid = tid;
	it->ev.kind = (uint8_t)kind;
	it->ev.flags = 0;
}

static int set_task(struct rwk_feed_state *f, struct rwk_feed_item *it, int32_t utid, int32_t prio,
	int32_t target_cpu, struct rwk_diag *diag)
{
	const struct rwk_feed_task *t = task_of(f, utid);

	if (!t)
		return rwk_feed_damaged(f, "utid", utid, diag);
	it->ev.task.tid = t->tid;
	it->ev.task.prio = prio;
	it->ev.task.target_cpu = target_cpu;
	memcpy(it->ev.task.comm, t->comm, RWK_COMM_LEN);
	return 0;
}

static void show_wakeup(struct rwk_feed_state *f, struct rwk_feed_item *it,
	struct rwk_pending_wakeup *w, bool waking)
{
	it->wakeup = &w->row;
	f->shown_wakeup = w;
	f->shown_waking = waking;
}

static int event_of_slice(struct rwk_feed_state *f, struct rwk_feed_item *it, struct rwk_diag *diag)
{
	const struct rwk_slice_row s = f->slice;
	struct rwk_slice_row *last = &f->last[s.cpu];
	const struct rwk_feed_task *next = task_of(f, s.utid), *prev;

	if (!next)
		return rwk_feed_damaged(f, "slice", s.id, diag);
	if (s.begin_unknown) {
		begin_event(it, RWK_EV_OTHER, s.seq, s.ts, s.cpu, next->tid);
	} else {
		prev = task_of(f, last->id ? last->utid : RWK_NONE);
		/* A switch always ends what was there, if only as "first seen now". */
		if (!prev || last->cut || last->dur == RWK_NS_NONE ||
			rwk_bits_add(last->ts, last->dur) != s.ts)
			return rwk_feed_damaged(f, "slice", s.id, diag);
		begin_event(it, RWK_EV_SWITCH, s.seq, s.ts, s.cpu, prev->tid);
		it->ev.sw.prev_tid = prev->tid;
		it->ev.sw.prev_prio = last->prio;
		it->ev.sw.prev_state = (enum rwk_end_state)last->end_state;
		it->ev.sw.prev_state_raw = last->end_state_raw;
		memcpy(it->ev.sw.prev_comm, prev->comm, RWK_COMM_LEN);
		it->ev.sw.next_tid = next->tid;
		it->ev.sw.next_prio = s.prio;
		memcpy(it->ev.sw.next_comm, next->comm, RWK_COMM_LEN);
	}
	*last = s;
	it->slice = last;
	return rwk_feed_refill_slice(f, diag);
}

static int event_of_loss(struct rwk_feed_state *f, struct rwk_feed_item *it, struct rwk_diag *diag)
{
	begin_event(it, RWK_EV_LOST, f->loss.seq, f->loss.to_ts, f->loss.cpu, RWK_NONE);
	it->ev.lost.count = f->loss.count;
	it->ev.lost.from_ts = f->loss.from_ts;
	f->last[f->loss.cpu].id = 0;
	return rwk_feed_refill_loss(f, diag);
}

static int event_of_wakeup(
	struct rwk_feed_state *f, struct rwk_feed_item *it, struct rwk_diag *diag)
{
	struct rwk_pending_wakeup *w = rwk_pending_take_wakeup(&f->pending);
	const struct rwk_wakeup_row *r = &w->row;
	bool is_new = r->kind == RWK_KIND_NEW;
	struct rwk_pending_probe *probe;
	int err;

	if (r->probe_seq > r->seq) {
		err = rwk_feed_find_probe(f, r->probe_seq, diag, &probe);
		if (err)
			return err;
		if (!probe || probe->row.wakeup_id != r->id)
			return rwk_feed_damaged(f, "wakeup", r->id, diag);
		rwk_pending_link(w, probe);
	}
	if (r->wakeup_seq > r->seq) {
		err = rwk_pending_push(&f->pending,
			&(struct rwk_pending_event){.seq = r->wakeup_seq, .wakeup = w});
		if (err)
			return rwk_feed_no_memory(diag);
	}
	begin_event(it, is_new ? RWK_EV_WAKEUP_NEW : RWK_EV_WAKING, r->seq, r->ts, r->cpu,
		tid_of(f, r->waker_utid));
	it->ev.flags = flags_of((enum rwk_context)r->context);
	show_wakeup(f, it, w, true);
	it->probe = w->probe ? &w->probe->row : NULL;
	return set_task(f, it, r->wakee_utid, r->prio, is_new ? r->target_cpu : r->prev_cpu, diag);
}

static void show_probe(
	struct rwk_feed_state *f, struct rwk_feed_item *it, struct rwk_pending_probe *probe)
{
	f->shown_probe = probe;
	it->probe = &probe->row;
	if (probe->wakeup) {
		it->wakeup = &probe->wakeup->row;
		it->ev.flags = flags_of((enum rwk_context)probe->wakeup->row.context);
	}
}

static int event_of_probe(struct rwk_feed_state *f, struct rwk_feed_item *it, struct rwk_diag *diag)
{
	struct rwk_pending_probe *probe = rwk_pending_take_probe(&f->pending);
	const struct rwk_probe_row *r = &probe->row;
	struct rwk_pending_wakeup *w;
	int err;

	if (r->wakeup_id && !probe->wakeup) {
		err = rwk_feed_find_wakeup(f, r->wakeup_id, diag, &w);
		if (err)
			return err;
		if (w)
			rwk_pending_link(w, probe);
	}
	if (r->ret_seq) {
		err = rwk_pending_push(&f->pending,
			&(struct rwk_pending_event){.seq = r->ret_seq, .probe = probe});
		if (err)
			return rwk_feed_no_memory(diag);
	}
	begin_event(it, RWK_EV_SEL, r->seq, r->ts, r->cpu, tid_of(f, r->utid));
	it->ev.probe = &r->values;
	show_probe(f, it, probe);
	if (!f->cpu_valid)
		return 0;
	err = rwk_feed_read_cpus(f, r->seq, diag);
	if (err < 0)
		return err;
	it->probed = f->probed;
	it->nr_probed = err;
	return 0;
}

static int event_of_migration(
	struct rwk_feed_state *f, struct rwk_feed_item *it, struct rwk_diag *diag)
{
	const struct rwk_migration_row *r = &f->migration;
	const struct rwk_feed_task *t = task_of(f, r->utid);
	const struct rwk_pending_wakeup *w =
		r->wakeup_id ? rwk_pending_find(&f->pending, r->wakeup_id) : NULL;

	if (!t)
		return rwk_feed_damaged(f, "migration", r->id, diag);
	begin_event(it, RWK_EV_MIGRATE, r->seq, r->ts, r->cpu, tid_of(f, r->by_utid));
	it->ev.migrate.tid = t->tid;
	it->ev.migrate.prio = r->prio;
	it->ev.migrate.orig_cpu = r->orig_cpu;
	it->ev.migrate.dest_cpu = r->dest_cpu;
	memcpy(it->ev.migrate.comm, t->comm, RWK_COMM_LEN);
	it->wakeup = w ? &w->row : NULL;
	return rwk_feed_refill_migration(f, diag);
}

static int event_of_orphan(
	struct rwk_feed_state *f, struct rwk_feed_item *it, struct rwk_diag *diag)
{
	const struct rwk_orphan_row r = f->orphan;
	int err = rwk_feed_refill_orphan(f, diag);

	if (err)
		return err;
	begin_event(it, RWK_EV_WAKEUP, r.seq, r.ts, r.cpu, occupant(f, r.cpu, r.ts));
	return set_task(f, it, r.utid, r.prio, r.target_cpu, diag);
}

static int event_of_nr(struct rwk_feed_state *f, struct rwk_feed_item *it, struct rwk_diag *diag)
{
	const struct rwk_nr_row r = f->nr;

	begin_event(it, RWK_EV_NR, r.seq, r.ts, r.cpu, occupant(f, r.cpu, r.ts));
	it->ev.nr = r.of;
	return rwk_feed_refill_nr(f, diag);
}

static int event_of_heap(struct rwk_feed_state *f, struct rwk_feed_item *it, struct rwk_diag *diag)
{
	struct rwk_pending_event ev = rwk_pending_pop(&f->pending);
	const struct rwk_wakeup_row *w;
	const struct rwk_probe_row *p;
	int32_t tid;
	rwk_ns ts;

	if (ev.probe) {
		p = &ev.probe->row;
		tid = occupant(f, p->cpu, p->ret_ts);
		begin_event(it, RWK_EV_SEL_RET, ev.seq, p->ret_ts, p->cpu, tid);
		it->ev.sel_ret.cpu = p->answer;
		show_probe(f, it, ev.probe);
		return 0;
	}
	w = &ev.wakeup->row;
	ts = rwk_bits_add(w->ts, w->wakeup_dur);
	begin_event(it, RWK_EV_WAKEUP, ev.seq, ts, w->wakeup_cpu, occupant(f, w->wakeup_cpu, ts));
	show_wakeup(f, it, ev.wakeup, false);
	return set_task(f, it, w->wakee_utid, w->prio, w->target_cpu, diag);
}

static int (*const events[ORIGIN_COUNT])(
	struct rwk_feed_state *f, struct rwk_feed_item *it, struct rwk_diag *diag) = {
	[FROM_SLICE] = event_of_slice,
	[FROM_LOSS] = event_of_loss,
	[FROM_WAKEUP] = event_of_wakeup,
	[FROM_PROBE] = event_of_probe,
	[FROM_MIGRATION] = event_of_migration,
	[FROM_ORPHAN] = event_of_orphan,
	[FROM_NR] = event_of_nr,
	[FROM_HEAP] = event_of_heap,
};

static int next(void *ctx, struct rwk_feed_item *ret, struct rwk_diag *diag)
{
	struct rwk_feed_state *f = ctx;
	int from = 0, err;

	if (f->shown_wakeup)
		rwk_pending_wakeup_done(&f->pending, f->shown_wakeup, f->shown_waking);
	if (f->shown_probe)
		rwk_pending_probe_done(&f->pending, f->shown_probe);
	f->shown_wakeup = NULL;
	f->shown_probe = NULL;
	err = rwk_feed_refill_queues(f, diag);
	if (err)
		return err;
	for (int i = 1; i < ORIGIN_COUNT; i++) {
		if (f->seq[i] < f->seq[from])
			from = i;
	}
	if (f->seq[from] == INT64_MAX)
		return 0;
	err = events[from](f, ret, diag);
	return err ? err : 1;
}

int rwk_store_feed_open(
	struct rwk_store *store, int run_id, struct rwk_diag *diag, struct rwk_feed *ret)
{
	struct rwk_feed_state *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return rwk_feed_no_memory(diag);
	f->db = &store->db;
	err = rwk_feed_state_open(f, run_id, diag);
	if (err) {
		rwk_feed_state_close(f);
		free(f);
		return err;
	}
	*ret = (struct rwk_feed){.ctx = f, .next = next};
	return 0;
}

void rwk_store_feed_close(struct rwk_feed *feed)
{
	if (feed->ctx)
		rwk_feed_state_close(feed->ctx);
	free(feed->ctx);
	*feed = (struct rwk_feed){0};
}
