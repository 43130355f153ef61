/* zstd and zlib behind one call. */
#include "decode/inflate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

struct rwk_inflate {
	ZSTD_DCtx *zstd; /* NULL: zlib */
};

int rwk_inflate_create(const char *name, struct rwk_inflate **ret)
{
	bool zstd = !strcmp(name, "zstd");
	struct rwk_inflate *z;

	if (!zstd && strcmp(name, "zlib"))
		return -ENOTSUP;
	z = calloc(1, sizeof(*z));
	if (!z)
		return -ENOMEM;
	if (zstd) {
		z->zstd = ZSTD_createDCtx();
		if (!z->zstd) {
			free(z);
			return -ENOMEM;
		}
	}
	*ret = z;
	return 0;
}

void rwk_inflate_destroy(struct rwk_inflate *z)
{
	if (!z)
		return;
	ZSTD_freeDCtx(z->zstd);
	free(z);
}

int rwk_inflate_block(
	struct rwk_inflate *z, const void *src, size_t src_size, void *dst, size_t dst_size)
{
	uLongf got = dst_size;

	if (z->zstd)
		return ZSTD_decompressDCtx(z->zstd, dst, dst_size, src, src_size) == dst_size
			       ? 0
			       : -EBADMSG;
	return uncompress(dst, &got, src, src_size) == Z_OK && got == dst_size ? 0 : -EBADMSG;
}

/* 0 and *ret_size; -ENOSPC when dst is too small, -EBADMSG. */
static int try_whole(struct rwk_inflate *z, const void *src, size_t src_size, void *dst,
	size_t size, size_t *ret_size)
{
	uLongf got = size;
	size_t n;

	if (!z->zstd) {
		switch (uncompress(dst, &got, src, src_size)) {
		case Z_OK:
			*ret_size = got;
			return 0;
		case Z_BUF_ERROR: /* or the end is missing */
			return -ENOSPC;
		case Z_MEM_ERROR:
			return -ENOMEM;
		default:
			return -EBADMSG;
		}
	}
	n = ZSTD_decompressDCtx(z->zstd, dst, size, src, src_size);
	if (!ZSTD_isError(n)) {
		*ret_size = n;
		return 0;
	}
	return ZSTD_getErrorCode(n) == ZSTD_error_dstSize_tooSmall ? -ENOSPC : -EBADMSG;
}

int rwk_inflate_whole(struct rwk_inflate *z, const void *src, size_t src_size, unsigned char **buf,
	size_t *cap, size_t max, size_t *ret_size)
{
	for (;;) {
		int err = *cap ? try_whole(z, src, src_size, *buf, *cap, ret_size) : -ENOSPC;
		size_t want = *cap ? *cap * 2 : 64 << 10;
		unsigned char *more;

		if (err != -ENOSPC)
			return err;
		if (*cap >= max)
			return -ERANGE;
		more = realloc(*buf, want < max ? want : max);
		if (!more)
			return -ENOMEM;
		*buf = more;
		*cap = want < max ? want : max;
	}
}

int rwk_inflate_stream(struct rwk_inflate *z, const void *src, size_t src_size, size_t *src_pos,
	void *dst, size_t dst_size, size_t *dst_pos)
{
	ZSTD_inBuffer in = {.src = src, .size = src_size, .pos = *src_pos};
	ZSTD_outBuffer out = {.dst = dst, .size = dst_size, .pos = *dst_pos};

	do {
		size_t before = in.pos + out.pos;

		if (ZSTD_isError(ZSTD_decompressStream(z->zstd, &out, &in)))
			return -EBADMSG;
		if (in.pos + out.pos == before)
			break;
	} while (in.pos < in.size && out.pos < out.size);
	*src_pos = in.pos;
	*dst_pos = out.pos;
	return 0;
}
