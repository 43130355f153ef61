/*
 * Events to rows.  Tests named after a row of the failure kinds (L1, W3, …)
 * check that row.
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
#define RP     RWK_END_PREEMPTED

/* A task sleeps, is woken from another CPU, moved, and runs. */
static void plain_wakeup(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(100, 0, 0, R, 10), ev_switch(200, 1, 20, S, 0),
		ev_wake(WAKING, 10000, 0, 10, 20, 1), ev_migrate(10100, 0, 10, 20, 1, 2),
		ev_wake(WAKEUP, 10300, 2, 0, 20, 2), ev_switch(10400, 2, 0, R, 20));
	assert_int_equal(r.nr_wakeup, 1);
	assert_int_equal(r.wakeup[0].kind, RWK_KIND_DECISION);
	assert_int_equal(r.wakeup[0].kind_source, RWK_INFERRED);
	assert_int_equal(r.wakeup[0].cpu, 0);
	assert_int_equal(r.wakeup[0].prev_cpu, 1);
	assert_int_equal(r.wakeup[0].target_cpu, 2);
	assert_int_equal(r.wakeup[0].target_source, RWK_TARGET_MIGRATE);
	assert_int_equal(r.wakeup[0].wakeup_dur, 300);
	assert_int_equal(r.wakeup[0].run_dur, 400);
	assert_int_equal(r.wakeup[0].run_cpu, 2);
	assert_int_equal(r.wakeup[0].waker_utid, rows_utid(&r, 10));
	assert_int_equal(r.nr_migration, 1);
	assert_int_equal(r.migration[0].wakeup_id, 1);
	assert_int_equal(rows_anomaly(&r, RWK_AN_CENSORED), 0);
	rows_free(&r);
}

/* Waking of a task that runs: kept, no decision, no latency. */
static void W1_waking_of_running(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(100, 1, 0, R, 20), ev_switch(110, 0, 0, R, 10),
		ev_wake(WAKING, 200, 0, 10, 20, 1), ev_wake(WAKEUP, 210, 0, 10, 20, 1),
		ev_switch(900, 1, 20, S, 0));
	assert_int_equal(r.nr_wakeup, 1);
	assert_int_equal(r.wakeup[0].kind, RWK_KIND_SPURIOUS);
	assert_int_equal(r.wakeup[0].censor, RWK_CENSOR_RUNNING);
	assert_int_equal(r.wakeup[0].run_dur, RWK_NS_NONE);
	assert_int_equal(rows_anomaly(&r, RWK_AN_WAKING_RUNNABLE), 1);
	rows_free(&r);
}

/* Waking between set-state and schedule(): the waker survives the switch-out. */
static void W2_waking_before_switch_out(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(100, 1, 0, R, 20), ev_switch(110, 0, 0, R, 10),
		ev_wake(WAKING, 200, 0, 10, 20, 1), ev_switch(300, 1, 20, S, 0),
		ev_wake(WAKEUP, 400, 0, 10, 20, 1), ev_switch(500, 1, 0, R, 20));
	assert_int_equal(r.nr_wakeup, 1);
	assert_int_equal(r.wakeup[0].kind, RWK_KIND_DECISION);
	assert_int_equal(r.wakeup[0].run_dur, 300);
	assert_int_equal(r.wakeup[0].waker_utid, rows_utid(&r, 10));
	rows_free(&r);
}

/* Two wakings before it runs: both kept, each with its own latency. */
static void W3_two_wakings(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(100, 1, 20, S, 0), ev_switch(110, 0, 0, R, 10),
		ev_switch(120, 2, 0, R, 30), ev_wake(WAKING, 10000, 0, 10, 20, 1),
		ev_wake(WAKEUP, 10100, 0, 10, 20, 1), ev_wake(WAKING, 10200, 2, 30, 20, 1),
		ev_wake(WAKEUP, 10300, 2, 30, 20, 1), ev_switch(10400, 1, 0, R, 20));
	assert_int_equal(r.nr_wakeup, 2);
	assert_int_equal(r.wakeup[0].kind, RWK_KIND_DECISION);
	assert_int_equal(r.wakeup[0].run_dur, 400);
	assert_int_equal(r.wakeup[1].kind, RWK_KIND_QUEUED);
	assert_int_equal(r.wakeup[1].run_dur, 200);
	rows_free(&r);
}

/* target_cpu of sched_waking is the previous CPU; the placement is read elsewhere. */
static void W4_target_sources(void **state)
{
	struct rows r;

	(void)state;
	/* by sched_wakeup */
	rows_run(&r, "6.1.0", ev_switch(100, 1, 20, S, 0), ev_wake(WAKING, 10000, 0, 10, 20, 1),
		ev_wake(WAKEUP, 10100, 0, 10, 20, 1), ev_switch(10200, 1, 0, R, 20));
	assert_int_equal(r.wakeup[0].target_cpu, 1);
	assert_int_equal(r.wakeup[0].target_source, RWK_TARGET_WAKEUP);
	rows_free(&r);
	/* by first run, when the sched_wakeup is missing */
	rows_run(&r, "6.1.0", ev_switch(100, 1, 20, S, 0), ev_wake(WAKING, 10000, 0, 10, 20, 1),
		ev_switch(10200, 3, 0, R, 20));
	assert_int_equal(r.wakeup[0].target_cpu, 3);
	assert_int_equal(r.wakeup[0].target_source, RWK_TARGET_RUN);
	assert_int_equal(rows_anomaly(&r, RWK_AN_WAKING_WITHOUT_WAKEUP), 1);
	rows_free(&r);
}

