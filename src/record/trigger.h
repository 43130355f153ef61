/*
 * What ends a flight recording by itself.  An instance beside the recording has the
 * few events that decide, and is looked at now and then: so the recording is
 * left alone until it is over, and what is decided on is in the order of time.
 */
#ifndef SRC_RECORD_TRIGGER_H
#define SRC_RECORD_TRIGGER_H

#include <stdbool.h>

#include "base/diag.h"
#include "record/instance.h"
#include "record/owner.h"
#include "record/record.h"

#define RWK_TRIGGER_ROLE "-trigger" /* behind the owner in the name of its instance */

struct rwk_trigger_watch;

/* Creates and starts it, with opt's filters. */
int rwk_trigger_start(const struct rwk_record_options *opt, const char *tracing_dir,
	const struct rwk_owner *owner, struct rwk_diag *diag, struct rwk_trigger_watch **ret);

/*
 * Looks at what has happened since; true: it has fired, the first time is in
 * *ret.  To be called every tenth of a second or so.
 */
bool rwk_trigger_poll(struct rwk_trigger_watch *watch, struct rwk_record_trigger *ret);

/* Removes its instance.  NULL is fine. */
int rwk_trigger_stop(struct rwk_trigger_watch *watch, struct rwk_diag *diag);

#endif
