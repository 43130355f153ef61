/*
 * The trigger decided by the kernel: histogram triggers in an instance of their own
 * note when each task is woken, forget that when it goes off a CPU, and compare when it
 * gets onto one.  A synthetic event, which is the only one that is recorded there, comes
 * of a wait that was too long.  Histogram triggers change the time stamps of their
 * instance, so they never are in the recording's.
 */
#ifndef SRC_RECORD_TRIGGER_KERNEL_H
#define SRC_RECORD_TRIGGER_KERNEL_H

#include "record/trigger.h"

/* The synthetic event's name, before its owner; the kernel has one list for all. */
#define RWK_TRIGGER_EVENT  "rewake_late_"
#define RWK_TRIGGER_SYSTEM "synthetic"

struct rwk_trigger_kernel;

/* "": as far as can be seen, the kernel can do it; else what it lacks. */
void rwk_trigger_kernel_lack(const char *tracing_dir, char why[RWK_RECORD_TRIGGER_WHY]);

/* When it fails, *ret_left is whether something could not be removed again. */
int rwk_trigger_kernel_start(const struct rwk_record_options *opt, const char *tracing_dir,
	const struct rwk_owner *owner, struct rwk_diag *diag, struct rwk_trigger_kernel **ret,
	bool *ret_left);

/* Readable when there is an event. */
int rwk_trigger_kernel_fd(const struct rwk_trigger_kernel *kernel);

/*
 * Looks, and empties tables that may be full.  *ret_fired as of rwk_trigger_poll().
 * An error: it does not work any more.
 */
int rwk_trigger_kernel_look(struct rwk_trigger_kernel *kernel, struct rwk_record_trigger *ret,
	bool *ret_fired, struct rwk_diag *diag);

/* gaps, renewed and dropped of *ret. */
void rwk_trigger_kernel_report(struct rwk_trigger_kernel *kernel, struct rwk_record_trigger *ret);

/* Takes all triggers on the scheduler's events out of an instance, which they would keep.  -errno.
 */
int rwk_trigger_kernel_clear(const char *instance_dir);

/* Removes triggers, instance and event.  NULL is fine. */
int rwk_trigger_kernel_stop(struct rwk_trigger_kernel *kernel, struct rwk_diag *diag);

#endif
