/*
 * The Mann-Whitney U test (Wilcoxon's rank sum), two-sided: do values of one
 * sample tend to be greater than those of the other?
 */
#ifndef SRC_BASE_RANKSUM_H
#define SRC_BASE_RANKSUM_H

#include <stdbool.h>
#include <stddef.h>

#define RWK_RANKSUM_EXACT_MAX                                                                      \
	50 /* values of both samples: numbers of ways stay exact in a double */

/*
 * Normal approximation from U of one sample.  ties: sum of t³ - t over values
 * that occur t times.  With the correction of the variance for ties and of U
 * for continuity, towards its mean.  false: a sample is empty, or all values are equal.
 */
bool rwk_ranksum_z(double u, double nr_a, double nr_b, double ties, double *ret);
/* Probability of a |z| like that or greater. */
double rwk_ranksum_normal_p(double z);

struct rwk_ranksum_value {
	double value;
	bool is_b;
};

/*
 * Sorts v.  Exact up to RWK_RANKSUM_EXACT_MAX values: the share of all ways to
 * deal them to samples of these sizes whose rank sum is as far out, doubled from
 * the nearer tail and at most 1; equal values share their mean rank.  Beyond that
 * the normal approximation.  false: a sample is empty, or all values are equal.
 * 0 or -ENOMEM.
 */
int rwk_ranksum_p(struct rwk_ranksum_value *v, size_t nr, bool *ret_known, double *ret);
/* The least p that samples of these sizes can come to, without ties. */
double rwk_ranksum_least_p(size_t nr_a, size_t nr_b);

#endif
