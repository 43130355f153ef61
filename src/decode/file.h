/*
 * The input file, read at explicit offsets: no shared position, and a file that
 * shrinks while it is read gives short reads instead of a SIGBUS.
 */
#ifndef SRC_DECODE_FILE_H
#define SRC_DECODE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct rwk_file {
	char *path;
	int fd;
	int64_t size;
};

/* Regular files only: -EISDIR, -EINVAL for other kinds, or what open(2) says. */
int rwk_file_open(const char *path, struct rwk_diag *diag, struct rwk_file *ret);

/*
 * A nameless file for reading and writing in TMPDIR, or where the system has
 * such files; for_what: what it holds, for the message.  0 or what failed.
 */
int rwk_file_temporary(const char *for_what, struct rwk_diag *diag, int *ret_fd);

/* All of size at offset, or what failed. */
int rwk_file_write(int fd, int64_t offset, const void *data, size_t size);

/* Safe on a file that was never opened, if it is zeroed. */
void rwk_file_close(struct rwk_file *file);

/* Bytes read, fewer than size only at the end of the file; or a negative errno with a cause. */
int64_t rwk_file_read(
	const struct rwk_file *file, int64_t offset, void *buf, size_t size, struct rwk_diag *diag);

#endif
