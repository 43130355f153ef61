/* Counting of anomalies. */
#include "event/anomaly.h"

static const struct {
	const char *name, *help;
} table[] = {
#define X(id, name, help) {name, help},
	RWK_ANOMALIES(X)
#undef X
};

const char *rwk_anomaly_name(enum rwk_anomaly_kind kind)
{
	return table[kind].name;
}

const char *rwk_anomaly_help(enum rwk_anomaly_kind kind)
{
	return table[kind].help;
}

void rwk_anomaly_add(
	struct rwk_anomalies *set, enum rwk_anomaly_kind kind, rwk_ns ts, int cpu, int64_t offset)
{
	struct rwk_anomaly *a = &set->of[kind];

	if (!a->count++) {
		a->first_ts = ts;
		a->first_cpu = cpu;
		a->first_offset = offset;
	}
}

void rwk_anomalies_merge(struct rwk_anomalies *into, const struct rwk_anomalies *from)
{
	for (int kind = 0; kind < RWK_AN_COUNT; kind++) {
		struct rwk_anomaly *a = &into->of[kind];
		const struct rwk_anomaly *b = &from->of[kind];
		int64_t sum = a->count + b->count;

		if (!b->count)
			continue;
		if (!a->count || b->first_ts < a->first_ts)
			*a = *b;
		a->count = sum;
	}
}
