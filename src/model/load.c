/*
 * Load tracking over events.
 *
 * What was running or queued before the recording began has an unknown past:
 * everything starts at zero and counts as inferred once the unknown part has
 * decayed to little.
 */
#include "model/load.h"

#include "model/picture.h"

/* After six half-lives of 32 periods an unknown past weighs less than 2 %. */
#define WARM_UP_NS ((rwk_ns)6 * 32 * 1024 * 1024)

/* How often the blocked load of idle CPUs is decayed for them (design §4.3); inferred. */
#define IDLE_DECAY_NS ((rwk_ns)32000000)

static bool is_fair(const struct rwk_task *t)
{
	return rwk_task_weight(t);
}

static bool runs_fair(const struct rwk_model *m, int cpu)
{
	int32_t curr = m->cpu[cpu].curr;

	return curr != RWK_NONE && is_fair(rwk_tasks_at(&m->tasks, curr));
}

static void sub_positive(uint32_t *value, uint32_t part)
{
	*value = *value > part ? *value - part : 0;
}

/* What left while the queue was not being updated goes now. */
static void take_removed(struct rwk_cpu_state *c)
{
	uint64_t divider = rwk_pelt_divider(&c->cfs);

	if (!c->removed_load && !c->removed_util && !c->removed_runnable)
		return;
	sub_positive(&c->cfs.load_avg, c->removed_load);
	sub_positive(&c->cfs.util_avg, c->removed_util);
	sub_positive(&c->cfs.runnable_avg, c->removed_runnable);
	c->cfs.load_sum = c->cfs.load_avg * divider;
	c->cfs.util_sum = (uint32_t)(c->cfs.util_avg * divider);
	c->cfs.runnable_sum = c->cfs.runnable_avg * divider;
	c->removed_load = c->removed_util = c->removed_runnable = 0;
}

bool rwk_load_is_stray(const struct rwk_model *m, const struct rwk_task *t)
{
	if (!m->groups || t->group == RWK_NONE)
		return false;
	return t->group == RWK_GROUP_UNKNOWN || !m->groups->facts->by_load;
}

uint8_t rwk_load_source(const struct rwk_model *m, const struct rwk_task *t)
{
	return rwk_load_is_stray(m, t) ? RWK_UNKNOWN : t->pelt.source;
}

static bool has_strays(const struct rwk_model *m, const struct rwk_cpu_state *c)
{
	return c->nr_stray > 0 || (c->stray_ts != RWK_NS_NONE && m->now - c->stray_ts < WARM_UP_NS);
}

static void publish(struct rwk_model *m, int cpu)
{
	const struct rwk_cpu_state *c = &m->cpu[cpu];

	m->view[cpu].load_avg = c->cfs.load_avg;
	if (m->groups) /* their weights change with their load, whoever comes or goes */
		m->view[cpu].load_weight = c->load_weight;
	m->view[cpu].util_avg = c->cfs.util_avg;
	m->view[cpu].util_est = c->util_est;
	m->view[cpu].runnable_avg = c->cfs.runnable_avg;
	m->view[cpu].load_source = c->load_from == RWK_NS_NONE ||
						   m->now - c->load_from < WARM_UP_NS ||
						   (m->groups && has_strays(m, c))
					   ? RWK_UNKNOWN
					   : RWK_INFERRED;
}

/* Only what time did to it: whoever has left meanwhile still counts. */
static void queue_advance(struct rwk_model *m, int cpu, rwk_ns now)
{
	struct rwk_cpu_state *c = &m->cpu[cpu];
	struct rwk_pelt_input in = {.load = c->load_weight,
		.runnable = c->nr > 0 ? (uint64_t)c->nr : 0,
		.running = runs_fair(m, cpu)};

	if (c->load_from == RWK_NS_NONE)
		c->load_from = now;
	if (rwk_pelt_update(&c->cfs, now, &in))
		rwk_pelt_refresh(&c->cfs, 1);
	publish(m, cpu);
}

