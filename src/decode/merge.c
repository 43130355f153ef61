/*
 * The merge: a binary heap of streams, ordered by the event at the head of each.
 * A stream that gave the last event usually gives the next one too, so the heap
 * is repaired from its top only when that event was used up.
 */
#include "decode/merge.h"

#include <errno.h>
#include <stdlib.h>

struct stream {
	struct rwk_event head;
	struct rwk_event held; /* comes after head, which is a LOST made up here */
	rwk_ns last_ts; /* of its last event given to the heap */
	int64_t nr_skipped; /* events dropped since then for stepping backwards */
	int32_t cpu;
	bool has_held;
	bool queued; /* in the heap */
};

struct rwk_merge {
	rwk_merge_pull pull;
	void *ctx;
	struct rwk_anomalies *anomalies;
	rwk_ns last_ts; /* of the last event given out */
	bool top_used; /* the top's event was given out: advance it first */
	bool primed;
	bool by_offset;
	int nr_streams, nr_heap;
	int *heap; /* stream numbers */
	struct stream *stream;
};

int rwk_merge_create(int nr_streams, const int32_t *cpu, rwk_merge_pull pull, void *ctx,
	struct rwk_anomalies *anomalies, struct rwk_merge **ret)
{
	struct rwk_merge *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	*m = (struct rwk_merge){
		.pull = pull,
		.ctx = ctx,
		.anomalies = anomalies,
		.last_ts = RWK_NS_NONE,
		.nr_streams = nr_streams,
	};
	m->heap = calloc((size_t)nr_streams + 1, sizeof(*m->heap));
	m->stream = calloc((size_t)nr_streams + 1, sizeof(*m->stream));
	if (!m->heap || !m->stream) {
		rwk_merge_destroy(m);
		return -ENOMEM;
	}
	for (int i = 0; i < nr_streams; i++) {
		m->stream[i].last_ts = RWK_NS_NONE;
		m->stream[i].cpu = cpu[i];
	}
	*ret = m;
	return 0;
}

void rwk_merge_destroy(struct rwk_merge *m)
{
	if (!m)
		return;
	free(m->heap);
	free(m->stream);
	free(m);
}

void rwk_merge_order_by_offset(struct rwk_merge *m)
{
	m->by_offset = true;
}

static void make_lost(struct stream *s, rwk_ns ts, struct rwk_event *ret)
{
	*ret = (struct rwk_event){
		.ts = ts,
		.offset = RWK_NONE,
		.cpu = s->cpu,
		.tid = RWK_NONE,
		.kind = RWK_EV_LOST,
		.lost = {.count = s->nr_skipped, .from_ts = s->last_ts},
	};
	s->nr_skipped = 0;
}

/*
 * Next event of a stream into its head, past those that step backwards.  A
 * stream that was out of the heap may be behind the output as a whole, which
 * counts as stepping backwards too.
 */
static int advance(struct rwk_merge *m, int index, struct rwk_diag *diag)
{
	struct stream *s = &m->stream[index];
	rwk_ns limit = s->last_ts > m->last_ts ? s->last_ts : m->last_ts;
	int ret;

	if (s->has_held) {
		s->head = s->held;
		s->has_held = false;
		return 1;
	}
	for (;;) {
		ret = m->pull(m->ctx, index, &s->head, diag);
		if (ret < 0)
			return ret;
		if (!ret)
			break;
		if (s->head.ts >= limit)
			break;
		if (s->head.kind == RWK_EV_LOST) {
			/* A gap has no time of its own, only a place between two events. */
			s->head.ts = limit;
			break;
		}
		rwk_anomaly_add(m->anomalies, RWK_AN_TIME_BACKWARDS, s->head.ts, s->head.cpu,
			s->head.offset);
		s->nr_skipped++;
	}
	if (s->nr_skipped) {
		if (ret) {
			s->held = s->head;
			s->has_held = true;
		}
		make_lost(s, ret ? s->held.ts : limit, &s->head);
		ret = 1;
	}
	if (ret)
		s->last_ts = s->head.ts;
	return ret;
}

static bool before(const struct rwk_merge *m, int a, int b)
{
	const struct rwk_event *x = &m->stream[a].head, *y = &m->stream[b].head;

	if (x->ts == y->ts && m->by_offset && x->offset != y->offset)
		return x->offset < y->offset;
	return x->ts != y->ts ? x->ts < y->ts : rwk_event_before(x, y);
}

static void sift_down(struct rwk_merge *m, int at)
{
	int index = m->heap[at];

	for (;;) {
		int child = 2 * at + 1;

		if (child >= m->nr_heap)
			break;
		if (child + 1 < m->nr_heap && before(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (!before(m, m->heap[child], index))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = index;
}

static void push(struct rwk_merge *m, int index)
{
	int at = m->nr_heap++;

	while (at && before(m, index, m->heap[(at - 1) / 2])) {
		m->heap[at] = m->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	m->heap[at] = index;
	m->stream[index].queued = true;
}

/* Advances the stream at the top if its event was given out, and repairs the heap. */
static int settle(struct rwk_merge *m, struct rwk_diag *diag)
{
	int ret;

	if (!m->top_used)
		return 0;
	ret = advance(m, m->heap[0], diag);
	if (ret < 0)
		return ret;
	m->top_used = false;
	if (!ret) {
		m->stream[m->heap[0]].queued = false;
		m->heap[0] = m->heap[--m->nr_heap];
	}
	if (m->nr_heap > 1)
		sift_down(m, 0);
	return 0;
}

int rwk_merge_wake(struct rwk_merge *m, int stream, struct rwk_diag *diag)
{
	int ret;

	if (!m->primed || m->stream[stream].queued)
		return 0;
	ret = settle(m, diag);
	if (ret < 0)
		return ret;
	ret = advance(m, stream, diag);
	if (ret > 0)
		push(m, stream);
	return ret < 0 ? ret : 0;
}

int rwk_merge_next(struct rwk_merge *m, const struct rwk_event **ret, struct rwk_diag *diag)
{
	int err;

	for (int i = 0; i < m->nr_streams && !m->primed; i++) {
		err = m->stream[i].queued ? 0 : advance(m, i, diag);
		if (err < 0)
			return err;
		if (err)
			push(m, i);
	}
	m->primed = true;
	err = settle(m, diag);
	if (err < 0)
		return err;
	if (!m->nr_heap)
		return 0;
	*ret = &m->stream[m->heap[0]].head;
	m->last_ts = (*ret)->ts;
	m->top_used = true;
	return 1;
}
