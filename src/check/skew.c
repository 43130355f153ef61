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
#include <string.h>

#include "check/align.h"

#define NO_BOUND INT64_MAX

struct system {
	const rwk_ns *assumed; /* NULL: nothing */
	int nr;
	int32_t cpu[RWK_MAX_CPUS]; /* of each variable */
	int nr_with[RWK_MAX_CPUS]; /* CPUs that need no other correction than it */
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

/* What the bound is on the clocks as they were recorded. */
static int64_t as_recorded(const struct system *s, int a, int b, rwk_ns seen)
{
	rwk_ns by, sum;

	if (!s->assumed)
		return seen;
	if (__builtin_sub_overflow(s->assumed[s->cpu[a]], s->assumed[s->cpu[b]], &by) ||
		__builtin_add_overflow(seen, by, &sum))
		return NO_BOUND;
	return sum;
}

/* The bounds as they were met, the borne-th tightest; those of pairs with fewer stay open. */
static void fill(const struct rwk_order *o, struct system *s, int borne)
{
	memset(s->chosen, 0, sizeof(s->chosen));
	memset(s->nr_with, 0, sizeof(s->nr_with));
	for (int a = 0; a < s->nr; a++) {
		const struct rwk_order_bounds *row = rwk_order_bounds(o, s->cpu[a]);

		for (int b = 0; b < s->nr; b++) {
			const struct rwk_order_bounds *e = row ? &row[s->cpu[b]] : NULL;

			*bound(s, a, b) = a == b ? 0 : NO_BOUND;
			if (e && a != b && e->nr >= borne)
				*bound(s, a, b) = as_recorded(s, a, b, e->delay[borne - 1]);
		}
	}
}

static void count_impossible(
	const struct rwk_order *o, const struct system *s, struct rwk_skew *ret)
{
	for (int a = 0; a < s->nr; a++) {
		const struct rwk_order_bounds *row = rwk_order_bounds(o, s->cpu[a]);

		for (int b = 0; row && b < s->nr; b++) {
			const struct rwk_order_bounds *e = &row[s->cpu[b]];

			ret->nr_impossible += e->nr_impossible;
			ret->nr_pairs +=
				e->nr >= RWK_ORDER_KEPT && e->delay[RWK_ORDER_KEPT - 1] < 0;
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

/* Whether what is assumed of two clocks is the same. */
static bool alike(const struct system *s, int a, int b)
{
	rwk_ns by;

	if (__builtin_sub_overflow(s->assumed[s->cpu[a]], s->assumed[s->cpu[b]], &by))
		return false;
	return by >= -RWK_ALIGN_NEAR && by <= RWK_ALIGN_NEAR;
}

static void count_agreement(struct system *s)
{
	for (int a = 0; a < s->nr; a++) {
		for (int b = 0; b < s->nr; b++)
			s->nr_with[a] += s->assumed ? alike(s, a, b)
						    : *bound(s, a, b) >= 0 && *bound(s, b, a) >= 0;
	}
}

/* The next to choose: of the most that agree, then the lowest CPU. */
static int next(const struct system *s)
{
	int best = RWK_NONE;

	for (int i = 0; i < s->nr; i++) {
		if (!s->chosen[i] && (best < 0 || s->nr_with[i] > s->nr_with[best]))
			best = i;
	}
	return best;
}

/* What i leaves to x. */
static void narrow(struct system *s, int x, int i, rwk_ns c, rwk_ns *low, rwk_ns *high)
{
	rwk_ns at;

	if (*bound(s, x, i) != NO_BOUND && !__builtin_add_overflow(c, *bound(s, x, i), &at) &&
		(*high == RWK_NS_NONE || at < *high))
		*high = at;
	if (*bound(s, i, x) != NO_BOUND && !__builtin_sub_overflow(c, *bound(s, i, x), &at) &&
		(*low == RWK_NS_NONE || at > *low))
		*low = at;
}

/* What is left to x by those that are chosen. */
static void range(
	struct system *s, int x, const struct rwk_skew *skew, rwk_ns *ret_low, rwk_ns *ret_high)
{
	*ret_low = *ret_high = RWK_NS_NONE;
	for (int i = 0; i < s->nr; i++) {
		if (s->chosen[i])
			narrow(s, x, i, skew->of[s->cpu[i]].skew_ns, ret_low, ret_high);
	}
}

static bool within(rwk_ns at, rwk_ns low, rwk_ns high)
{
	return (low == RWK_NS_NONE || low <= at) && (high == RWK_NS_NONE || high >= at);
}

/*
 * The correction of another that fits: clocks of one package are off by the same.  order: those
 * that are chosen.
 */
static bool as_another(const struct system *s, const struct rwk_skew *skew, const int *order,
	int nr, int x, bool only_alike, rwk_ns low, rwk_ns high, rwk_ns *ret)
{
	for (int i = 0; i < nr; i++) {
		*ret = skew->of[s->cpu[order[i]]].skew_ns;
		if ((!only_alike || alike(s, x, order[i])) && within(*ret, low, high))
			return true;
	}
	return false;
}

/* False: it has to be shifted, but one bound is missing. */
static bool choose_one(const struct system *s, const struct rwk_skew *skew, const int *order,
	int nr, int x, rwk_ns low, rwk_ns high, rwk_ns *ret)
{
	bool bound = low != RWK_NS_NONE && high != RWK_NS_NONE;

	*ret = 0;
	if (s->assumed && bound && as_another(s, skew, order, nr, x, true, low, high, ret))
		return true;
	*ret = 0;
	if (within(0, low, high))
		return true;
	if (bound && !as_another(s, skew, order, nr, x, false, low, high, ret))
		*ret = low + (rwk_ns)(((uint64_t)high - (uint64_t)low) / 2);
	return bound;
}

static void choose(struct system *s, struct rwk_skew *ret)
{
	int first[RWK_MAX_CPUS], order[RWK_MAX_CPUS];

	count_agreement(s);
	for (int i = 0; i < s->nr; i++) {
		int x = next(s);
		struct rwk_skew_cpu *c = &ret->of[s->cpu[x]];
		rwk_ns low, high;

		range(s, x, ret, &low, &high);
		if (!choose_one(s, ret, order, i, x, low, high, &c->skew_ns)) {
			ret->state = RWK_SKEW_ONE_SIDED;
			ret->cpu = s->cpu[x];
			return;
		}
		/* The first that it has to do with; later ones are no more certain than x itself.
		 */
		first[x] = x;
		for (int k = 0; k < i && first[x] == x; k++) {
			if (*bound(s, x, order[k]) != NO_BOUND ||
				*bound(s, order[k], x) != NO_BOUND)
				first[x] = first[order[k]];
		}
		order[i] = x;
		c->low_ns = c->high_ns = RWK_NS_NONE;
		if (first[x] != x)
			narrow(s, x, first[x], ret->of[s->cpu[first[x]]].skew_ns, &c->low_ns,
				&c->high_ns);
		s->chosen[x] = true;
	}
	ret->state = RWK_SKEW_FOUND;
}

static void solve(const struct rwk_order *o, struct system *s, int borne, struct rwk_skew *ret)
{
	memset(ret->of, 0, sizeof(ret->of));
	ret->cpu = RWK_NONE;
	fill(o, s, borne);
	close_paths(s);
	if (contradictory(s, &ret->cpu))
		ret->state = RWK_SKEW_INFEASIBLE;
	else
		choose(s, ret);
}

int rwk_skew_solve(const struct rwk_order *o, const rwk_ns *assumed, struct rwk_skew *ret)
{
	struct system *s = calloc(1, sizeof(*s));

	*ret = (struct rwk_skew){.state = RWK_SKEW_NONE, .cpu = RWK_NONE};
	if (!s)
		return -ENOMEM;
	s->assumed = assumed;
	find_cpus(o, s);
	s->d = calloc((size_t)s->nr * (size_t)s->nr + 1, sizeof(*s->d));
	if (!s->d) {
		free(s);
		return -ENOMEM;
	}
	count_impossible(o, s, ret);
	ret->nr_uncaused = rwk_order_uncaused(o);
	if (ret->nr_pairs || assumed) {
		solve(o, s, 1, ret);
		if (ret->state != RWK_SKEW_FOUND)
			solve(o, s, RWK_ORDER_KEPT, ret);
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
		"none", "found", "one-sided", "too-far", "infeasible"};

	return names[state];
}
