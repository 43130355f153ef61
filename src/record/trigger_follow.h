/*
 * The trigger decided by the recorder: an instance has sched_waking and sched_switch
 * once more and is read now and then, all of it.
 */
#ifndef SRC_RECORD_TRIGGER_FOLLOW_H
#define SRC_RECORD_TRIGGER_FOLLOW_H

#include "record/trigger.h"

struct rwk_trigger_follow;

int rwk_trigger_follow_start(const struct rwk_record_options *opt, const char *tracing_dir,
	const struct rwk_owner *owner, struct rwk_diag *diag, struct rwk_trigger_follow **ret);

/* As rwk_trigger_poll(). */
bool rwk_trigger_follow_look(struct rwk_trigger_follow *follow, struct rwk_record_trigger *ret);

/* How often events were lost before they were read. */
int64_t rwk_trigger_follow_gaps(const struct rwk_trigger_follow *follow);

/* Removes its instance.  NULL is fine. */
int rwk_trigger_follow_stop(struct rwk_trigger_follow *follow, struct rwk_diag *diag);

#endif
