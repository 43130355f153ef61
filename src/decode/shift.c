/*
 * A queue for each CPU, whose own order never changes, and a heap of the CPUs by
 * the event at the head of each.
 */
#include "decode/shift.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/vec.h"

struct slot {
	struct rwk_event event;
	struct rwk_ev_probe *probe; /* kept for the next event that needs one */
	int32_t next; /* in its CPU's queue or the free list; -1 none */
};

struct queue {
	int32_t first, last; /* slots, -1 none */
};

struct rwk_shift {
	rwk_ns skew_ns[RWK_MAX_CPUS];
	rwk_ns least_ns; /* of all shifts */
	rwk_shift_pull pull;
	void *ctx;
	struct slot *slot;
	size_t slot_cap, nr_slots;
	int32_t free_slot; /* -1 none */
	int32_t given; /* slot whose event is out, -1 none */
	struct queue queue[RWK_MAX_CPUS];
	int heap[RWK_MAX_CPUS]; /* CPUs */
	int nr_heap;
	rwk_ns bound; /* what is still to come lies at or behind it */
	bool ended;
};

int rwk_shift_create(const rwk_ns *skew_ns, rwk_shift_pull pull, void *ctx, struct rwk_shift **ret)
{
	struct rwk_shift *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->pull = pull;
	s->ctx = ctx;
	s->free_slot = s->given = -1;
	s->bound = INT64_MIN;
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++) {
		s->queue[cpu] = (struct queue){-1, -1};
		s->skew_ns[cpu] = skew_ns[cpu];
		if (skew_ns[cpu] < s->least_ns)
			s->least_ns = skew_ns[cpu];
	}
	*ret = s;
	return 0;
}

void rwk_shift_destroy(struct rwk_shift *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nr_slots; i++)
		free(s->slot[i].probe);
	free(s->slot);
	free(s);
}

/* Stops at the ends of what a time can be, which keeps the order. */
static rwk_ns add(rwk_ns ts, rwk_ns shift)
{
	rwk_ns sum;

	if (__builtin_add_overflow(ts, shift, &sum))
		return shift < 0 ? 0 : INT64_MAX;
	return sum < 0 ? 0 : sum;
}

static const struct rwk_event *head(const struct rwk_shift *s, int cpu)
{
	return &s->slot[s->queue[cpu].first].event;
}

static bool before(const struct rwk_shift *s, int a, int b)
{
	return rwk_event_before(head(s, a), head(s, b));
}

static void sift_up(struct rwk_shift *s, int at)
{
	int cpu = s->heap[at];

	while (at && before(s, cpu, s->heap[(at - 1) / 2])) {
		s->heap[at] = s->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	s->heap[at] = cpu;
}

static void sift_down(struct rwk_shift *s, int at)
{
	int cpu = s->heap[at];

	for (;;) {
		int child = 2 * at + 1;

		if (child >= s->nr_heap)
			break;
		if (child + 1 < s->nr_heap && before(s, s->heap[child + 1], s->heap[child]))
			child++;
		if (!before(s, s->heap[child], cpu))
			break;
		s->heap[at] = s->heap[child];
		at = child;
	}
	s->heap[at] = cpu;
}

static int take_slot(struct rwk_shift *s, struct rwk_diag *diag, int32_t *ret)
{
	if (s->free_slot < 0) {
		if (s->nr_slots == RWK_SHIFT_WAITING)
			return rwk_diag_push(diag, -E2BIG,
				"cannot shift clocks: more than %d events would have to be kept "
				"in order to sort them",
				RWK_SHIFT_WAITING);
		if (rwk_vec_grow(&s->slot, &s->slot_cap, s->nr_slots + 1, sizeof(*s->slot)))
			return rwk_diag_push(diag, -ENOMEM, "cannot shift clocks: out of memory");
		s->slot[s->nr_slots].next = -1;
		s->free_slot = (int32_t)s->nr_slots++;
	}
	*ret = s->free_slot;
	s->free_slot = s->slot[*ret].next;
	return 0;
}

static int put(struct rwk_shift *s, const struct rwk_event *ev, struct rwk_diag *diag)
{
	struct queue *q = &s->queue[ev->cpu];
	rwk_ns shift = s->skew_ns[ev->cpu];
	struct slot *slot;
	int32_t index = -1;
	int err = take_slot(s, diag, &index);

	if (err)
		return err;
	slot = &s->slot[index];
	slot->event = *ev;
	if (shift && (__builtin_add_overflow(ev->ts, shift, &slot->event.ts) || slot->event.ts < 0))
		return rwk_diag_push(diag, -ERANGE,
			"cannot shift clocks: cpu=%d shift_ns=%" PRId64
			" why=it leads out of what times can be",
			ev->cpu, shift);
	slot->next = -1;
	if (ev->kind == RWK_EV_LOST && ev->lost.from_ts != RWK_NS_NONE)
		slot->event.lost.from_ts = add(ev->lost.from_ts, shift);
	if (rwk_event_has_probe(ev)) {
		if (!slot->probe)
			slot->probe = malloc(sizeof(*slot->probe));
		if (!slot->probe)
			return rwk_diag_push(diag, -ENOMEM, "cannot shift clocks: out of memory");
		*slot->probe = *ev->probe;
		slot->event.probe = slot->probe;
	}
	if (q->first >= 0) {
		s->slot[q->last].next = index;
		q->last = index;
		return 0;
	}
	q->first = q->last = index;
	s->heap[s->nr_heap] = ev->cpu;
	sift_up(s, s->nr_heap++);
	return 0;
}

/* Reads on until nothing that is still to come belongs in front of the first that waits. */
static int fill(struct rwk_shift *s, struct rwk_diag *diag)
{
	struct rwk_event ev;
	int ret;

	while (!s->ended && (!s->nr_heap || head(s, s->heap[0])->ts >= s->bound)) {
		ret = s->pull(s->ctx, &ev, diag);
		if (ret < 0)
			return ret;
		s->ended = !ret;
		if (s->ended)
			break;
		s->bound = add(ev.ts, s->least_ns);
		ret = put(s, &ev, diag);
		if (ret)
			return ret;
	}
	return 0;
}

static void release(struct rwk_shift *s)
{
	if (s->given < 0)
		return;
	s->slot[s->given].next = s->free_slot;
	s->free_slot = s->given;
	s->given = -1;
}

int rwk_shift_next(struct rwk_shift *s, struct rwk_event *ret, struct rwk_diag *diag)
{
	struct queue *q;
	int err;

	release(s);
	err = fill(s, diag);
	if (err)
		return err;
	if (!s->nr_heap)
		return 0;
	q = &s->queue[s->heap[0]];
	s->given = q->first;
	*ret = s->slot[s->given].event;
	q->first = s->slot[s->given].next;
	if (q->first < 0)
		s->heap[0] = s->heap[--s->nr_heap];
	if (s->nr_heap > 1)
		sift_down(s, 0);
	return 1;
}
