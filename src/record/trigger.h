/*
 * What ends a flight recording by itself.  An instance beside the recording has what
 * decides, so that the recording is left alone until it is over.  Where the kernel can
 * (trigger_kernel.h), it decides itself and says so; else the recorder follows the
 * events (trigger_follow.h).  Both hold the same: a task was woken, and ran that much
 * later, without having run in between.  Of a filter: it is one of its tasks, and was
 * woken and ran on its CPUs.
 */
#ifndef SRC_RECORD_TRIGGER_H
#define SRC_RECORD_TRIGGER_H

#include <stdbool.h>

#include "base/diag.h"
#include "record/owner.h"
#include "record/record.h"

#define RWK_TRIGGER_ROLE "-trigger" /* behind the owner in the name of its instance */

struct rwk_trigger_watch;

/* Who would decide, as far as can be seen: by and why.  Only looks. */
void rwk_trigger_preview(const char *tracing_dir, struct rwk_record_trigger *ret);

#define RWK_TRIGGER_TEXT (RWK_RECORD_TRIGGER_WHY + 128)

/* For people: "by the kernel: …" */
void rwk_trigger_describe(const struct rwk_record_trigger *trigger, char buf[RWK_TRIGGER_TEXT]);

/* Creates and starts it, with opt's filters, and tells who decides. */
int rwk_trigger_start(const struct rwk_record_options *opt, const char *tracing_dir,
	const struct rwk_owner *owner, struct rwk_diag *diag, struct rwk_trigger_watch **ret);

/* Readable when there is something to look at; -1: look ten times a second.  May change. */
int rwk_trigger_fd(const struct rwk_trigger_watch *watch);

/* Looks at what has happened since; true: it has fired, which is in *ret. */
bool rwk_trigger_poll(struct rwk_trigger_watch *watch, struct rwk_record_trigger *ret);

/* How it was looked for, and what may have been missed.  Leaves alone what poll sets. */
void rwk_trigger_report(struct rwk_trigger_watch *watch, struct rwk_record_trigger *ret);

/* Removes what it has in the kernel.  NULL is fine. */
int rwk_trigger_stop(struct rwk_trigger_watch *watch, struct rwk_diag *diag);

#endif
