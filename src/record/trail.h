/*
 * Where a recorder has its work directory, noted for whoever comes after it was
 * killed: the next one may record to somewhere else.  A link "OWNER" in a
 * directory that a reboot empties.
 */
#ifndef SRC_RECORD_TRAIL_H
#define SRC_RECORD_TRAIL_H

#include "record/owner.h"

#define RWK_TRAIL_DIR "/run/rewake"

/*
 * Notes in dir, which is made if need be, that the owner's work directory will
 * be in parent.  A negative errno when it cannot be noted, -EPERM when dir is
 * somebody else's; that costs a later cleanup no more than the note.
 */
int rwk_trail_leave(const char *dir, const struct rwk_owner *owner, const char *parent);

/* Takes the owner's note back, and dir if that was the last one. */
void rwk_trail_clear(const char *dir, const struct rwk_owner *owner);

/* Calls visit for each note; it may clear it. */
void rwk_trail_walk(const char *dir,
	void (*visit)(void *ctx, const struct rwk_owner *owner, const char *parent), void *ctx);

#endif
