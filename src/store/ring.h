/*
 * Hand-over of batches from the thread that fills them to the one that inserts
 * them: a bounded number, each reused.  The order of hand-over is the order of
 * arrival, so that the database depends on the rows alone.
 */
#ifndef SRC_STORE_RING_H
#define SRC_STORE_RING_H

#include <pthread.h>

#include "store/bulk.h"

#define RWK_BATCH_ROWS   RWK_BULK_ROWS
#define RWK_RING_BATCHES 48 /* at most, some 8 MB of rows */

struct rwk_batch {
	struct rwk_batch *next;
	enum rwk_lane lane;
	size_t nr;
	_Alignas(16) char rows[];
};

struct rwk_ring {
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	struct rwk_batch *first, **last; /* filled ones */
	struct rwk_batch *free;
	int nr_batches;
	bool closed;
};

int rwk_ring_init(struct rwk_ring *ring);
/* Frees every batch, filled or not; those not handed back are the caller's. */
void rwk_ring_finish(struct rwk_ring *ring);

/* An empty batch for that lane; waits while all are in use.  NULL: out of memory. */
struct rwk_batch *rwk_ring_get_empty(struct rwk_ring *ring, enum rwk_lane lane);
void rwk_ring_put_filled(struct rwk_ring *ring, struct rwk_batch *batch);
/* No more will come. */
void rwk_ring_close(struct rwk_ring *ring);

/* Waits.  NULL once closed and drained. */
struct rwk_batch *rwk_ring_get_filled(struct rwk_ring *ring);
void rwk_ring_put_empty(struct rwk_ring *ring, struct rwk_batch *batch);

#endif
