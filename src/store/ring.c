/* Batches between two threads: one lock, taken once per batch. */
#include "store/ring.h"

#include <errno.h>
#include <stdlib.h>

/* Every batch can hold any lane's rows, so that one free list serves all. */
static size_t batch_size(void)
{
	size_t size = 0;

	for (int i = 0; i < RWK_LANE_COUNT; i++) {
		if (rwk_lanes[i].row_size > size)
			size = rwk_lanes[i].row_size;
	}
	return size * RWK_BATCH_ROWS;
}

int rwk_ring_init(struct rwk_ring *ring)
{
	int err;

	*ring = (struct rwk_ring){0};
	ring->last = &ring->first;
	err = pthread_mutex_init(&ring->lock, NULL);
	if (err)
		return -err;
	err = pthread_cond_init(&ring->filled, NULL);
	if (err)
		goto no_filled;
	err = pthread_cond_init(&ring->emptied, NULL);
	if (err)
		goto no_emptied;
	return 0;
no_emptied:
	pthread_cond_destroy(&ring->filled);
no_filled:
	pthread_mutex_destroy(&ring->lock);
	return -err;
}

static void free_all(struct rwk_batch *b)
{
	while (b) {
		struct rwk_batch *next = b->next;

		free(b);
		b = next;
	}
}

void rwk_ring_finish(struct rwk_ring *ring)
{
	free_all(ring->first);
	free_all(ring->free);
	pthread_cond_destroy(&ring->emptied);
	pthread_cond_destroy(&ring->filled);
	pthread_mutex_destroy(&ring->lock);
}

struct rwk_batch *rwk_ring_get_empty(struct rwk_ring *ring, enum rwk_lane lane)
{
	struct rwk_batch *b;

	pthread_mutex_lock(&ring->lock);
	while (!ring->free && ring->nr_batches == RWK_RING_BATCHES)
		pthread_cond_wait(&ring->emptied, &ring->lock);
	b = ring->free;
	if (b)
		ring->free = b->next;
	else
		ring->nr_batches++;
	pthread_mutex_unlock(&ring->lock);
	if (!b) {
		b = malloc(sizeof(*b) + batch_size());
		if (!b)
			return NULL;
	}
	b->next = NULL;
	b->lane = lane;
	b->nr = 0;
	return b;
}

void rwk_ring_put_filled(struct rwk_ring *ring, struct rwk_batch *batch)
{
	pthread_mutex_lock(&ring->lock);
	*ring->last = batch;
	ring->last = &batch->next;
	pthread_cond_signal(&ring->filled);
	pthread_mutex_unlock(&ring->lock);
}

void rwk_ring_close(struct rwk_ring *ring)
{
	pthread_mutex_lock(&ring->lock);
	ring->closed = true;
	pthread_cond_signal(&ring->filled);
	pthread_mutex_unlock(&ring->lock);
}

struct rwk_batch *rwk_ring_get_filled(struct rwk_ring *ring)
{
	struct rwk_batch *b;

	pthread_mutex_lock(&ring->lock);
	while (!ring->first && !ring->closed)
		pthread_cond_wait(&ring->filled, &ring->lock);
	b = ring->first;
	if (b) {
		ring->first = b->next;
		if (!ring->first)
			ring->last = &ring->first;
		b->next = NULL;
	}
	pthread_mutex_unlock(&ring->lock);
	return b;
}

void rwk_ring_put_empty(struct rwk_ring *ring, struct rwk_batch *batch)
{
	pthread_mutex_lock(&ring->lock);
	batch->next = ring->free;
	ring->free = batch;
	pthread_cond_signal(&ring->emptied);
	pthread_mutex_unlock(&ring->lock);
}
