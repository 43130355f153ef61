/*
 * Virtual time of fair queues, kept up for delayed dequeue only.
 *
 * | event                | what the kernel does                                        |
 * |----------------------|-------------------------------------------------------------|
 * | wakeup, arrival      | placed at the average, minus the lag it left with            |
 * | run                  | vruntime grows by the time, scaled by weight                  |
 * | slice used up        | deadline moves on; at the tick the CPU picks again           |
 * | block                | eligible (not ahead of the average): dequeued, else delayed |
 * | pick                 | eligible one with the earliest deadline; if it is delayed,   |
 * |                      | it is dequeued and the pick repeated                          |
 */
#include "model/eevdf.h"

#include "model/picture.h"
#include "model/state.h"

#define NICE_0 1024
/* A longer run puts nobody further behind: by then they are beyond any lag that is kept. */
#define LONGEST_RUN ((rwk_ns)10 * 1000 * 1000 * 1000)

static struct rwk_eevdf_queue *queue(struct rwk_model *m, int cpu)
{
	return &m->cpu[cpu].eevdf;
}

static bool is_followed(const struct rwk_model *m, const struct rwk_task *t)
{
	return m->delays && rwk_task_weight(t);
}

static int64_t scaled(int64_t ns, uint32_t weight)
{
	return weight == NICE_0 ? ns : ns * NICE_0 / weight;
}

/* Nearly every sum fits 64 bits, where division is several times cheaper. */
static int64_t mean(__int128 sum, uint64_t weight)
{
	return sum == (int64_t)sum ? (int64_t)sum / (int64_t)weight
				   : (int64_t)(sum / (int64_t)weight);
}

static int64_t average(const struct rwk_eevdf_queue *q)
{
	return q->weight ? q->base + mean(q->sum, q->weight) : q->base;
}

static __int128 weighted(uint64_t weight, int64_t distance)
{
	return (__int128)distance * (int64_t)weight;
}

/* Keeps sum small: its terms are distances from a base that moves along. */
static void rebase(struct rwk_eevdf_queue *q)
{
	int64_t step = average(q) - q->base;

	q->sum -= weighted(q->weight, step);
	/* Only distances count, so that an empty queue may start over. */
	q->base = q->weight ? q->base + step : 0;
}

static void link_in(struct rwk_eevdf_queue *q, struct rwk_task *t, int cpu)
{
	struct rwk_eevdf_task *e = &t->eevdf;

	e->queued = true;
	e->cpu = cpu;
	e->prev = NULL;
	e->next = q->first;
	if (q->first)
		q->first->eevdf.prev = t;
	q->first = t;
	q->weight += e->weight;
	q->sum += weighted(e->weight, e->vruntime - q->base);
	rebase(q);
}

static void unlink_from(struct rwk_eevdf_queue *q, struct rwk_task *t)
{
	struct rwk_eevdf_task *e = &t->eevdf;

	if (e->prev)
		e->prev->eevdf.next = e->next;
	else
		q->first = e->next;
	if (e->next)
		e->next->eevdf.prev = e->prev;
	e->next = e->prev = NULL;
	q->weight -= e->weight;
	q->sum -= weighted(e->weight, e->vruntime - q->base);
	if (e->delayed)
		q->nr_delayed--;
	if (q->curr == t)
		q->curr = NULL;
	e->queued = e->delayed = false;
	rebase(q);
}

/* Up to 6.18 two slices or a tick, in 7.3 a slice and a tick (measured, both). */
static rwk_ns longest_lag(const struct rwk_model *m)
{
	if (m->machine->kernel.major >= 7)
		return m->slice_ns + m->tick_ns;
	return 2 * m->slice_ns > m->tick_ns ? 2 * m->slice_ns : m->tick_ns;
}

static void keep_lag(struct rwk_model *m, struct rwk_eevdf_queue *q, struct rwk_task *t)
{
	struct rwk_eevdf_task *e = &t->eevdf;
	int64_t limit = scaled(longest_lag(m), e->weight);
	int64_t lag = average(q) - e->vruntime;

	e->vlag = lag > limit ? limit : lag < -limit ? -limit : lag;
	/* A delayed task has waited its debt off, and gains nothing beyond. */
	if (e->delayed && e->vlag > 0)
		e->vlag = 0;
}

static void place(struct rwk_model *m, struct rwk_eevdf_queue *q, struct rwk_task *t)
{
	struct rwk_eevdf_task *e = &t->eevdf;
	int64_t lag = e->known ? e->vlag : 0;

	/* Joining shifts the average towards it: what it left with is scaled to come out the same.
	 */
	if (q->weight && lag)
		lag = lag * (int64_t)(q->weight + e->weight) / (int64_t)q->weight;
	e->brought = q->weight ? lag : 0;
	e->vruntime = average(q) - e->brought;
	e->deadline = e->vruntime + scaled(e->known ? m->slice_ns : m->slice_ns / 2, e->weight);
	e->known = true;
}

static bool is_eligible(const struct rwk_eevdf_queue *q, const struct rwk_task *t)
{
	/* Exact: the average itself would round. */
	return q->sum >= weighted(q->weight, t->eevdf.vruntime - q->base);
}

