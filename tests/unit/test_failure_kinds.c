/*
 * Failure kinds that events show: those rows of tests/failure_kinds.tsv that no
 * test of a room covers by itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "events_build.h"

#define WAKING RWK_EV_WAKING
#define WAKEUP RWK_EV_WAKEUP
#define NEW    RWK_EV_WAKEUP_NEW
#define S      RWK_END_SLEEPING
#define R      RWK_END_RUNNABLE

static void name(char comm[RWK_COMM_LEN], const char *text)
{
	memset(comm, 0, RWK_COMM_LEN);
	memcpy(comm, text, strlen(text));
}

static const struct rwk_task_row *task_of(const struct rows *r, int utid)
{
	return &r->task[utid - 1];
}

/* Something ends before it began: no length, and no huge one either. */
static void T5_end_before_start(void **state)
{
	struct rows r;

	(void)state;
	/* The gap is said to begin before the task was switched in. */
	rows_run(&r, "6.1.0", ev_switch(1000, 0, 0, R, 10), ev_lost(2000, 0, 1, 500));
	assert_int_equal(r.slice[1].utid, rows_utid(&r, 10));
	assert_int_equal(r.slice[1].dur, RWK_NS_NONE);
	assert_true(r.slice[1].cut);
	rows_free(&r);
	/* The whole range of times: differences neither wrap nor trap. */
	rows_run(&r, "6.1.0", ev_switch(INT64_MIN + 2, 0, 0, R, 10),
		ev_lost(INT64_MIN + 3, 0, 1, RWK_NS_NONE), ev_switch(INT64_MIN + 4, 0, 0, R, 11));
	for (int i = 0; i < r.nr_slice; i++)
		assert_true(r.slice[i].dur == RWK_NS_NONE || r.slice[i].dur >= 0);
	rows_free(&r);
}

/* The waking was before the recording began: no latency is made up. */
static void T6_waking_before_the_window(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(100, 0, 0, R, 10), ev_wake(WAKEUP, 200, 0, 10, 20, 1),
		ev_switch(300, 1, 0, R, 20));
	assert_int_equal(r.nr_wakeup, 0);
	assert_int_equal(r.nr_orphan, 1);
	assert_int_equal(r.orphan[0].ts, 200);
	assert_int_equal(rows_anomaly(&r, RWK_AN_WAKEUP_WITHOUT_WAKING), 1);
	rows_free(&r);
}

/* Woken, and no switch comes any more although the trace goes on. */
static void L15_never_switched_in(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(100, 1, 20, S, 0), ev_wake(WAKING, 1000, 0, 10, 20, 1),
		ev_wake(WAKEUP, 1100, 0, 10, 20, 1), ev_switch(500000, 1, 0, R, 30),
		ev_switch(900000, 1, 30, S, 0));
	assert_int_equal(r.nr_wakeup, 1);
	assert_int_equal(r.wakeup[0].run_dur, RWK_NS_NONE);
	assert_int_equal(r.wakeup[0].run_cpu, RWK_NONE);
	assert_int_equal(r.wakeup[0].censor, RWK_CENSOR_END);
	assert_int_equal(rows_anomaly(&r, RWK_AN_CENSORED), 1);
	rows_free(&r);
}

/* Seen only as a wakee: a row with the wakeup's name, and no run. */
static void L16_only_woken(void **state)
{
	struct rwk_event waking = ev_wake(WAKING, 1000, 0, 10, 20, 1);
	const struct rwk_task_row *t;
	struct rows r;

	(void)state;
	name(waking.task.comm, "sleeper");
	rows_run(&r, "6.1.0", ev_switch(100, 0, 0, R, 10), waking);
	t = task_of(&r, rows_utid(&r, 20));
	assert_true(t->comm_known);
	assert_string_equal(t->comm, "sleeper");
	assert_int_equal(rwk_cpuset_weight(&t->seen), 0);
	for (int i = 0; i < r.nr_slice; i++)
		assert_int_not_equal(r.slice[i].utid, t->utid);
	rows_free(&r);
}

/* Idle CPUs wake from interrupts: each by its own idle task, in its context, no common hub. */
static void W7_waker_is_idle(void **state)
{
	struct rwk_event a = ev_wake(WAKING, 1000, 2, 0, 20, 1);
	struct rwk_event b = ev_wake(WAKING, 2000, 3, 0, 21, 1);
	struct rows r;

	(void)state;
	a.flags = b.flags = RWK_FLAG_HARDIRQ;
	rows_run(&r, "6.1.0", a, b);
	assert_int_not_equal(r.wakeup[0].waker_utid, r.wakeup[1].waker_utid);
	assert_int_equal(task_of(&r, r.wakeup[0].waker_utid)->idle_cpu, 2);
	assert_int_equal(task_of(&r, r.wakeup[1].waker_utid)->idle_cpu, 3);
	assert_int_equal(r.wakeup[0].context, RWK_CTX_HARDIRQ);
	rows_free(&r);
}

