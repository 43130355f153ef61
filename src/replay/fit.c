/* A grid of beginnings for every task that was alive before the recording. */
#include "replay/fit.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "model/wake_history.h"

/* Counters at first sight: exact where wide may begin, coarser where only their ratio counts. */
static const uint16_t values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20,
	22, 24, 28, 32, 40, 48, 64, 96, 128, 192, 256, 512, 1024};
#define NR_VALUES (sizeof(values) / sizeof(values[0]))

/* Quarters of a second since the counter was halved last; the last one: it is due. */
#define NR_PHASES 5
#define GRID      (NR_VALUES * NR_PHASES)

/* Followed through its life under each beginning of its root. */
struct grid {
	int32_t root; /* utid of the ancestor that was alive before the recording */
	rwk_ns halved[NR_PHASES];
	uint16_t flips[GRID]; /* phase by phase */
};

struct beginning { /* of a root */
	uint32_t *score; /* [GRID], until the end */
	uint16_t best; /* index in the grid */
	bool is_flips_fitted, is_recent_fitted;
	int32_t recent_cpu;
};

struct rwk_fit {
	struct grid **grid; /* [utid - 1], NULL: not followed */
	size_t nr_grid, cap_grid;
	struct beginning *root; /* [utid - 1] */
	size_t cap_root;
	size_t nr_followed;
};

int rwk_fit_create(struct rwk_fit **ret)
{
	struct rwk_fit *fit = calloc(1, sizeof(*fit));

	if (!fit)
		return -ENOMEM;
	*ret = fit;
	return 0;
}

static void drop_grids(struct rwk_fit *fit)
{
	for (size_t i = 0; i < fit->nr_grid; i++)
		free(fit->grid[i]);
	free(fit->grid);
	fit->grid = NULL;
	fit->nr_grid = fit->cap_grid = 0;
}

void rwk_fit_destroy(struct rwk_fit *fit)
{
	if (!fit)
		return;
	drop_grids(fit);
	for (size_t i = 0; i < fit->cap_root; i++)
		free(fit->root[i].score);
	free(fit->root);
	free(fit);
}

static struct grid *grid_of(const struct rwk_fit *fit, int32_t utid)
{
	return utid > 0 && (size_t)utid <= fit->nr_grid ? fit->grid[utid - 1] : NULL;
}

