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

/* One task per thread in proc.  Those that end meanwhile are left out.  0 or -ENOMEM, -EFBIG. */
int rwk_take_threads(const struct rwk_tree *tree, struct rwk_snapshot *snap);

#endif
