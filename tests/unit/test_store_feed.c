/*
 * Rows come back as the events that they were made from, in order: a small
 * trace written by hand, and random traces through the timeline and back.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "events_build.h"
#include "store_build.h"

/* One line per item, for comparing and for reading. */
static void print_item(FILE *out, const struct rwk_feed_item *it)
{
	const struct rwk_event *e = &it->ev;

	fprintf(out, "%lld %s ts=%lld cpu=%d tid=%d", (long long)it->seq,
		rwk_event_kind_name((enum rwk_event_kind)e->kind), (long long)e->ts, e->cpu,
		e->tid);
	if (e->flags)
		fprintf(out, " flags=%d", e->flags);
	switch ((enum rwk_event_kind)e->kind) {
	case RWK_EV_WAKING:
	case RWK_EV_WAKEUP:
	case RWK_EV_WAKEUP_NEW:
		fprintf(out, " task=%d:%.16s prio=%d target=%d", e->task.tid, e->task.comm,
			e->task.prio, e->task.target_cpu);
		break;
	case RWK_EV_SEL:
		fprintf(out, " prev=%d llcs=%d", e->probe->prev_cpu, e->probe->nr_llc);
		break;
	case RWK_EV_SEL_RET:
		fprintf(out, " answer=%d", e->sel_ret.cpu);
		break;
	case RWK_EV_MIGRATE:
		fprintf(out, " task=%d %d-%d", e->migrate.tid, e->migrate.orig_cpu,
			e->migrate.dest_cpu);
		break;
	case RWK_EV_SWITCH:
		fprintf(out, " %d:%.16s state=%d raw=%lld prio=%d -> %d prio=%d", e->sw.prev_tid,
			e->sw.prev_comm, e->sw.prev_state, (long long)e->sw.prev_state_raw,
			e->sw.prev_prio, e->sw.next_tid, e->sw.next_prio);
		break;
	case RWK_EV_NR:
		fprintf(out, " %d:%d%+d", e->nr.cpu, e->nr.nr, e->nr.change);
		break;
	case RWK_EV_LOST:
		fprintf(out, " count=%lld from=%lld", (long long)e->lost.count,
			(long long)e->lost.from_ts);
		break;
	default:
		break;
	}
	for (int i = 0; i < it->nr_probed; i++)
		fprintf(out, " %d:%d/%d/%d/%lld", it->probed[i].cpu, it->probed[i].nr_running,
			it->probed[i].pending, it->probed[i].curr_tid,
			(long long)it->probed[i].load);
	if (it->wakeup)
		fprintf(out, " w=%lld", (long long)it->wakeup->id);
	if (it->probe)
		fprintf(out, " p=%lld", (long long)it->probe->seq);
	fputc('\n', out);
}

static char *read_all(struct store_box *box, struct rwk_store *store)
{
	struct rwk_feed_item it;
	struct rwk_feed feed;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int err;

	assert_non_null(out);
	assert_int_equal(rwk_store_feed_open(store, 1, &box->diag, &feed), 0);
	while ((err = feed.next(feed.ctx, &it, &box->diag)) == 1)
		print_item(out, &it);
	fclose(out);
	rwk_store_feed_close(&feed);
	assert_int_equal(err, 0);
	return text;
}

/*
 * Task 9 (tid 1009) is seen on CPU 0, wakes task 10 to CPU 4 by a probed
 * decision, is preempted; task 10 runs; a child is born with its probe before
 * it; an exec's probe stands alone; events are lost on CPU 4.
 */
