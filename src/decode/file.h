/*
 * The input, read at explicit offsets: no shared position, and a file that
 * shrinks while it is read gives short reads instead of a SIGBUS.  Pipes and
 * files packed as a whole are streams, which can be read forwards only, or be
 * put into a temporary file.
 */
#ifndef SRC_DECODE_FILE_H
#define SRC_DECODE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct rwk_file {
	char *path; /* as messages name it */
	int fd;
	int64_t size; /* INT64_MAX of a stream */
	struct rwk_stream *stream; /* NULL: seekable */
	int folder; /* that was named in its place, -1: none */
};

/*
 * "-" is the standard input, whatever it is; under a name, regular files only, or
 * a folder with one named data: -EISDIR, -EINVAL for other kinds, or what open(2)
 * says.
 */
int rwk_file_open(const char *path, struct rwk_diag *diag, struct rwk_file *ret);

/*
 * A nameless file for reading and writing in TMPDIR, or where the system has
 * such files; for_what: what it holds, for the message.  0 or what failed.
 */
int rwk_file_temporary(const char *for_what, struct rwk_diag *diag, int *ret_fd);

/* All of size at offset, or what failed. */
int rwk_file_write(int fd, int64_t offset, const void *data, size_t size);

/* Another regular file of the folder that file is in.  -ENOENT without a cause: not there. */
int rwk_file_open_beside(
	const struct rwk_file *file, const char *name, struct rwk_diag *diag, struct rwk_file *ret);

/* Safe on a file that was never opened, if it is zeroed. */
void rwk_file_close(struct rwk_file *file);

/*
 * A stream: all of it into a nameless file in TMPDIR, so that it can be read at
 * any place.  It must not be released yet.
 */
int rwk_file_spool(struct rwk_file *file, struct rwk_diag *diag);

/* A stream: what was read is not needed again. */
void rwk_file_release(struct rwk_file *file);

/* Whether the input was packed, and ended before its packing did; known once the end was read. */
bool rwk_file_cut(const struct rwk_file *file);

/*
 * Bytes read, fewer than size only at the end of the file; or a negative errno
 * with a cause.  -ESPIPE without one: a stream has to be spooled first.
 */
int64_t rwk_file_read(
	const struct rwk_file *file, int64_t offset, void *buf, size_t size, struct rwk_diag *diag);

#endif
