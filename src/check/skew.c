/*
 * A system of difference constraints: c[A] - c[B] <= d[A][B] for each pair of
 * which A's causes had effects on B.  All shortest paths (Floyd and Warshall)
 * make each bound as tight as the others imply; a negative circle means that
 * nothing fits.  In the closed system a choice within the bounds of those already
 * chosen can always be completed.
 */
#include "check/skew.h"

#include <errno.h>
#include <stdlib.h>

#define NO_BOUND INT64_MAX

struct system {
	int nr;
	int32_t cpu[RWK_MAX_CPUS]; /* of each variable */
	int nr_against[RWK_MAX_CPUS]; /* contradictions that it is in */
	bool chosen[RWK_MAX_CPUS];
	int64_t *d; /* [nr * nr] */
};

static int64_t *bound(struct system *s, int a, int b)
{
	return &s->d[(size_t)a * (size_t)s->nr + (size_t)b];
}

static void find_cpus(const struct rwk_order *o, struct system *s)
{
	bool used[RWK_MAX_CPUS] = {false};

	for (int a = 0; a < RWK_MAX_CPUS; a++) {
		const struct rwk_order_bounds *row = rwk_order_bounds(o, a);

		for (int b = 0; row && b < RWK_MAX_CPUS; b++) {
			if (row[b].nr)
				used[a] = used[b] = true;
		}
	}
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++) {
		if (used[cpu])
			s->cpu[s->nr++] = cpu;
	}
}

/* The bounds as they were met; those of pairs with too few stay open. */
static void fill(const struct rwk_order *o, struct system *s, struct rwk_skew *ret)
{
	for (int a = 0; a < s->nr; a++) {
		const struct rwk_order_bounds *row = rwk_order_bounds(o, s->cpu[a]);

		for (int b = 0; b < s->nr; b++) {
			const struct rwk_order_bounds *e = row ? &row[s->cpu[b]] : NULL;

			*bound(s, a, b) = a == b ? 0 : NO_BOUND;
			if (!e || a == b)
				continue;
			ret->nr_impossible += e->nr_impossible;
			if (e->nr < RWK_ORDER_KEPT)
				continue;
			*bound(s, a, b) = e->delay[RWK_ORDER_KEPT - 1];
			if (*bound(s, a, b) < 0) {
				ret->nr_pairs++;
				s->nr_against[a]++;
				s->nr_against[b]++;
			}
		}
	}
}

static void close_paths(struct system *s)
{
	for (int k = 0; k < s->nr; k++) {
		for (int a = 0; a < s->nr; a++) {
			int64_t first = *bound(s, a, k);

			if (first == NO_BOUND)
				continue;
			for (int b = 0; b < s->nr; b++) {
				int64_t second = *bound(s, k, b), sum;

				if (second == NO_BOUND)
					continue;
				if (__builtin_add_overflow(first, second, &sum))
					sum = first < 0 ? INT64_MIN / 2 : NO_BOUND;
				/* Keeps sums of negative circles from running away. */
				if (sum < INT64_MIN / 2)
					sum = INT64_MIN / 2;
				if (sum < *bound(s, a, b))
					*bound(s, a, b) = sum;
			}
		}
	}
}

static bool contradictory(const struct system *s, int32_t *ret_cpu)
{
	for (int a = 0; a < s->nr; a++) {
		if (s->d[(size_t)a * (size_t)s->nr + (size_t)a] < 0) {
			*ret_cpu = s->cpu[a];
			return true;
		}
	}
	return false;
}

/* The next to choose: fewest contradictions, then lowest CPU. */
static int next(const struct system *s)
{
	int best = RWK_NONE;

	for (int i = 0; i < s->nr; i++) {
		if (!s->chosen[i] && (best < 0 || s->nr_against[i] < s->nr_against[best]))
			best = i;
	}
	return best;
}

/* What is left to x by those that are chosen. */
static void range(
	struct system *s, int x, const struct rwk_skew *skew, rwk_ns *ret_low, rwk_ns *ret_high)
{
	rwk_ns low = RWK_NS_NONE, high = RWK_NS_NONE, at;

	for (int i = 0; i < s->nr; i++) {
		rwk_ns c = skew->of[s->cpu[i]].skew_ns;

		if (!s->chosen[i])
			continue;
		if (*bound(s, x, i) != NO_BOUND &&
			!__builtin_add_overflow(c, *bound(s, x, i), &at) &&
			(high == RWK_NS_NONE || at < high))
			high = at;
		if (*bound(s, i, x) != NO_BOUND &&
			!__builtin_sub_overflow(c, *bound(s, i, x), &at) &&
			(low == RWK_NS_NONE || at > low))
			low = at;
	}
	*ret_low = low;
	*ret_high = high;
}

static void choose(struct system *s, struct rwk_skew *ret)
{
	for (int i = 0; i < s->nr; i++) {
		int x = next(s);
		struct rwk_skew_cpu *c = &ret->of[s->cpu[x]];
		rwk_ns low, high;

		range(s, x, ret, &low, &high);
		c->low_ns = low;
		c->high_ns = high;
		s->chosen[x] = true;
		if ((low == RWK_NS_NONE || low <= 0) && (high == RWK_NS_NONE || high >= 0))
			continue;
		if (low == RWK_NS_NONE || high == RWK_NS_NONE) {
			ret->state = RWK_SKEW_ONE_SIDED;
			ret->cpu = s->cpu[x];
			return;
		}
		c->skew_ns = low + (rwk_ns)(((uint64_t)high - (uint64_t)low) / 2);
	}
	ret->state = RWK_SKEW_FOUND;
}

int rwk_skew_solve(const struct rwk_order *o, struct rwk_skew *ret)
{
	struct system *s = calloc(1, sizeof(*s));

	*ret = (struct rwk_skew){.state = RWK_SKEW_NONE, .cpu = RWK_NONE};
	if (!s)
		return -ENOMEM;
	find_cpus(o, s);
	s->d = calloc((size_t)s->nr * (size_t)s->nr + 1, sizeof(*s->d));
	if (!s->d) {
		free(s);
		return -ENOMEM;
	}
	fill(o, s, ret);
	if (ret->nr_pairs) {
		close_paths(s);
		if (contradictory(s, &ret->cpu))
			ret->state = RWK_SKEW_INFEASIBLE;
		else
			choose(s, ret);
	}
	if (ret->state != RWK_SKEW_FOUND) {
		for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++)
			ret->of[cpu] = (struct rwk_skew_cpu){0, RWK_NS_NONE, RWK_NS_NONE};
	}
	free(s->d);
	free(s);
	return 0;
}

const char *rwk_skew_state_name(enum rwk_skew_state state)
{
	static const char *const names[RWK_SKEW_STATE_COUNT] = {
		"none", "found", "one-sided", "infeasible"};

	return names[state];
}
