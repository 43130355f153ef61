/*
 * Wakeups and probes of which some event is still to come: read ahead of the
 * feed or kept behind it.  Each knows the other; both are recycled.
 */
#ifndef SRC_STORE_PENDING_H
#define SRC_STORE_PENDING_H

#include "store/cursor.h"

struct rwk_pending_probe;

struct rwk_pending_wakeup {
	struct rwk_wakeup_row row;
	int nr_events; /* own events to come */
	int nr_probes; /* probes that name it */
	struct rwk_pending_probe *probe; /* held until its waking has passed */
	struct rwk_pending_wakeup *next; /* in a queue, a bucket's chain or the free list */
	struct rwk_pending_wakeup *chain;
};

struct rwk_pending_probe {
	int nr_events;
	bool held; /* by a wakeup whose waking is still to come */
	struct rwk_pending_wakeup *wakeup;
	struct rwk_pending_probe *next;
	struct rwk_probe_row row; /* large: last */
};

/* An event later than the rows it belongs to. */
struct rwk_pending_event {
	int64_t seq;
	struct rwk_pending_wakeup *wakeup; /* its sched_wakeup … */
	struct rwk_pending_probe *probe; /* … or its return */
};

struct rwk_pending_block {
	struct rwk_pending_block *next;
};

#define RWK_PENDING_BUCKETS 1024
/*
 * Rows read ahead at most: between a waking and its probe lie the events of
 * other CPUs during some microseconds, or while a virtual CPU stood still.
 */
#define RWK_PENDING_MAX_AHEAD (1 << 20)

struct rwk_pending {
	struct rwk_pending_wakeup *bucket[RWK_PENDING_BUCKETS]; /* by id */
	/* Read, their first event not yet passed; in order. */
	struct rwk_pending_wakeup *first_wakeup, **last_wakeup;
	struct rwk_pending_probe *first_probe, **last_probe;
	size_t nr_wakeups, nr_probes; /* in these queues */
	struct rwk_pending_event *heap; /* smallest seq first */
	size_t nr_heap, heap_cap;
	struct rwk_pending_wakeup *free_wakeup;
	struct rwk_pending_probe *free_probe;
	struct rwk_pending_block *block;
};

void rwk_pending_init(struct rwk_pending *p);
void rwk_pending_finish(struct rwk_pending *p);

/* At the end of their queues, with the events that their rows promise.  NULL: out of memory. */
struct rwk_pending_wakeup *rwk_pending_add_wakeup(
	struct rwk_pending *p, const struct rwk_wakeup_row *row);
/* row: to be filled by the caller before rwk_pending_add_probe. */
struct rwk_pending_probe *rwk_pending_new_probe(struct rwk_pending *p);
void rwk_pending_add_probe(struct rwk_pending *p, struct rwk_pending_probe *probe);

struct rwk_pending_wakeup *rwk_pending_take_wakeup(struct rwk_pending *p);
struct rwk_pending_probe *rwk_pending_take_probe(struct rwk_pending *p);

/* The wakeup with that id, read and not yet over; or NULL. */
struct rwk_pending_wakeup *rwk_pending_find(const struct rwk_pending *p, int64_t id);
void rwk_pending_link(struct rwk_pending_wakeup *w, struct rwk_pending_probe *probe);

int rwk_pending_push(struct rwk_pending *p, const struct rwk_pending_event *ev);
struct rwk_pending_event rwk_pending_pop(struct rwk_pending *p);

/* One event of it has passed; waking: its first one. */
void rwk_pending_wakeup_done(struct rwk_pending *p, struct rwk_pending_wakeup *w, bool waking);
void rwk_pending_probe_done(struct rwk_pending *p, struct rwk_pending_probe *probe);

#endif