/* sched_wakeup comes from the chosen CPU by IPI: its common_pid is not the waker. */
static void W5_waker_not_from_wakeup(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(50, 0, 0, R, 10), ev_switch(90, 4, 0, R, 40),
		ev_switch(100, 4, 40, S, 44), ev_wake(WAKING, 10000, 0, 10, 40, 4),
		ev_wake(WAKEUP, 10100, 4, 44, 40, 4), ev_switch(10200, 4, 44, S, 40));
	assert_int_equal(r.wakeup[0].waker_utid, rows_utid(&r, 10));
	assert_int_equal(r.wakeup[0].wakeup_cpu, 4);
	rows_free(&r);
}

/* An interrupt wakes: the context says so, the CPU is kept, the current task is named as such. */
static void W6_irq_context(void **state)
{
	struct rows r;
	struct rwk_event hard = ev_wake(WAKING, 10000, 0, 10, 20, 1);
	struct rwk_event soft = ev_wake(WAKING, 20000, 0, 0, 20, 1);

	(void)state;
	hard.flags = RWK_FLAG_HARDIRQ | RWK_FLAG_SOFTIRQ;
	soft.flags = RWK_FLAG_SOFTIRQ;
	rows_run(&r, "6.1.0", ev_switch(100, 1, 20, S, 0), hard,
		ev_wake(WAKEUP, 10100, 0, 10, 20, 1), ev_switch(10200, 1, 0, R, 20),
		ev_switch(11000, 1, 20, S, 0), soft, ev_wake(WAKEUP, 20100, 0, 0, 20, 1));
	assert_int_equal(r.wakeup[0].context, RWK_CTX_HARDIRQ);
	assert_int_equal(r.wakeup[0].cpu, 0);
	assert_int_equal(r.wakeup[1].context, RWK_CTX_SOFTIRQ);
	rows_free(&r);
}

/* sched_wakeup_new: kind new, its own row, no sched_waking needed. */
static void W9_wakeup_new(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(100, 0, 0, R, 10), ev_wake(NEW, 200, 0, 10, 50, 3),
		ev_switch(300, 3, 0, R, 50));
	assert_int_equal(r.nr_wakeup, 1);
	assert_int_equal(r.wakeup[0].kind, RWK_KIND_NEW);
	assert_int_equal(r.wakeup[0].target_cpu, 3);
	assert_int_equal(r.wakeup[0].prev_cpu, RWK_NONE);
	assert_int_equal(r.wakeup[0].run_dur, 100);
	assert_int_equal(rows_anomaly(&r, RWK_AN_WAKEUP_WITHOUT_WAKING), 0);
	rows_free(&r);
}

/* Still queued, still on its CPU: kinds of their own, no choice invented. */
static void W12_queued_and_on_cpu(void **state)
{
	struct rows r;

	(void)state;
	/* preempted, thus queued */
	rows_run(&r, "6.1.0", ev_switch(90, 1, 0, R, 20), ev_switch(100, 1, 20, RP, 21),
		ev_wake(WAKING, 10000, 0, 10, 20, 1), ev_wake(WAKEUP, 10100, 0, 10, 20, 1),
		ev_switch(10200, 1, 21, S, 20));
	assert_int_equal(r.wakeup[0].kind, RWK_KIND_QUEUED);
	assert_int_equal(r.wakeup[0].kind_source, RWK_REBUILT);
	rows_free(&r);
	/* inside its switch-out, other cache, wakeup by IPI on its own CPU */
	rows_run(&r, "6.1.0", ev_switch(90, 5, 0, R, 20), ev_wake(WAKING, 10000, 0, 10, 20, 5),
		ev_switch(10010, 5, 20, S, 0), ev_wake(WAKEUP, 10100, 5, 0, 20, 5),
		ev_switch(10200, 5, 0, R, 20));
	assert_int_equal(r.wakeup[0].kind, RWK_KIND_ON_CPU);
	rows_free(&r);
	/* the probe says that there was no decision although the wakee slept: delayed dequeue */
	const struct rwk_event evs[] = {ev_switch(90, 1, 0, R, 20), ev_switch(100, 1, 20, S, 21),
		ev_wake(WAKING, 10000, 0, 10, 20, 1), ev_wake(WAKEUP, 10100, 0, 10, 20, 1)};
	rows_begin(&r, "6.12.117", true, RWK_PROBE_ALL);
	rows_feed(&r, evs, 4);
	rows_end(&r);
	assert_int_equal(r.wakeup[0].kind, RWK_KIND_QUEUED);
	assert_int_equal(r.wakeup[0].kind_source, RWK_INFERRED);
	rows_free(&r);
}

/*
 * The wakee is still on its CPU when it is woken.  A waker whose CPU goes on
 * before the wakee has left did not choose; one that waits may have; and what
 * comes faster than any choice was none.
 */