static void queue_update(struct rwk_model *m, int cpu, rwk_ns now)
{
	take_removed(&m->cpu[cpu]);
	queue_advance(m, cpu, now);
}

/* A task's group queue and those around it, after the root queue of their CPU. */
static void group_update_at(
	struct rwk_model *m, struct rwk_group_queue *q, rwk_ns now, bool weights)
{
	if (!q)
		return;
	rwk_group_advance(m, q, now);
	rwk_group_refresh(m, q, weights);
	publish(m, q->cpu);
}

static void group_update(struct rwk_model *m, struct rwk_group_queue *q, bool weights)
{
	group_update_at(m, q, m->now, weights);
}

static void task_update(struct rwk_model *m, struct rwk_task *t, rwk_ns now)
{
	bool running =
		t->state == RWK_TASK_RUNNING && t->cpu >= 0 && m->cpu[t->cpu].curr == t->utid;
	struct rwk_pelt_input in = {
		.load = t->pelt.on_rq, .runnable = t->pelt.on_rq, .running = running};

	if (t->load_from == RWK_NS_NONE)
		t->load_from = now;
	if (rwk_pelt_update(&t->pelt.avg, now, &in))
		rwk_pelt_refresh(&t->pelt.avg, t->pelt.weight);
	if (t->pelt.source == RWK_UNKNOWN && now - t->load_from >= WARM_UP_NS)
		t->pelt.source = RWK_INFERRED;
}

/* The queue expects of a task what it last used, or mostly used. */
static void est_enqueue(struct rwk_cpu_state *c, struct rwk_task *t)
{
	t->pelt.est_queued =
		t->pelt.est_last > t->pelt.est_ewma ? t->pelt.est_last : t->pelt.est_ewma;
	c->util_est += t->pelt.est_queued;
}

static void est_dequeue(struct rwk_cpu_state *c, struct rwk_task *t)
{
	sub_positive(&c->util_est, t->pelt.est_queued);
	t->pelt.est_queued = 0;
}

/* At a sleep: up at once, down by a quarter, not at all within 1 % of a CPU. */
static void est_update(struct rwk_task *t)
{
	uint32_t util = t->pelt.avg.util_avg, ewma = t->pelt.est_ewma;

	t->pelt.est_last = util;
	if (ewma <= util)
		t->pelt.est_ewma = util;
	else if (ewma - util >= 1024 / 100)
		t->pelt.est_ewma = ewma - (ewma - util) / 4;
}

static void attach(struct rwk_model *m, struct rwk_task *t, int cpu, struct rwk_group_queue *group)
{
	struct rwk_pelt *q = &m->cpu[cpu].cfs, *p = &t->pelt.avg;
	const struct rwk_pelt *own = group ? &group->cfs : q;
	uint64_t divider;

	/* The entity takes the queue's clock and phase; its sums follow from its averages. */
	p->last = own->last;
	p->period_contrib = own->period_contrib;
	divider = rwk_pelt_divider(own);
	p->util_sum = (uint32_t)(p->util_avg * divider);
	p->runnable_sum = p->runnable_avg * divider;
	p->load_sum = t->pelt.weight ? p->load_avg * divider / t->pelt.weight : 0;
	if (group) {
		rwk_group_attach(group, p, t->pelt.weight);
	} else {
		q->load_avg += p->load_avg;
		q->load_sum += p->load_sum * t->pelt.weight;
	}
	q->util_avg += p->util_avg;
	q->util_sum += p->util_sum;
	q->runnable_avg += p->runnable_avg;
	q->runnable_sum += p->runnable_sum;
	t->pelt.attached = cpu;
	t->pelt.queue = group;
}

static void detach_at_next_update(struct rwk_model *m, struct rwk_task *t)
{
	struct rwk_cpu_state *old = &m->cpu[t->pelt.attached];

	if (t->pelt.queue)
		rwk_group_detach(t->pelt.queue, &t->pelt.avg);
	else
		old->removed_load += t->pelt.avg.load_avg;
	old->removed_util += t->pelt.avg.util_avg;
	old->removed_runnable += t->pelt.avg.runnable_avg;
	t->pelt.attached = RWK_NONE;
	t->pelt.queue = NULL;
}

