/*
 * Which effect goes with which cause is known on clocks that are nearly right, and
 * clocks are put right by that: so it is done again until nothing changes, first
 * from the clocks as they are, then from where they seem to belong (align.h).
 */
#include "cli/skew_estimate.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "check/align.h"
#include "cli/progress.h"

#define ROUNDS 4 /* more does not change what two do not change */

/* Tasks without a waking from which on clocks may be so far apart that no order is seen at all. */
#define UNCAUSED 3

/* One of that many impossible orders may have another reason than the clocks. */
#define OUTLIERS 20

struct pass {
	const char *trace;
	const struct rwk_decode_options *options;
	struct rwk_diag *diag;
};

/* All events, on clocks shifted by skew_ns unless that is NULL, to one of both. */
static int run(const struct pass *p, const rwk_ns *skew_ns, struct rwk_order *order,
	struct rwk_align *align)
{
	struct rwk_decode *dec = NULL;
	struct rwk_progress progress;
	struct rwk_event ev;
	int64_t nr = 0;
	int err;

	rwk_progress_begin(&progress, "look for skew");
	err = rwk_decode_open_with(p->trace, p->options, p->diag, &dec);
	if (!err && skew_ns)
		err = rwk_decode_set_skew(dec, skew_ns);
	while (!err && (err = rwk_decode_next(dec, &ev, p->diag)) == 1) {
		err = order ? rwk_order_event(order, &ev) : rwk_align_event(align, &ev);
		if (!(++nr & 0x3fff))
			rwk_progress_update(&progress, rwk_decode_permille(dec), nr);
	}
	rwk_progress_end(&progress);
	rwk_decode_close(dec);
	return err;
}

/* What orders say on clocks that are shifted so; a shift that cannot be tried is none. */
static int look(const struct pass *p, const rwk_ns *skew_ns, struct rwk_skew *ret)
{
	int nr_causes = p->diag ? p->diag->nr : 0;
	struct rwk_order *order;
	int err = rwk_order_create(&order);

	if (err)
		return err;
	err = run(p, skew_ns, order, NULL);
	if (skew_ns && (err == -E2BIG || err == -ERANGE)) {
		if (p->diag)
			p->diag->nr = nr_causes;
		*ret = (struct rwk_skew){.state = RWK_SKEW_TOO_FAR, .cpu = RWK_NONE};
		rwk_order_destroy(order);
		return 0;
	}
	if (!err)
		err = rwk_skew_solve(order, skew_ns, ret);
	rwk_order_destroy(order);
	return err;
}

static int align(const struct pass *p, rwk_ns *ret, int *ret_nr_joined)
{
	struct rwk_align *a;
	int err = rwk_align_create(&a);

	if (err)
		return err;
	err = run(p, NULL, NULL, a);
	if (!err)
		err = rwk_align_solve(a, ret, ret_nr_joined);
	rwk_align_destroy(a);
	return err;
}

/* Whether nothing is wrong on clocks shifted by skew_ns, and what was seen there allows no less. */
static bool holds(const struct rwk_skew *seen, const rwk_ns *skew_ns)
{
	if (seen->state != RWK_SKEW_FOUND || seen->nr_pairs)
		return false;
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++) {
		const struct rwk_skew_cpu *c = &seen->of[cpu];

		if (skew_ns[cpu] &&
			!(c->low_ns != RWK_NS_NONE && c->low_ns <= skew_ns[cpu] &&
				c->high_ns != RWK_NS_NONE && c->high_ns >= skew_ns[cpu]))
			return false;
		if (!skew_ns[cpu] && c->skew_ns)
			return false;
	}
	return true;
}

static bool same_shifts(const struct rwk_skew *skew, const rwk_ns *skew_ns)
{
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++) {
		if (skew->of[cpu].skew_ns != skew_ns[cpu])
			return false;
	}
	return true;
}

/*
 * From what was seen once, to an estimate that holds: FOUND, or what stands against it.  Single
 * impossible orders may be borne, unless there is an estimate without.
 */