static void W12_on_cpu_or_chosen(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(80, 0, 0, R, 10), ev_switch(90, 1, 0, R, 20),
		/* a choice, 500 from waking to wakeup */
		ev_switch(95, 2, 30, S, 0), ev_wake(WAKING, 10000, 0, 10, 30, 2),
		ev_wake(WAKEUP, 10500, 2, 0, 30, 2), ev_switch(10600, 2, 0, R, 30),
		/* the waker's CPU goes on while 20 is still there */
		ev_wake(WAKING, 20000, 0, 10, 20, 1), ev_switch(20100, 0, 10, S, 0),
		ev_switch(29000, 1, 20, S, 0), ev_wake(WAKEUP, 29900, 1, 0, 20, 1),
		ev_switch(29950, 1, 0, R, 20),
		/* it waits, and the wakeup takes as long as a choice does */
		ev_switch(30000, 0, 0, R, 10), ev_wake(WAKING, 31000, 0, 10, 20, 1),
		ev_switch(32000, 1, 20, S, 0), ev_wake(WAKEUP, 32600, 1, 0, 20, 1),
		ev_switch(32700, 1, 0, R, 20),
		/* it waits, but the wakeup is faster than any choice */
		ev_wake(WAKING, 41000, 0, 10, 20, 1), ev_switch(42000, 1, 20, S, 0),
		ev_wake(WAKEUP, 42100, 1, 0, 20, 1), ev_switch(42200, 1, 0, R, 20));
	assert_int_equal(r.nr_wakeup, 4);
	assert_int_equal(r.wakeup[0].kind, RWK_KIND_DECISION);
	assert_int_equal(r.wakeup[1].kind, RWK_KIND_ON_CPU);
	assert_int_equal(r.wakeup[2].kind, RWK_KIND_DECISION);
	assert_int_equal(r.wakeup[3].kind, RWK_KIND_ON_CPU);
	assert_int_equal(r.wakeup[3].kind_source, RWK_INFERRED);
	rows_free(&r);
}

/* Pinned by construction: no choice, so no policy can agree with it. */
static void W13_pinned(void **state)
{
	struct rows r;
	struct rwk_event waking = ev_wake(WAKING, 10000, 0, 10, 20, 1);

	(void)state;
	memcpy(waking.task.comm, "kworker/1:2-mm\0\0", RWK_COMM_LEN);
	struct rwk_event wakeup = waking;
	wakeup.kind = WAKEUP;
	rows_run(&r, "6.1.0", waking, wakeup);
	assert_int_equal(r.wakeup[0].kind, RWK_KIND_NO_CHOICE);
	rows_free(&r);
	memcpy(waking.task.comm, "kworker/u8:2\0\0\0\0", RWK_COMM_LEN);
	rows_run(&r, "6.1.0", waking);
	assert_int_equal(r.wakeup[0].kind, RWK_KIND_DECISION);
	rows_free(&r);
}

static void self_and_other_class(void **state)
{
	struct rows r;
	struct rwk_event rt = ev_wake(WAKING, 30000, 0, 10, 60, 1);
	struct rwk_event dl = ev_wake(WAKING, 60000, 0, 10, 61, 1);
	struct rwk_event unknown = ev_wake(WAKING, 90000, 0, 10, 62, 1);

	(void)state;
	rt.task.prio = 49;
	dl.task.prio = RWK_PRIO_DEADLINE;
	unknown.task.prio = RWK_PRIO_UNKNOWN;
	rows_run(&r, "6.1.0", ev_switch(100, 0, 0, R, 10), ev_wake(WAKING, 200, 0, 10, 10, 0),
		ev_wake(WAKEUP, 210, 0, 10, 10, 0), rt, ev_wake(WAKEUP, 30100, 0, 10, 60, 1), dl,
		ev_wake(WAKEUP, 60100, 0, 10, 61, 1), unknown,
		ev_wake(WAKEUP, 90100, 0, 10, 62, 1));
	assert_int_equal(r.wakeup[0].kind, RWK_KIND_SELF);
	assert_int_equal(r.wakeup[1].kind, RWK_KIND_OTHER_CLASS);
	assert_int_equal(r.wakeup[2].kind, RWK_KIND_OTHER_CLASS);
	/* An unknown priority says nothing of the class. */
	assert_int_equal(r.wakeup[3].prio, RWK_PRIO_UNKNOWN);
	assert_int_equal(r.wakeup[3].kind, RWK_KIND_DECISION);
	rows_free(&r);
}

/* A gap: what waits is dropped, not stretched over it; the slice ends where it was last seen. */
static void L1_lost_events(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(100, 0, 0, R, 10), ev_switch(110, 1, 20, S, 0),
		ev_wake(WAKING, 10000, 0, 10, 20, 1), ev_wake(WAKEUP, 10100, 0, 10, 20, 1),
		ev_lost(900000, 1, 207, 120), ev_switch(900100, 1, 0, R, 20));
	assert_int_equal(r.nr_loss, 1);
	assert_int_equal(r.loss[0].count, 207);
	assert_int_equal(r.loss[0].from_ts, 120);
	assert_int_equal(r.wakeup[0].run_dur, RWK_NS_NONE);
	assert_int_equal(r.wakeup[0].censor, RWK_CENSOR_LOSS);
	assert_int_equal(r.slice[2].cpu, 1); /* idle from 110 */
	assert_true(r.slice[2].cut || r.slice[3].cut);
	rows_free(&r);
}

