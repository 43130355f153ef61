/*
 * A recording as one stream that needs no disk where it is made: a tar whose
 * members come in the order in which they become known.
 *
 *   rewake-recording          what it is, and of what machine
 *   machine-start.json        the machine before, for a stream that is cut
 *   tracing/...               formats, as tracefs has them
 *   cpuN/NNNNNNNNNN           pages of a CPU's buffer, counted from 0
 *   tracing/saved_cmdlines
 *   machine.json              the sidecar
 *   complete                  bytes of each CPU: nothing is missing
 */
#ifndef SRC_RECORD_ARCHIVE_STREAM_H
#define SRC_RECORD_ARCHIVE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <signal.h>
#include <stdint.h>

#include "base/diag.h"
#include "record/record.h"
#include "record/view.h"
#include "record/workdir.h"

#define RWK_ARCHIVE_FIRST    "rewake-recording"
#define RWK_ARCHIVE_START    "machine-start.json"
#define RWK_ARCHIVE_VIEW     "tracing/"
#define RWK_ARCHIVE_SIDECAR  "machine.json"
#define RWK_ARCHIVE_COMPLETE "complete"
#define RWK_ARCHIVE_VERSION  1

/* --- writing; all of it may be called by several threads --- */

struct rwk_archive;

/*
 * fd is borrowed, and nothing else may write to it meanwhile.  nr_stops (may be
 * NULL): from 2 on, a receiver that takes nothing is given up at once.
 */
int rwk_archive_create(int fd, const struct rwk_compression *compression,
	const volatile sig_atomic_t *nr_stops, struct rwk_diag *diag, struct rwk_archive **ret);

/*
 * A member.  Waits for a receiver that is slow.  After a failure every further call
 * fails likewise: -EPIPE the receiver is gone, -ETIMEDOUT it takes nothing, -EINTR.
 */
int rwk_archive_put(struct rwk_archive *archive, const char *path, const void *data, size_t len,
	struct rwk_diag *diag);

/* The first one; page_size of the ring buffer. */
int rwk_archive_begin(
	struct rwk_archive *archive, const char *clock, size_t page_size, struct rwk_diag *diag);

/* Pages of a CPU, the next ones. */
int rwk_archive_put_pages(
	struct rwk_archive *archive, int cpu, const void *pages, size_t len, struct rwk_diag *diag);

struct rwk_view_sink rwk_archive_view(struct rwk_archive *archive);

/* From now on a receiver that takes nothing for some seconds is given up. */
void rwk_archive_hurry(struct rwk_archive *archive);

/* Why it failed, if it did. */
int rwk_archive_why(struct rwk_archive *archive, struct rwk_diag *diag);

/* The last member, and the end of the stream.  Bytes that went out, or a negative errno. */
int64_t rwk_archive_finish(struct rwk_archive *archive, struct rwk_diag *diag);

/* NULL is fine; what has not been finished stays cut. */
void rwk_archive_destroy(struct rwk_archive *archive);

/* --- reading --- */

struct rwk_unpacked {
	char *trace, *sidecar; /* trace NULL: it was no archive; sidecar NULL: none came */
	bool cut; /* not all of it was there; trace has what was */
	char why[256]; /* it counts as cut */
	int nr_ignored; /* members that this version does not know */
	struct rwk_workdir work; /* that they are in */
};

/*
 * The archive at path ("-": standard input), told by its content, into a new
 * folder beside near and there into a trace.dat.  Nothing is unpacked that a
 * recorder does not write.  0 also for what is no archive.  -EBADMSG not what
 * a recorder writes, -ENOTSUP of a machine of another kind, -ENOENT no trace-cmd.
 */
int rwk_archive_unpack(
	const char *path, const char *near, struct rwk_diag *diag, struct rwk_unpacked *ret);

/* Removes the folder. */
void rwk_unpacked_finish(struct rwk_unpacked *unpacked);

#endif
