/* Four packings behind one call. */
#include "decode/unpack.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

/* Ring-buffer pages shrink to a tenth or so, empty ones to a thousandth. */
#define MAX_TIMES   200
#define NEVER_BURST (64 << 20)

#define XZ_MEMORY (128 << 20) /* xz -9 needs 65 MB */
#define TEXT_ROOM (64 << 10) /* of atrace's output on its way to zlib */

enum packing { GZIP, ZSTD, XZ, ATRACE };

static const struct {
	const char *magic;
	unsigned char size;
	enum packing packing;
} magics[] = {
	{"\x1f\x8b\x08", 3, GZIP},
	{"\x28\xb5\x2f\xfd", 4, ZSTD},
	{"\xfd"
	 "7zXZ\0",
		6, XZ},
};

struct rwk_unpack {
	enum packing packing;
	ZSTD_DCtx *zstd;
	z_stream zlib; /* of gzip and atrace */
	lzma_stream xz;
	bool ended; /* at the end of a member */
	bool trailing; /* behind the last one, where files may be padded */
	/* Of atrace: */
	size_t skip; /* bytes in front of what is packed */
	bool crs; /* each line feed has got a carriage return in front, as by a terminal */
	bool held_cr; /* one of which it is not known what follows */
	unsigned char *text; /* without them */
	size_t text_len, text_at;
};

/*
 * "capturing trace... done\nTRACE:\n" or the last line of it alone, and a zlib stream.
 * adb shell makes "\r\n" of every "\n", also of those in the stream.  1, 0, -EAGAIN.
 */
static int find_atrace(const unsigned char *head, size_t size, size_t *ret_at, bool *ret_crs)
{
	static const char first[] = "capturing trace", last[] = "TRACE:";
	const size_t n = sizeof(last) - 1;
	size_t at = 0;

	if (size && head[0] == first[0]) {
		const unsigned char *eol;

		if (memcmp(head, first, size < sizeof(first) - 1 ? size : sizeof(first) - 1))
			return 0;
		eol = memchr(head, '\n', size);
		if (!eol)
			return size < RWK_UNPACK_HEAD ? -EAGAIN : 0;
		at = (size_t)(eol - head) + 1;
	}
	if (memcmp(head + at, last, size - at < n ? size - at : n))
		return 0;
	/* Its end, and two bytes more. */
	if (size < at + n + 4)
		return size < RWK_UNPACK_HEAD ? -EAGAIN : 0;
	at += n;
	*ret_crs = head[at] == '\r';
	at += *ret_crs;
	if (head[at++] != '\n')
		return 0;
	*ret_at = at;
	return (head[at] & 0xf) == 8 && (head[at] << 8 | head[at + 1]) % 31 == 0;
}

int rwk_unpack_knows(const unsigned char *head, size_t size)
{
	size_t at;
	bool crs;

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		size_t n = magics[i].size;

		if (!memcmp(head, magics[i].magic, size < n ? size : n))
			return size < n ? -EAGAIN : 1;
	}
	return find_atrace(head, size, &at, &crs);
}

static enum packing packing_of(const unsigned char *head)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		if (head[0] == (unsigned char)magics[i].magic[0])
			return magics[i].packing;
	}
	return ATRACE;
}

static int begin_xz(struct rwk_unpack *u)
{
	u->xz = (lzma_stream)LZMA_STREAM_INIT;
	return lzma_stream_decoder(&u->xz, XZ_MEMORY, 0) == LZMA_OK ? 0 : -ENOMEM;
}