/* Never switched in or out: the CPU is not idle, its occupant is known from common_pid. */
static void L9_occupant(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_other(100, 3, 77), ev_wake(WAKING, 200, 0, 10, 20, 1));
	assert_int_equal(r.nr_slice, 2);
	assert_int_equal(r.slice[0].utid, rows_utid(&r, 77));
	assert_int_equal(r.slice[0].ts, 100);
	assert_true(r.slice[0].begin_unknown);
	assert_int_equal(r.slice[0].dur, RWK_NS_NONE);
	assert_int_equal(rows_anomaly(&r, RWK_AN_OCCUPANT_INFERRED), 2);
	rows_free(&r);
}

/*
 * A switch is missing without any mark of loss: common_pid shows who runs, and
 * the wakeups of that task are over, so that a later one is not taken for them.
 */
static void L9_missing_switch(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(50, 0, 0, R, 10), ev_switch(100, 1, 20, S, 0),
		ev_wake(WAKING, 10000, 0, 10, 20, 1),
		/* its sched_wakeup and its switch in are missing; it wakes 30 */
		ev_wake(WAKING, 11000, 1, 20, 30, 2), ev_wake(WAKEUP, 11100, 2, 0, 30, 2),
		ev_switch(12000, 1, 20, S, 0), ev_wake(WAKING, 20000, 0, 10, 20, 1),
		ev_wake(WAKEUP, 20100, 1, 0, 20, 1), ev_switch(20200, 1, 0, R, 20));
	assert_int_equal(r.nr_wakeup, 3);
	assert_int_equal(r.wakeup[0].wakeup_seq, 0);
	assert_int_equal(r.wakeup[0].censor, RWK_CENSOR_LOSS);
	assert_int_equal(r.wakeup[2].wakeup_dur, 100);
	assert_int_equal(r.wakeup[2].run_dur, 200);
	assert_int_equal(rows_anomaly(&r, RWK_AN_SWITCH_MISMATCH), 1);
	assert_int_equal(rows_anomaly(&r, RWK_AN_WAKING_WITHOUT_WAKEUP), 1);
	rows_free(&r);
}

/* First switch of a CPU: the part before is of unknown length, the part after counts. */
static void L10_first_switch(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(500, 2, 20, S, 30), ev_switch(800, 2, 30, S, 0));
	assert_int_equal(r.nr_slice, 3);
	assert_true(r.slice[0].begin_unknown);
	assert_int_equal(r.slice[0].dur, 0);
	assert_int_equal(r.slice[1].utid, rows_utid(&r, 30));
	assert_false(r.slice[1].begin_unknown);
	assert_int_equal(r.slice[1].dur, 300);
	assert_int_equal(r.slice[1].end_state, S);
	assert_int_equal(rows_anomaly(&r, RWK_AN_FIRST_SWITCH), 1);
	rows_free(&r);
}

/* The trace ends: open ends, never a length. */
static void L11_trace_end(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(100, 0, 0, R, 10), ev_switch(110, 1, 20, S, 0),
		ev_wake(WAKING, 10000, 0, 10, 20, 1), ev_wake(WAKEUP, 10100, 0, 10, 20, 1));
	assert_int_equal(r.slice[1].dur, RWK_NS_NONE);
	assert_int_equal(r.slice[1].end_state, RWK_END_UNKNOWN);
	assert_int_equal(r.wakeup[0].run_dur, RWK_NS_NONE);
	assert_int_equal(r.wakeup[0].censor, RWK_CENSOR_END);
	rows_free(&r);
}

/* prev is not who was current: no runtime is charged to the wrong task. */
static void L14_switch_mismatch(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(100, 0, 0, R, 10), ev_switch(500, 0, 11, S, 12),
		ev_wake(WAKING, 600, 0, 12, 10, 0));
	assert_int_equal(rows_anomaly(&r, RWK_AN_SWITCH_MISMATCH), 1);
	/* What it does since then is unknown: it may well sleep. */
	assert_int_equal(rows_anomaly(&r, RWK_AN_WAKING_RUNNABLE), 0);
	assert_int_not_equal(r.wakeup[0].kind, RWK_KIND_SPURIOUS);
	assert_int_equal(r.slice[1].utid, rows_utid(&r, 10));
	assert_int_equal(r.slice[1].dur, RWK_NS_NONE);
	assert_true(r.slice[1].cut);
	rows_free(&r);
}

/* A tid that dies and comes back is another task; so is one born again unseen. */
static void I1_tid_reuse(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(100, 0, 0, R, 10), ev_switch(200, 0, 10, RWK_END_DEAD, 11),
		ev_wake(NEW, 300, 0, 11, 10, 0), ev_switch(400, 0, 11, S, 10),
		ev_wake(NEW, 500, 0, 10, 11, 1));
	assert_int_equal(r.slice[1].utid, 2);
	assert_int_not_equal(r.slice[1].utid, rows_utid(&r, 10));
	assert_int_equal(r.task[rows_utid(&r, 10) - 1].generation, 1);
	assert_int_equal(r.task[rows_utid(&r, 11) - 1].generation, 1);
	assert_int_equal(rows_anomaly(&r, RWK_AN_TID_REUSED), 2);
	rows_free(&r);
}

