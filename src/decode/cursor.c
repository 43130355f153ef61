/* Bounded forward reading with errors that stick. */
#include "decode/cursor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decode/bytes.h"

#define WINDOW (64 << 10)

void rwk_cursor_init_file(struct rwk_cursor *c, const struct rwk_file *file, int64_t pos,
	int64_t end, bool swap, struct rwk_diag *diag)
{
	*c = (struct rwk_cursor){.file = file, .diag = diag, .swap = swap, .pos = pos};
	c->end = end < file->size ? end : file->size;
	c->window_pos = pos;
}

void rwk_cursor_init_memory(
	struct rwk_cursor *c, unsigned char *mem, size_t len, int64_t place, bool swap)
{
	*c = (struct rwk_cursor){
		.window = mem,
		.window_size = len,
		.window_len = len,
		.end = (int64_t)len,
		.place = place,
		.swap = swap,
	};
}

void rwk_cursor_finish(struct rwk_cursor *c)
{
	free(c->window);
	*c = (struct rwk_cursor){.err = -EBADMSG};
}

/* Reads from pos on until the window holds at least size bytes. */
static int fill(struct rwk_cursor *c, size_t size)
{
	size_t want = size > WINDOW ? size : WINDOW;
	int64_t n;

	if (want > c->window_size) {
		unsigned char *p = realloc(c->window, want);
		if (!p)
			return -ENOMEM;
		c->window = p;
		c->window_size = want;
	}
	n = rwk_file_read(c->file, c->pos, c->window, want, c->diag);
	if (n < 0)
		return (int)n;
	c->window_pos = c->pos;
	c->window_len = (size_t)n;
	c->past_end = (size_t)n < size;
	return c->past_end ? -EBADMSG : 0;
}

const unsigned char *rwk_cursor_take(struct rwk_cursor *c, int64_t size)
{
	const unsigned char *p;
	int64_t skip;

	if (c->err)
		return NULL;
	if (size < 0 || size > RWK_CURSOR_MAX_TAKE || size > c->end - c->pos) {
		c->past_end = size > c->end - c->pos;
		c->err = -EBADMSG;
		return NULL;
	}
	/* Of nothing too, whether or not anything was read before. */
	if (!size)
		return (const unsigned char *)"";
	skip = c->pos - c->window_pos;
	if (skip < 0 || skip + size > (int64_t)c->window_len) {
		c->err = c->file ? fill(c, (size_t)size) : -EBADMSG;
		if (c->err)
			return NULL;
		skip = 0;
	}
	p = c->window + skip;
	c->pos += size;
	return p;
}

uint16_t rwk_cursor_u16(struct rwk_cursor *c)
{
	const unsigned char *p = rwk_cursor_take(c, 2);

	return p ? rwk_bytes_u16(p, c->swap) : 0;
}

uint32_t rwk_cursor_u32(struct rwk_cursor *c)
{
	const unsigned char *p = rwk_cursor_take(c, 4);

	return p ? rwk_bytes_u32(p, c->swap) : 0;
}

uint64_t rwk_cursor_u64(struct rwk_cursor *c)
{
	const unsigned char *p = rwk_cursor_take(c, 8);

	return p ? rwk_bytes_u64(p, c->swap) : 0;
}

void rwk_cursor_skip(struct rwk_cursor *c, uint64_t size)
{
	if (c->err)
		return;
	if (c->end < c->pos || size > (uint64_t)(c->end - c->pos)) {
		c->past_end = true;
		c->err = -EBADMSG;
		return;
	}
	c->pos += (int64_t)size;
}

void rwk_cursor_string(struct rwk_cursor *c, char *buf, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		const unsigned char *p = rwk_cursor_take(c, 1);

		if (!p)
			break;
		buf[i] = (char)*p;
		if (!*p)
			return;
	}
	buf[0] = '\0';
	if (!c->err)
		c->err = -EBADMSG;
}

void rwk_cursor_expect(struct rwk_cursor *c, const void *bytes, size_t size)
{
	const unsigned char *p = rwk_cursor_take(c, (int64_t)size);

	if (p && memcmp(p, bytes, size)) {
		c->pos -= (int64_t)size;
		c->err = -EBADMSG;
	}
}
