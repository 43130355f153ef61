/*
 * A machine whose CPUs came and went while it was recorded: for each time, which were
 * online, which tasks could be put on, and of which the scheduling domains were built.
 *
 * Read from the sidecar's entry rewake/hotplug/rows (record/hotplug_rows.h), which is
 * there, and empty, also if nothing happened, and which CPUs were online when that begins
 * and ends; and from rewake/seen/… (seen.h) what is known of CPUs that were offline when
 * the snapshot was taken.
 */
#ifndef SRC_MACHINE_EPOCHS_H
#define SRC_MACHINE_EPOCHS_H

#include "machine/machine.h"

#define RWK_HOTPLUG_ROWS "rewake/hotplug/rows"
/* CPUs that were online when that began and when it was over. */
#define RWK_HOTPLUG_BEGIN "rewake/hotplug/begin"
#define RWK_HOTPLUG_END   "rewake/hotplug/end"
#define RWK_HOTPLUG_WHY   "rewake/hotplug/why" /* instead: why nobody knows */

struct rwk_epoch {
	rwk_ns from; /* by the clock of the trace; RWK_NS_NONE: from the beginning */
	bool changing; /* a change was on its way: which side of it a moment is on is not certain */
	bool rebuilt; /* the domains are not those of the epoch before, nor anything kept in them */
	struct rwk_cpuset online, active;
	struct rwk_cpuset domains; /* CPUs that are in any, isolated ones too; empty: taken down */
};

struct rwk_epochs;

/*
 * Of a snapshot (NULL: nothing known) and the machine that was built of it, which is
 * borrowed.  Rows that contradict each other, the machine or how it was at the end, and
 * domains that do not follow from its caches, are not followed: then there is one epoch,
 * and rwk_epochs_why().  0, -ENOMEM, -EFBIG.
 */
int rwk_epochs_open(const struct rwk_snapshot *snap, const struct rwk_machine *m,
	struct rwk_diag *diag, struct rwk_epochs **ret);
/*
 * The same with the epochs that rwk_epochs_open() came to; nr 0: there is but one, with the
 * CPUs of m.  -EBADMSG: they cannot be of this machine.
 */
int rwk_epochs_restore(const struct rwk_snapshot *snap, const struct rwk_machine *m,
	const struct rwk_epoch *of, size_t nr, struct rwk_diag *diag, struct rwk_epochs **ret);
void rwk_epochs_close(struct rwk_epochs *e); /* NULL is fine */

/* The first one is of how it began; at least one. */
size_t rwk_epochs_nr(const struct rwk_epochs *e);
const struct rwk_epoch *rwk_epochs_at(const struct rwk_epochs *e, size_t index);
/* How often a CPU came or went. */
int rwk_epochs_moves(const struct rwk_epochs *e);
/* Why changes are not followed that there were or may have been; NULL: they are. */
const char *rwk_epochs_why(const struct rwk_epochs *e);

/*
 * The machine in an epoch, with the CPU ids of m and its settings; the first one until e is
 * closed, any other until two more were asked for.  0 or -ENOMEM.
 */
int rwk_epochs_machine(
	struct rwk_epochs *e, size_t index, struct rwk_diag *diag, const struct rwk_machine **ret);

/*
 * What its files say with what was seen later, and all CPUs that ever were online: to be
 * edited (variant.h).  NULL: no CPU came or went.
 */
const struct rwk_snapshot *rwk_epochs_snapshot(const struct rwk_epochs *e);
/* The machine with all of these CPUs online; m itself if they were from the beginning. */
const struct rwk_machine *rwk_epochs_all(const struct rwk_epochs *e);

/* The same times of another machine with the CPUs of rwk_epochs_all(); snap and m are its. */
int rwk_epochs_of_variant(const struct rwk_epochs *e, const struct rwk_snapshot *snap,
	const struct rwk_machine *m, struct rwk_diag *diag, struct rwk_epochs **ret);

#endif
