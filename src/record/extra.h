/* Events that a recording can have beside those that it needs. */
#ifndef SRC_RECORD_EXTRA_H
#define SRC_RECORD_EXTRA_H

#include <stdbool.h>

#include "base/diag.h"
#include "record/dynevent.h"
#include "record/instance.h"
#include "record/record.h"

#define RWK_EXTRA_MAX 8

/* Those of opt that this kernel has; ends with a NULL system. */
struct rwk_extra_event {
	const char *system, *name;
};
struct rwk_extra {
	bool nr; /* rwk_nr_event, which the probes make */
	struct rwk_extra_event event[RWK_EXTRA_MAX + 1];
};

/*
 * Every change of the number of tasks on a run queue: "cpu" whose, "nr" how many then,
 * "change" by how many.  Of a tracepoint without an event of its own.
 */
extern const struct rwk_dynevent_text rwk_nr_event;

/* Why the tracefs at dir cannot have it, "": it may. */
void rwk_nr_lack(const char *dir, char *buf, size_t size);

/* -ENODATA with the name of one that was asked for and that tracefs at dir lacks. */
int rwk_extra_choose(const struct rwk_record_options *opt, const char *dir, struct rwk_extra *ret,
	struct rwk_diag *diag);

/* "sched:sched_process_fork sched:…", to be freed; NULL: no memory. */
char *rwk_extra_format(const struct rwk_extra *extra);

int rwk_extra_enable(const struct rwk_extra *extra, const struct rwk_record_filter *filter,
	struct rwk_instance *inst, struct rwk_diag *diag);

#endif
