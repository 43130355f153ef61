/* What a recording with given options would set up here, without setting it up. */
#ifndef SRC_RECORD_PREVIEW_H
#define SRC_RECORD_PREVIEW_H

#include "base/diag.h"
#include "record/owner.h"
#include "record/rate.h"
#include "record/record.h"
#include "record/setup.h"

struct rwk_preview {
	char *tracing_dir;
	char owner[RWK_OWNER_LEN]; /* as this process would be called */
	struct rwk_setup setup;
	char *extra; /* events beside those that are needed; may be "" */
	struct rwk_record_probe probe; /* as far as it can be told without trying */
	struct rwk_record_trigger trigger; /* who would decide; with opt->trigger_ns */
	struct rwk_rate rate;
};

/*
 * Looks for about a second; makes, enables and removes nothing.  Errors as of
 * rwk_record_run(), for what can be seen beforehand.
 */
int rwk_preview_take(
	const struct rwk_record_options *opt, struct rwk_preview *ret, struct rwk_diag *diag);

void rwk_preview_finish(struct rwk_preview *preview);

#endif
