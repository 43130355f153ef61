/*
 * Recording only some CPUs or tasks.  The kernel filters, so that what is left
 * out costs nothing; what is then not known any more is said.
 */
#ifndef SRC_RECORD_FILTER_H
#define SRC_RECORD_FILTER_H

#include <stddef.h>

#include "base/diag.h"
#include "record/instance.h"
#include "record/record.h"

#define RWK_FILTER_NOTE  512 /* bytes that a note fits in */
#define RWK_FILTER_MASK  (RWK_MAX_CPUS / 4 + RWK_MAX_CPUS / 32 + 1)
#define RWK_FILTER_TASKS 65536 /* more threads than that are refused */

/* "cpus: LIST", "pid: N", and "unknown: " with what cannot be told then, a line each; "": no filter
 */
void rwk_filter_describe(const struct rwk_record_filter *filter, char buf[RWK_FILTER_NOTE]);

/* As the kernel takes it: "3,ffffffff". */
void rwk_filter_format_mask(const struct rwk_cpuset *cpus, char buf[RWK_FILTER_MASK]);

/*
 * All threads of the process pid and of its descendants, of /proc at proc, in
 * the order of their ids; to be freed.  -ESRCH no such process, -E2BIG, -ENOMEM.
 */
int rwk_filter_find_tasks(const char *proc, int pid, int **ret, size_t *ret_nr);

/* -ESRCH no such process, with the cause. */
int rwk_filter_check_pid(int pid, struct rwk_diag *diag);

/* Sets inst up.  -ENODATA the kernel cannot follow children, -ESRCH no such process. */
int rwk_filter_apply(
	const struct rwk_record_filter *filter, struct rwk_instance *inst, struct rwk_diag *diag);

#endif
