/*
 * Which decisions a model of the recorded kernel gets wrong, by what it knew:
 * where its inputs came from, how long the wakee had been watched, and whether
 * a CPU changed its state just then, so that the kernel may have seen another.
 */
#ifndef SRC_REPLAY_ATTRIBUTE_H
#define SRC_REPLAY_ATTRIBUTE_H

#include "model/state.h"
#include "replay/feed.h"

/* Changes of an idle state this near to the entry may have been seen or not. */
#define RWK_RACE_NS ((rwk_ns)5000)

/* The wakee's n-th decision of the run. */
enum rwk_history {
	RWK_HISTORY_FIRST,
	RWK_HISTORY_TO_5,
	RWK_HISTORY_TO_20,
	RWK_HISTORY_MORE,
	RWK_HISTORY_COUNT
};

/* What a decision has to know that no event says. */
enum rwk_provenance {
	RWK_PROVENANCE_WORST, /* the worst of all below */
	RWK_PROVENANCE_FLIPS, /* of waker and wakee */
	RWK_PROVENANCE_RECENT,
	RWK_PROVENANCE_SYNC,
	RWK_PROVENANCE_SCAN, /* scan limit of the waker's and the previous CPU's LLC */
	RWK_PROVENANCE_COUNT
};

/* Misses of probed decisions, and those with such a change. */
struct rwk_races {
	int64_t misses;
	int64_t in_call; /* between entry and return */
	int64_t near_entry; /* within RWK_RACE_NS of the entry */
	int64_t either;
};

struct rwk_attribution;

int rwk_attribution_create(int nr_cpus, struct rwk_attribution **ret); /* 0 or -ENOMEM */
void rwk_attribution_destroy(struct rwk_attribution *a);

/* Once per decision of that wakee.  0 or -ENOMEM. */
int rwk_attribution_history(struct rwk_attribution *a, int32_t utid, enum rwk_history *ret);

/* The enum rwk_source of each; RWK_SOURCE_COUNT for a scan limit that the kernel has not. */
void rwk_attribution_provenance(
	const struct rwk_wakeup *w, bool has_idle_scan, uint8_t ret[RWK_PROVENANCE_COUNT]);

/* A miss of a decision with a probe; cpu: the wrong answer.  0 or -ENOMEM. */
int rwk_attribution_miss(struct rwk_attribution *a, const struct rwk_wakeup *w, int cpu,
	const struct rwk_probe_row *probe);
/* The item has happened to the model. */
void rwk_attribution_apply(
	struct rwk_attribution *a, const struct rwk_model *m, const struct rwk_feed_item *it);
/* Everything seen up to now. */
struct rwk_races rwk_attribution_races(const struct rwk_attribution *a);

#endif
