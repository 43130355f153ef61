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