static void by_hand(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	struct rwk_store *store;
	struct rwk_slice_row s;
	struct rwk_wakeup_row r;
	struct rwk_probe_row p;
	const struct rwk_probe_cpu_row c[] = {
		{2, {5, 2, 0, 1010, 1 << 20}},
		{11, {0, 0, 0, 0, 0}},
		{2, {1, 0, RWK_NONE, 0, RWK_NONE}},
	};
	struct rwk_migration_row m;
	char *text;

	s = slice_row(1, 1, 100, 0, 9); /* by common_pid of the waking */
	s.begin_unknown = true;
	s.dur = 50;
	s.end_state = RWK_END_PREEMPTED;
	s.end_state_raw = 256;
	assert_int_equal(sink.slice(sink.ctx, &s), 0);
	s = slice_row(2, 6, 120, 4, 5); /* idle task of CPU 4, first seen as prev of event 6 */
	s.begin_unknown = true;
	s.dur = 0;
	s.end_state = RWK_END_RUNNABLE;
	assert_int_equal(sink.slice(sink.ctx, &s), 0);
	s = slice_row(3, 6, 120, 4, 10);
	s.dur = 60;
	s.cut = true;
	assert_int_equal(sink.slice(sink.ctx, &s), 0);
	s = slice_row(4, 7, 150, 0, 1);
	assert_int_equal(sink.slice(sink.ctx, &s), 0);

	r = wakeup_row(1, 1, 100, 0, 10);
	r.waker_utid = 9;
	r.prev_cpu = 1;
	r.target_cpu = 4;
	r.target_source = RWK_TARGET_MIGRATE;
	r.context = RWK_CTX_SOFTIRQ;
	r.kind = RWK_KIND_DECISION;
	r.wakeup_seq = 5;
	r.wakeup_dur = 12;
	r.wakeup_cpu = 4;
	r.run_dur = 20;
	r.run_cpu = 4;
	r.probe_seq = 2;
	assert_int_equal(sink.wakeup(sink.ctx, &r), 0);
	r = wakeup_row(2, 10, 160, 0, 11);
	r.waker_utid = 1;
	r.kind = RWK_KIND_NEW;
	r.context = RWK_CTX_TASK;
	r.target_cpu = 3;
	r.wakeup_seq = 10;
	r.wakeup_dur = 0;
	r.wakeup_cpu = 0;
	r.probe_seq = 8;
	assert_int_equal(sink.wakeup(sink.ctx, &r), 0);

	p = (struct rwk_probe_row){.seq = 2,
		.ret_seq = 3,
		.wakeup_id = 1,
		.ts = 101,
		.ret_ts = 103,
		.utid = 9,
		.answer = 4,
		.values = {.prev_cpu = 1, .nr_llc = 2, .llc = {{0, 1, 1}, {4, 2, 0}}}};
	assert_int_equal(sink.probe(sink.ctx, &p), 0);
	p = (struct rwk_probe_row){.seq = 8,
		.ret_seq = 9,
		.wakeup_id = 2,
		.ts = 158,
		.ret_ts = 159,
		.utid = 1,
		.answer = 3,
		.values = {.prev_cpu = 0}};
	assert_int_equal(sink.probe(sink.ctx, &p), 0);
	p = (struct rwk_probe_row){.seq = 11,
		.ts = 170,
		.ret_ts = RWK_NS_NONE,
		.cpu = 2,
		.utid = RWK_NONE,
		.answer = RWK_NONE,
		.values = {.prev_cpu = 2, .nr_llc = 1, .llc = {{7, 7, 7}}}};
	assert_int_equal(sink.probe(sink.ctx, &p), 0);

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++)
		assert_int_equal(sink.probe_cpu(sink.ctx, &c[i]), 0);

	m = (struct rwk_migration_row){.id = 1,
		.seq = 4,
		.ts = 105,
		.cpu = 0,
		.by_utid = 9,
		.utid = 10,
		.prio = 120,
		.orig_cpu = 1,
		.dest_cpu = 4,
		.wakeup_id = 1};
	assert_int_equal(sink.migration(sink.ctx, &m), 0);
	m = (struct rwk_migration_row){.id = 2,
		.seq = 6,
		.ts = 120,
		.cpu = RWK_NONE,
		.by_utid = RWK_NONE,
		.utid = 10,
		.prio = 120,
		.orig_cpu = 1,
		.dest_cpu = 4,
		.synthetic = true};
	assert_int_equal(sink.migration(sink.ctx, &m), 0);
	assert_int_equal(sink.orphan(sink.ctx, &(struct rwk_orphan_row){.seq = 13,
						       .ts = 190,
						       .cpu = 4,
						       .utid = 12,
						       .prio = 99,
						       .target_cpu = 4}),
		0);
	assert_int_equal(sink.nr(sink.ctx, &(struct rwk_nr_row){.seq = 14,
						   .ts = 195,
						   .cpu = 0,
						   .of = {.cpu = 4, .nr = 2, .change = -1}}),
		0);
	assert_int_equal(
		sink.loss(sink.ctx,
			&(struct rwk_loss_row){
				.seq = 12, .from_ts = 180, .to_ts = 185, .cpu = 4, .count = 3}),
		0);
	store_box_finish(box, w);

	store = store_box_open(box, false);
	text = read_all(box, store);
	assert_string_equal(text,
		"1 other ts=100 cpu=0 tid=1009\n"
		"1 sched_waking ts=100 cpu=0 tid=1009 flags=16 task=1010:task10 prio=120 target=1 "
		"w=1 p=2\n"
		"2 rewake:sel ts=101 cpu=0 tid=1009 flags=16 prev=1 llcs=2 "
		"1:0/-1/0/-1 5:2/0/1010/1048576 w=1 p=2\n"
		"3 rewake:sel_ret ts=103 cpu=0 tid=1009 flags=16 answer=4 w=1 p=2\n"
		"4 sched_migrate_task ts=105 cpu=0 tid=1009 task=1010 1-4 w=1\n"
		"5 sched_wakeup ts=112 cpu=4 tid=-1 task=1010:task10 prio=120 target=4 w=1\n"
		"6 other ts=120 cpu=4 tid=0\n"
		"6 sched_switch ts=120 cpu=4 tid=0 0:swapper/4 state=1 raw=0 prio=120 -> 1010 "
		"prio=120\n"
		"7 sched_switch ts=150 cpu=0 tid=1009 1009:task9 state=2 raw=256 prio=120 -> 0 "
		"prio=120\n"
		"8 rewake:sel ts=158 cpu=0 tid=0 prev=0 llcs=0 w=2 p=8\n"
		"9 rewake:sel_ret ts=159 cpu=0 tid=0 answer=3 w=2 p=8\n"
		"10 sched_wakeup_new ts=160 cpu=0 tid=0 task=1011:task11 prio=120 target=3 w=2 "
		"p=8\n"
		"11 rewake:sel ts=170 cpu=2 tid=-1 prev=2 llcs=1 0:0/0/0/0 p=11\n"
		"12 lost ts=185 cpu=4 tid=-1 count=3 from=180\n"
		"13 sched_wakeup ts=190 cpu=4 tid=-1 task=1012:task12 prio=99 target=4\n"
		"14 rewake:nr ts=195 cpu=0 tid=0 4:2-1\n");
	free(text);
	rwk_store_close(store);
}

