/* Rank sums: exact by counting the ways to deal the ranks, else by the normal approximation. */
#include "base/ranksum.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool rwk_ranksum_z(double u, double nr_a, double nr_b, double ties, double *ret)
{
	double nr = nr_a + nr_b, mean = nr_a * nr_b / 2, variance, off;

	if (nr_a < 1 || nr_b < 1)
		return false;
	variance = nr_a * nr_b / 12 * (nr + 1 - ties / (nr * (nr - 1)));
	if (!(variance > 0))
		return false;
	off = fabs(u - mean) - 0.5;
	*ret = copysign((off > 0 ? off : 0) / sqrt(variance), u - mean);
	return true;
}

double rwk_ranksum_normal_p(double z)
{
	return erfc(fabs(z) / sqrt(2));
}

static int value_cmp(const void *a, const void *b)
{
	double x = ((const struct rwk_ranksum_value *)a)->value;
	double y = ((const struct rwk_ranksum_value *)b)->value;

	return (x > y) - (x < y);
}

/*
 * Twice the rank of each value goes to rank[], as equal values share a half.
 * Returns the sum of t³ - t; *ret_sum is the rank sum of b, doubled.
 */
static double rank(const struct rwk_ranksum_value *v, size_t nr, size_t *ret_rank, size_t *ret_sum)
{
	double ties = 0;

	*ret_sum = 0;
	for (size_t i = 0, end; i < nr; i = end) {
		double t;

		for (end = i + 1; end < nr && v[end].value == v[i].value; end++)
			;
		t = (double)(end - i);
		ties += t * t * t - t;
		for (size_t k = i; k < end; k++) {
			ret_rank[k] = i + end + 1;
			*ret_sum += v[k].is_b ? ret_rank[k] : 0;
		}
	}
	return ties;
}

/* Share of the ways to pick nr_b of the ranks whose sum is as far out as sum. */
static int exact(const size_t *rank, size_t nr, size_t nr_b, size_t sum, double *ret)
{
	size_t width = nr * (nr + 1) + 1;
	double *ways = calloc((nr_b + 1) * width, sizeof(*ways)); /* [picked][sum] */
	double below = 0, above = 0, all = 0, tail;

	if (!ways)
		return -ENOMEM;
	ways[0] = 1;
	for (size_t i = 0; i < nr; i++) {
		for (size_t k = (i < nr_b ? i + 1 : nr_b); k > 0; k--) {
			for (size_t s = width - 1; s >= rank[i]; s--)
				ways[k * width + s] += ways[(k - 1) * width + s - rank[i]];
		}
	}
	for (size_t s = 0; s < width; s++) {
		double w = ways[nr_b * width + s];

		all += w;
		below += s <= sum ? w : 0;
		above += s >= sum ? w : 0;
	}
	free(ways);
	tail = (below < above ? below : above) / all;
	*ret = 2 * tail < 1 ? 2 * tail : 1;
	return 0;
}

int rwk_ranksum_p(struct rwk_ranksum_value *v, size_t nr, bool *ret_known, double *ret)
{
	size_t *ranks, sum, nr_b = 0;
	double ties, z, p = 1;
	int err = 0;

	for (size_t i = 0; i < nr; i++)
		nr_b += v[i].is_b;
	if (nr)
		qsort(v, nr, sizeof(*v), value_cmp);
	*ret_known = nr_b && nr_b < nr && v[0].value < v[nr - 1].value;
	if (!*ret_known)
		return 0;
	ranks = calloc(nr, sizeof(*ranks));
	if (!ranks)
		return -ENOMEM;
	ties = rank(v, nr, ranks, &sum);
	if (nr <= RWK_RANKSUM_EXACT_MAX) {
		err = exact(ranks, nr, nr_b, sum, &p);
	} else {
		double b = (double)nr_b;

		*ret_known = rwk_ranksum_z(
			(double)sum / 2 - b * (b + 1) / 2, (double)(nr - nr_b), b, ties, &z);
		p = *ret_known ? rwk_ranksum_normal_p(z) : 1;
	}
	free(ranks);
	if (!err)
		*ret = p;
	return err;
}

double rwk_ranksum_least_p(size_t nr_a, size_t nr_b)
{
	double p = 2;

	if (!nr_a || !nr_b)
		return 1;
	for (size_t i = 1; i <= nr_b; i++)
		p *= (double)i / (double)(nr_a + i);
	return p < 1 ? p : 1;
}
