/*
 * Input that can only be read forwards, and files that are packed as a whole.
 * What was read is kept until release, so that headers can be read twice.
 */
#ifndef SRC_DECODE_STREAM_H
#define SRC_DECODE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct rwk_stream;

/*
 * Whether what begins so is unpacked by a stream: gzip, zstd, xz, zip, atrace -z.  A CTF
 * trace or others that begin alike are none.  RWK_UNPACK_HEAD bytes tell.
 */
bool rwk_stream_is_packed(const unsigned char *head, size_t size);

/* path: for messages, not kept longer than the caller keeps it.  Takes fd over, also when it fails.
 */
int rwk_stream_open(int fd, const char *path, struct rwk_diag *diag, struct rwk_stream **ret);

void rwk_stream_close(struct rwk_stream *s);

/*
 * Bytes read, fewer than size only at the end, or a negative errno with a cause.
 * -ESPIPE without one: more would have to be kept than is allowed (before
 * release), or what is asked for is gone (after it).
 */
int64_t rwk_stream_read(
	struct rwk_stream *s, int64_t offset, void *buf, size_t size, struct rwk_diag *diag);

/* From now on only forwards. */
void rwk_stream_release(struct rwk_stream *s);

/* Packed input that has given more than a trace of its size holds, see rwk_unpack_bursts. */
bool rwk_stream_bursts(const struct rwk_stream *s);

/* Whether packed input ended, or was damaged, before its own end: true only when that was read. */
bool rwk_stream_cut(const struct rwk_stream *s);

#endif
