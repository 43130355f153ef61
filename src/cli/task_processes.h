/* The processes of tasks, as far as a trace tells of them by thread id. */
#ifndef SRC_CLI_TASK_PROCESSES_H
#define SRC_CLI_TASK_PROCESSES_H

#include <stddef.h>

#include "decode/processes.h"
#include "timeline/rows.h"

/*
 * Sets their tgid.  Of a thread id that belonged to several tasks, nobody knows which of
 * them was meant: they get none.  0 or -ENOMEM.
 */
int rwk_task_processes(
	const struct rwk_processes *processes, struct rwk_task_row *task, size_t nr_tasks);

#endif