/* NULL in *ret: not followed. */
static int new_grid(struct rwk_fit *fit, int32_t utid, struct grid **ret)
{
	int err;

	*ret = NULL;
	if (utid <= 0 || fit->nr_followed == RWK_FIT_MAX_TASKS)
		return 0;
	err = rwk_vec_grow(&fit->grid, &fit->cap_grid, (size_t)utid, sizeof(struct grid *));
	if (err)
		return err;
	if (fit->nr_grid < (size_t)utid)
		fit->nr_grid = (size_t)utid;
	*ret = fit->grid[utid - 1] = calloc(1, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	fit->nr_followed++;
	return 0;
}

static int need_root(struct rwk_fit *fit, int32_t utid)
{
	return rwk_vec_grow(&fit->root, &fit->cap_root, (size_t)utid, sizeof(*fit->root));
}

static rwk_ns halved_at(size_t phase, rwk_ns first_seen)
{
	rwk_ns ago = RWK_FLIP_DECAY_NS * (rwk_ns)phase / (NR_PHASES - 1);

	return first_seen - ago - (phase == NR_PHASES - 1);
}

/* utid's grid; it begins one if it was not met before. */
static int meet(struct rwk_fit *fit, int32_t utid, rwk_ns ts, struct grid **ret)
{
	struct grid *g = grid_of(fit, utid);
	int err;

	*ret = g;
	if (g)
		return 0;
	err = new_grid(fit, utid, &g);
	if (err || !g)
		return err;
	g->root = utid;
	for (size_t p = 0; p < NR_PHASES; p++) {
		g->halved[p] = halved_at(p, ts);
		memcpy(&g->flips[p * NR_VALUES], values, sizeof(values));
	}
	*ret = g;
	return 0;
}

int rwk_fit_meet(struct rwk_fit *fit, int32_t utid, rwk_ns ts)
{
	struct grid *g;

	return meet(fit, utid, ts, &g);
}

void rwk_fit_wakes(struct rwk_fit *fit, int32_t waker, rwk_ns ts, bool new_wakee)
{
	struct grid *g = grid_of(fit, waker);

	if (!g)
		return;
	for (size_t p = 0; p < NR_PHASES; p++) {
		bool halve = ts - g->halved[p] > RWK_FLIP_DECAY_NS;
		uint16_t *flips = &g->flips[p * NR_VALUES];

		if (halve)
			g->halved[p] = ts;
		for (size_t v = 0; v < NR_VALUES; v++) {
			flips[v] = (uint16_t)(flips[v] >> halve);
			if (new_wakee && flips[v] < UINT16_MAX)
				flips[v]++;
		}
	}
}

int rwk_fit_inherit(struct rwk_fit *fit, int32_t child, int32_t parent)
{
	const struct grid *from = grid_of(fit, parent);
	struct grid *to;
	int err;

	if (!from || grid_of(fit, child))
		return 0;
	err = new_grid(fit, child, &to);
	if (!err && to)
		*to = *from;
	return err;
}

/* Scores every beginning of g's root; other: the second task, which has index at of its own. */
static int score(struct rwk_fit *fit, const struct grid *g, const struct grid *other,
	uint32_t factor, bool wide)
{
	bool same = other->root == g->root;
	struct beginning *b, *o;
	int err = need_root(fit, g->root > other->root ? g->root : other->root);

	if (err)
		return err;
	b = &fit->root[g->root - 1];
	o = &fit->root[other->root - 1];
	if (!b->score) {
		b->score = calloc(GRID, sizeof(*b->score));
		if (!b->score)
			return -ENOMEM;
	}
	for (size_t i = 0; i < GRID; i++) {
		uint32_t x = g->flips[i], y = other->flips[same ? i : o->best];
		uint32_t least = x < y ? x : y, most = x < y ? y : x;

		if ((least >= factor && most >= (uint64_t)least * factor) == wide)
			b->score[i]++;
	}
	/* The first of equals: the smallest change from an unseen past of nothing. */
	b->best = 0;
	for (size_t i = 1; i < GRID; i++) {
		if (b->score[i] > b->score[b->best])
			b->best = (uint16_t)i;
	}
	return 0;
}

int rwk_fit_outcome(struct rwk_fit *fit, int32_t waker, int32_t wakee, uint32_t factor, bool wide)
{
	const struct grid *a = grid_of(fit, waker), *b = grid_of(fit, wakee);
	int err;

	if (!a || !b)
		return 0;
	err = score(fit, a, b, factor, wide);
	if (!err && a->root != b->root)
		err = score(fit, b, a, factor, wide);
	return err;
}

int rwk_fit_recent(struct rwk_fit *fit, int32_t utid, int32_t cpu)
{
	int err;

	if (utid <= 0)
		return 0;
	err = need_root(fit, utid);
	if (err || fit->root[utid - 1].is_recent_fitted)
		return err;
	fit->root[utid - 1].is_recent_fitted = true;
	fit->root[utid - 1].recent_cpu = cpu;
	return 0;
}

void rwk_fit_conclude(struct rwk_fit *fit)
{
	drop_grids(fit);
	for (size_t i = 0; i < fit->cap_root; i++) {
		struct beginning *b = &fit->root[i];

		/* What every beginning explains as well says nothing about it. */
		for (size_t k = 0; b->score && k < GRID; k++)
			b->is_flips_fitted |= b->score[k] < b->score[b->best];
		free(b->score);
		b->score = NULL;
	}
}

void rwk_fit_begin_task(const struct rwk_fit *fit, struct rwk_task *t, rwk_ns ts)
{
	const struct beginning *b;

	if ((size_t)t->utid > fit->cap_root)
		return;
	b = &fit->root[t->utid - 1];
	if (b->is_flips_fitted && t->flips_source == RWK_UNKNOWN) {
		t->flips += values[b->best % NR_VALUES];
		t->flips_source = RWK_CALIBRATED;
		if (t->flip_decay_ts == RWK_NS_NONE)
			t->flip_decay_ts = halved_at(b->best / NR_VALUES, ts);
	}
	if (b->is_recent_fitted && t->recent_source == RWK_UNKNOWN) {
		t->recent_cpu = b->recent_cpu;
		t->recent_source = RWK_CALIBRATED;
	}
}
