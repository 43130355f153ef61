/* What a check comes down to: one line per thing that is wrong, missing or guessed. */
#ifndef SRC_CHECK_FINDINGS_H
#define SRC_CHECK_FINDINGS_H

#include "check/check.h"
#include "decode/decoder.h"

enum rwk_grade {
	RWK_GRADE_ABSENT, /* events that are needed are not there */
	RWK_GRADE_DEGRADED, /* something was lost or cannot be */
	RWK_GRADE_NOTE, /* less than there could be: what is missing has to be guessed */
	RWK_GRADE_COUNT
};

#define RWK_FINDINGS_MAX 32

struct rwk_finding {
	enum rwk_grade grade;
	const char *name; /* of an event, an anomaly or a thing */
	char what[256]; /* and what follows from it */
	const char *remedy; /* what to do about it; NULL: nothing */
};

struct rwk_findings {
	int nr;
	struct rwk_finding of[RWK_FINDINGS_MAX];
};

/* What findings are drawn from; lost RWK_NONE unknown. */
struct rwk_check_facts {
	const struct rwk_trace_info *info;
	const struct rwk_check_result *result;
	const struct rwk_skew
		*skew; /* the result's, or what an estimate came to that did not hold */
	bool topology_known;
	int cpu_moves; /* how often a CPU came or went, which replays follow */
	const char *cpus_why; /* not NULL: CPUs came or went, and why replays do not follow it */
	bool filtered; /* the recorder left out CPUs or tasks */
	int64_t lost, gaps; /* by the trace and its recorder */
};

/* The gravest first.  Anomalies are those of the result and of the info. */
void rwk_findings_draw(const struct rwk_check_facts *facts, struct rwk_findings *ret);

/* Whether an anomaly means that less was read than was there. */
bool rwk_anomaly_degrades(enum rwk_anomaly_kind kind);

#endif