static void empty_run(void **state)
{
	struct store_box *box = *state;
	struct rwk_row_sink sink;
	struct rwk_store_writer *w = store_box_writer(box, &sink);
	struct rwk_store *store;
	char *text;

	box->run.nr_task = 0;
	store_box_finish(box, w);
	store = store_box_open(box, false);
	text = read_all(box, store);
	assert_string_equal(text, "");
	free(text);
	rwk_store_close(store);
}

/* ---- random traces ---- */

enum { NR_CPUS = 8, NR_TIDS = 24 };

struct chaos {
	uint64_t seed;
	rwk_ns now;
	int curr[NR_CPUS]; /* tid, -1 unknown */
	bool lossy;
	struct rwk_ev_probe probe;
	struct rwk_event ev;
};

static struct chaos chaos_begin(uint64_t seed)
{
	return (struct chaos){.seed = seed,
		.now = 1000,
		.curr = {-1, -1, -1, -1, -1, -1, -1, -1},
		.lossy = seed % 3 == 0};
}

static uint32_t draw(struct chaos *c, uint32_t below)
{
	c->seed = c->seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(c->seed >> 33) % below;
}

/* A task that runs nowhere, or the idle task. */
static int free_tid(struct chaos *c)
{
	int tid = 100 + (int)draw(c, NR_TIDS);

	for (int cpu = 0; cpu < NR_CPUS; cpu++) {
		if (c->curr[cpu] == tid)
			return 0;
	}
	return tid;
}

