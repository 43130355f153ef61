/*
 * Events to state: a table from event kind to handler.
 *
 * | state before      | event                    | state after                              |
 * |-------------------|--------------------------|------------------------------------------|
 * | any               | switch out, sleeping     | sleeping, dequeued; dead for X and Z      |
 * | any               | switch out, R or R+      | queued                                   |
 * | any               | switch in                | running; was running elsewhere: anomaly  |
 * | sleeping, unknown | waking                   | waking                                   |
 * | queued, running   | waking                   | unchanged: no placement follows          |
 * | any but running   | wakeup, wakeup_new       | queued on the target                     |
 * | queued            | migrate                  | queued on the destination                |
 * | others            | migrate                  | its next CPU is the destination          |
 * | any               | nr                       | unchanged: only counts change            |
 * | any               | lost                     | nothing is certain                       |
 */
#include <errno.h>

#include "model/habits.h"
#include "model/hints.h"
#include "model/load.h"
#include "model/queues.h"
#include "model/state.h"

static int on_lost(struct rwk_model *m, const struct rwk_event *ev)
{
	struct rwk_cpu_state *c = &m->cpu[ev->cpu];

	/*
	 * What was lost may have moved, run or put to sleep any task, and ended
	 * any wakeup to any CPU.
	 */
	m->loss++;
	if (m->hidden && c->curr != RWK_NONE)
		rwk_habit_lost(rwk_tasks_at(&m->tasks, c->curr));
	c->curr = RWK_NONE;
	c->nr_known = false;
	for (int cpu = 0; cpu < m->nr_cpus; cpu++) {
		m->cpu[cpu].nr_pending = 0;
		m->cpu[cpu].nr_told = RWK_NONE;
		rwk_model_cpu_refresh(m, cpu);
	}
	return 0;
}

/* Whatever was thought to be queued on cpu is not: it found nothing to run. */
static void queue_is_empty(struct rwk_model *m, int cpu)
{
	struct rwk_cpu_state *c = &m->cpu[cpu];

	if (m->hidden)
		rwk_load_empty(m, cpu);
	rwk_queue_empty(m, cpu);
	rwk_eevdf_empty(m, cpu);
	c->queue_id++;
	c->nr = c->nr_sched_idle = 0;
	c->nr_known = true;
	rwk_model_cpu_refresh(m, cpu);
}

/* t was current where another task is now, without a switch away from it. */
static void lose_track(struct rwk_model *m, struct rwk_task *t, const struct rwk_event *ev)
{
	rwk_anomaly_add(&m->anomalies, RWK_AN_SWITCH_MISMATCH, ev->ts, ev->cpu, ev->offset);
	if (t->state != RWK_TASK_RUNNING || t->idle_cpu != RWK_NONE)
		return;
	t->state = RWK_TASK_UNKNOWN;
	rwk_eevdf_leave(m, t);
	rwk_model_dequeue(m, t);
}

static int occupant(struct rwk_model *m, const struct rwk_event *ev)
{
	struct rwk_cpu_state *c = &m->cpu[ev->cpu];
	bool was_idle = c->assumed_idle;
	struct rwk_task *t;
	int err;

	c->observed = true;
	if (!rwk_model_occupant_differs(m, ev))
		return 0;
	if (c->curr != RWK_NONE)
		lose_track(m, rwk_tasks_at(&m->tasks, c->curr), ev);
	/* Nobody saw it being switched in, but it is what the CPU runs (L9). */
	err = rwk_tasks_get(&m->tasks, ev->tid, ev->cpu, NULL, &t);
	if (err)
		return err;
	c->curr = t->utid;
	c->assumed_idle = false;
	t->state = RWK_TASK_RUNNING;
	t->loss = m->loss;
	if (m->hidden)
		rwk_habit_run_begin(m, t, ev->cpu, false);
	if (t->idle_cpu == RWK_NONE)
		rwk_model_enqueue(m, t, ev->cpu);
	else if (!was_idle) /* else who was queued since is still to run */
		queue_is_empty(m, ev->cpu);
	t->cpu = ev->cpu;
	rwk_model_cpu_refresh(m, ev->cpu);
	return 0;
}

void rwk_model_assume_idle(struct rwk_model *m, int cpu)
{
	m->cpu[cpu].assumed_idle = true;
	queue_is_empty(m, cpu);
}

