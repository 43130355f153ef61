/*
 * Recording only some CPUs or tasks.  The kernel filters, so that what is left
 * out costs nothing; what is then not known any more is said.
 */
#ifndef SRC_RECORD_FILTER_H
#define SRC_RECORD_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "record/instance.h"
#include "record/record.h"

#define RWK_FILTER_NOTE  4096 /* bytes that a note fits in */
#define RWK_FILTER_MASK  (RWK_MAX_CPUS / 4 + RWK_MAX_CPUS / 32 + 1)
#define RWK_FILTER_TASKS 65536 /* more threads than that are refused */

/*
 * "cpus: LIST", "pid: N,N", "cgroup: PATH", "comm: NAME", and "unknown: " with what
 * cannot be told then, a line each; "": no filter
 */
void rwk_filter_describe(const struct rwk_record_filter *filter, char buf[RWK_FILTER_NOTE]);

/* As the kernel takes it: "3,ffffffff". */
void rwk_filter_format_mask(const struct rwk_cpuset *cpus, char buf[RWK_FILTER_MASK]);

/*
 * All threads of the processes pid[] and of their descendants, of /proc at proc, in
 * the order of their ids; to be freed.  -ESRCH no such process, which is *ret_none;
 * -E2BIG, -ENOMEM.
 */
int rwk_filter_find_tasks(
	const char *proc, const int *pid, int nr_pids, int **ret, size_t *ret_nr, int *ret_none);

/* The folder of a control group, of either version, by path or name; to be freed.  -ENOENT. */
int rwk_filter_find_group(const char *name, char **ret);

/* All threads in it and in the groups within; likewise.  -ESRCH nobody is, -E2BIG, -ENOMEM. */
int rwk_filter_find_group_tasks(const char *group, int **ret, size_t *ret_nr);

/* Whether a task can have that name, and the kernel be told of it. */
bool rwk_filter_comm_ok(const char *comm);

/* The kernel's expression for tasks of these names in one of field[], which ends with NULL; to be
 * freed. */
char *rwk_filter_format_comm(const struct rwk_record_filter *filter, const char *const *field);

/* Whether the tasks are there: -ESRCH, -ENOENT, with the cause. */
int rwk_filter_check(const struct rwk_record_filter *filter, struct rwk_diag *diag);

/* Sets inst up.  -ENODATA the kernel cannot follow children, -ESRCH no such process. */
int rwk_filter_apply(
	const struct rwk_record_filter *filter, struct rwk_instance *inst, struct rwk_diag *diag);

/*
 * The kernel's expression for an event about a task: one that has an id, on the CPUs and with
 * the names of the filter.  tid_field and comm_field are the event's; to be freed.  NULL: no
 * memory.
 */
char *rwk_filter_format_about(
	const struct rwk_record_filter *filter, const char *tid_field, const char *comm_field);

/*
 * For an instance that has to see all that happens to the tasks of the filter, wherever: only
 * others are left out.  Processes and group alone, and names alone.
 */
int rwk_filter_apply_tasks(
	const struct rwk_record_filter *filter, struct rwk_instance *inst, struct rwk_diag *diag);
int rwk_filter_apply_names(
	const struct rwk_record_filter *filter, struct rwk_instance *inst, struct rwk_diag *diag);

/* Whether tid is of the filter's processes or group, as inst, which was set up for them, says. */
bool rwk_filter_has_task(
	const struct rwk_record_filter *filter, const struct rwk_instance *inst, int tid);

/* One that the instance can have beside rwk_record_events: by who is running. */
int rwk_filter_apply_event(const struct rwk_record_filter *filter, struct rwk_instance *inst,
	const char *system, const char *event, struct rwk_diag *diag);

#endif
