/*
 * Machines that were not recorded: a recorded picture with edits, and the
 * machine that a replay is to decide for in place of the recorded one.
 */
#ifndef SRC_MACHINE_VARIANT_H
#define SRC_MACHINE_VARIANT_H

#include "machine/machine.h"

/*
 * Edits, separated by commas, each key once, in any order; applied in this one:
 *   numa=off   all CPUs are of one node
 *   smt=off    each CPU is a core of its own, and what its core had for itself
 *              (caches, a cluster) it has for itself.  No CPU goes away.
 *   llc=N      last-level caches of N CPUs, cut in the order of nodes, packages,
 *              caches and cores as they were
 *   llc=SETS   "0-3/4-7", "0-3+8-11/4-7+12-15": these CPUs share one each
 *
 * The snapshot's topology files are rewritten.  What the kernel said of its
 * domains would contradict them and is taken out; only where it differs from
 * the kernel's usual rules (flags, imbalance_pct) does it stay, level by level.
 * The sizes of caches that change hands are taken out too: nobody knows them.
 * Entry rewake/edit keeps the edits.
 *
 * -EINVAL: no such edit, or not possible on this machine (a core or node would be
 * cut).  -ENODATA: the snapshot does not tell which CPUs share what, or its
 * domains do not follow from that, so that nobody knows what an edit does to them.
 * snap is unusable after a failure.
 */
int rwk_snapshot_edit(struct rwk_snapshot *snap, const char *edits, struct rwk_diag *diag);

/* The kernel's own word on its domains becomes absent.  0 or -ENOMEM. */
int rwk_snapshot_drop_domains(struct rwk_snapshot *snap);

/* Same cores, caches, clusters, nodes, capacities and domains; settings do not count. */
bool rwk_machine_same_topology(const struct rwk_machine *a, const struct rwk_machine *b);

/* The kernel's version, features and tunables become those of recorded. */
void rwk_machine_take_settings(struct rwk_machine *m, const struct rwk_machine *recorded);

/* A machine to decide for, and where it comes from. */
struct rwk_variant {
	struct rwk_snapshot *snapshot;
	struct rwk_machine *machine;
};

/*
 * spec: "recorded,EDIT[,EDIT…]", or a file or folder as rwk_snapshot_load takes.
 * recorded_snap: what recorded was built from, NULL if it was from nothing.
 *
 * Only its topology is another one: the kernel's version and settings are those
 * of recorded.  What it says of its domains counts if it is of the same kernel
 * version; else they follow from its topology by the recorded kernel's rules.
 *
 * It must have the CPUs of recorded, present, online and as fast as there, as
 * tasks ran on them: -ERANGE.  -EBADMSG: it names CPUs that it has not, or
 * contradicts itself and is not just the recorded picture again.  -ENODATA: it
 * has no topology.  Others as rwk_snapshot_edit() and rwk_snapshot_load().
 */
int rwk_variant_open(const char *spec, const struct rwk_snapshot *recorded_snap,
	const struct rwk_machine *recorded, struct rwk_diag *diag, struct rwk_variant *ret);
void rwk_variant_finish(struct rwk_variant *v);

#endif
