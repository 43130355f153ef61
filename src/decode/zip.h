/* The one file in a zip, read forwards, as browsers download them.  libarchive reads it. */
#ifndef SRC_DECODE_ZIP_H
#define SRC_DECODE_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/diag.h"

struct rwk_zip;

/* Bytes behind those that were given before, valid until the next call; 0 at the end, negative
 * errno. */
typedef ssize_t rwk_zip_source(void *ctx, const void **ret);

bool rwk_zip_knows(const unsigned char *head, size_t size);

/*
 * Looks at what a zip lists at its end: -ENOTSUP with a cause when that are several files.
 * 0 also when it cannot be looked at, as a pipe; the place of fd stays.
 */
int rwk_zip_check(int fd, const char *path, struct rwk_diag *diag);

/* path is for messages, and has to stay.  0 or -ENOMEM. */
int rwk_zip_open(const char *path, rwk_zip_source *source, void *ctx, struct rwk_zip **ret);

void rwk_zip_close(struct rwk_zip *z);

/*
 * Bytes of the file, 0 at its end; -EBADMSG without a cause when the zip ends or is
 * damaged in front of that.  With a cause: -ENOTSUP when it has several files or none, is
 * encrypted, or packed in a way that nobody uses for such; what the source gives.
 */
ssize_t rwk_zip_read(struct rwk_zip *z, void *buf, size_t size, struct rwk_diag *diag);

#endif