static enum rwk_end_state end_state(struct chaos *c)
{
	static const enum rwk_end_state often[] = {RWK_END_SLEEPING, RWK_END_SLEEPING,
		RWK_END_PREEMPTED, RWK_END_RUNNABLE, RWK_END_DISK};

	return draw(c, 8) ? often[draw(c, 5)] : (enum rwk_end_state)draw(c, RWK_END_COUNT);
}

static void switch_in(struct chaos *c, int cpu, int tid)
{
	for (int k = 0; k < NR_CPUS; k++) {
		if (tid && c->curr[k] == tid)
			c->curr[k] = -1; /* it cannot be there any more */
	}
	c->curr[cpu] = tid;
}

/*
 * Any event, however little sense it makes after the others; only the task on
 * the CPU is told truly, as the kernel does.
 */
static void next_event(struct chaos *c)
{
	int cpu = (int)draw(c, NR_CPUS), tid, wakee = 100 + (int)draw(c, NR_TIDS);
	int target = (int)draw(c, NR_CPUS);

	/* A running task is where it runs. */
	for (int k = 0; k < NR_CPUS; k++) {
		if (c->curr[k] == wakee)
			target = k;
	}
	c->now += draw(c, 4) ? draw(c, 2000) : 0;
	if (c->curr[cpu] < 0 && draw(c, 8))
		c->curr[cpu] = free_tid(c);
	tid = c->curr[cpu];
	switch (draw(c, 17)) {
	case 16:
		c->ev = ev_nr(c->now, cpu, tid, target, (int)draw(c, 5), (int)draw(c, 5) - 2);
		break;
	case 0:
	case 1:
	case 2:
		c->ev = ev_wake(RWK_EV_WAKING, c->now, cpu, tid, wakee, target);
		break;
	case 3:
	case 4:
	case 5:
		c->ev = ev_wake(RWK_EV_WAKEUP, c->now, cpu, tid, wakee, target);
		break;
	case 6:
		/* Nobody is born while running. */
		wakee = free_tid(c);
		c->ev = wakee ? ev_wake(RWK_EV_WAKEUP_NEW, c->now, cpu, tid, wakee, target)
			      : ev_other(c->now, cpu, tid);
		break;
	case 7:
		wakee = free_tid(c);
		c->ev = !wakee ? ev_other(c->now, cpu, tid)
			       : ev_migrate(c->now, cpu, tid, wakee, (int)draw(c, NR_CPUS), target);
		break;
	case 8:
		if (!c->lossy) {
			c->ev = ev_other(c->now, cpu, tid);
			break;
		}
		c->ev = ev_lost(c->now, cpu, draw(c, 2) ? 5 : RWK_NONE, c->now - draw(c, 500));
		c->curr[cpu] = -1;
		break;
	case 9:
		c->ev = ev_other(c->now, cpu, tid);
		break;
	case 10:
		c->probe = (struct rwk_ev_probe){.prev_cpu = target,
			.wake_flags = draw(c, 256),
			.has_hidden = draw(c, 2),
			.nr_llc = (int)draw(c, 4)};
		c->ev = ev_sel(c->now, cpu, tid, &c->probe);
		break;
	case 11:
		c->ev = ev_sel_ret(c->now, cpu, tid, target);
		break;
	default: {
		enum rwk_end_state state = end_state(c);

		/* Sometimes not who was thought to be there; but then it does not die of it. */
		if (tid < 0 || !draw(c, 8)) {
			tid = free_tid(c);
			state = RWK_END_SLEEPING;
		}
		c->ev = ev_switch(c->now, cpu, tid, state, draw(c, 3) ? wakee : 0);
		if (c->ev.sw.next_tid == tid)
			c->ev.sw.next_tid = 0;
		c->ev.sw.prev_state_raw = draw(c, 512);
		switch_in(c, cpu, c->ev.sw.next_tid);
		break;
	}
	}
	if (c->ev.kind == RWK_EV_WAKING && draw(c, 3) == 0)
		c->ev.flags = draw(c, 2) ? RWK_FLAG_HARDIRQ : RWK_FLAG_SOFTIRQ;
}