static void dequeue_delayed(struct rwk_model *m, struct rwk_eevdf_queue *q, struct rwk_task *t)
{
	keep_lag(m, q, t);
	unlink_from(q, t);
}

/* What the CPU picks before next is dequeued if it is delayed. */
static void pick(struct rwk_model *m, struct rwk_eevdf_queue *q, const struct rwk_task *next)
{
	while (q->nr_delayed) {
		struct rwk_task *best = NULL;

		for (struct rwk_task *t = q->first; t; t = t->eevdf.next) {
			if (t->eevdf.delayed && is_eligible(q, t) &&
				(!best || t->eevdf.deadline < best->eevdf.deadline))
				best = t;
		}
		if (!best || (next && is_eligible(q, next) &&
				     next->eevdf.deadline <= best->eevdf.deadline))
			return;
		dequeue_delayed(m, q, best);
	}
}

/* The kernel picked t, so that it is eligible: if it is not here, it is ahead by mistake. */
static void believe(struct rwk_eevdf_queue *q, struct rwk_task *t)
{
	struct rwk_eevdf_task *e = &t->eevdf;
	uint64_t others = q->weight - e->weight;
	int64_t ahead;

	if (!others || is_eligible(q, t))
		return;
	/* Moved to the average of the others, which is then everybody's. */
	ahead = e->vruntime - q->base -
		mean(q->sum - weighted(e->weight, e->vruntime - q->base), others);
	e->vruntime -= ahead;
	e->deadline -= ahead;
	q->sum -= weighted(e->weight, ahead);
	rebase(q);
}

static void run(struct rwk_eevdf_queue *q, rwk_ns until)
{
	struct rwk_eevdf_task *e = &q->curr->eevdf;
	rwk_ns ran = until - q->run_from;
	int64_t step = scaled(ran < LONGEST_RUN ? ran : LONGEST_RUN, e->weight);

	e->vruntime += step;
	q->sum += weighted(e->weight, step);
	q->run_from = until;
	rebase(q);
}

/* The last look of the CPU itself at its queue before m->now: a tick, or the switch. */
static void advance_to_tick(struct rwk_model *m, struct rwk_eevdf_queue *q)
{
	rwk_ns last;

	if (!q->curr || q->next_tick > m->now)
		return;
	last = m->now - m->now % m->tick_ns;
	while (q->next_tick <= last) {
		struct rwk_eevdf_task *e = &q->curr->eevdf;

		if (!q->nr_delayed)
			q->next_tick = last; /* nothing to pick in between */
		if (q->next_tick > q->run_from)
			run(q, q->next_tick);
		q->next_tick += m->tick_ns;
		if (e->vruntime < e->deadline)
			continue;
		e->deadline = e->vruntime + scaled(m->slice_ns, e->weight);
		pick(m, q, q->curr);
	}
}

/* Accounts the running task up to m->now. */
static void advance(struct rwk_model *m, struct rwk_eevdf_queue *q)
{
	struct rwk_eevdf_task *e;

	advance_to_tick(m, q);
	if (!q->curr)
		return;
	e = &q->curr->eevdf;
	if (m->now > q->run_from)
		run(q, m->now);
	if (e->vruntime >= e->deadline)
		e->deadline = e->vruntime + scaled(m->slice_ns, e->weight);
}

/* Woken while delayed: goes on where it is, but keeps no lag that it waited off. */
static void requeue(struct rwk_model *m, struct rwk_eevdf_queue *q, struct rwk_task *t)
{
	int32_t cpu = t->eevdf.cpu;

	if (average(q) <= t->eevdf.vruntime) {
		t->eevdf.delayed = false;
		q->nr_delayed--;
		return;
	}
	unlink_from(q, t);
	t->eevdf.vlag = 0;
	place(m, q, t);
	link_in(q, t, cpu);
}

void rwk_eevdf_enqueue(struct rwk_model *m, struct rwk_task *t, int cpu)
{
	struct rwk_eevdf_queue *q = queue(m, cpu);

	if (!is_followed(m, t))
		return;
	/*
	 * Up to 6.18 a delayed task is requeued without bringing the running one up to
	 * date first; 7.3's recordings only fit with it.  Either may dequeue t.
	 */
	if (m->machine->kernel.major >= 7)
		advance(m, q);
	else
		advance_to_tick(m, q);
	if (t->eevdf.queued && t->eevdf.cpu == cpu) {
		if (t->eevdf.delayed)
			requeue(m, q, t);
		return;
	}
	advance(m, q);
	rwk_eevdf_leave(m, t);
	t->eevdf.weight = rwk_task_weight(t);
	place(m, q, t);
	link_in(q, t, cpu);
}

static int64_t size_of(int64_t lag)
{
	return lag < 0 ? -lag : lag;
}

/*
 * Lags sum up what was not seen of every run before, interrupts above all, which the
 * kernel does not charge.
 */