/* Nothing is left to run on a CPU that goes, and nothing waits on one that comes. */
static void come_or_go(struct rwk_model *m, int cpu)
{
	m->cpu[cpu].nr_pending = 0;
	if (m->cpu[cpu].curr == RWK_NONE)
		m->cpu[cpu].assumed_idle = true;
	queue_is_empty(m, cpu);
}

void rwk_model_set_machine(struct rwk_model *m, const struct rwk_machine *machine, bool rebuilt)
{
	const struct rwk_machine *old = m->machine;

	m->machine = machine;
	for (int cpu = 0; cpu < m->nr_cpus; cpu++) {
		m->view[cpu].capacity = (uint32_t)machine->cpu[cpu].capacity;
		if (rwk_cpuset_has(&old->online, cpu) != rwk_cpuset_has(&machine->online, cpu))
			come_or_go(m, cpu);
	}
	for (int i = 0; rebuilt && i < machine->nr_llc; i++) {
		m->llc[i] = (struct rwk_llc_view){
			.has_idle_cores_source = RWK_REBUILT, .nr_idle_scan_source = RWK_REBUILT};
		m->scan_ts[i] = m->now - m->now % m->tick_ns;
	}
}

static int on_other(struct rwk_model *m, const struct rwk_event *ev)
{
	(void)m;
	(void)ev;
	return 0;
}

static int on_nr(struct rwk_model *m, const struct rwk_event *ev)
{
	if (!rwk_model_cpu_ok(m, ev->nr.cpu))
		return 0;
	m->cpu[ev->nr.cpu].nr_told = ev->nr.nr;
	rwk_model_cpu_refresh(m, ev->nr.cpu);
	return 0;
}

/*
 * What the kernel counts on cpu beyond those that run or wait is delayed.  Only where
 * the event of a change, which comes behind its count, has just come.
 */
static void settle(struct rwk_model *m, int cpu)
{
	struct rwk_cpu_state *c = &m->cpu[cpu];

	if (c->nr_told == RWK_NONE)
		return;
	c->nr_told_delayed = c->nr_told > c->nr ? c->nr_told - c->nr : 0;
	rwk_model_cpu_refresh(m, cpu);
}

static int on_waking(struct rwk_model *m, const struct rwk_event *ev)
{
	struct rwk_task *t;
	int err;

	if (m->hidden && !(ev->flags & (RWK_FLAG_HARDIRQ | RWK_FLAG_SOFTIRQ | RWK_FLAG_NMI)))
		rwk_habit_wakes(m, ev->cpu);
	err = rwk_tasks_get(&m->tasks, ev->task.tid, ev->task.target_cpu, ev->task.comm, &t);

	if (err)
		return err == -ERANGE ? 0 : err;
	t->prio = ev->task.prio;
	if (rwk_model_cpu_ok(m, ev->task.target_cpu) && !t->queued)
		t->cpu = ev->task.target_cpu;
	if (rwk_model_task_certain(m, t) &&
		(t->state == RWK_TASK_RUNNING || t->state == RWK_TASK_QUEUED))
		return 0;
	t->state = RWK_TASK_WAKING;
	t->loss = m->loss;
	return 0;
}