/* A task's span is that of the events that name it, not that of the trace. */
static void span_of_tasks(void **state)
{
	const struct rwk_task_row *t;
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(100, 0, 0, R, 10), ev_wake(WAKING, 150, 0, 10, 20, 1),
		ev_switch(300, 0, 10, S, 0), ev_switch(900, 1, 0, R, 30));
	t = &r.task[rows_utid(&r, 10) - 1];
	assert_int_equal(t->first_ts, 100);
	assert_int_equal(t->last_ts, 300);
	t = &r.task[rows_utid(&r, 20) - 1];
	assert_int_equal(t->first_ts, 150);
	assert_int_equal(t->last_ts, 150);
	t = &r.task[rows_utid(&r, 30) - 1];
	assert_int_equal(t->last_ts, 900);
	rows_free(&r);
}

/* Each CPU's idle task is one of its own. */
static void I6_idle_per_cpu(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(100, 0, 10, S, 0), ev_switch(100, 1, 11, S, 0));
	assert_int_not_equal(r.slice[1].utid, r.slice[3].utid);
	assert_int_equal(r.task[r.slice[1].utid - 1].idle_cpu, 0);
	assert_int_equal(r.task[r.slice[3].utid - 1].idle_cpu, 1);
	rows_free(&r);
}

/* Equal times: a wakeup and the switch it ends in at the same nanosecond give 0, not less. */
static void T4_equal_times(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(100, 1, 20, S, 0), ev_wake(WAKING, 10000, 0, 10, 20, 1),
		ev_wake(WAKEUP, 10000, 1, 0, 20, 1), ev_switch(10000, 1, 0, R, 20));
	assert_int_equal(r.wakeup[0].wakeup_dur, 0);
	assert_int_equal(r.wakeup[0].run_dur, 0);
	rows_free(&r);
}

/* The probed entry makes it a decision, with the kernel's own previous CPU, flags and answer. */
static void probed_decision(void **state)
{
	struct rows r;
	struct rwk_ev_probe probe = {
		.prev_cpu = 3, .wake_flags = 0x18, .has_hidden = true, .flips = 5, .nr_llc = 1};
	const struct rwk_event evs[] = {ev_switch(100, 1, 20, S, 0),
		ev_wake(WAKING, 10000, 0, 10, 20, 1), ev_sel(10010, 0, 10, &probe),
		ev_sel_ret(10020, 0, 10, 2), ev_migrate(10030, 0, 10, 20, 1, 2),
		ev_wake(WAKEUP, 10100, 0, 10, 20, 2), ev_switch(10200, 2, 0, R, 20),
		/* exec: an entry that no wakeup explains */
		ev_sel(20000, 2, 20, &probe), ev_sel_ret(20010, 2, 20, 2),
		ev_switch(20020, 2, 20, S, 0),
		/* fork: the entry comes first */
		ev_sel(30000, 0, 10, &probe), ev_sel_ret(30010, 0, 10, 1),
		ev_wake(NEW, 30020, 0, 10, 70, 1)};

	(void)state;
	rows_begin(&r, "6.1.0", true, RWK_PROBE_ALL);
	rows_feed(&r, evs, sizeof(evs) / sizeof(evs[0]));
	rows_end(&r);
	assert_int_equal(r.wakeup[0].kind_source, RWK_PROBED);
	assert_int_equal(r.wakeup[0].prev_cpu, 3);
	assert_true(r.wakeup[0].sync);
	assert_int_equal(r.wakeup[0].sync_source, RWK_PROBED);
	assert_int_equal(r.nr_probe, 3);
	assert_int_equal(r.probe[0].answer, 2);
	assert_int_equal(r.probe[0].wakeup_id, 1);
	assert_int_equal(r.probe[0].values.flips, 5);
	assert_int_equal(r.probe[1].wakeup_id, 0);
	assert_int_equal(r.probe[2].wakeup_id, 2);
	assert_int_equal(r.wakeup[1].kind, RWK_KIND_NEW);
	assert_int_equal(r.wakeup[1].prev_cpu, 3);
	rows_free(&r);

	rows_begin(&r, "5.10.223", true, RWK_PROBE_FLAGS);
	probe.wake_flags = 0x01;
	rows_feed(&r, evs, sizeof(evs) / sizeof(evs[0]));
	rows_end(&r);
	assert_true(r.wakeup[0].sync);
	assert_false(r.probe[0].values.has_hidden);
	assert_int_equal(r.probe[0].values.nr_llc, 0);
	rows_free(&r);

	rows_begin(&r, "6.1.0", false, RWK_PROBE_NONE);
	rows_feed(&r, evs, sizeof(evs) / sizeof(evs[0]));
	rows_end(&r);
	assert_int_equal(r.nr_probe, 0);
	assert_int_equal(r.wakeup[0].kind_source, RWK_INFERRED);
	assert_int_equal(r.wakeup[0].sync_source, RWK_UNKNOWN);
	rows_free(&r);
}

static void assert_probe_cpu(
	const struct rwk_probe_cpu_row *row, int64_t seq, int cpu, int nr_running, int curr_tid)
{
	assert_int_equal(row->seq, seq);
	assert_int_equal(row->of.cpu, cpu);
	assert_int_equal(row->of.nr_running, nr_running);
	assert_int_equal(row->of.curr_tid, curr_tid);
}

