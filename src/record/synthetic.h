/* Taking a synthetic event, or any that libtracefs knows, out of the kernel's list. */
#ifndef SRC_RECORD_SYNTHETIC_H
#define SRC_RECORD_SYNTHETIC_H

struct tracefs_dynevent;

/* Removes it, off wherever anybody has switched it on.  A negative errno. */
int rwk_synthetic_destroy(struct tracefs_dynevent *event);

#endif
