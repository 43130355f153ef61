/* WF_SYNC from what wakers do next, and from what the kernel answered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "events_build.h"
#include "replay/sync_votes.h"

#define US ((rwk_ns)1000)

enum { WRITER_1 = 1, WRITER_2, READER_1, READER_2, NAMELESS, NR_TASK = NAMELESS };

struct votes {
	struct rwk_task_row task[NR_TASK];
	struct rwk_sync_votes *of;
	rwk_ns now;
};

static void set_up(struct votes *v)
{
	static const char *const names[NR_TASK] = {"write-7", "write-12", "read", "read", NULL};

	*v = (struct votes){.now = 1000 * US};
	for (int i = 0; i < NR_TASK; i++) {
		v->task[i].utid = i + 1;
		v->task[i].comm_known = names[i];
		if (names[i])
			snprintf(v->task[i].comm, RWK_COMM_LEN, "%s", names[i]);
	}
	assert_int_equal(rwk_sync_votes_create(2, v->task, NR_TASK, &v->of), 0);
}

static struct rwk_wakeup_row wakeup(const struct votes *v, int waker, int wakee, int context)
{
	return (struct rwk_wakeup_row){.ts = v->now,
		.cpu = 0,
		.waker_utid = waker,
		.wakee_utid = wakee,
		.context = (uint8_t)context};
}

/* waker wakes wakee on CPU 0 and leaves it after that time. */
static void wakes(struct votes *v, int waker, int wakee, rwk_ns then, enum rwk_end_state how)
{
	struct rwk_wakeup_row row = wakeup(v, waker, wakee, RWK_CTX_TASK);
	struct rwk_feed_item it = {
		.ev = ev_wake(RWK_EV_WAKING, v->now, 0, waker, wakee, 0), .wakeup = &row};

	assert_int_equal(rwk_sync_votes_take(v->of, &it), 0);
	v->now += then;
	it = (struct rwk_feed_item){.ev = ev_switch(v->now, 0, waker, how, 0)};
	assert_int_equal(rwk_sync_votes_take(v->of, &it), 0);
	v->now += 1000 * US;
}

static bool says(const struct votes *v, int waker, int wakee, int context)
{
	struct rwk_wakeup_row row = wakeup(v, waker, wakee, context);

	return rwk_sync_votes_say(v->of, &row);
}

static void learn(struct votes *v, int waker, int wakee, bool sync)
{
	struct rwk_wakeup_row row = wakeup(v, waker, wakee, RWK_CTX_TASK);

	rwk_sync_votes_learn(v->of, &row, sync);
}

/* Tasks of one name vote together, whatever their number; each pair must have been seen. */
static void majority_of_the_name(void **state)
{
	struct votes v;

	(void)state;
	set_up(&v);
	wakes(&v, WRITER_1, READER_1, 50 * US, RWK_END_SLEEPING);
	wakes(&v, WRITER_1, READER_1, 60 * US, RWK_END_SLEEPING);
	wakes(&v, WRITER_2, READER_2, 900 * US, RWK_END_SLEEPING); /* too late */
	assert_true(says(&v, WRITER_1, READER_1, RWK_CTX_TASK));
	assert_true(says(&v, WRITER_2, READER_2, RWK_CTX_TASK)); /* two of three */
	assert_false(says(&v, WRITER_2, READER_1, RWK_CTX_TASK)); /* never met */
	assert_false(says(&v, READER_1, WRITER_1, RWK_CTX_TASK));
	assert_false(says(&v, WRITER_1, READER_1, RWK_CTX_SOFTIRQ)); /* votes for itself */
	assert_false(says(&v, WRITER_1, READER_1, RWK_CTX_HARDIRQ));
	wakes(&v, WRITER_2, READER_2, 10 * US, RWK_END_PREEMPTED); /* did not mean to */
	assert_false(says(&v, WRITER_1, READER_1, RWK_CTX_TASK)); /* two of four */
	rwk_sync_votes_destroy(v.of);
}

/* Without a name a task stands for itself only. */
static void nameless_ones_are_apart(void **state)
{
	struct votes v;

	(void)state;
	set_up(&v);
	wakes(&v, NAMELESS, READER_1, 50 * US, RWK_END_SLEEPING);
	wakes(&v, WRITER_1, READER_1, 900 * US, RWK_END_SLEEPING);
	assert_true(says(&v, NAMELESS, READER_1, RWK_CTX_TASK));
	assert_false(says(&v, WRITER_1, READER_1, RWK_CTX_TASK));
	rwk_sync_votes_destroy(v.of);
}

/* Outcomes go before votes, those of the pair before those of the name. */
static void outcomes_go_first(void **state)
{
	struct votes v;

	(void)state;
	set_up(&v);
	wakes(&v, WRITER_1, READER_1, 50 * US, RWK_END_SLEEPING);
	wakes(&v, WRITER_2, READER_2, 50 * US, RWK_END_SLEEPING);
	learn(&v, WRITER_1, READER_1, false);
	assert_false(says(&v, WRITER_1, READER_1, RWK_CTX_TASK));
	assert_false(says(&v, WRITER_2, READER_2, RWK_CTX_TASK)); /* by name */
	learn(&v, WRITER_2, READER_2, true);
	assert_true(says(&v, WRITER_2, READER_2, RWK_CTX_TASK));
	assert_false(says(&v, WRITER_1, READER_1, RWK_CTX_TASK));
	rwk_sync_votes_forget(v.of);
	assert_true(says(&v, WRITER_1, READER_1, RWK_CTX_TASK));
	rwk_sync_votes_destroy(v.of);
}

/* However much was learned, four outcomes later the opposite is. */
static void ways_can_change(void **state)
{
	struct votes v;

	(void)state;
	set_up(&v);
	wakes(&v, WRITER_1, READER_1, 50 * US, RWK_END_SLEEPING);
	for (int i = 0; i < 100; i++)
		learn(&v, WRITER_1, READER_1, true);
	for (int i = 0; i < 5; i++)
		learn(&v, WRITER_1, READER_1, false);
	assert_false(says(&v, WRITER_1, READER_1, RWK_CTX_TASK));
	rwk_sync_votes_destroy(v.of);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(majority_of_the_name),
		cmocka_unit_test(nameless_ones_are_apart),
		cmocka_unit_test(outcomes_go_first),
		cmocka_unit_test(ways_can_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
