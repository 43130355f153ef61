/*
 * The recorder's own dynamic events: made, switched on in its instance and
 * removed.  The kernel has one list of them for all its users, so each recorder
 * takes a group of its own, "rewake_OWNER", and two at once do not meet; in the
 * trace the group is "rewake", whoever recorded.
 */
#ifndef SRC_RECORD_PROBE_H
#define SRC_RECORD_PROBE_H

#include "base/diag.h"
#include "record/assemble.h"
#include "record/dynevent.h"
#include "record/instance.h"
#include "record/owner.h"
#include "record/record.h"

#define RWK_PROBE_GROUP "rewake"

struct rwk_probe {
	char group[RWK_OWNER_LEN + 8];
	int nr_events;
	struct rwk_dynevent *event; /* [nr_events] */
	struct rwk_format_text *format; /* [nr_events] */
};

/*
 * Sets up what opt asks for, or with AUTO the richest level that works, in inst,
 * whose tracefs must be in use.  ret_result says what it became.  -ENODATA the level
 * cannot be had, or what making and switching on the events gave.
 */
int rwk_probe_create(struct rwk_probe *ret, const struct rwk_record_options *opt,
	struct rwk_instance *inst, const struct rwk_owner *owner,
	struct rwk_record_probe *ret_result, struct rwk_diag *diag);

/*
 * What rwk_probe_create() would come to, as far as the kernel need not be asked
 * to make anything: it may still refuse a definition.  Makes nothing.
 */
int rwk_probe_preview(const struct rwk_record_options *opt, const char *tracing_dir,
	const struct rwk_cpuset *cpus, struct rwk_record_probe *ret_result, struct rwk_diag *diag);

/* Hits and misses so far; -1 where the kernel's list cannot tell ours from others'. */
void rwk_probe_read_profile(const struct rwk_probe *probe, const char *tracing_dir,
	int64_t *ret_hits, int64_t *ret_missed);

/* Removes the events; the formats stay.  Best after the instance is gone.  May be repeated. */
int rwk_probe_remove(struct rwk_probe *probe, struct rwk_diag *diag);

/* Frees everything; the events must have been removed. */
void rwk_probe_finish(struct rwk_probe *probe);

#endif