/* State of CPUs belongs to the entry before it on its CPU, whatever others do in between. */
static void probed_cpus(void **state)
{
	struct rows r;
	const struct rwk_ev_probe probe = {.prev_cpu = 1, .wake_flags = 0x08};
	const struct rwk_ev_probe low = {
		.nr_cpus = 3, .cpu = {{0, 1, 0, 10, 5}, {1, 0, 1, 0, 7}, {8, 1, 0, 1, 1}}};
	/* CPU 1 again, and of 5 and 6 no state. */
	const struct rwk_ev_probe high = {.nr_cpus = 4,
		.cpu = {{1, 9, 0, 9, 9}, {4, 2, RWK_NONE, 30, RWK_NONE}, {5, RWK_NONE, 0, 0, 0},
			{6, 0, 0, RWK_NONE, 0}}};
	const struct rwk_event evs[] = {ev_switch(100, 1, 20, S, 0), ev_switch(200, 4, 0, R, 30),
		ev_wake(WAKING, 10000, 0, 10, 20, 1), ev_sel(10010, 0, 10, &probe),
		ev_wake(WAKING, 10011, 4, 30, 21, 1), ev_sel(10012, 4, 30, &probe),
		ev_sel_state(10013, 0, 10, &high), ev_sel_state(10014, 4, 30, &low),
		ev_sel_state(10015, 0, 10, &low), ev_sel_ret(10020, 0, 10, 1),
		ev_sel_state(10021, 0, 10, &low), ev_wake(WAKEUP, 10100, 0, 10, 20, 1),
		ev_sel_ret(10110, 4, 30, 2)};
	const size_t nr = sizeof(evs) / sizeof(evs[0]);

	(void)state;
	rows_begin(&r, "6.1.0", true, RWK_PROBE_ALL);
	rows_feed(&r, evs, nr);
	rows_end(&r);
	assert_int_equal(r.nr_probe, 2);
	assert_int_equal(r.nr_probe_cpu, 5);
	assert_probe_cpu(&r.probe_cpu[0], 4, 1, 9, 9);
	assert_probe_cpu(&r.probe_cpu[1], 4, 4, 2, 30);
	assert_int_equal(r.probe_cpu[1].of.pending, RWK_NONE);
	assert_probe_cpu(&r.probe_cpu[2], 6, 0, 1, 10);
	assert_probe_cpu(&r.probe_cpu[3], 6, 1, 0, 0);
	assert_int_equal(r.probe_cpu[3].of.load, 7);
	assert_probe_cpu(&r.probe_cpu[4], 4, 0, 1, 10);
	/* The one behind the return. */
	assert_int_equal(rows_anomaly(&r, RWK_AN_PROBE_UNPAIRED), 1);
	assert_int_equal(r.wakeup[0].kind_source, RWK_PROBED);
	assert_int_equal(r.wakeup[0].wakeup_seq, 12);
	rows_free(&r);

	rows_begin(&r, "6.1.0", true, RWK_PROBE_FLAGS);
	rows_feed(&r, evs, nr);
	rows_end(&r);
	assert_int_equal(r.nr_probe, 2);
	assert_int_equal(r.nr_probe_cpu, 0);
	assert_int_equal(rows_anomaly(&r, RWK_AN_PROBE_UNPAIRED), 0);
	rows_free(&r);

	rows_begin(&r, "6.1.0", false, RWK_PROBE_NONE);
	rows_feed(&r, evs, nr);
	rows_end(&r);
	assert_int_equal(r.nr_probe + r.nr_probe_cpu, 0);
	assert_int_equal(r.wakeup[0].wakeup_seq, 5);
	rows_free(&r);
}

/*
 * Where the kernel tells what it puts on queues: a wakeup without that is none of a task
 * that was placed, and the other way round.
 */
