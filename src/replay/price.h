/*
 * What another answer would have cost, by the recorded future of both CPUs
 * (open loop).  A CPU that was idle costs what such wakeups cost in this run;
 * a busy one the time until the task on it really left.  Neither is what would
 * have happened: preemption by the wakee, other waiting tasks and a wakeup
 * already on its way there are not modelled.
 *
 * The future needs no waiting for: each slice of the feed comes with its end.
 */
#ifndef SRC_REPLAY_PRICE_H
#define SRC_REPLAY_PRICE_H

#include <rewake/wakeup.h>

#include "replay/feed.h"

/* A task that stays longer than this says nothing about a wait. */
#define RWK_PRICE_HORIZON_NS ((rwk_ns)1000000000)
/* A waker that sleeps within this time would have made room by itself. */
#define RWK_WAKER_SLEPT_NS ((rwk_ns)200000)

enum rwk_price_kind {
	RWK_PRICE_IDLE, /* costs rwk_prices_idle_wait(), known at the end of the run */
	RWK_PRICE_BUSY, /* wait_ns is known */
	/* No price, because */
	RWK_PRICE_NO_TASK, /* what ran there is unknown */
	RWK_PRICE_LOST, /* events were lost before its task left */
	RWK_PRICE_END, /* the trace ended before that */
	RWK_PRICE_HORIZON, /* it stayed longer than RWK_PRICE_HORIZON_NS */
	RWK_PRICE_COUNT
};

struct rwk_price {
	uint8_t kind; /* of the policy's CPU */
	uint8_t kernel_kind; /* of the kernel's */
	bool passed_idle; /* policy's CPU was busy beside an idle allowed CPU of its LLC */
	bool waker_slept; /* the waker went to sleep within RWK_WAKER_SLEPT_NS */
	rwk_ns wait_ns, kernel_wait_ns; /* of kind BUSY */
};

struct rwk_prices;

int rwk_prices_create(int nr_cpus, struct rwk_prices **ret); /* 0 or -ENOMEM */
void rwk_prices_destroy(struct rwk_prices *p);

/* The item happens: before the decision it may lead to. */
void rwk_prices_apply(struct rwk_prices *p, const struct rwk_feed_item *it);

/* A decision, once: its latency counts if the kernel's CPU was idle and not the waker's. */
void rwk_prices_observe(
	struct rwk_prices *p, const struct rwk_wakeup *w, const struct rwk_wakeup_row *row);

/* The price of cpu instead of w->recorded_cpu, both known. */
void rwk_prices_get(
	const struct rwk_prices *p, const struct rwk_wakeup *w, int cpu, struct rwk_price *ret);

/*
 * Median (of an even number the lower middle) of the observed latencies, less
 * than 0.1 % below the true one; RWK_NS_NONE without any.  *ret_nr: how many.
 */
rwk_ns rwk_prices_idle_wait(const struct rwk_prices *p, int64_t *ret_nr);

#endif
