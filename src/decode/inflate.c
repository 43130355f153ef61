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

/* Ring-buffer pages shrink to a tenth or so, empty ones to a thousandth. */
#define MAX_TIMES   200
#define NEVER_BURST (64 << 20)

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

struct rwk_unpack {
	ZSTD_DCtx *zstd; /* NULL: gzip */
	z_stream gzip;
	bool ended; /* at the end of a member */
	bool trailing; /* behind the last one, where gzip files may be padded */
};

bool rwk_unpack_knows(const unsigned char *head, size_t size)
{
	return size >= 4 &&
	       (!memcmp(head, "\x1f\x8b\x08", 3) || !memcmp(head, "\x28\xb5\x2f\xfd", 4));
}

int rwk_unpack_create(const unsigned char *head, size_t size, struct rwk_unpack **ret)
{
	struct rwk_unpack *u = calloc(1, sizeof(*u));

	if (!u)
		return -ENOMEM;
	if (size && head[0] == 0x28)
		u->zstd = ZSTD_createDCtx();
	/* 16: with the header of gzip. */
	if (head[0] == 0x28 ? !u->zstd : inflateInit2(&u->gzip, 16 + MAX_WBITS) != Z_OK) {
		free(u);
		return -ENOMEM;
	}
	*ret = u;
	return 0;
}

void rwk_unpack_destroy(struct rwk_unpack *u)
{
	if (!u)
		return;
	if (u->zstd)
		ZSTD_freeDCtx(u->zstd);
	else
		inflateEnd(&u->gzip);
	free(u);
}

static int step_zstd(struct rwk_unpack *u, ZSTD_inBuffer *in, ZSTD_outBuffer *out)
{
	size_t left;

	/* Without input it would begin a frame that does not come. */
	if (u->ended && in->pos == in->size)
		return 0;
	left = ZSTD_decompressStream(u->zstd, out, in);
	if (ZSTD_isError(left))
		return -EBADMSG;
	u->ended = !left;
	return 0;
}

static int step_gzip(struct rwk_unpack *u, const unsigned char *src, size_t src_size,
	size_t *src_pos, unsigned char *dst, size_t dst_size, size_t *dst_pos)
{
	size_t in = src_size - *src_pos, room = dst_size - *dst_pos;
	int ret;

	if (u->ended && in) {
		/* gzip(1) ignores what is behind the last member. */
		if (u->trailing || src[*src_pos] != 0x1f) {
			u->trailing = true;
			*src_pos = src_size;
			return 0;
		}
		if (inflateReset(&u->gzip) != Z_OK)
			return -EBADMSG;
		u->ended = false;
	}
	u->gzip.next_in = (unsigned char *)(uintptr_t)(src + *src_pos);
	u->gzip.avail_in = (uInt)in;
	u->gzip.next_out = dst + *dst_pos;
	u->gzip.avail_out = (uInt)room;
	ret = inflate(&u->gzip, Z_NO_FLUSH);
	*src_pos += in - u->gzip.avail_in;
	*dst_pos += room - u->gzip.avail_out;
	u->ended = ret == Z_STREAM_END;
	return ret == Z_OK || ret == Z_STREAM_END || ret == Z_BUF_ERROR ? 0 : -EBADMSG;
}

int rwk_unpack_step(struct rwk_unpack *u, const void *src, size_t src_size, size_t *src_pos,
	void *dst, size_t dst_size, size_t *dst_pos)
{
	ZSTD_inBuffer in = {.src = src, .size = src_size, .pos = *src_pos};
	ZSTD_outBuffer out = {.dst = dst, .size = dst_size, .pos = *dst_pos};
	int err;

	if (!u->zstd)
		return step_gzip(u, src, src_size, src_pos, dst, dst_size, dst_pos);
	err = step_zstd(u, &in, &out);
	*src_pos = in.pos;
	*dst_pos = out.pos;
	return err;
}

bool rwk_unpack_ended(const struct rwk_unpack *u)
{
	return u->ended || u->trailing;
}

bool rwk_unpack_bursts(int64_t packed_size, int64_t plain_size)
{
	return plain_size > NEVER_BURST && plain_size / MAX_TIMES > packed_size;
}
