/* The tracefs of this machine: found, checked and chosen. */
#ifndef SRC_RECORD_TRACEFS_ROOT_H
#define SRC_RECORD_TRACEFS_ROOT_H

#include <stdbool.h>

#include "base/diag.h"

/* Where tracefs is mounted, to be freed.  It is not mounted if it is not.  -ENODEV, -EPERM. */
int rwk_tracefs_find(struct rwk_diag *diag, char **ret_dir);

/* -ENODATA with the names of the needed events and files that dir lacks. */
int rwk_tracefs_check_events(const char *dir, struct rwk_diag *diag);

/* Whether the README of the tracefs at dir has text: the only sign of some abilities. */
bool rwk_tracefs_says(const char *dir, const char *text);

#define RWK_TRACEFS_WITHOUT 256

/* What a recording does without, a sentence; "": it has all. */
void rwk_tracefs_without(const char *dir, char buf[RWK_TRACEFS_WITHOUT]);

/*
 * Makes dir the tracefs of everything that follows, in this room; NULL: of
 * nothing any more.  0 or -ENOMEM.
 */
int rwk_tracefs_use(const char *dir, struct rwk_diag *diag);

#endif
