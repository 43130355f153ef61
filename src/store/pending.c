/* Queues, heap and lifetimes of what a feed holds. */
#include "store/pending.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

#define WAKEUPS_PER_BLOCK 128
#define PROBES_PER_BLOCK  16

void rwk_pending_init(struct rwk_pending *p)
{
	*p = (struct rwk_pending){0};
	p->last_wakeup = &p->first_wakeup;
	p->last_probe = &p->first_probe;
}

void rwk_pending_finish(struct rwk_pending *p)
{
	while (p->block) {
		struct rwk_pending_block *next = p->block->next;

		free(p->block);
		p->block = next;
	}
	free(p->heap);
	rwk_pending_init(p);
}

/* Room for nr things of size bytes behind a block's header. */
static void *block_add(struct rwk_pending *p, size_t nr, size_t size)
{
	size_t header = (sizeof(struct rwk_pending_block) + 15) & ~(size_t)15;
	struct rwk_pending_block *b = calloc(1, header + nr * size);

	if (!b)
		return NULL;
	b->next = p->block;
	p->block = b;
	return (char *)b + header;
}

static size_t bucket_of(int64_t id)
{
	return (uint64_t)id % RWK_PENDING_BUCKETS;
}

struct rwk_pending_wakeup *rwk_pending_add_wakeup(
	struct rwk_pending *p, const struct rwk_wakeup_row *row)
{
	struct rwk_pending_wakeup *w = p->free_wakeup, **bucket = &p->bucket[bucket_of(row->id)];

	if (!w) {
		w = block_add(p, WAKEUPS_PER_BLOCK, sizeof(*w));
		if (!w)
			return NULL;
		for (int i = 1; i < WAKEUPS_PER_BLOCK; i++) {
			w[i].next = p->free_wakeup;
			p->free_wakeup = &w[i];
		}
	} else {
		p->free_wakeup = w->next;
	}
	/* A new task's sched_wakeup_new is waking and wakeup in one. */
	w->row = *row;
	w->nr_events = 1 + (row->wakeup_seq > row->seq);
	w->nr_probes = 0;
	w->probe = NULL;
	w->next = NULL;
	w->chain = *bucket;
	*bucket = w;
	*p->last_wakeup = w;
	p->last_wakeup = &w->next;
	p->nr_wakeups++;
	return w;
}

struct rwk_pending_probe *rwk_pending_new_probe(struct rwk_pending *p)
{
	struct rwk_pending_probe *probe = p->free_probe;

	if (!probe) {
		probe = block_add(p, PROBES_PER_BLOCK, sizeof(*probe));
		if (!probe)
			return NULL;
		for (int i = 1; i < PROBES_PER_BLOCK; i++) {
			probe[i].next = p->free_probe;
			p->free_probe = &probe[i];
		}
	} else {
		p->free_probe = probe->next;
	}
	probe->held = false;
	probe->wakeup = NULL;
	probe->next = NULL;
	return probe;
}

void rwk_pending_add_probe(struct rwk_pending *p, struct rwk_pending_probe *probe)
{
	probe->nr_events = 1 + (probe->row.ret_seq != 0);
	*p->last_probe = probe;
	p->last_probe = &probe->next;
	p->nr_probes++;
}

struct rwk_pending_wakeup *rwk_pending_take_wakeup(struct rwk_pending *p)
{
	struct rwk_pending_wakeup *w = p->first_wakeup;

	p->first_wakeup = w->next;
	if (!p->first_wakeup)
		p->last_wakeup = &p->first_wakeup;
	p->nr_wakeups--;
	return w;
}

struct rwk_pending_probe *rwk_pending_take_probe(struct rwk_pending *p)
{
	struct rwk_pending_probe *probe = p->first_probe;

	p->first_probe = probe->next;
	if (!p->first_probe)
		p->last_probe = &p->first_probe;
	p->nr_probes--;
	return probe;
}

struct rwk_pending_wakeup *rwk_pending_find(const struct rwk_pending *p, int64_t id)
{
	struct rwk_pending_wakeup *w = p->bucket[bucket_of(id)];

	while (w && w->row.id != id)
		w = w->chain;
	return w;
}

void rwk_pending_link(struct rwk_pending_wakeup *w, struct rwk_pending_probe *probe)
{
	if (!probe->wakeup) {
		probe->wakeup = w;
		w->nr_probes++;
	}
	if (!w->probe && w->row.probe_seq == probe->row.seq) {
		w->probe = probe;
		probe->held = true;
	}
}

int rwk_pending_push(struct rwk_pending *p, const struct rwk_pending_event *ev)
{
	size_t i = p->nr_heap;
	int err = rwk_vec_grow(&p->heap, &p->heap_cap, i + 1, sizeof(*p->heap));

	if (err)
		return err;
	p->nr_heap++;
	while (i && p->heap[(i - 1) / 2].seq > ev->seq) {
		p->heap[i] = p->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	p->heap[i] = *ev;
	return 0;
}

struct rwk_pending_event rwk_pending_pop(struct rwk_pending *p)
{
	struct rwk_pending_event top = p->heap[0], last = p->heap[--p->nr_heap];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= p->nr_heap)
			break;
		if (child + 1 < p->nr_heap && p->heap[child + 1].seq < p->heap[child].seq)
			child++;
		if (p->heap[child].seq >= last.seq)
			break;
		p->heap[i] = p->heap[child];
		i = child;
	}
	p->heap[i] = last;
	return top;
}

static void wakeup_free_if_over(struct rwk_pending *p, struct rwk_pending_wakeup *w)
{
	struct rwk_pending_wakeup **at = &p->bucket[bucket_of(w->row.id)];

	if (w->nr_events || w->nr_probes)
		return;
	while (*at != w)
		at = &(*at)->chain;
	*at = w->chain;
	w->next = p->free_wakeup;
	p->free_wakeup = w;
}

static void probe_free_if_over(struct rwk_pending *p, struct rwk_pending_probe *probe)
{
	if (probe->nr_events || probe->held)
		return;
	probe->next = p->free_probe;
	p->free_probe = probe;
}

void rwk_pending_wakeup_done(struct rwk_pending *p, struct rwk_pending_wakeup *w, bool waking)
{
	w->nr_events--;
	if (waking && w->probe) {
		w->probe->held = false;
		probe_free_if_over(p, w->probe);
		w->probe = NULL;
	}
	wakeup_free_if_over(p, w);
}

void rwk_pending_probe_done(struct rwk_pending *p, struct rwk_pending_probe *probe)
{
	struct rwk_pending_wakeup *w = probe->wakeup;

	if (!--probe->nr_events && w) {
		probe->wakeup = NULL;
		w->nr_probes--;
		wakeup_free_if_over(p, w);
	}
	probe_free_if_over(p, probe);
}
