/*
 * Watching CPUs come and go while a recording runs.  An instance beside it has
 * the kernel's hot-plug steps that matter to the scheduler (cpuhp:cpuhp_enter,
 * cpuhp_exit), and a probe on the function that builds the scheduling domains, so
 * that nothing is written as long as no CPU comes or goes.  Read once, at the end.
 */
#ifndef SRC_RECORD_HOTPLUG_H
#define SRC_RECORD_HOTPLUG_H

#include "base/diag.h"
#include "record/instance.h"
#include "record/owner.h"

#define RWK_HOTPLUG_ROLE "-hotplug" /* behind the owner in the name of its instance */

struct rwk_hotplug;

/*
 * Whether the kernel has such steps; in why, of RWK_RECORD_PROBE_WHY bytes, what is missing.
 * What it refuses to make only making it tells.
 */
bool rwk_hotplug_can(const char *tracing_dir, char *why);

/*
 * Begins to watch, with probes of the kind that probe has of decisions, if any.  0 also where CPUs
 * cannot be watched here, *ret being NULL then, and in why, of RWK_RECORD_PROBE_WHY bytes, what is
 * missing. A negative errno when something is left that could not be removed.
 */
int rwk_hotplug_start(const char *tracing_dir, const struct rwk_owner *owner,
	const struct rwk_record_probe *probe, char *why, struct rwk_diag *diag,
	struct rwk_hotplug **ret);

/* Nothing is added any more. */
void rwk_hotplug_end(struct rwk_hotplug *h);

/* What was seen (hotplug_rows.h), to be freed; NULL: it is not known, and why. */
char *rwk_hotplug_read(struct rwk_hotplug *h, char *why);

/* Removes its instance and probes.  NULL is fine. */
int rwk_hotplug_stop(struct rwk_hotplug *h, struct rwk_diag *diag);

#endif
