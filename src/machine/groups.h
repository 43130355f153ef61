/*
 * Task groups out of a snapshot (design §4.5): which there are, what they
 * weigh, and which one a task is in.
 *
 * A cgroup is a task group where the cpu controller is enabled, which is where
 * the file of its weight is; the tasks of others belong to the next one around
 * them.  Entries, below the folder where the hierarchy is mounted:
 *   v1       sys/fs/cgroup/cpu/PATH/cpu.shares, cpu.idle
 *   unified  sys/fs/cgroup/PATH/cpu.weight, cpu.idle (or below sys/fs/cgroup/unified)
 * An absent entry says that there is no such file, no entry that nobody looked.
 * Tasks of the root group may be in an autogroup instead: proc/TID/autogroup.
 */
#ifndef SRC_MACHINE_GROUPS_H
#define SRC_MACHINE_GROUPS_H

#include "machine/machine.h"

#define RWK_AUTOGROUP_ENABLED "proc/sys/kernel/sched_autogroup_enabled"

struct rwk_groups;

/*
 * Files that make no sense are counted in anomalies (may be NULL) and leave the
 * groups that they speak of unknown.  snap NULL: no groups.  0 or -ENOMEM.
 */
int rwk_groups_build(const struct rwk_snapshot *snap, struct rwk_version kernel,
	struct rwk_anomalies *anomalies, struct rwk_groups **ret);
void rwk_groups_destroy(struct rwk_groups *groups);

/* The groups, parents first; borrowed. */
const struct rwk_task_group *rwk_groups_all(const struct rwk_groups *groups, size_t *ret_nr);

/*
 * The kernel spreads a group's weight over the CPUs by load (design §4.5).
 * false: it may do so in another way (7.x, cgroup_mode), which is not modelled.
 */
bool rwk_groups_by_load(const struct rwk_groups *groups);

/*
 * The group of a task that the snapshot met in cgroup (as its proc/TID/cgroup
 * has it, "/…"; NULL: the snapshot does not know it).  An index, RWK_NONE for the
 * root group, or RWK_GROUP_UNKNOWN.
 */
int32_t rwk_groups_of(const struct rwk_groups *groups, int32_t tid, const char *cgroup);

#endif
