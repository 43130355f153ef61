/* Events that a recording can have beside those that it needs. */
#ifndef SRC_RECORD_EXTRA_H
#define SRC_RECORD_EXTRA_H

#include "base/diag.h"
#include "record/instance.h"
#include "record/record.h"

#define RWK_EXTRA_MAX 8

/* Those of opt that this kernel has; ends with a NULL system. */
struct rwk_extra_event {
	const char *system, *name;
};
struct rwk_extra {
	struct rwk_extra_event event[RWK_EXTRA_MAX + 1];
};

/* -ENODATA with the name of one that was asked for and that tracefs at dir lacks. */
int rwk_extra_choose(const struct rwk_record_options *opt, const char *dir, struct rwk_extra *ret,
	struct rwk_diag *diag);

/* "sched:sched_process_fork sched:…", to be freed; NULL: no memory. */
char *rwk_extra_format(const struct rwk_extra *extra);

int rwk_extra_enable(const struct rwk_extra *extra, const struct rwk_record_filter *filter,
	struct rwk_instance *inst, struct rwk_diag *diag);

#endif