static void same_task(const struct rwk_ev_task *a, const struct rwk_ev_task *b, int64_t seq)
{
	if (a->tid != b->tid || a->prio != b->prio || strncmp(a->comm, b->comm, RWK_COMM_LEN))
		fail_msg("%lld: task %d %d %.16s, was %d %d %.16s", (long long)seq, b->tid, b->prio,
			b->comm, a->tid, a->prio, a->comm);
}

/*
 * What a row keeps of the event.  Who was on the CPU later than at its start follows
 * from the slices, which after a loss need not know it.
 */
static void same_event(const struct rwk_event *a, const struct rwk_feed_item *it, bool lossy)
{
	const struct rwk_event *b = &it->ev;
	int64_t seq = it->seq;

	if (a->kind != b->kind || a->ts != b->ts || a->cpu != b->cpu)
		fail_msg("%lld: %s ts=%lld cpu=%d, was %s ts=%lld cpu=%d", (long long)seq,
			rwk_event_kind_name((enum rwk_event_kind)b->kind), (long long)b->ts, b->cpu,
			rwk_event_kind_name((enum rwk_event_kind)a->kind), (long long)a->ts,
			a->cpu);
	if (a->kind != RWK_EV_LOST && a->tid >= 0 && a->tid != b->tid &&
		!(lossy && (a->kind == RWK_EV_WAKEUP || a->kind == RWK_EV_SEL_RET ||
				   a->kind == RWK_EV_NR)))
		fail_msg("%lld: %s of tid %d, was %d", (long long)seq,
			rwk_event_kind_name((enum rwk_event_kind)b->kind), b->tid, a->tid);
	switch ((enum rwk_event_kind)a->kind) {
	case RWK_EV_WAKING:
		assert_int_equal(a->flags, b->flags);
		assert_non_null(it->wakeup);
		same_task(&a->task, &b->task, seq);
		break;
	case RWK_EV_WAKEUP_NEW:
		assert_non_null(it->wakeup);
		assert_int_equal(a->task.target_cpu, b->task.target_cpu);
		same_task(&a->task, &b->task, seq);
		break;
	case RWK_EV_WAKEUP:
		same_task(&a->task, &b->task, seq);
		break;
	case RWK_EV_SEL:
		assert_non_null(it->probe);
		assert_ptr_equal(b->probe, &it->probe->values);
		assert_int_equal(a->probe->prev_cpu, b->probe->prev_cpu);
		assert_int_equal(a->probe->wake_flags, b->probe->wake_flags);
		assert_int_equal(a->probe->has_hidden, b->probe->has_hidden);
		assert_int_equal(a->probe->nr_llc, b->probe->nr_llc);
		break;
	case RWK_EV_SEL_RET:
		assert_int_equal(a->sel_ret.cpu, b->sel_ret.cpu);
		break;
	case RWK_EV_NR:
		assert_memory_equal(&a->nr, &b->nr, sizeof(a->nr));
		break;
	case RWK_EV_MIGRATE:
		assert_int_equal(a->migrate.tid, b->migrate.tid);
		assert_int_equal(a->migrate.orig_cpu, b->migrate.orig_cpu);
		assert_int_equal(a->migrate.dest_cpu, b->migrate.dest_cpu);
		break;
	case RWK_EV_SWITCH:
		if (a->sw.prev_tid != b->sw.prev_tid || a->sw.next_tid != b->sw.next_tid)
			fail_msg("%lld: switch %d-%d, was %d-%d", (long long)seq, b->sw.prev_tid,
				b->sw.next_tid, a->sw.prev_tid, a->sw.next_tid);
		assert_int_equal(a->sw.prev_state, b->sw.prev_state);
		assert_int_equal(a->sw.prev_state_raw, b->sw.prev_state_raw);
		break;
	case RWK_EV_LOST:
		assert_int_equal(a->lost.count, b->lost.count);
		assert_int_equal(a->lost.from_ts, b->lost.from_ts);
		break;
	default:
		break;
	}
}