static void counted_kinds(void **state)
{
	struct rows r;
	const struct rwk_event evs[] = {ev_switch(100, 1, 20, S, 0), ev_switch(200, 0, 0, R, 10),
		ev_nr(300, 0, 10, 1, 1, 1), ev_other(310, 0, 10),
		/* asleep for long, and yet not put on a queue: delayed */
		ev_wake(WAKING, 10000, 0, 10, 20, 1), ev_wake(WAKEUP, 10100, 0, 10, 20, 1),
		ev_switch(10200, 1, 0, R, 20), ev_switch(10300, 1, 20, S, 0),
		/* put on it, whatever comes in between that is of no interest */
		ev_wake(WAKING, 20000, 0, 10, 20, 1), ev_nr(20050, 0, 10, 1, 1, 1),
		ev_other(20060, 0, 10), ev_wake(WAKEUP, 20100, 0, 10, 20, 1),
		ev_switch(20200, 1, 0, R, 20), ev_switch(20300, 1, 20, RP, 21),
		/* known to wait, and put on a queue: then it did not wait */
		ev_wake(WAKING, 30000, 0, 10, 20, 1), ev_nr(30050, 0, 10, 1, 2, 1),
		ev_wake(WAKEUP, 30100, 0, 10, 20, 1), ev_switch(30200, 1, 21, S, 20),
		ev_switch(30300, 1, 20, S, 0),
		/* another queue's, a queue that shrinks, and one for another wakeup */
		ev_wake(WAKING, 40000, 0, 10, 20, 1), ev_nr(40050, 0, 10, 2, 1, 1),
		ev_wake(WAKEUP, 40100, 0, 10, 20, 1), ev_switch(40200, 1, 0, R, 20),
		ev_switch(40300, 1, 20, S, 0), ev_wake(WAKING, 50000, 0, 10, 20, 1),
		ev_nr(50050, 0, 10, 1, 0, -1), ev_wake(WAKEUP, 50100, 0, 10, 20, 1),
		ev_switch(50200, 1, 0, R, 20), ev_switch(50300, 1, 20, S, 0),
		/* what told of it may be among what was lost */
		ev_wake(WAKING, 60000, 0, 10, 20, 1), ev_lost(60050, 3, 1, RWK_NS_NONE),
		ev_wake(WAKING, 70000, 0, 10, 22, 3), ev_lost(70050, 1, 1, RWK_NS_NONE),
		ev_wake(WAKEUP, 70100, 1, 0, 22, 3)};

	(void)state;
	rows_begin(&r, "6.12.117", false, RWK_PROBE_ALL);
	rows_feed(&r, evs, sizeof(evs) / sizeof(evs[0]));
	rows_end(&r);
	assert_int_equal(r.nr_nr, 5);
	assert_int_equal(r.nr[0].seq, 3);
	assert_int_equal(r.nr[4].of.change, -1);
	assert_int_equal(r.wakeup[0].kind, RWK_KIND_QUEUED);
	assert_int_equal(r.wakeup[0].kind_source, RWK_PROBED);
	assert_int_equal(r.wakeup[1].kind, RWK_KIND_DECISION);
	assert_int_equal(r.wakeup[1].kind_source, RWK_INFERRED); /* of unknown affinity */
	assert_int_equal(r.wakeup[2].kind, RWK_KIND_DECISION);
	assert_int_equal(r.wakeup[3].kind, RWK_KIND_QUEUED);
	assert_int_equal(r.wakeup[4].kind, RWK_KIND_QUEUED);
	rows_free(&r);

	/* Without, the first is taken for a choice, and the third for none. */
	rows_begin(&r, "6.12.117", false, RWK_PROBE_NONE);
	rows_feed(&r, evs, sizeof(evs) / sizeof(evs[0]));
	rows_end(&r);
	assert_int_equal(r.nr_nr, 0);
	assert_int_equal(r.wakeup[0].kind, RWK_KIND_DECISION);
	assert_int_equal(r.wakeup[2].kind, RWK_KIND_QUEUED);
	assert_int_equal(r.wakeup[2].kind_source, RWK_REBUILT);
	rows_free(&r);
}

/* With only some tasks recorded, what is not counted may have been. */
static void counts_of_some(void **state)
{
	struct rows r;
	const struct rwk_event evs[] = {ev_switch(100, 1, 20, S, 0), ev_nr(300, 0, 10, 1, 0, -1),
		ev_wake(WAKING, 10000, 0, 10, 20, 1), ev_wake(WAKEUP, 10100, 0, 10, 20, 1)};

	(void)state;
	for (int partial = 0; partial < 2; partial++) {
		rows_begin(&r, "6.12.117", false, RWK_PROBE_ALL);
		rows_feed(&r, evs, 2);
		if (partial)
			rwk_timeline_is_partial(r.tl);
		rows_feed(&r, &evs[2], 2);
		rows_end(&r);
		assert_int_equal(r.wakeup[0].kind, partial ? RWK_KIND_DECISION : RWK_KIND_QUEUED);
		rows_free(&r);
	}
}

/* The wakeup of a CPU whose events were lost right before it is as unsure as ever. */
static void count_lost(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.12.117", ev_switch(100, 1, 20, S, 0), ev_nr(300, 0, 10, 1, 0, -1),
		ev_lost(10050, 0, 1, RWK_NS_NONE), ev_wake(WAKING, 10060, 2, 11, 20, 1),
		ev_wake(WAKEUP, 10100, 0, 10, 20, 1));
	assert_int_equal(r.wakeup[0].kind, RWK_KIND_DECISION);
	assert_int_equal(r.wakeup[0].kind_source, RWK_INFERRED);
	rows_free(&r);
}

/* Probed, too: what was put on a queue without a call of the placement function. */
static void counted_unplaced(void **state)
{
	struct rows r;
	const struct rwk_ev_probe probe = {.prev_cpu = 1, .wake_flags = 0x08};
	const struct rwk_event evs[] = {ev_switch(100, 1, 20, S, 0), ev_switch(200, 0, 0, R, 10),
		ev_nr(300, 0, 10, 1, 0, -1),
		/* one allowed CPU */
		ev_wake(WAKING, 10000, 0, 10, 20, 1), ev_nr(10090, 1, 0, 1, 1, 1),
		ev_wake(WAKEUP, 10100, 1, 0, 20, 1), ev_switch(10200, 1, 0, R, 20),
		/* just leaving */
		ev_wake(WAKING, 20000, 0, 10, 20, 1), ev_switch(20010, 1, 20, S, 0),
		ev_nr(20090, 1, 0, 1, 1, 1), ev_wake(WAKEUP, 20100, 1, 0, 20, 1),
		ev_switch(20200, 1, 0, R, 20),
		/* a fork's probe is counted before the child is told of */
		ev_sel(30000, 0, 10, &probe), ev_sel_ret(30010, 0, 10, 2),
		ev_nr(30015, 0, 10, 2, 1, 1), ev_wake(NEW, 30020, 0, 10, 70, 2)};

	(void)state;
	rows_begin(&r, "6.12.117", true, RWK_PROBE_ALL);
	rows_feed(&r, evs, sizeof(evs) / sizeof(evs[0]));
	rows_end(&r);
	assert_int_equal(r.wakeup[0].kind, RWK_KIND_NO_CHOICE);
	assert_int_equal(r.wakeup[1].kind, RWK_KIND_ON_CPU);
	assert_int_equal(r.wakeup[2].kind, RWK_KIND_NEW);
	assert_int_equal(r.probe[0].wakeup_id, 3);
	rows_free(&r);
}

