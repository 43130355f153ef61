/*
 * With the right difference of two clocks, each wakeup lies in a sleep of its task, and most not
 * long before the end of that: every cause and every effect of a task allow the differences
 * that put one so before the other, the better the shorter that takes.  The difference that is
 * allowed best, compared with others, is where the clocks are.
 */
#include "check/align_votes.h"

#include <errno.h>
#include <stdlib.h>

#include "check/align.h"

#define MAX_VOTES  (1 << 16) /* of a pair: causes times effects */
#define MAX_CAUSES 512 /* of a pair and direction, spread over all of them */

/*
 * Tasks that come again and again at equal distances have several answers: none of the others may
 * be as good, be it near (as what tasks do in a row makes neighbours of the right one) or far.
 */
#define FAR        10000000
#define NEAR_RATIO 0.95
#define FAR_RATIO  0.7

/* How long effects may take: one counts in all that are no less. */
static const rwk_ns delays[] = {20000, 100000, 500000, 2000000, 10000000, 50000000};
#define NR_DELAYS ((int)(sizeof(delays) / sizeof(delays[0])))

/* From here on, so many more causes are allowed. */
struct rwk_vote_edge {
	rwk_ns at;
	int32_t more;
};

struct rwk_vote {
	rwk_ns diff; /* with an effect that takes no time */
	rwk_ns longest; /* it may have taken */
	int sign; /* -1: the effect is on the other side */
};

static int by_place(const void *x, const void *y)
{
	const struct rwk_align_point *p = x, *q = y;
	int to = p->to < 0 ? RWK_ALIGN_IN : p->to, other_to = q->to < 0 ? RWK_ALIGN_IN : q->to;

	if (to != other_to)
		return to < other_to ? -1 : 1;
	if (p->on != q->on)
		return p->on < q->on ? -1 : 1;
	/* Causes of a pair by time, so that some of them are spread over all; effects by task. */
	if (to < 0 && p->tid != q->tid)
		return p->tid < q->tid ? -1 : 1;
	if (p->ts != q->ts)
		return p->ts < q->ts ? -1 : 1;
	if (p->tid != q->tid)
		return p->tid < q->tid ? -1 : 1;
	return p->to != q->to ? p->to - q->to : p->wakes - q->wakes;
}