/* Links are those of the rows. */
static void check_links(const struct rwk_feed_item *it)
{
	const struct rwk_wakeup_row *w = it->wakeup;
	const struct rwk_probe_row *p = it->probe;

	if (it->ev.kind == RWK_EV_SEL || it->ev.kind == RWK_EV_SEL_RET) {
		assert_true(!p->wakeup_id || !w || w->id == p->wakeup_id);
		if (it->ev.kind == RWK_EV_SEL && p->wakeup_id)
			assert_non_null(w);
	}
	if (w && (it->ev.kind == RWK_EV_WAKING || it->ev.kind == RWK_EV_WAKEUP_NEW)) {
		assert_int_equal(w->seq, it->seq);
		assert_int_equal(w->probe_seq, p ? p->seq : 0);
	}
	if (w && it->ev.kind == RWK_EV_WAKEUP)
		assert_int_equal(w->wakeup_seq, it->seq);
}

/* The rows that the timeline makes of nr events of a seed. */
static void write_chaos(struct store_box *box, uint64_t seed, int nr)
{
	struct chaos c = chaos_begin(seed);
	struct rwk_timeline_options options = {.machine = box->machine, .probed = seed % 2};
	struct rwk_store_writer *w = store_box_writer(box, &options.sink);
	struct rwk_timeline *tl;
	struct rwk_task_row *tasks;

	assert_int_equal(rwk_timeline_create(&options, &box->diag, &tl), 0);
	for (int i = 0; i < nr; i++) {
		next_event(&c);
		assert_int_equal(rwk_timeline_event(tl, &c.ev), 0);
	}
	assert_int_equal(rwk_timeline_finish(tl), 0);
	assert_int_equal(rwk_timeline_tasks(tl, &tasks, &box->run.nr_task), 0);
	box->run.task = tasks;
	store_box_finish(box, w);
	rwk_timeline_destroy(tl);
}

static void random_trace(struct store_box *box, uint64_t seed, int nr)
{
	struct chaos c = chaos_begin(seed);
	struct rwk_feed_item it = {0};
	struct rwk_store *store;
	struct rwk_feed feed;
	int64_t seq = 0;
	int ret;

	write_chaos(box, seed, nr);
	store = store_box_open(box, false);
	assert_int_equal(rwk_store_feed_open(store, 1, &box->diag, &feed), 0);
	ret = feed.next(feed.ctx, &it, &box->diag);
	while (seq < nr) {
		bool met = false;

		next_event(&c);
		seq++;
		while (ret == 1 && it.seq == seq) {
			check_links(&it);
			if (it.ev.kind == RWK_EV_OTHER && c.ev.kind != RWK_EV_OTHER) {
				/* Who was there, told before the event that shows it. */
				assert_false(met);
				assert_int_equal(it.ev.cpu, c.ev.cpu);
			} else {
				if (met)
					fail_msg("seed %llu: event %lld comes twice",
						(unsigned long long)seed, (long long)seq);
				same_event(&c.ev, &it, c.lossy);
				met = true;
			}
			ret = feed.next(feed.ctx, &it, &box->diag);
		}
		/* A return without its entry leaves no row, others nothing but who was there. */
		if (!met && c.ev.kind != RWK_EV_OTHER && c.ev.kind != RWK_EV_SEL_RET)
			fail_msg("seed %llu: event %lld (%s) is missing; next is %lld",
				(unsigned long long)seed, (long long)seq,
				rwk_event_kind_name((enum rwk_event_kind)c.ev.kind),
				(long long)(ret == 1 ? it.seq : ret));
	}
	assert_int_equal(ret, 0);
	assert_int_equal(feed.next(feed.ctx, &it, &box->diag), 0);
	rwk_store_feed_close(&feed);
	rwk_store_close(store);
	assert_int_equal(remove(box->path), 0);
}

static void random_traces(void **state)
{
	for (uint64_t seed = 1; seed <= 40; seed++)
		random_trace(*state, seed, 600);
	random_trace(*state, 99, 40000);
	random_trace(*state, 100, 40000);
}

/* A feed that is closed early gives everything back. */
static void closed_early(void **state)
{
	struct store_box *box = *state;
	struct rwk_feed_item it;
	struct rwk_store *store;
	struct rwk_feed feed;

	write_chaos(box, 5, 5000);
	store = store_box_open(box, false);
	for (int nr = 0; nr < 300; nr += 7) {
		assert_int_equal(rwk_store_feed_open(store, 1, &box->diag, &feed), 0);
		for (int i = 0; i < nr; i++)
			assert_int_equal(feed.next(feed.ctx, &it, &box->diag), 1);
		rwk_store_feed_close(&feed);
		rwk_store_feed_close(&feed);
	}
	rwk_store_close(store);
}

