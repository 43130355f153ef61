/*
 * Per-entity load tracking (design §4): the decaying sums behind load_avg and
 * util_avg of tasks and run queues.
 */
#ifndef SRC_MODEL_PELT_H
#define SRC_MODEL_PELT_H

#include <rewake/types.h>

#define RWK_PELT_MAX 47742 /* sum of the whole series */

struct rwk_pelt {
	rwk_ns last; /* last_update_time, RWK_NS_NONE: not attached yet */
	uint32_t period_contrib;
	uint64_t load_sum, runnable_sum;
	uint32_t util_sum;
	uint32_t load_avg, runnable_avg, util_avg;
};

struct rwk_group_queue;

struct rwk_pelt_task {
	struct rwk_pelt avg;
	uint8_t source; /* of the averages */
	int32_t attached; /* CPU whose queue counts it, RWK_NONE */
	struct rwk_group_queue *queue; /* its group's there; NULL: the root queue (groups.h) */
	uint32_t weight;
	bool on_rq; /* its weight counts in that queue */
	/* util_est (design §4.6): utilisation at the last sleep, and its EWMA. */
	uint32_t est_last, est_ewma;
	uint32_t est_queued; /* what of it counts in the queue now */
};

/* What an entity adds while time passes. */
struct rwk_pelt_input {
	uint64_t load; /* task: on_rq; queue: sum of weights */
	uint64_t runnable; /* task: on_rq; queue: tasks queued */
	bool running;
};

/* v·y^periods. */
uint64_t rwk_pelt_decay(uint64_t value, uint64_t periods);

/*
 * Advances the sums to now with what was true since the last update.  true: a
 * period boundary was crossed, so that the averages are due for a refresh.
 */
bool rwk_pelt_update(struct rwk_pelt *p, rwk_ns now, const struct rwk_pelt_input *in);

/* Averages from sums; weight scales the load (1 for a queue). */
void rwk_pelt_refresh(struct rwk_pelt *p, uint64_t weight);

static inline uint64_t rwk_pelt_divider(const struct rwk_pelt *p)
{
	return RWK_PELT_MAX - 1024 + p->period_contrib;
}

#endif