/* The last sync wakeup of a slice that ends dead is the notice to the parent. */
static void exiting_waker(void **state)
{
	struct rows r;
	struct rwk_ev_probe probe = {.prev_cpu = 1, .wake_flags = 0x18};
	const struct rwk_event evs[] = {ev_switch(90, 0, 0, R, 10), ev_switch(100, 1, 20, S, 0),
		ev_wake(WAKING, 10000, 0, 10, 20, 1), ev_sel(10010, 0, 10, &probe),
		ev_sel_ret(10020, 0, 10, 1), ev_wake(WAKEUP, 10100, 0, 10, 20, 1),
		ev_switch(10200, 1, 0, R, 20), ev_switch(10300, 1, 20, S, 0),
		ev_wake(WAKING, 20000, 0, 10, 20, 1), ev_sel(20010, 0, 10, &probe),
		ev_sel_ret(20020, 0, 10, 1), ev_wake(WAKEUP, 20100, 0, 10, 20, 1),
		ev_switch(20200, 1, 0, R, 20), ev_switch(30000, 0, 10, RWK_END_ZOMBIE, 0)};

	(void)state;
	rows_begin(&r, "6.1.0", true, RWK_PROBE_ALL);
	rows_feed(&r, evs, 13);
	assert_int_equal(r.nr_wakeup, 1); /* the second waits for its waker's slice to end */
	rows_feed(&r, &evs[13], 1);
	rows_end(&r);
	assert_int_equal(r.nr_wakeup, 2);
	assert_false(r.wakeup[0].waker_exiting);
	assert_true(r.wakeup[1].waker_exiting);
	assert_int_equal(r.wakeup[1].run_dur, 200);
	rows_free(&r);
}

static void lost_migration(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(100, 0, 0, R, 10), ev_switch(200, 0, 10, RP, 11),
		ev_switch(300, 3, 0, R, 10));
	assert_int_equal(r.nr_migration, 1);
	assert_true(r.migration[0].synthetic);
	assert_int_equal(r.migration[0].orig_cpu, 0);
	assert_int_equal(r.migration[0].dest_cpu, 3);
	rows_free(&r);
}

/* Hostile numbers are counted, and nothing is written where they point. */
static void hostile_values(void **state)
{
	struct rows r;

	(void)state;
	rows_run(&r, "6.1.0", ev_switch(100, 99, 0, R, 10),
		ev_wake(WAKING, 200, 0, 10, 20, 1 << 20), ev_wake(WAKEUP, 300, 0, 10, 0, 1),
		ev_migrate(400, 0, 10, 20, -5, 2), ev_switch(500, 0, -1, R, 10));
	assert_int_equal(r.nr_wakeup + r.nr_slice + r.nr_migration + r.nr_orphan, 0);
	assert_int_equal(rows_anomaly(&r, RWK_AN_BAD_RECORD), 2);
	assert_int_equal(rows_anomaly(&r, RWK_AN_CPU_OUT_OF_RANGE), 3);
	rows_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_wakeup),
		cmocka_unit_test(W1_waking_of_running),
		cmocka_unit_test(W2_waking_before_switch_out),
		cmocka_unit_test(W3_two_wakings),
		cmocka_unit_test(W4_target_sources),
		cmocka_unit_test(W5_waker_not_from_wakeup),
		cmocka_unit_test(W6_irq_context),
		cmocka_unit_test(W9_wakeup_new),
		cmocka_unit_test(W12_queued_and_on_cpu),
		cmocka_unit_test(W12_on_cpu_or_chosen),
		cmocka_unit_test(W13_pinned),
		cmocka_unit_test(self_and_other_class),
		cmocka_unit_test(L1_lost_events),
		cmocka_unit_test(L9_occupant),
		cmocka_unit_test(L9_missing_switch),
		cmocka_unit_test(L10_first_switch),
		cmocka_unit_test(L11_trace_end),
		cmocka_unit_test(L14_switch_mismatch),
		cmocka_unit_test(I1_tid_reuse),
		cmocka_unit_test(span_of_tasks),
		cmocka_unit_test(I6_idle_per_cpu),
		cmocka_unit_test(T4_equal_times),
		cmocka_unit_test(probed_decision),
		cmocka_unit_test(probed_cpus),
		cmocka_unit_test(exiting_waker),
		cmocka_unit_test(counted_kinds),
		cmocka_unit_test(counts_of_some),
		cmocka_unit_test(count_lost),
		cmocka_unit_test(counted_unplaced),
		cmocka_unit_test(lost_migration),
		cmocka_unit_test(hostile_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