/* ---- rows that make no sense ---- */

/* The error that reading the run ends with, 0 for none. */
static int read_through(struct store_box *box)
{
	struct rwk_store *store = store_box_open(box, false);
	struct rwk_feed_item it;
	struct rwk_feed feed;
	int err;

	rwk_diag_clear(&box->diag);
	err = rwk_store_feed_open(store, 1, &box->diag, &feed);
	if (!err) {
		do {
			err = feed.next(feed.ctx, &it, &box->diag);
		} while (err == 1);
		rwk_store_feed_close(&feed);
	}
	rwk_store_close(store);
	return err;
}

static void damaged_rows(void **state)
{
	static const char *const damage[] = {
		"UPDATE t_slice SET bits = bits | 2047 WHERE id = 3",
		"UPDATE t_slice SET bits = 0 WHERE id = 3",
		"UPDATE t_slice SET utid = 99999 WHERE id = 3",
		"UPDATE t_slice SET utid = NULL WHERE id = 3",
		"UPDATE t_slice SET seq = 1000000 WHERE id = 3",
		"UPDATE t_slice SET bits = 15 << 19 | 1 WHERE id = 3",
		"UPDATE t_wakeup SET cpus = -1 WHERE id = 3",
		"UPDATE t_wakeup SET bits = 15",
		"UPDATE t_wakeup SET wakee_utid = -4 WHERE id = 3",
		"UPDATE t_wakeup SET wakeup_dseq = -1 WHERE id = 3",
		"UPDATE t_wakeup SET wakeup_dseq = 9223372036854775807 WHERE id = 3",
		"UPDATE t_wakeup SET probe_dseq = 123456 WHERE id = 3",
		"UPDATE t_wakeup SET seq = -9223372036854775808 WHERE id = 3",
		"UPDATE t_probe SET cpu = 4096",
		"UPDATE t_probe SET ret_dseq = 0",
		"UPDATE t_probe SET wakeup_id = -9223372036854775808",
		"INSERT INTO t_probe_llc VALUES (3, 0, 0, 0, 0)",
		"INSERT INTO t_probe_cpu VALUES (3, 0, 0, 0, 0, 0)",
		"INSERT INTO t_probe_cpu SELECT seq, 1024, 0, 0, 0, 0 FROM t_probe",
		"INSERT INTO t_probe_cpu SELECT seq, -1, 0, 0, 0, 0 FROM t_probe",
		"INSERT INTO t_probe_cpu SELECT seq, 0, -1, 0, 0, 0 FROM t_probe",
		"INSERT INTO t_probe_cpu SELECT seq, 0, 0, 1 << 31, 0, 0 FROM t_probe",
		"INSERT INTO t_probe_cpu SELECT seq, 0, 0, 0, -9, 0 FROM t_probe",
		"INSERT INTO t_probe_cpu SELECT seq, 0, 0, 0, 0, -9 FROM t_probe",
		"UPDATE t_migration SET cpus = 0",
		"UPDATE t_nr SET cpus = 1",
		"UPDATE t_nr SET nr = -1",
		"UPDATE t_nr SET change = 1 << 40",
		"UPDATE t_orphan SET bits = 0",
		"UPDATE t_loss SET cpu = -5",
		"DELETE FROM t_task WHERE utid = 3",
		"UPDATE t_task SET utid = 1 << 39 WHERE utid = 3",
		"DELETE FROM t_slice WHERE id % 3 = 0",
	};
	struct store_box *box = *state;

	for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
		write_chaos(box, 3, 2000);
		assert_int_equal(read_through(box), 0);
		store_box_damage(box, damage[i]);
		if (read_through(box) != -EBADMSG)
			fail_msg("not noticed: %s", damage[i]);
		assert_true(box->diag.nr > 0);
		assert_int_equal(remove(box->path), 0);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, store_box_setup, store_box_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(by_hand),
		TEST(empty_run),
		TEST(random_traces),
		TEST(closed_early),
		TEST(damaged_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