int rwk_unpack_create(const unsigned char *head, size_t size, struct rwk_unpack **ret)
{
	struct rwk_unpack *u = calloc(1, sizeof(*u));
	bool good = false;

	if (!u)
		return -ENOMEM;
	u->packing = packing_of(head);
	switch (u->packing) {
	case ZSTD:
		u->zstd = ZSTD_createDCtx();
		good = u->zstd;
		break;
	case XZ:
		good = !begin_xz(u);
		break;
	case GZIP: /* 16: with its header */
		good = inflateInit2(&u->zlib, 16 + MAX_WBITS) == Z_OK;
		break;
	case ATRACE:
		find_atrace(head, size, &u->skip, &u->crs);
		u->text = u->crs ? malloc(TEXT_ROOM) : NULL;
		good = (u->text || !u->crs) && inflateInit(&u->zlib) == Z_OK;
		break;
	}
	if (!good) {
		free(u->text);
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
	if (u->packing == ZSTD)
		ZSTD_freeDCtx(u->zstd);
	else if (u->packing == XZ)
		lzma_end(&u->xz);
	else
		inflateEnd(&u->zlib);
	free(u->text);
	free(u);
}

/* A place in what is read and one in what is written. */
struct piece {
	const unsigned char *src;
	size_t src_size, src_pos;
	unsigned char *dst;
	size_t dst_size, dst_pos;
};

static int step_zstd(struct rwk_unpack *u, struct piece *p)
{
	ZSTD_inBuffer in = {.src = p->src, .size = p->src_size, .pos = p->src_pos};
	ZSTD_outBuffer out = {.dst = p->dst, .size = p->dst_size, .pos = p->dst_pos};
	size_t left;

	/* Without input it would begin a frame that does not come. */
	if (u->ended && in.pos == in.size)
		return 0;
	left = ZSTD_decompressStream(u->zstd, &out, &in);
	if (ZSTD_isError(left))
		return -EBADMSG;
	u->ended = !left;
	p->src_pos = in.pos;
	p->dst_pos = out.pos;
	return 0;
}

static int inflate_piece(struct rwk_unpack *u, struct piece *p)
{
	size_t in = p->src_size - p->src_pos, room = p->dst_size - p->dst_pos;
	int ret;

	u->zlib.next_in = (unsigned char *)(uintptr_t)(p->src + p->src_pos);
	u->zlib.avail_in = (uInt)in;
	u->zlib.next_out = p->dst + p->dst_pos;
	u->zlib.avail_out = (uInt)room;
	ret = inflate(&u->zlib, Z_NO_FLUSH);
	p->src_pos += in - u->zlib.avail_in;
	p->dst_pos += room - u->zlib.avail_out;
	u->ended = ret == Z_STREAM_END;
	return ret == Z_OK || ret == Z_STREAM_END || ret == Z_BUF_ERROR ? 0 : -EBADMSG;
}

static int step_gzip(struct rwk_unpack *u, struct piece *p)
{
	if (u->ended && p->src_pos < p->src_size) {
		/* gzip(1) ignores what is behind the last member. */
		if (u->trailing || p->src[p->src_pos] != 0x1f) {
			u->trailing = true;
			p->src_pos = p->src_size;
			return 0;
		}
		if (inflateReset(&u->zlib) != Z_OK)
			return -EBADMSG;
		u->ended = false;
	}
	return inflate_piece(u, p);
}

static int step_xz(struct rwk_unpack *u, struct piece *p)
{
	lzma_ret ret;

	if (u->ended) {
		/* Members may be padded with zeros. */
		while (p->src_pos < p->src_size && !p->src[p->src_pos])
			p->src_pos++;
		if (p->src_pos == p->src_size)
			return 0;
		lzma_end(&u->xz);
		if (begin_xz(u))
			return -ENOMEM;
		u->ended = false;
	}
	u->xz.next_in = p->src + p->src_pos;
	u->xz.avail_in = p->src_size - p->src_pos;
	u->xz.next_out = p->dst + p->dst_pos;
	u->xz.avail_out = p->dst_size - p->dst_pos;
	ret = lzma_code(&u->xz, LZMA_RUN);
	p->src_pos = p->src_size - u->xz.avail_in;
	p->dst_pos = p->dst_size - u->xz.avail_out;
	u->ended = ret == LZMA_STREAM_END;
	if (ret == LZMA_MEMLIMIT_ERROR)
		return -ENOBUFS;
	if (ret == LZMA_MEM_ERROR)
		return -ENOMEM;
	return ret == LZMA_OK || ret == LZMA_STREAM_END || ret == LZMA_BUF_ERROR ? 0 : -EBADMSG;
}

/* Into text as it was before a terminal had it. */
static void take_crs(struct rwk_unpack *u, struct piece *p)
{
	u->text_len = u->text_at = 0;
	/* There is no more input only at the end of all. */
	if (u->held_cr && p->src_pos == p->src_size) {
		u->text[u->text_len++] = '\r';
		u->held_cr = false;
	}
	while (p->src_pos < p->src_size && u->text_len + 2 <= TEXT_ROOM) {
		unsigned char c = p->src[p->src_pos++];

		if (u->held_cr && c != '\n')
			u->text[u->text_len++] = '\r';
		u->held_cr = c == '\r';
		if (!u->held_cr)
			u->text[u->text_len++] = c;
	}
}

static int step_atrace(struct rwk_unpack *u, struct piece *p)
{
	size_t n = p->src_size - p->src_pos;
	struct piece text;
	int err;

	if (u->skip) {
		n = n < u->skip ? n : u->skip;
		u->skip -= n;
		p->src_pos += n;
		return 0;
	}
	/* It is the last thing that atrace prints. */
	if (u->ended) {
		p->src_pos = p->src_size;
		return 0;
	}
	if (!u->crs)
		return inflate_piece(u, p);
	if (u->text_at == u->text_len)
		take_crs(u, p);
	text = *p;
	text.src = u->text;
	text.src_size = u->text_len;
	text.src_pos = u->text_at;
	err = inflate_piece(u, &text);
	u->text_at = text.src_pos;
	p->dst_pos = text.dst_pos;
	return err;
}

int rwk_unpack_step(struct rwk_unpack *u, const void *src, size_t src_size, size_t *src_pos,
	void *dst, size_t dst_size, size_t *dst_pos)
{
	static int (*const step[])(struct rwk_unpack * u, struct piece * p) = {
		[GZIP] = step_gzip, [ZSTD] = step_zstd, [XZ] = step_xz, [ATRACE] = step_atrace};
	struct piece p = {.src = src,
		.src_size = src_size,
		.src_pos = *src_pos,
		.dst = dst,
		.dst_size = dst_size,
		.dst_pos = *dst_pos};
	int err = step[u->packing](u, &p);

	*src_pos = p.src_pos;
	*dst_pos = p.dst_pos;
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
