/* Facts of the tasks that appeared while recording, where they may be another task's. */
#ifndef SRC_CLI_APPEARED_H
#define SRC_CLI_APPEARED_H

#include <stddef.h>

#include "machine/machine.h"
#include "timeline/rows.h"

/*
 * A task that appeared was seen at the end only.  Where its thread id belonged
 * to several tasks of the trace, the snapshot's affinity, policy and group are
 * taken from the first of them again, which cannot have been the one seen.
 * 0 or -ENOMEM.
 */
int rwk_appeared_forget(
	const struct rwk_snapshot *snap, struct rwk_task_row *task, size_t nr_tasks);

#endif