/* Switched in on a second CPU: the older stay is cut there, so that no time counts twice. */
static void W14_on_two_cpus(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(100, 0, 0, R, 10), ev_switch(500, 1, 0, R, 10),
		ev_switch(700, 1, 10, S, 0));
	assert_int_equal(rows_anomaly(&r, RWK_AN_TASK_ON_TWO_CPUS), 1);
	assert_int_equal(r.slice[1].utid, rows_utid(&r, 10));
	assert_int_equal(r.slice[1].cpu, 0);
	assert_int_equal(r.slice[1].dur, 400);
	assert_true(r.slice[1].cut);
	assert_int_equal(r.slice[1].end_state, RWK_END_UNKNOWN);
	assert_int_equal(r.slice[3].utid, rows_utid(&r, 10));
	assert_int_equal(r.slice[3].cpu, 1);
	assert_int_equal(r.slice[3].dur, 200);
	rows_free(&r);
}

/* A task that another kernel's group stands for has no thread id: skipped and counted. */
static void S6_no_thread_id(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(100, 0, 0, R, 10), ev_wake(WAKING, 200, 0, 10, -1, 1),
		ev_switch(300, 0, 10, S, -1));
	assert_int_equal(r.nr_wakeup, 0);
	assert_int_equal(r.nr_task, 2);
	assert_int_equal(rows_anomaly(&r, RWK_AN_BAD_RECORD), 2);
	rows_free(&r);
}

/* exec in the middle of a slice: another name, the same task, and nothing was lost. */
static void I2_renamed(void **state)
{
	struct rwk_event in = ev_switch(100, 0, 0, R, 10), out = ev_switch(500, 0, 10, S, 0);
	struct rows r;

	(void)state;
	name(in.sw.next_comm, "sh");
	name(out.sw.prev_comm, "program");
	rows_run(&r, "6.1.0", in, out);
	assert_int_equal(rows_anomaly(&r, RWK_AN_SWITCH_MISMATCH), 0);
	assert_int_equal(rows_anomaly(&r, RWK_AN_TID_REUSED), 0);
	assert_int_equal(r.slice[1].dur, 400);
	assert_string_equal(task_of(&r, rows_utid(&r, 10))->comm, "program");
	rows_free(&r);
}

/* A name that was not saved is none. */
static void I4_placeholder(void **state)
{
	struct rwk_event unnamed = ev_wake(WAKING, 200, 0, 10, 20, 1);
	struct rwk_event named = ev_wake(WAKEUP, 300, 0, 10, 20, 1);
	struct rwk_event never = ev_wake(WAKING, 400, 0, 10, 30, 1);
	struct rows r;

	(void)state;
	name(unnamed.task.comm, "<...>");
	name(named.task.comm, "real");
	name(never.task.comm, "<...>");
	rows_run(&r, "6.1.0", unnamed, named, never);
	assert_string_equal(task_of(&r, rows_utid(&r, 20))->comm, "real");
	assert_true(task_of(&r, rows_utid(&r, 20))->comm_known);
	assert_false(task_of(&r, rows_utid(&r, 30))->comm_known);
	rows_free(&r);
	/* Nor does it take a name away. */
	unnamed.ts = 350;
	rows_run(&r, "6.1.0", named, unnamed);
	assert_string_equal(task_of(&r, rows_utid(&r, 20))->comm, "real");
	rows_free(&r);
}

/* Threads of one name stay apart. */
static void I5_same_name(void **state)
{
	struct rwk_event a = ev_switch(100, 0, 0, R, 10), b = ev_switch(100, 1, 0, R, 11);
	struct rows r;

	(void)state;
	name(a.sw.next_comm, "worker");
	name(b.sw.next_comm, "worker");
	rows_run(&r, "6.1.0", a, b);
	assert_int_not_equal(rows_utid(&r, 10), rows_utid(&r, 11));
	assert_string_equal(task_of(&r, rows_utid(&r, 10))->comm, "worker");
	assert_string_equal(task_of(&r, rows_utid(&r, 11))->comm, "worker");
	rows_free(&r);
}

/* Who had the thread id before keeps the name of its own events. */
static void I8_stale_name(void **state)
{
	struct rwk_event old = ev_switch(100, 0, 0, R, 10);
	struct rwk_event dies = ev_switch(200, 0, 10, RWK_END_DEAD, 0);
	struct rwk_event born = ev_wake(NEW, 300, 0, 11, 10, 0);
	struct rows r;
	int utid;

	(void)state;
	name(old.sw.next_comm, "older");
	name(dies.sw.prev_comm, "older");
	name(born.task.comm, "younger");
	rows_run(&r, "6.1.0", old, dies, born);
	utid = rows_utid(&r, 10);
	assert_string_equal(task_of(&r, utid)->comm, "younger");
	assert_int_equal(r.wakeup[0].wakee_utid, utid);
	assert_int_not_equal(r.slice[1].utid, utid);
	assert_int_equal(task_of(&r, r.slice[1].utid)->tid, 10);
	assert_string_equal(task_of(&r, r.slice[1].utid)->comm, "older");
	rows_free(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(T5_end_before_start),
		cmocka_unit_test(T6_waking_before_the_window),
		cmocka_unit_test(L15_never_switched_in),
		cmocka_unit_test(L16_only_woken),
		cmocka_unit_test(W7_waker_is_idle),
		cmocka_unit_test(W14_on_two_cpus),
		cmocka_unit_test(S6_no_thread_id),
		cmocka_unit_test(I2_renamed),
		cmocka_unit_test(I4_placeholder),
		cmocka_unit_test(I5_same_name),
		cmocka_unit_test(I8_stale_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
