/* Decompression in bounded pieces: the only place that knows zstd and zlib. */
#ifndef SRC_DECODE_INFLATE_H
#define SRC_DECODE_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rwk_inflate;

/*
 * Whether what is unpacked is so many times its packed size as no trace is: made
 * to fill a disk.  Never of what is small.
 */
bool rwk_unpack_bursts(int64_t packed_size, int64_t plain_size);

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

/* Whole files, packed by gzip or zstd: any number of members one after the other. */
struct rwk_unpack;

/* Whether what begins so is one. */
bool rwk_unpack_knows(const unsigned char *head, size_t size);

/* By the first bytes, which it knows.  0, -ENOMEM. */
int rwk_unpack_create(const unsigned char *head, size_t size, struct rwk_unpack **ret);

void rwk_unpack_destroy(struct rwk_unpack *u);

/* The next piece, both positions moved.  -EBADMSG when it is damaged. */
int rwk_unpack_step(struct rwk_unpack *u, const void *src, size_t src_size, size_t *src_pos,
	void *dst, size_t dst_size, size_t *dst_pos);

/* Whether the last piece ended a member, so that the input may end there. */
bool rwk_unpack_ended(const struct rwk_unpack *u);

#endif
