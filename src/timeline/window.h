/*
 * Rows leave in id order although they complete in another: a window of the
 * latest ids holds them until everything before is complete.  A row that stays
 * open longer than the window is wide moves aside and leaves late, by itself.
 */
#ifndef SRC_TIMELINE_WINDOW_H
#define SRC_TIMELINE_WINDOW_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

#include "base/map.h"

struct rwk_window {
	size_t row_size;
	char *ring; /* nr_slots × row_size */
	bool *open;
	int64_t first, next; /* ids in the ring: first … next-1 */
	char *late; /* rows moved aside */
	size_t late_cap;
	struct rwk_map late_at; /* id → index in late */
	int32_t *late_free;
	size_t nr_late, nr_late_free;
	int (*emit)(void *ctx, const void *row);
	void *ctx;
};

int rwk_window_init(
	struct rwk_window *w, size_t row_size, int (*emit)(void *ctx, const void *row), void *ctx);
void rwk_window_finish(struct rwk_window *w);

/* A new open row, zeroed; ids count from 1.  0 or negative errno. */
int rwk_window_add(struct rwk_window *w, int64_t *ret_id, void **ret_row);
/* An open row; valid until the next add.  NULL if it has left. */
void *rwk_window_row(struct rwk_window *w, int64_t id);
/* The row is complete: it leaves now or when its turn comes. */
int rwk_window_close(struct rwk_window *w, int64_t id);

#endif