static int on_wakeup(struct rwk_model *m, const struct rwk_event *ev)
{
	struct rwk_task *t;
	struct rwk_cpu_state *c;
	int err;

	err = ev->kind == RWK_EV_WAKEUP_NEW
		      ? rwk_tasks_birth(&m->tasks, ev->task.tid, ev->task.comm, &t)
		      : rwk_tasks_get(
				&m->tasks, ev->task.tid, ev->task.target_cpu, ev->task.comm, &t);
	if (err)
		return err == -ERANGE ? 0 : err;
	t->prio = ev->task.prio;
	if (rwk_model_task_certain(m, t) && t->state == RWK_TASK_RUNNING)
		return 0;
	if (ev->kind == RWK_EV_WAKEUP_NEW && m->cpu[ev->cpu].curr != RWK_NONE)
		rwk_tasks_inherit(&m->tasks, t, rwk_tasks_at(&m->tasks, m->cpu[ev->cpu].curr));
	if (m->hidden && ev->kind == RWK_EV_WAKEUP_NEW) {
		rwk_habit_birth(t);
		if (rwk_model_cpu_ok(m, ev->task.target_cpu))
			rwk_load_birth(m, t, ev->task.target_cpu);
	} else if (m->hidden && !t->queued) {
		rwk_habit_returns(m, t);
	}
	t->state = RWK_TASK_QUEUED;
	t->loss = m->loss;
	if (!rwk_model_cpu_ok(m, ev->task.target_cpu))
		return 0;
	c = &m->cpu[ev->task.target_cpu];
	if (c->avg_idle_open) {
		rwk_ns idle = ev->ts - c->idle_ts;

		c->avg_idle_open = false;
		c->avg_idle_ns += (idle - c->avg_idle_ns) / 8;
		/* The kernel's clamp, twice the cost of an idle balance, is at least 1 ms. */
		if (c->avg_idle_ns > 1000000)
			c->avg_idle_ns = 1000000;
		c->avg_idle_source = RWK_INFERRED;
	}
	rwk_model_enqueue(m, t, ev->task.target_cpu);
	settle(m, ev->task.target_cpu);
	return 0;
}

static int on_migrate(struct rwk_model *m, const struct rwk_event *ev)
{
	struct rwk_task *t;
	int from, err = rwk_tasks_get(&m->tasks, ev->migrate.tid, RWK_NONE, ev->migrate.comm, &t);

	if (err)
		return err == -ERANGE ? 0 : err;
	t->prio = ev->migrate.prio;
	if (!rwk_model_cpu_ok(m, ev->migrate.dest_cpu))
		return 0;
	from = t->cpu;
	if (t->queued && t->state != RWK_TASK_WAKING)
		rwk_model_enqueue(m, t, ev->migrate.dest_cpu);
	else
		rwk_model_dequeue(m, t);
	if (t->eevdf.delayed)
		rwk_eevdf_leave(
			m, t); /* the balancer moves blocked ones too; where to does not matter */
	t->cpu = ev->migrate.dest_cpu;
	/* It has left that queue; there it is counted later, when it is put on the other one. */
	if (t->state != RWK_TASK_WAKING && rwk_model_cpu_ok(m, from))
		settle(m, from);
	return 0;
}

static bool is_runnable(enum rwk_end_state s)
{
	return s == RWK_END_RUNNABLE || s == RWK_END_PREEMPTED;
}

static void switch_out(struct rwk_model *m, struct rwk_task *t, const struct rwk_event *ev,
	enum rwk_end_state state)
{
	t->cpu = ev->cpu;
	t->loss = m->loss;
	if (t->idle_cpu != RWK_NONE) {
		t->state = RWK_TASK_QUEUED;
		return;
	}
	if (m->hidden)
		rwk_habit_run_end(m, t, !is_runnable(state));
	if (state == RWK_END_UNKNOWN) {
		t->state = RWK_TASK_UNKNOWN;
		rwk_eevdf_leave(m, t);
		rwk_model_dequeue(m, t);
	} else if (is_runnable(state)) {
		t->state = RWK_TASK_QUEUED;
		rwk_model_enqueue(m, t, ev->cpu);
	} else {
		t->state = state == RWK_END_DEAD || state == RWK_END_ZOMBIE ? RWK_TASK_DEAD
									    : RWK_TASK_SLEEPING;
		t->sleep_ts = ev->ts;
		if (t->state == RWK_TASK_DEAD || state == RWK_END_PARKED ||
			state == RWK_END_STOPPED || state == RWK_END_TRACED)
			rwk_eevdf_leave(m, t);
		else
			rwk_eevdf_block(m, t);
		rwk_model_dequeue(m, t);
		if (m->hidden) {
			rwk_load_sleep(m, t);
			rwk_habit_sleeps(m, t, ev->cpu);
		}
	}
}

