/* The rows of hot-plug that a recorder kept (record/hotplug_rows.h), as epochs. */
#ifndef SRC_MACHINE_HOTPLUG_READ_H
#define SRC_MACHINE_HOTPLUG_READ_H

#include "machine/epochs.h"

/*
 * Adds epochs behind *epoch, which has one, of the CPUs in snap, and is to be freed; that
 * one becomes what it was when the rows begin.  present: CPUs that there are.  *ret_why: what is
 * wrong with the rows; then *epoch is of no use.  0 or -ENOMEM.
 */
int rwk_hotplug_epochs(const struct rwk_snapshot *snap, const struct rwk_cpuset *present,
	struct rwk_epoch **epoch, size_t *nr, const char **ret_why);

#endif
