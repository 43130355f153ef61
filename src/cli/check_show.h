/* What a check found, for people and as JSON. */
#ifndef SRC_CLI_CHECK_SHOW_H
#define SRC_CLI_CHECK_SHOW_H

#include <stdio.h>

#include "check/findings.h"
#include "cli/skew_option.h"
#include "cli/trace_machine.h"

struct rwk_check_view {
	const char *trace;
	const char *prev_state; /* how it is coded */
	const struct rwk_trace_machine *tm;
	const struct rwk_check_facts *facts;
	const struct rwk_findings *findings;
	struct rwk_anomalies anomalies; /* of the decoder, the machine and the check */
	const struct rwk_skew *applied; /* by which clocks were shifted before the check */
};

/* "good", "degraded", "unfit": the gravest finding. */
const char *rwk_check_verdict(const struct rwk_findings *f);

/* 0 or -ENOMEM; output is checked by the caller. */
int rwk_check_show(const struct rwk_check_view *v, FILE *out);
int rwk_check_show_json(const struct rwk_check_view *v, FILE *out);

#endif
