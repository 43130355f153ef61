/* How a run began, fitted to what the kernel answered later. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/wake_history.h"
#include "replay/fit.h"

#define MS ((rwk_ns)1000000)

enum { PARENT = 1, CHILD, OTHER, NEWCOMER };

static struct rwk_task task(int32_t utid)
{
	return (struct rwk_task){.utid = utid,
		.flip_decay_ts = RWK_NS_NONE,
		.last_wakee = RWK_NONE,
		.recent_cpu = RWK_NONE};
}

/* utid wakes n others. */
static void wakes(struct rwk_fit *fit, int32_t utid, rwk_ns ts, int n)
{
	for (int i = 0; i < n; i++)
		rwk_fit_wakes(fit, utid, ts, true);
}

/* Both children begin with their parent's x, the LLC has 4 CPUs. */
static void child_tells_of_its_parent(void **state)
{
	struct rwk_task t = task(PARENT), child = task(CHILD), late = task(NEWCOMER);
	struct rwk_fit *fit;

	(void)state;
	assert_int_equal(rwk_fit_create(&fit), 0);
	assert_int_equal(rwk_fit_meet(fit, PARENT, 5 * MS), 0);
	assert_int_equal(rwk_fit_inherit(fit, CHILD, PARENT), 0);
	assert_int_equal(rwk_fit_inherit(fit, OTHER, PARENT), 0);
	wakes(fit, CHILD, 6 * MS, 29);
	wakes(fit, OTHER, 7 * MS, 2);
	/* wide: x + 2 >= 4 and x + 29 >= 4 (x + 2), which is x from 2 to 7 */
	assert_int_equal(rwk_fit_outcome(fit, CHILD, OTHER, 4, true), 0);
	rwk_fit_conclude(fit);

	rwk_fit_begin_task(fit, &t, 5 * MS);
	assert_int_equal(t.flips, 2); /* the least that explains all */
	assert_int_equal(t.flips_source, RWK_CALIBRATED);
	assert_int_equal(t.flip_decay_ts, 5 * MS);
	assert_int_equal(t.recent_source, RWK_UNKNOWN);
	rwk_fit_begin_task(fit, &t, 5 * MS); /* once */
	assert_int_equal(t.flips, 2);
	/* A child's come from its parent by the rules, not from the fit. */
	rwk_fit_begin_task(fit, &child, 5 * MS);
	assert_int_equal(child.flips_source, RWK_UNKNOWN);
	rwk_fit_begin_task(fit, &late, 5 * MS);
	assert_int_equal(late.flips_source, RWK_UNKNOWN);
	rwk_fit_destroy(fit);
}

/* Halved when a second has passed: the answer tells how long before the recording that was. */
static void halving_tells_its_phase(void **state)
{
	struct rwk_task t = task(PARENT);
	struct rwk_fit *fit;

	(void)state;
	assert_int_equal(rwk_fit_create(&fit), 0);
	assert_int_equal(rwk_fit_meet(fit, PARENT, 0), 0);
	assert_int_equal(rwk_fit_inherit(fit, CHILD, PARENT), 0);
	wakes(fit, PARENT, 100 * MS, 60); /* not one halving more than at most 100 ms ago */
	for (int i = 0; i < 3; i++)
		assert_int_equal(rwk_fit_outcome(fit, PARENT, CHILD, 4, true), 0); /* 4 … 20 */
	rwk_fit_wakes(fit, CHILD, 600 * MS, false);
	/* CHILD is 4 to 7 and was halved between: below 4 now */
	for (int i = 0; i < 3; i++)
		assert_int_equal(rwk_fit_outcome(fit, PARENT, CHILD, 4, false), 0);
	rwk_fit_conclude(fit);
	rwk_fit_begin_task(fit, &t, 0);
	assert_int_equal(t.flips, 4);
	assert_int_equal(t.flip_decay_ts, -500 * MS);
	rwk_fit_destroy(fit);
}

/* Every beginning explains it as well as any other: nothing is known. */
static void no_evidence_is_no_fit(void **state)
{
	struct rwk_task t = task(PARENT), never = task(99);
	struct rwk_fit *fit;

	(void)state;
	assert_int_equal(rwk_fit_create(&fit), 0);
	assert_int_equal(rwk_fit_meet(fit, PARENT, 0), 0);
	assert_int_equal(rwk_fit_inherit(fit, CHILD, PARENT), 0);
	assert_int_equal(
		rwk_fit_outcome(fit, PARENT, CHILD, 4, true), 0); /* equal ones never are */
	assert_int_equal(rwk_fit_outcome(fit, PARENT, 77, 4, true), 0); /* never met */
	rwk_fit_conclude(fit);
	rwk_fit_begin_task(fit, &t, 0);
	assert_int_equal(t.flips_source, RWK_UNKNOWN);
	rwk_fit_begin_task(fit, &never, 0);
	assert_int_equal(never.flips_source, RWK_UNKNOWN);
	rwk_fit_destroy(fit);
}

static void recent_is_the_first_told(void **state)
{
	struct rwk_task t = task(OTHER), known = task(OTHER);
	struct rwk_fit *fit;

	(void)state;
	assert_int_equal(rwk_fit_create(&fit), 0);
	assert_int_equal(rwk_fit_recent(fit, OTHER, 5), 0);
	assert_int_equal(rwk_fit_recent(fit, OTHER, 6), 0);
	rwk_fit_conclude(fit);
	rwk_fit_begin_task(fit, &t, 0);
	assert_int_equal(t.recent_cpu, 5);
	assert_int_equal(t.recent_source, RWK_CALIBRATED);
	known.recent_cpu = 1;
	known.recent_source = RWK_REBUILT;
	rwk_fit_begin_task(fit, &known, 0);
	assert_int_equal(known.recent_cpu, 1);
	rwk_fit_destroy(fit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(child_tells_of_its_parent),
		cmocka_unit_test(halving_tells_its_phase),
		cmocka_unit_test(no_evidence_is_no_fit),
		cmocka_unit_test(recent_is_the_first_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
