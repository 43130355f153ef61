/*
 * Aggregates and scalars over plain values.  NULL is no value and skipped;
 * anything else that is no number, or a CPU that cannot be, is the caller's
 * mistake and said to be one.
 */
#include "store/functions.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/vec.h"

#define FLAGS (SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY)

/* ---- percentile(x, p) ---- */

struct number {
	bool is_int;
	int64_t i;
	double r;
};

struct sample {
	struct number *x;
	size_t nr, cap;
	double p;
	bool has_p, failed;
};

static bool take_number(sqlite3_value *v, struct number *ret)
{
	int type = sqlite3_value_type(v);

	*ret = (struct number){.is_int = type == SQLITE_INTEGER};
	if (type == SQLITE_INTEGER)
		ret->i = sqlite3_value_int64(v);
	else if (type == SQLITE_FLOAT)
		ret->r = sqlite3_value_double(v);
	return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

static void percentile_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct sample *s = sqlite3_aggregate_context(ctx, sizeof(*s));
	struct number p, x;
	double percent;

	(void)argc;
	if (!s) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	if (s->failed)
		return;
	s->failed = true;
	if (!take_number(argv[1], &p)) {
		sqlite3_result_error(ctx, "percentile(x, p): p is not a number", -1);
		return;
	}
	percent = p.is_int ? (double)p.i : p.r;
	if (!(percent >= 0 && percent <= 100) || (s->has_p && percent != s->p)) {
		sqlite3_result_error(
			ctx, "percentile(x, p): p is not one number from 0 to 100", -1);
		return;
	}
	s->p = percent;
	s->has_p = true;
	if (sqlite3_value_type(argv[0]) == SQLITE_NULL) {
		s->failed = false;
		return;
	}
	if (!take_number(argv[0], &x)) {
		sqlite3_result_error(ctx, "percentile(x, p): x is not a number", -1);
		return;
	}
	if (rwk_vec_grow(&s->x, &s->cap, s->nr + 1, sizeof(*s->x))) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	s->x[s->nr++] = x;
	s->failed = false;
}

/* As sqlite3 orders numbers: integers and reals beside one another, without rounding. */
static int compare(const void *a, const void *b)
{
	const struct number *x = a, *y = b;
	long double p, q;

	if (x->is_int && y->is_int)
		return (x->i > y->i) - (x->i < y->i);
	p = x->is_int ? (long double)x->i : (long double)x->r;
	q = y->is_int ? (long double)y->i : (long double)y->r;
	return (p > q) - (p < q);
}

/*
 * The nearest rank: the place of the first value with at least p % at or below
 * it.  99.9 % of 1000 is 999, although 99.9 is a little more than that in binary.
 */
static size_t rank_of(double p, size_t nr)
{
	double exact = p * (double)nr / 100, whole = nearbyint(exact);
	size_t rank = (size_t)(fabs(exact - whole) <= exact * 1e-12 ? whole : ceil(exact));

	return rank > nr ? nr - 1 : rank ? rank - 1 : 0;
}

static void percentile_final(sqlite3_context *ctx)
{
	struct sample *s = sqlite3_aggregate_context(ctx, 0);
	size_t rank;

	if (!s)
		return;
	if (s->nr && !s->failed) {
		qsort(s->x, s->nr, sizeof(*s->x), compare);
		rank = rank_of(s->p, s->nr);
		if (s->x[rank].is_int)
			sqlite3_result_int64(ctx, s->x[rank].i);
		else
			sqlite3_result_double(ctx, s->x[rank].r);
	}
	free(s->x);
}

/* ---- log2_bucket(x), histogram(x) ---- */

#define NR_BUCKETS 129 /* 0, and powers of two up to 2^63 with either sign */
#define ZERO       64 /* its place among them */

/* Place of x among the buckets, -1 after telling what is wrong. */
static int bucket_of(sqlite3_context *ctx, sqlite3_value *v, const char *what)
{
	struct number x;
	uint64_t size;
	int place;

	if (!take_number(v, &x)) {
		sqlite3_result_error(ctx, what, -1);
		return -1;
	}
	if (!x.is_int) {
		/* The part before the point; from 2^63 on all is one bucket. */
		if (x.r >= 0x1p63)
			return ZERO + 64;
		x.i = x.r <= -0x1p63 ? INT64_MIN : (int64_t)x.r;
	}
	size = x.i < 0 ? -(uint64_t)x.i : (uint64_t)x.i;
	place = size ? 64 - __builtin_clzll(size) : 0;
	return x.i < 0 ? ZERO - place : ZERO + place;
}

