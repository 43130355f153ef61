/*
 * Runs of several databases in one: rewake merge, an import of several traces,
 * and rewake anonymize, which changes what identifies on the way.
 */
#ifndef SRC_STORE_MERGE_H
#define SRC_STORE_MERGE_H

#include <stdbool.h>

#include "base/diag.h"

struct rwk_merge;
struct rwk_mask;

/*
 * A new file that appears as path only when it is complete.  -EEXIST if path is
 * there and replace is false.  mask: what hides names (mask.h), NULL for nothing; borrowed.
 */
int rwk_merge_open(const char *path, bool replace, struct rwk_mask *mask, struct rwk_diag *diag,
	struct rwk_merge **ret);
/*
 * Name for a database that is made only to be added: beside the new file, and
 * removed with it should this program be killed.  The caller removes it otherwise.
 */
const char *rwk_merge_part(const struct rwk_merge *m);
/*
 * Adds all runs of a database, numbered on from those that are there, with
 * their replays.  Machines and policies that are equal in every respect become
 * one.  An older file is read as if it had been upgraded, and stays as it is.
 */
int rwk_merge_add(struct rwk_merge *m, const char *path, struct rwk_diag *diag);
int rwk_merge_nr_runs(const struct rwk_merge *m);
int rwk_merge_finish(struct rwk_merge *m, struct rwk_diag *diag);
/* Removes the new file unless finished.  NULL is fine. */
void rwk_merge_close(struct rwk_merge *m);

#endif
