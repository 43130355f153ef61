/* The parts of taking a snapshot, each adding to it from one tree. */
#ifndef SRC_MACHINE_TAKE_H
#define SRC_MACHINE_TAKE_H

#include "machine/snapshot.h"
#include "machine/tree.h"

/*
 * Entries config/CONFIG_X ("250\n", "y\n", "n\n") from proc/config.gz or
 * boot/config-RELEASE; absent ones when there is neither.  0 or -ENOMEM, -EFBIG.
 */
int rwk_take_kconfig(const struct rwk_tree *tree, struct rwk_snapshot *snap);

/*
 * One task per thread in proc, and its autogroup's file where autogroups are in use.  Those
 * that end meanwhile are left out.  *ret_v1: the cpu controller has a hierarchy of its own,
 * where the tasks' groups are.  0 or -ENOMEM, -EFBIG.
 */
int rwk_take_threads(const struct rwk_tree *tree, struct rwk_snapshot *snap, bool *ret_v1);

/*
 * The weights of the groups that the snapshot's tasks are in and of those around them: v1
 * from the cpu controller's own hierarchy, else from the unified one.  A group that is not
 * there, or whose files cannot be read, gets no entries at all.  0 or -ENOMEM, -EFBIG.
 */
int rwk_take_cgroups(const struct rwk_tree *tree, bool v1, struct rwk_snapshot *snap);

#endif
