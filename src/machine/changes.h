/*
 * What changed on a machine while it was recorded: a second snapshot, taken at
 * the end, compared with the first, and kept as entries of the first one.
 *   rewake/changed/offline, online  CPUs that went and came: "1,5"
 *   rewake/changed/feature/NAME     "on -> off"
 *   rewake/changed/setting/PATH     any other file of settings: "500000 -> 600000"
 *   rewake/changed/domains/cpuN     "SMT 2-3 110 %, MC 0-3 117 % -> MC 0,2-3 117 %"
 *   rewake/changed/task/TID         "allowed 0-7 -> 0-3; prio 120 -> 100"
 *   rewake/changed/appeared         tids, a line each, that the first snapshot had not
 *   rewake/changes                  how many changes there are, 0 if none; without it nobody looked
 * What changed and changed back in between is not seen.
 */
#ifndef SRC_MACHINE_CHANGES_H
#define SRC_MACHINE_CHANGES_H

#include "machine/machine.h"

struct rwk_changes {
	struct rwk_cpuset offline, online;
	int64_t nr_settings; /* features included */
	int64_t nr_domain_cpus;
	int64_t nr_tasks;
	int64_t nr_appeared; /* no change of the machine, not counted in rewake/changes */
};

/*
 * Adds to snap what after, a later snapshot of the same machine, has otherwise,
 * and the tasks that appeared, as they are in after, with the files of their own
 * and of their control groups.  Counters are not compared.
 * 0, -ENOMEM, -EFBIG, -ERANGE; a failure leaves no entry rewake/changes.
 */
int rwk_changes_add(
	struct rwk_snapshot *snap, const struct rwk_snapshot *after, struct rwk_diag *diag);

/* Counts the entries; false: the snapshot was never compared.  For any sidecar. */
bool rwk_changes_read(const struct rwk_snapshot *snap, struct rwk_changes *ret);

/* Thread ids of the tasks that appeared, sorted, to be freed; what is no number is left out.  0 or
 * -ENOMEM. */
int rwk_changes_appeared(const struct rwk_snapshot *snap, int32_t **ret, size_t *ret_nr);

/* The affinity of tid changed at a time that nobody knows. */
bool rwk_changes_of_affinity(const struct rwk_snapshot *snap, int32_t tid);

#endif
