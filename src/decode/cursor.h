/*
 * A bounded forward reader over a part of the file or over a decompressed
 * section.  Errors stick: after the first, every read gives zeros, so that a
 * sequence of reads needs one check at its end.
 */
#ifndef SRC_DECODE_CURSOR_H
#define SRC_DECODE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/file.h"

/* Longest piece that one read may ask for, whatever length the file claims. */
#define RWK_CURSOR_MAX_TAKE (16 << 20)

struct rwk_cursor {
	const struct rwk_file *file; /* NULL: over memory */
	struct rwk_diag *diag;
	unsigned char *window; /* owned; over memory, all of it */
	size_t window_size, window_len;
	int64_t window_pos; /* position of window[0] */
	int64_t pos, end;
	int64_t place; /* over memory: offset of the section in the file, for messages */
	bool swap;
	bool past_end; /* the error: something goes past the end */
	int err; /* 0, -EBADMSG read past the end, or the errno of a failed read */
};

/* Positions are offsets in the file; end is clipped to its size. */
void rwk_cursor_init_file(struct rwk_cursor *c, const struct rwk_file *file, int64_t pos,
	int64_t end, bool swap, struct rwk_diag *diag);

/* Takes ownership of mem (from malloc).  place: where its section lies in the file. */
void rwk_cursor_init_memory(
	struct rwk_cursor *c, unsigned char *mem, size_t len, int64_t place, bool swap);

void rwk_cursor_finish(struct rwk_cursor *c);

/* size contiguous bytes, valid until the next call; NULL after an error. */
const unsigned char *rwk_cursor_take(struct rwk_cursor *c, int64_t size);

uint16_t rwk_cursor_u16(struct rwk_cursor *c);
uint32_t rwk_cursor_u32(struct rwk_cursor *c);
uint64_t rwk_cursor_u64(struct rwk_cursor *c);
void rwk_cursor_skip(struct rwk_cursor *c, uint64_t size);

/* A terminated string of fewer than size bytes into buf; "" after an error. */
void rwk_cursor_string(struct rwk_cursor *c, char *buf, size_t size);

/* Fails the cursor unless these bytes come next. */
void rwk_cursor_expect(struct rwk_cursor *c, const void *bytes, size_t size);

/* Offset in the file of what is read next, for messages. */
static inline int64_t rwk_cursor_offset(const struct rwk_cursor *c)
{
	return c->file ? c->pos : c->place;
}

#endif
