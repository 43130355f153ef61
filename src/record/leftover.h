/*
 * What recorders that were killed have left: instances with what is in them, probe
 * and synthetic events, work directories.  Each is named after its owner, and goes once that is
 * dead.
 */
#ifndef SRC_RECORD_LEFTOVER_H
#define SRC_RECORD_LEFTOVER_H

#include "record/owner.h"

/*
 * Removes those of tracing_dir, which must be in use, of output's directory (NULL: none) and
 * of wherever a trail leads; tell (may be NULL) is called before each.  What cannot be removed
 * or judged is told and left alone.  Returns how many were removed.
 */
int rwk_leftovers_remove(const char *tracing_dir, const char *output, const struct rwk_owner *self,
	void (*tell)(const char *text));

/* Only the work directories in output's directory, without a word. */
void rwk_leftovers_remove_folders(const char *output, const struct rwk_owner *self);

#endif