static void switch_in(struct rwk_model *m, struct rwk_task *t, const struct rwk_event *ev)
{
	struct rwk_cpu_state *c = &m->cpu[ev->cpu];

	if (t->state == RWK_TASK_RUNNING && t->cpu != ev->cpu && rwk_model_cpu_ok(m, t->cpu) &&
		m->cpu[t->cpu].curr == t->utid) {
		m->cpu[t->cpu].curr = RWK_NONE;
		rwk_model_cpu_refresh(m, t->cpu);
		rwk_anomaly_add(
			&m->anomalies, RWK_AN_TASK_ON_TWO_CPUS, ev->ts, ev->cpu, ev->offset);
	}
	c->curr = t->utid;
	if (m->hidden)
		rwk_habit_run_begin(m, t, ev->cpu, true);
	if (t->idle_cpu != RWK_NONE) {
		queue_is_empty(m, ev->cpu);
		c->idle_ts = ev->ts;
		c->avg_idle_open = true;
		t->cpu = ev->cpu;
	} else {
		c->idle_ts = RWK_NS_NONE;
		c->avg_idle_open = false;
		rwk_model_enqueue(m, t, ev->cpu);
		t->cpu = ev->cpu;
	}
	t->state = RWK_TASK_RUNNING;
	t->loss = m->loss;
	rwk_eevdf_switch(m, ev->cpu, t->idle_cpu == RWK_NONE ? t : NULL);
	rwk_model_cpu_refresh(m, ev->cpu);
	settle(m, ev->cpu);
	if (m->hidden && t->idle_cpu != RWK_NONE)
		rwk_model_hint_idle(m, ev->cpu);
}

static int on_switch(struct rwk_model *m, const struct rwk_event *ev)
{
	struct rwk_cpu_state *c = &m->cpu[ev->cpu];
	struct rwk_task *prev, *next;
	int err;

	err = rwk_tasks_get(&m->tasks, ev->sw.prev_tid, ev->cpu, ev->sw.prev_comm, &prev);
	if (err)
		return err;
	if (c->curr != RWK_NONE && c->curr != prev->utid) {
		lose_track(m, rwk_tasks_at(&m->tasks, c->curr), ev);
	}
	prev->prio = ev->sw.prev_prio;
	if (m->hidden)
		rwk_load_switch_out(m, ev->cpu, prev);
	switch_out(m, prev, ev, ev->sw.prev_state);

	err = rwk_tasks_get(&m->tasks, ev->sw.next_tid, ev->cpu, ev->sw.next_comm, &next);
	if (err)
		return err;
	next->prio = ev->sw.next_prio;
	if (m->hidden)
		rwk_load_switch_in(m, ev->cpu, next);
	switch_in(m, next, ev);
	return 0;
}

/* Queues of groups come into being deep down, where nobody can fail. */
static int out_of_memory(const struct rwk_model *m)
{
	return m->groups && m->groups->failed ? -ENOMEM : 0;
}

void rwk_model_advance(struct rwk_model *m, rwk_ns ts)
{
	m->now = ts;
}

int rwk_model_apply(struct rwk_model *m, const struct rwk_event *ev)
{
	static int (*const handlers[])(struct rwk_model *, const struct rwk_event *) = {
		[RWK_EV_LOST] = on_lost,
		[RWK_EV_WAKING] = on_waking,
		[RWK_EV_SEL] = on_other,
		[RWK_EV_SEL_RET] = on_other,
		[RWK_EV_SEL_STATE] = on_other,
		[RWK_EV_NR] = on_nr,
		[RWK_EV_MIGRATE] = on_migrate,
		[RWK_EV_WAKEUP] = on_wakeup,
		[RWK_EV_WAKEUP_NEW] = on_wakeup,
		[RWK_EV_SWITCH] = on_switch,
		[RWK_EV_OTHER] = on_other,
	};
	int err;

	if (!rwk_model_cpu_ok(m, ev->cpu)) {
		rwk_anomaly_add(
			&m->anomalies, RWK_AN_CPU_OUT_OF_RANGE, ev->ts, ev->cpu, ev->offset);
		return 0;
	}
	m->now = ev->ts;
	if (ev->kind == RWK_EV_LOST) {
		m->cpu[ev->cpu].observed = true;
		return on_lost(m, ev);
	}
	if (ev->kind == RWK_EV_SWITCH) {
		/* Its own prev says who was there, better than common_pid. */
		m->cpu[ev->cpu].observed = true;
		err = on_switch(m, ev);
		return err ? err : out_of_memory(m);
	}
	err = occupant(m, ev);
	if (!err)
		err = handlers[ev->kind](m, ev);
	return err ? err : out_of_memory(m);
}