/* The bucket's number that is nearest to 0; 2^63 is no integer of SQL, so that the last one is a
 * real. */
static void format_bucket(int place, char *buf, size_t size)
{
	int at = place < ZERO ? ZERO - place : place - ZERO;

	snprintf(buf, size, "%s%llu", place < ZERO ? "-" : "", at ? 1ULL << (at - 1) : 0ULL);
}

static void log2_bucket(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	int place;

	(void)argc;
	if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	place = bucket_of(ctx, argv[0], "log2_bucket(x): x is not a number");
	if (place < 0)
		return;
	if (place == ZERO + 64)
		sqlite3_result_double(ctx, 0x1p63);
	else if (place == ZERO - 64)
		sqlite3_result_int64(ctx, INT64_MIN);
	else if (place < ZERO)
		sqlite3_result_int64(ctx, -(INT64_C(1) << (ZERO - place - 1)));
	else
		sqlite3_result_int64(ctx, place == ZERO ? 0 : INT64_C(1) << (place - ZERO - 1));
}

struct histogram {
	bool failed;
	int64_t count[NR_BUCKETS];
};

static void histogram_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct histogram *h = sqlite3_aggregate_context(ctx, sizeof(*h));
	int place;

	(void)argc;
	if (!h) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	if (h->failed || sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	place = bucket_of(ctx, argv[0], "histogram(x): x is not a number");
	if (place < 0)
		h->failed = true;
	else
		h->count[place]++;
}

static void histogram_final(sqlite3_context *ctx)
{
	struct histogram *h = sqlite3_aggregate_context(ctx, 0);
	char text[NR_BUCKETS * 48], bucket[32];
	size_t len = 0;

	if (!h || h->failed)
		return;
	for (int i = 0; i < NR_BUCKETS; i++) {
		if (!h->count[i])
			continue;
		format_bucket(i, bucket, sizeof(bucket));
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s:%lld", len ? " " : "",
			bucket, (long long)h->count[i]);
	}
	if (len)
		sqlite3_result_text(ctx, text, (int)len, SQLITE_TRANSIENT);
}

/* ---- cpu_list(cpu) ---- */

struct cpus {
	bool failed, any;
	struct rwk_cpuset set;
};

static void cpu_list_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct cpus *c = sqlite3_aggregate_context(ctx, sizeof(*c));
	int64_t cpu;

	(void)argc;
	if (!c) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	if (c->failed || sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	cpu = sqlite3_value_int64(argv[0]);
	if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER || cpu < 0 || cpu >= RWK_MAX_CPUS) {
		sqlite3_result_error(ctx, "cpu_list(cpu): not a CPU", -1);
		c->failed = true;
		return;
	}
	rwk_cpuset_add(&c->set, (int)cpu);
	c->any = true;
}

static void cpu_list_final(sqlite3_context *ctx)
{
	struct cpus *c = sqlite3_aggregate_context(ctx, 0);
	/* Worst case: every second CPU, four digits and a comma each. */
	char text[RWK_MAX_CPUS / 2 * 5 + 1];

	if (c && c->any && !c->failed)
		sqlite3_result_text(ctx, text, rwk_format_cpulist(&c->set, text, sizeof(text)),
			SQLITE_TRANSIENT);
}

int rwk_functions_register(struct rwk_db *db, struct rwk_diag *diag)
{
	static const struct {
		const char *name;
		int argc;
		void (*scalar)(sqlite3_context *ctx, int argc, sqlite3_value **argv);
		void (*step)(sqlite3_context *ctx, int argc, sqlite3_value **argv);
		void (*final)(sqlite3_context *ctx);
	} functions[] = {
		{"percentile", 2, NULL, percentile_step, percentile_final},
		{"log2_bucket", 1, log2_bucket, NULL, NULL},
		{"histogram", 1, NULL, histogram_step, histogram_final},
		{"cpu_list", 1, NULL, cpu_list_step, cpu_list_final},
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (sqlite3_create_function_v2(db->handle, functions[i].name, functions[i].argc,
			    FLAGS, NULL, functions[i].scalar, functions[i].step, functions[i].final,
			    NULL) != SQLITE_OK)
			return rwk_db_fail(db, diag, functions[i].name);
	}
	return 0;
}