static bool is_surely_ahead(const struct rwk_eevdf_queue *q, const struct rwk_task *t)
{
	int64_t doubt = 0;

	for (const struct rwk_task *other = q->first; other; other = other->eevdf.next) {
		if (other != t && size_of(other->eevdf.brought) > doubt)
			doubt = size_of(other->eevdf.brought);
	}
	return t->eevdf.vruntime - average(q) > doubt + size_of(t->eevdf.brought);
}

void rwk_eevdf_block(struct rwk_model *m, struct rwk_task *t)
{
	struct rwk_eevdf_queue *q;

	if (!t->eevdf.queued)
		return;
	q = queue(m, t->eevdf.cpu);
	advance(m, q);
	if (t->eevdf.delayed || t->eevdf.cpu != t->cpu) {
		/* What brought it to where it just ran is lost, and its virtual time with it. */
		rwk_eevdf_leave(m, t);
		t->eevdf.known = false;
		return;
	}
	if (!t->eevdf.queued)
		return;
	if (is_eligible(q, t)) {
		keep_lag(m, q, t);
		unlink_from(q, t);
		return;
	}
	t->eevdf.delayed = true;
	t->eevdf.sure = is_surely_ahead(q, t);
	q->nr_delayed++;
	rwk_cpuset_add(&m->delayed_cpus, t->eevdf.cpu);
	if (q->curr == t)
		q->curr = NULL;
}

void rwk_eevdf_leave(struct rwk_model *m, struct rwk_task *t)
{
	struct rwk_eevdf_queue *q;

	if (!t->eevdf.queued)
		return;
	q = queue(m, t->eevdf.cpu);
	advance(m, q);
	if (!t->eevdf.queued)
		return;
	keep_lag(m, q, t);
	unlink_from(q, t);
}

void rwk_eevdf_switch(struct rwk_model *m, int cpu, struct rwk_task *next)
{
	struct rwk_eevdf_queue *q = queue(m, cpu);

	if (!m->delays)
		return;
	advance(m, q);
	q->curr = NULL;
	if (!next || !next->eevdf.queued || next->eevdf.cpu != cpu)
		return;
	pick(m, q, next);
	believe(q, next);
	q->curr = next;
	q->run_from = m->now;
	q->next_tick = m->now - m->now % m->tick_ns + m->tick_ns;
}

void rwk_eevdf_empty(struct rwk_model *m, int cpu)
{
	struct rwk_eevdf_queue *q = queue(m, cpu);

	if (!m->delays)
		return;
	advance(m, q);
	while (q->first)
		dequeue_delayed(m, q, q->first);
	q->curr = NULL;
}

/* Some delayed task is not SCHED_IDLE. */
static bool delays_other(const struct rwk_eevdf_queue *q)
{
	if (!q->nr_delayed)
		return false;
	for (const struct rwk_task *t = q->first; t; t = t->eevdf.next) {
		if (t->eevdf.delayed && !t->is_sched_idle)
			return true;
	}
	return false;
}

void rwk_eevdf_publish(struct rwk_model *m)
{
	if (!m->delays)
		return;
	/* Of the others the view says all there is. */
	rwk_cpuset_foreach_below (cpu, &m->delayed_cpus, m->nr_cpus) {
		struct rwk_eevdf_queue *q = queue(m, cpu);

		if (rwk_model_nr_is_told(m, cpu))
			continue;
		if (q->nr_delayed)
			advance_to_tick(m, q);
		if (!q->nr_delayed)
			rwk_cpuset_del(&m->delayed_cpus, cpu);
		m->view[cpu].nr_delayed = (uint16_t)q->nr_delayed;
		m->view[cpu].nr_running = (uint16_t)(m->cpu[cpu].nr + q->nr_delayed);
		m->view[cpu].sched_idle = rwk_model_only_sched_idle(m, cpu) && !delays_other(q);
	}
}

bool rwk_eevdf_is_delayed(struct rwk_model *m, struct rwk_task *t)
{
	if (!t->eevdf.delayed)
		return false;
	advance_to_tick(m, queue(m, t->eevdf.cpu));
	return t->eevdf.delayed && t->eevdf.sure;
}

rwk_ns rwk_eevdf_waits_until(const struct rwk_model *m, const struct rwk_task *t)
{
	const struct rwk_eevdf_queue *q;
	const struct rwk_eevdf_task *curr;
	int64_t step;
	__int128 sum;

	if (!t->eevdf.queued || t->eevdf.delayed)
		return m->now;
	q = &m->cpu[t->eevdf.cpu].eevdf;
	if (!q->curr || q->curr == t)
		return m->now;
	/* The wakeup looks at the running one up to now, even where the requeue did not. */
	curr = &q->curr->eevdf;
	step = m->now > q->run_from ? scaled(m->now - q->run_from, curr->weight) : 0;
	sum = q->sum + weighted(curr->weight, step);
	if (sum >= weighted(q->weight, t->eevdf.vruntime - q->base) &&
		(sum < weighted(q->weight, curr->vruntime + step - q->base) ||
			t->eevdf.deadline < curr->deadline))
		return m->now;
	step = curr->deadline - curr->vruntime - step;
	return step > 0 ? m->now + step * curr->weight / NICE_0 : m->now;
}
