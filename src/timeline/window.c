/* Bounded reordering of rows into id order. */
#include "timeline/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define NR_SLOTS 16384 /* power of two */

int rwk_window_init(
	struct rwk_window *w, size_t row_size, int (*emit)(void *ctx, const void *row), void *ctx)
{
	*w = (struct rwk_window){
		.row_size = row_size, .first = 1, .next = 1, .emit = emit, .ctx = ctx};
	w->ring = calloc(NR_SLOTS, row_size);
	w->open = calloc(NR_SLOTS, sizeof(*w->open));
	return w->ring && w->open ? 0 : -ENOMEM;
}

void rwk_window_finish(struct rwk_window *w)
{
	free(w->ring);
	free(w->open);
	free(w->late);
	free(w->late_free);
	rwk_map_finish(&w->late_at);
	*w = (struct rwk_window){0};
}

static void *slot(struct rwk_window *w, int64_t id)
{
	return w->ring + (size_t)(id & (NR_SLOTS - 1)) * w->row_size;
}

static int move_aside(struct rwk_window *w)
{
	int32_t at;
	int err;

	if (w->nr_late_free) {
		at = w->late_free[--w->nr_late_free];
	} else {
		size_t old = w->late_cap;

		err = rwk_vec_grow(&w->late, &w->late_cap, w->nr_late + 1, w->row_size);
		if (err)
			return err;
		if (w->late_cap != old) {
			int32_t *p = reallocarray(w->late_free, w->late_cap, sizeof(*p));

			if (!p)
				return -ENOMEM;
			w->late_free = p;
		}
		at = (int32_t)w->nr_late++;
	}
	memcpy(w->late + (size_t)at * w->row_size, slot(w, w->first), w->row_size);
	err = rwk_map_set(&w->late_at, (uint64_t)w->first, at);
	w->first++;
	return err;
}

static int drain(struct rwk_window *w)
{
	while (w->first < w->next && !w->open[w->first & (NR_SLOTS - 1)]) {
		int err = w->emit(w->ctx, slot(w, w->first));

		if (err)
			return err;
		w->first++;
	}
	return 0;
}

int rwk_window_add(struct rwk_window *w, int64_t *ret_id, void **ret_row)
{
	int err;

	if (w->next - w->first == NR_SLOTS) {
		err = move_aside(w);
		if (!err)
			err = drain(w);
		if (err)
			return err;
	}
	*ret_id = w->next++;
	*ret_row = slot(w, *ret_id);
	memset(*ret_row, 0, w->row_size);
	w->open[*ret_id & (NR_SLOTS - 1)] = true;
	return 0;
}

void *rwk_window_row(struct rwk_window *w, int64_t id)
{
	int32_t *at;

	/* A closed row that still waits for its turn is out of reach: it may leave at any time. */
	if (id >= w->first)
		return id < w->next && w->open[id & (NR_SLOTS - 1)] ? slot(w, id) : NULL;
	at = rwk_map_find(&w->late_at, (uint64_t)id);
	return at && *at >= 0 ? w->late + (size_t)*at * w->row_size : NULL;
}

int rwk_window_close(struct rwk_window *w, int64_t id)
{
	int32_t *at;
	int err;

	if (id >= w->first) {
		w->open[id & (NR_SLOTS - 1)] = false;
		return id == w->first ? drain(w) : 0;
	}
	at = rwk_map_find(&w->late_at, (uint64_t)id);
	if (!at || *at < 0)
		return 0;
	err = w->emit(w->ctx, w->late + (size_t)*at * w->row_size);
	w->late_free[w->nr_late_free++] = *at;
	*at = -1;
	return err;
}
