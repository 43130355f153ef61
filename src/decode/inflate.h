/* Parts of files that are packed with zstd or zlib, unpacked in bounded pieces. */
#ifndef SRC_DECODE_INFLATE_H
#define SRC_DECODE_INFLATE_H

#include <stddef.h>
#include <stdint.h>

struct rwk_inflate;

/* name: as a trace.dat names it.  -ENOTSUP for any but "zstd" and "zlib"; -ENOMEM. */
int rwk_inflate_create(const char *name, struct rwk_inflate **ret);

void rwk_inflate_destroy(struct rwk_inflate *z);

/* Fills dst exactly: -EBADMSG when src is damaged or holds another amount. */
int rwk_inflate_block(
	struct rwk_inflate *z, const void *src, size_t src_size, void *dst, size_t dst_size);

/*
 * A block of unknown size into *buf, which grows up to max.  -EBADMSG when src
 * is damaged, -ERANGE when it holds more than that, -ENOMEM.
 */
int rwk_inflate_whole(struct rwk_inflate *z, const void *src, size_t src_size, unsigned char **buf,
	size_t *cap, size_t max, size_t *ret_size);

/*
 * The next piece of one long zstd stream: from *src_pos on until the input is
 * used up or dst is full, both positions moved.  -EBADMSG when it is damaged.
 */
int rwk_inflate_stream(struct rwk_inflate *z, const void *src, size_t src_size, size_t *src_pos,
	void *dst, size_t dst_size, size_t *dst_pos);

#endif