/* The first point that does not come before key. */
static size_t lower(const struct rwk_votes *vs, const struct rwk_align_point *key)
{
	size_t low = 0, high = vs->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (by_place(&vs->point[mid], key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct range {
	size_t from, to;
};

static struct range causes_of(const struct rwk_votes *vs, int on, int to)
{
	struct rwk_align_point key = {
		.ts = INT64_MIN, .tid = INT32_MIN, .on = (int16_t)on, .to = (int16_t)to};
	struct range r = {.from = lower(vs, &key)};

	key.on++;
	r.to = lower(vs, &key);
	return r;
}

static rwk_ns plus(rwk_ns ts, rwk_ns by)
{
	rwk_ns sum;

	return __builtin_add_overflow(ts, by, &sum) ? by < 0 ? INT64_MIN : INT64_MAX : sum;
}

/* The cause's effects no farther away than that from where they are expected behind it. */
static struct range effects_of(
	const struct rwk_votes *vs, const struct rwk_align_point *cause, rwk_ns behind, rwk_ns far)
{
	struct rwk_align_point key = {.ts = plus(cause->ts, behind - far),
		.tid = cause->tid,
		.on = cause->to,
		.to = RWK_ALIGN_OUT_QUEUED};
	struct range r = {.from = lower(vs, &key)};

	key.ts = plus(cause->ts, behind + far);
	r.to = lower(vs, &key);
	return r;
}

/* Whether a task's being switched in there can be an effect of cause, and how long at most it took.
 */
static bool vote(const struct rwk_votes *vs, const struct rwk_align_point *cause, size_t in,
	rwk_ns *ret_longest)
{
	const struct rwk_align_point *p = &vs->point[in], *before = in ? p - 1 : NULL;

	if (p->to != RWK_ALIGN_IN)
		return false;
	*ret_longest = INT64_MAX;
	/* What it did there before; it may have been elsewhere in between, but not there. */
	if (!before || before->to >= 0 || before->on != p->on || before->tid != p->tid)
		return true;
	if (cause->wakes && before->to == RWK_ALIGN_OUT_QUEUED)
		return false;
	if (before->to != RWK_ALIGN_IN && __builtin_sub_overflow(p->ts, before->ts, ret_longest))
		*ret_longest = INT64_MAX;
	return true;
}

/* Which effects are looked at, and what differences of times mean. */
struct search {
	rwk_ns behind, far; /* of effects to their causes */
	int sign; /* of a difference, effect minus cause */
	rwk_ns more; /* added to it then */
};

/*
 * Votes of every step-th cause.  How many effects there are to it; votes are kept as far as there
 * is room.
 */
static size_t collect(
	struct rwk_votes *vs, struct range causes, size_t step, const struct search *search)
{
	size_t nr = 0;

	for (size_t i = causes.from; i < causes.to; i += step) {
		const struct rwk_align_point *cause = &vs->point[i];
		struct range effects = effects_of(vs, cause, search->behind, search->far);

		nr += effects.to - effects.from;
		for (size_t e = effects.from; e < effects.to && vs->nr_votes < MAX_VOTES; e++) {
			rwk_ns took = vs->point[e].ts - cause->ts;
			struct rwk_vote v = {
				.diff = search->sign * took + search->more, .sign = search->sign};

			if (vote(vs, cause, e, &v.longest))
				vs->vote[vs->nr_votes++] = v;
		}
	}
	return nr;
}

static size_t step_of(struct range r)
{
	return r.to == r.from ? 1 : (r.to - r.from + MAX_CAUSES - 1) / MAX_CAUSES;
}

/* Those of a pair: b's clock minus a's, plus or minus how long effects take. */
static void fill(struct rwk_votes *vs, int x, int y)
{
	struct range there = causes_of(vs, x, y), back = causes_of(vs, y, x);
	struct search forth = {.far = RWK_ALIGN_FARTHEST, .sign = 1}, against = forth;
	size_t step = 1;

	against.sign = -1;
	for (;;) {
		size_t nr, nr_causes;

		vs->nr_votes = 0;
		nr = collect(vs, there, step * step_of(there), &forth);
		nr += collect(vs, back, step * step_of(back), &against);
		if (nr <= MAX_VOTES)
			return;
		nr_causes = (there.to - there.from) / (step * step_of(there)) +
			    (back.to - back.from) / (step * step_of(back));
		/* Fewer causes as long as there are enough, then a smaller distance. */
		if (nr_causes > 8 * RWK_VOTES_LEAST)
			step *= 2;
		else
			against.far = forth.far /= 2;
	}
}

static int by_edge(const void *x, const void *y)
{
	const struct rwk_vote_edge *p = x, *q = y;

	if (p->at != q->at)
		return p->at < q->at ? -1 : 1;
	return q->more - p->more;
}

/* What each vote allows; how much that is on average.  To be read from low to high. */
static double lay_out(struct rwk_votes *vs)
{
	size_t nr = 2 * NR_DELAYS * vs->nr_votes;
	struct rwk_vote_edge *e = vs->edge;
	double sum = 0;

	for (size_t i = 0; i < vs->nr_votes; i++) {
		const struct rwk_vote *v = &vs->vote[i];

		for (int d = 0; d < NR_DELAYS; d++) {
			rwk_ns longest = v->longest < delays[d] ? v->longest : delays[d];
			rwk_ns from = v->sign > 0 ? v->diff - longest : v->diff;

			*e++ = (struct rwk_vote_edge){from, 1};
			*e++ = (struct rwk_vote_edge){from + longest, -1};
			sum += (double)longest;
		}
	}
	qsort(vs->edge, nr, sizeof(*vs->edge), by_edge);
	return sum / ((double)(vs->edge[nr - 1].at - vs->edge[0].at) + 1);
}

struct place {
	rwk_ns at; /* the middle of where that much is allowed */
	int32_t nr;
};

/* The best that is farther from a place than that. */
static struct place best_beyond(const struct rwk_votes *vs, const struct place *from, rwk_ns far)
{
	size_t nr_edges = 2 * NR_DELAYS * vs->nr_votes;
	struct place best = {0};
	int32_t nr = 0;

	for (size_t i = 0; i + 1 < nr_edges; i++) {
		rwk_ns at = vs->edge[i].at, until = vs->edge[i + 1].at;

		nr += vs->edge[i].more;
		at += (until - at) / 2;
		if (nr > best.nr && !(from && llabs(at - from->at) < far))
			best = (struct place){at, nr};
	}
	return best;
}

bool rwk_votes_stand_out(struct rwk_votes *vs, int x, int y, rwk_ns *ret)
{
	struct place best, near, far;
	double chance;

	fill(vs, x, y);
	if (vs->nr_votes < RWK_VOTES_LEAST)
		return false;
	chance = lay_out(vs);
	best = best_beyond(vs, NULL, 0);
	near = best_beyond(vs, &best, RWK_ALIGN_NEAR);
	far = best_beyond(vs, &best, FAR);
	*ret = best.at;
	return best.nr >= RWK_VOTES_LEAST * NR_DELAYS / 2 &&
	       (double)near.nr - chance <= NEAR_RATIO * ((double)best.nr - chance) &&
	       (double)far.nr - chance <= FAR_RATIO * ((double)best.nr - chance);
}

int rwk_votes_init(struct rwk_votes *ret, struct rwk_align_point *point, size_t nr)
{
	if (nr)
		qsort(point, nr, sizeof(*point), by_place);
	*ret = (struct rwk_votes){.point = point,
		.nr = nr,
		.vote = calloc(MAX_VOTES, sizeof(*ret->vote)),
		.edge = calloc((size_t)2 * NR_DELAYS * MAX_VOTES, sizeof(*ret->edge))};
	return ret->vote && ret->edge ? 0 : -ENOMEM;
}

void rwk_votes_finish(struct rwk_votes *vs)
{
	free(vs->vote);
	free(vs->edge);
}

size_t rwk_votes_causes(const struct rwk_votes *vs, int x, int y)
{
	struct range there = causes_of(vs, x, y), back = causes_of(vs, y, x);

	return there.to - there.from + back.to - back.from;
}

bool rwk_votes_near(
	struct rwk_votes *vs, int y, const struct rwk_cpuset *with, const rwk_ns *off, rwk_ns *ret)
{
	vs->nr_votes = 0;
	for (int x = 0; x < RWK_MAX_CPUS; x++) {
		struct search forth = {off[y] - off[x], FAR, 1, off[x]};
		struct search against = {off[x] - off[y], FAR, -1, off[x]};
		struct range there, back;

		if (x == y || !rwk_cpuset_has(with, x))
			continue;
		there = causes_of(vs, x, y);
		back = causes_of(vs, y, x);
		collect(vs, there, step_of(there), &forth);
		collect(vs, back, step_of(back), &against);
	}
	if (vs->nr_votes < RWK_VOTES_LEAST)
		return false;
	lay_out(vs);
	*ret = best_beyond(vs, NULL, 0).at;
	return true;
}
