/* One number per thread id, in memory that is only there once it is touched. */
#include "record/latency.h"

#include <stdlib.h>

#define NR_TIDS (4 << 20) /* the kernel's own limit */

struct rwk_latency {
	rwk_ns known_from; /* what began before is not known */
	rwk_ns since[NR_TIDS]; /* waking, that no running has followed; 0: none */
};

struct rwk_latency *rwk_latency_create(void)
{
	return calloc(1, sizeof(struct rwk_latency));
}

void rwk_latency_destroy(struct rwk_latency *latency)
{
	free(latency);
}

void rwk_latency_waking(struct rwk_latency *latency, rwk_ns ts, int64_t tid)
{
	/* The idle tasks have no id of their own, and are never woken. */
	if (tid > 0 && tid < NR_TIDS)
		latency->since[tid] = ts;
}

void rwk_latency_forget(struct rwk_latency *latency, rwk_ns ts)
{
	if (ts > latency->known_from)
		latency->known_from = ts;
}

rwk_ns rwk_latency_switch(struct rwk_latency *latency, rwk_ns ts, int64_t prev, int64_t next)
{
	rwk_ns ret = RWK_NS_NONE;

	/*
	 * Woken while it ran, as it was just going to sleep: then it did not
	 * wait, or the wait begins here.  Missing one is better than adding the time
	 * that a task has run.
	 */
	if (prev > 0 && prev < NR_TIDS)
		latency->since[prev] = 0;
	if (next <= 0 || next >= NR_TIDS)
		return ret;
	if (latency->since[next] && latency->since[next] >= latency->known_from &&
		ts >= latency->since[next])
		ret = ts - latency->since[next];
	latency->since[next] = 0;
	return ret;
}
