/*
 * CPUs that were offline when the machine was looked at first have no files then.
 * What a later look found of them, and of the CPUs that they share something with, is
 * kept beside: rewake/seen/PATH, the content of PATH; of a list of CPUs all that any look
 * found in it.
 */
#ifndef SRC_MACHINE_SEEN_H
#define SRC_MACHINE_SEEN_H

#include "machine/machine.h"

#define RWK_SEEN "rewake/seen/"

/* Adds to snap what later tells more of.  0, -ENOMEM, -EFBIG. */
int rwk_seen_add(struct rwk_snapshot *snap, const struct rwk_snapshot *later);

/* A copy of snap in which the files themselves say what any look found.  0, -ENOMEM, -EFBIG. */
int rwk_seen_apply(const struct rwk_snapshot *snap, struct rwk_snapshot **ret);

#endif
