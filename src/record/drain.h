/*
 * One thread per CPU that moves full pages from the ring buffer to a file of
 * that CPU.  They never hold anything that the traced machine waits for: when
 * the disk is slower than the events, the kernel overwrites and counts.
 */
#ifndef SRC_RECORD_DRAIN_H
#define SRC_RECORD_DRAIN_H

#include "base/diag.h"
#include "record/instance.h"

struct rwk_drain;

/*
 * Opens each CPU's buffer and its file "cpuN" in dir_fd, and starts draining.
 * rwk_drain_fd() becomes readable when a thread has failed.
 */
int rwk_drain_start(
	struct rwk_instance *inst, int dir_fd, struct rwk_diag *diag, struct rwk_drain **ret);

int rwk_drain_fd(const struct rwk_drain *drain);

/*
 * Takes what is left in the buffers, which must not fill any more, and joins
 * the threads.  The first failure of any of them, -ENOSPC for a full disk.
 */
int rwk_drain_stop(struct rwk_drain *drain, struct rwk_diag *diag);

/* Bytes written for a CPU; after rwk_drain_stop(). */
int64_t rwk_drain_bytes(const struct rwk_drain *drain, int cpu);

/* Also stops.  Closes all files; drain may be NULL. */
void rwk_drain_destroy(struct rwk_drain *drain);

#endif