/* t's weight joins its queue, with the load sum that it brought there. */
static void add_weight(struct rwk_model *m, struct rwk_task *t, int cpu, uint64_t load_sum)
{
	struct rwk_cpu_state *c = &m->cpu[cpu];

	if (t->pelt.queue)
		rwk_group_enqueue(m, t->pelt.queue, t->pelt.weight, load_sum);
	else
		c->load_weight += t->pelt.weight;
	c->nr_fair++;
	c->nr_stray += rwk_load_is_stray(m, t);
}

void rwk_load_enqueue(struct rwk_model *m, struct rwk_task *t, int cpu, bool queued)
{
	struct rwk_cpu_state *c = &m->cpu[cpu];
	struct rwk_group_queue *old = t->pelt.queue, *group;
	bool moves = t->pelt.attached != cpu;

	if (!is_fair(t))
		return;
	t->pelt.weight = rwk_task_weight(t);
	if (t->pelt.attached != RWK_NONE && t->pelt.attached != cpu) {
		task_update(m, t, m->now);
		detach_at_next_update(m, t);
		if (queued) {
			queue_update(m, t->queue_cpu, m->now);
			if (old)
				group_update(m, old, true);
		}
	}
	queue_update(m, cpu, m->now);
	group = moves && m->groups ? rwk_group_queue_get(m, t->group, cpu) : old;
	if (group)
		rwk_group_advance(m, group, m->now);
	if (moves)
		attach(m, t, cpu, group);
	else
		task_update(m, t, m->now);
	t->pelt.on_rq = true;
	add_weight(m, t, cpu, moves ? t->pelt.avg.load_sum : 0);
	est_enqueue(c, t);
	publish(m, cpu);
}

static void del_weight(struct rwk_model *m, struct rwk_task *t, struct rwk_cpu_state *c)
{
	if (t->pelt.queue)
		rwk_group_dequeue(m, t->pelt.queue, t->pelt.weight);
	else
		c->load_weight =
			c->load_weight > t->pelt.weight ? c->load_weight - t->pelt.weight : 0;
	c->nr_fair--;
	if (rwk_load_is_stray(m, t)) {
		c->nr_stray--;
		c->stray_ts = m->now;
	}
}

void rwk_load_dequeue(struct rwk_model *m, struct rwk_task *t)
{
	struct rwk_cpu_state *c = &m->cpu[t->queue_cpu];

	if (!t->pelt.on_rq)
		return;
	queue_update(m, t->queue_cpu, m->now);
	if (t->pelt.queue)
		rwk_group_advance(m, t->pelt.queue, m->now);
	task_update(m, t, m->now);
	t->pelt.on_rq = false;
	est_dequeue(c, t);
	del_weight(m, t, c);
	publish(m, t->queue_cpu);
}

void rwk_load_empty(struct rwk_model *m, int cpu)
{
	/* A task that died is taken off after the switch: it counts until the next update. */
	queue_advance(m, cpu, m->now);
	if (m->groups)
		rwk_group_empty(m, cpu, m->now);
	m->cpu[cpu].load_weight = 0;
	m->cpu[cpu].nr_fair = 0;
	m->cpu[cpu].util_est = 0;
	if (m->cpu[cpu].nr_stray) {
		m->cpu[cpu].nr_stray = 0;
		m->cpu[cpu].stray_ts = m->now;
	}
	publish(m, cpu);
}

void rwk_load_switch_out(struct rwk_model *m, int cpu, struct rwk_task *prev)
{
	queue_update(m, cpu, m->now);
	if (is_fair(prev) && prev->pelt.attached == cpu) {
		group_update(m, prev->pelt.queue, false);
		task_update(m, prev, m->now);
	}
}

void rwk_load_switch_in(struct rwk_model *m, int cpu, struct rwk_task *next)
{
	if (is_fair(next) && next->pelt.attached == cpu) {
		group_update(m, next->pelt.queue, false);
		task_update(m, next, m->now);
	}
}

