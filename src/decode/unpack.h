/*
 * Files that are packed as a whole, unpacked in bounded pieces: gzip, zstd and xz, any number
 * of members one after the other, and what Android's atrace -z prints.
 */
#ifndef SRC_DECODE_UNPACK_H
#define SRC_DECODE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rwk_unpack;

#define RWK_UNPACK_HEAD 1024 /* bytes that are enough to tell */

/* 1 what begins so is one, 0 it is none, -EAGAIN more of it has to be seen to tell. */
int rwk_unpack_knows(const unsigned char *head, size_t size);

/* By the first bytes, which it knows.  0, -ENOMEM. */
int rwk_unpack_create(const unsigned char *head, size_t size, struct rwk_unpack **ret);

void rwk_unpack_destroy(struct rwk_unpack *u);

/*
 * The next piece, both positions moved.  -EBADMSG when it is damaged, -ENOBUFS when it
 * was packed so that unpacking takes more memory than is allowed.
 */
int rwk_unpack_step(struct rwk_unpack *u, const void *src, size_t src_size, size_t *src_pos,
	void *dst, size_t dst_size, size_t *dst_pos);

/* Whether the last piece ended a member, so that the input may end there. */
bool rwk_unpack_ended(const struct rwk_unpack *u);

/*
 * Whether what is unpacked is so many times its packed size as no trace is: made
 * to fill a disk.  Never of what is small.
 */
bool rwk_unpack_bursts(int64_t packed_size, int64_t plain_size);

#endif
