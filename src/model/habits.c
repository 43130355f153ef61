/*
 * Upkeep of habits.
 *
 * | event                 | run                | overlap             | life        | hot |
 * |-----------------------|--------------------|---------------------|-------------|---------------|
 * | birth                 | 0                  | 0                   | 0           | 0 | | wakes,
 * in task context| –                  | begins              | –           | –             | |
 * leaves CPU, queued    | adds up            | adds up             | adds up     | –             |
 * | leaves CPU, sleeps    | EWMA, begins anew  | EWMA, if it woke    | one sleep   | CPU kept, if |
 * |                       |                    | anybody             | more        | left idle | |
 * queued after a sleep  | –                  | –                   | –           | EWMA, or half |
 *
 * All averages are of an eighth and truncate as the kernel's do.
 */
#include "model/habits.h"

#include <errno.h>
#include <stdlib.h>

static void average(rwk_ns *avg, rwk_ns sample)
{
	*avg += (sample - *avg) / 8;
}

/* An average met in the middle of a life is taken to be its first sample. */
static void average_known(rwk_ns *avg, uint8_t *source, rwk_ns sample)
{
	if (*source != RWK_UNKNOWN) {
		average(avg, sample);
		return;
	}
	*avg = sample;
	*source = RWK_INFERRED;
}

void rwk_habit_birth(struct rwk_task *t)
{
	t->habit.avg_run_source = RWK_REBUILT;
	t->habit.avg_overlap_source = RWK_REBUILT;
	t->habit.life_source = RWK_REBUILT;
}

void rwk_habit_run_begin(struct rwk_model *m, struct rwk_task *t, int cpu, bool seen)
{
	struct rwk_cpu_view *v = &m->view[cpu];

	t->habit.run_from = seen ? m->now : RWK_NS_NONE;
	v->curr_run_total_ns = t->habit.run_total_ns;
	v->curr_nr_sleeps = t->habit.nr_sleeps;
	/* The idle task counts no time and never sleeps. */
	v->curr_since_ns = seen && t->idle_cpu == RWK_NONE ? m->now : RWK_NS_NONE;
	v->curr_run_total_source = t->idle_cpu != RWK_NONE ? RWK_REBUILT
				   : seen                  ? t->habit.life_source
							   : RWK_UNKNOWN;
}

void rwk_habit_run_end(struct rwk_model *m, struct rwk_task *t, bool sleeps)
{
	struct rwk_habits *h = &t->habit;
	rwk_ns ran;

	if (h->run_from == RWK_NS_NONE)
		return;
	ran = m->now - h->run_from;
	h->run_from = RWK_NS_NONE;
	h->run_ns += ran;
	h->run_total_ns += ran;
	if (!sleeps)
		return;
	average_known(&h->avg_run_ns, &h->avg_run_source, h->run_ns);
	if (h->woke_at != RWK_NS_NONE)
		average_known(&h->avg_overlap_ns, &h->avg_overlap_source, h->run_ns - h->woke_at);
	h->woke_at = RWK_NS_NONE;
	h->run_ns = 0;
	h->nr_sleeps++;
	if (h->life_source == RWK_UNKNOWN)
		h->life_source = RWK_INFERRED;
}

void rwk_habit_lost(struct rwk_task *t)
{
	t->habit.run_from = RWK_NS_NONE;
}

void rwk_habit_sleeps(struct rwk_model *m, struct rwk_task *t, int cpu)
{
	rwk_ns until = m->now + t->habit.avg_hot_ns;
	struct rwk_cpu_view *v = &m->view[cpu];

	if (m->cpu[cpu].nr > 0 || !t->habit.avg_hot_ns)
		return;
	if (v->hot_until_ns == RWK_NS_NONE || v->hot_until_ns < until)
		v->hot_until_ns = until;
}

void rwk_habit_returns(struct rwk_model *m, struct rwk_task *t)
{
	rwk_ns limit = m->machine->migration_cost_ns, slept;

	if (t->sleep_ts == RWK_NS_NONE)
		return;
	if (limit == RWK_NS_NONE)
		limit = 500000;
	slept = m->now - t->sleep_ts;
	if (slept < limit)
		average(&t->habit.avg_hot_ns, slept);
	else
		t->habit.avg_hot_ns /= 2;
}

void rwk_habit_wakes(struct rwk_model *m, int cpu)
{
	struct rwk_task *t;

	if (m->cpu[cpu].curr == RWK_NONE)
		return;
	t = rwk_tasks_at(&m->tasks, m->cpu[cpu].curr);
	if (t->habit.run_from != RWK_NS_NONE)
		t->habit.woke_at = t->habit.run_ns + m->now - t->habit.run_from;
}

int rwk_habit_decides(struct rwk_model *m, struct rwk_task *t, bool sync, bool known)
{
	int64_t number = m->now / RWK_WAKE_MIX_NS, first;
	struct rwk_wake_mix *mix = t->habit.mix;

	if (number < 0)
		return 0;
	if (!mix) {
		mix = calloc(1, sizeof(*mix));
		if (!mix)
			return -ENOMEM;
		mix->newest = number;
		t->habit.mix = mix;
	}
	/* What was in the buckets between is older than all of them reach. */
	first = mix->newest + 1;
	if (first <= number - RWK_WAKE_MIX_BUCKETS)
		first = number - RWK_WAKE_MIX_BUCKETS + 1;
	for (int64_t n = first; n <= number; n++)
		mix->bucket[n % RWK_WAKE_MIX_BUCKETS] = (struct rwk_wake_mix_bucket){0};
	if (number > mix->newest)
		mix->newest = number;
	else
		number = mix->newest;
	number %= RWK_WAKE_MIX_BUCKETS;
	if (mix->bucket[number].all == UINT16_MAX)
		return 0;
	mix->bucket[number].all++;
	mix->bucket[number].sync += known && sync;
	mix->bucket[number].unknown += !known;
	return 0;
}
