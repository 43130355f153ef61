/*
 * One thread per CPU that moves full pages from the ring buffer to a file of
 * that CPU.  They never hold anything that the traced machine waits for: when
 * the disk is slower than the events, the kernel overwrites and counts.
 */
#ifndef SRC_RECORD_DRAIN_H
#define SRC_RECORD_DRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "record/instance.h"

struct rwk_drain;

struct rwk_drain_options {
	int64_t max_bytes; /* never write more, of all CPUs together; 0: no limit */
	int64_t near_bytes; /* from so much on, the limit is near; 0: no limit */
	bool hold; /* leave everything in the buffers until rwk_drain_stop() */
	/* Who takes the pages instead of files, called by several threads; 0 or a negative errno.
	 */
	int (*take)(void *ctx, int cpu, const void *pages, size_t len);
	void *take_ctx;
};

/*
 * Opens each CPU's buffer and, unless somebody takes the pages, its file "cpuN"
 * in dir_fd, and starts draining.
 * rwk_drain_fd() becomes readable when a thread has failed, or when near_bytes
 * have been written.
 */
int rwk_drain_start(struct rwk_instance *inst, int dir_fd, const struct rwk_drain_options *opt,
	struct rwk_diag *diag, struct rwk_drain **ret);

int rwk_drain_fd(const struct rwk_drain *drain);

/* Bytes written so far, of all CPUs, and whether near_bytes have been. */
int64_t rwk_drain_written(const struct rwk_drain *drain);
bool rwk_drain_is_near(const struct rwk_drain *drain);

/*
 * Joins the threads and takes what is left in the buffers, which must not fill
 * any more, as far as max_bytes allows.  The first failure of any of them,
 * -ENOSPC for a full disk.
 */
int rwk_drain_stop(struct rwk_drain *drain, struct rwk_diag *diag);

/* Bytes written for a CPU; after rwk_drain_stop(). */
int64_t rwk_drain_bytes(const struct rwk_drain *drain, int cpu);

/* Also stops.  Closes all files; drain may be NULL. */
void rwk_drain_destroy(struct rwk_drain *drain);

#endif