void rwk_load_sleep(struct rwk_model *m, struct rwk_task *t)
{
	if (!is_fair(t))
		return;
	est_update(t);
	if (t->state == RWK_TASK_DEAD && t->pelt.attached != RWK_NONE)
		detach_at_next_update(m, t);
}

void rwk_load_birth(struct rwk_model *m, struct rwk_task *t, int cpu)
{
	struct rwk_pelt *p = &t->pelt.avg;
	const struct rwk_group_queue *group = rwk_group_queue_get(m, t->group, cpu);
	const struct rwk_pelt *own = group ? &group->cfs : &m->cpu[cpu].cfs;
	uint32_t util = own->util_avg;
	uint32_t cap = (1024 - (util < 1024 ? util : 1024)) / 2;

	t->pelt.weight = rwk_task_weight(t);
	p->load_avg = t->pelt.weight;
	p->util_avg = cap;
	if (util && t->pelt.weight &&
		rwk_version_cmp(m->machine->kernel, (struct rwk_version){6, 7, 0}) >= 0) {
		uint64_t share = (uint64_t)util * t->pelt.weight / (own->load_avg + 1);

		if (share < cap)
			p->util_avg = (uint32_t)share;
	}
	p->runnable_avg = p->util_avg;
	t->pelt.source = RWK_REBUILT;
	t->load_from = m->now;
}

static bool is_busy(const struct rwk_model *m, int cpu)
{
	int32_t curr = m->cpu[cpu].curr;

	return curr != RWK_NONE && rwk_tasks_at(&m->tasks, curr)->idle_cpu == RWK_NONE;
}

/* While some CPU has ticks, somebody looks after those that have none. */
static void idle_decay(struct rwk_model *m, rwk_ns tick)
{
	bool busy = false;

	if (tick - m->last_idle_decay < IDLE_DECAY_NS)
		return;
	for (int cpu = 0; cpu < m->nr_cpus && !busy; cpu++)
		busy = is_busy(m, cpu);
	if (!busy)
		return;
	m->last_idle_decay = tick;
	for (int cpu = 0; cpu < m->nr_cpus; cpu++) {
		const struct rwk_pelt *q = &m->cpu[cpu].cfs;

		if (m->view[cpu].idle && q->last != RWK_NS_NONE && q->last < tick)
			queue_update(m, cpu, tick);
		if (m->groups) {
			rwk_group_decay(m, cpu, tick);
			publish(m, cpu);
		}
	}
}

void rwk_load_ticks(struct rwk_model *m)
{
	rwk_ns tick = 1000000000 / (m->machine->hz ? m->machine->hz : 250);
	rwk_ns last = m->now - m->now % tick;

	if (last == m->last_tick)
		return;
	m->last_tick = last;
	idle_decay(m, last);
	for (int cpu = 0; cpu < m->nr_cpus; cpu++) {
		const struct rwk_cpu_state *c = &m->cpu[cpu];
		struct rwk_task *curr;

		if (!runs_fair(m, cpu) || c->cfs.last == RWK_NS_NONE || c->cfs.last >= last)
			continue;
		curr = rwk_tasks_at(&m->tasks, c->curr);
		queue_update(m, cpu, last);
		if (curr->pelt.attached == cpu)
			group_update_at(m, curr->pelt.queue, last, true);
		task_update(m, curr, last);
	}
}

uint32_t rwk_load_h(const struct rwk_model *m, const struct rwk_task *t)
{
	const struct rwk_group_queue *group = t->pelt.queue;
	uint64_t load, queue;

	if (!is_fair(t))
		return 0;
	if (t->pelt.attached == RWK_NONE)
		return t->pelt.avg.load_avg;
	load = rwk_group_h_load(m, t->pelt.attached, group);
	queue = group ? group->cfs.load_avg : load;
	return (uint32_t)(t->pelt.avg.load_avg * load / (queue + 1));
}