static int refine(const struct pass *p, struct rwk_skew *seen)
{
	struct rwk_skew best = {.state = RWK_SKEW_INFEASIBLE, .cpu = RWK_NONE};
	rwk_ns skew_ns[RWK_MAX_CPUS];

	for (int i = 0; i < ROUNDS && seen->state == RWK_SKEW_FOUND; i++) {
		bool same;
		int err;

		rwk_skew_shifts(seen, skew_ns);
		err = look(p, skew_ns, seen);
		if (err)
			return err;
		same = same_shifts(seen, skew_ns);
		if (!holds(seen, skew_ns))
			continue;
		if (best.state != RWK_SKEW_FOUND || seen->nr_impossible < best.nr_impossible) {
			best = *seen;
			for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++)
				best.of[cpu].skew_ns = skew_ns[cpu];
		}
		if (same || !best.nr_impossible)
			break;
	}
	/* Other causes go with other effects each time: what seemed to fit was not it. */
	if (best.state == RWK_SKEW_FOUND || seen->state == RWK_SKEW_FOUND)
		*seen = best;
	return 0;
}

/* Nothing is shifted; the numbers are those of the clocks as they were recorded. */
static void refuse(const struct rwk_skew *recorded, struct rwk_skew *ret)
{
	ret->nr_impossible = recorded->nr_impossible;
	ret->nr_pairs = recorded->nr_pairs;
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++) {
		if (ret->cpu == RWK_NONE && ret->of[cpu].skew_ns)
			ret->cpu = cpu;
		ret->of[cpu] = (struct rwk_skew_cpu){0, RWK_NS_NONE, RWK_NS_NONE};
	}
	if (ret->cpu == RWK_NONE)
		ret->cpu = recorded->cpu;
}

/* Whether it is an estimate, and of nearly all that was wrong. */
static bool explains(const struct rwk_skew *recorded, const struct rwk_skew *found)
{
	if (found->state != RWK_SKEW_FOUND ||
		found->nr_impossible > recorded->nr_impossible / OUTLIERS)
		return false;
	return recorded->state != RWK_SKEW_NONE || found->nr_uncaused <= recorded->nr_uncaused / 2;
}

int rwk_skew_estimate(const char *trace, const struct rwk_decode_options *options,
	struct rwk_diag *diag, struct rwk_skew *ret)
{
	const struct pass p = {trace, options, diag};
	rwk_ns skew_ns[RWK_MAX_CPUS];
	struct rwk_skew recorded;
	struct stat st;
	int err, nr_joined;

	if (stat(trace, &st) || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return rwk_diag_push(diag, -ESPIPE,
			"cannot estimate the skew: file=%s why=it takes several passes, and this "
			"is no file; --skew=CPU:NS sets it",
			trace);
	err = look(&p, NULL, ret);
	if (err || (ret->state == RWK_SKEW_NONE && ret->nr_uncaused < UNCAUSED))
		return err;
	recorded = *ret;
	err = refine(&p, ret);
	if (err || explains(&recorded, ret))
		return err;
	err = align(&p, skew_ns, &nr_joined);
	if (!err && nr_joined) {
		err = look(&p, skew_ns, ret);
		if (!err)
			err = refine(&p, ret);
	}
	ret->searched = true;
	if (err || explains(&recorded, ret))
		return err;
	if (ret->state == RWK_SKEW_FOUND)
		ret->state = RWK_SKEW_INFEASIBLE;
	if (recorded.state == RWK_SKEW_NONE && ret->state != RWK_SKEW_TOO_FAR) {
		*ret = recorded;
		ret->searched = true;
	} else {
		refuse(&recorded, ret);
	}
	return 0;
}

void rwk_skew_shifts(const struct rwk_skew *skew, rwk_ns ret[RWK_MAX_CPUS])
{
	for (int cpu = 0; cpu < RWK_MAX_CPUS; cpu++)
		ret[cpu] = skew->of[cpu].skew_ns;
}
