/*
 * The lines of a text that a trace may be in: as they stand, or in the blocks of
 * a page that systrace wrote.
 */
#ifndef SRC_DECODE_TEXT_READER_H
#define SRC_DECODE_TEXT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/file.h"

struct rwk_text_reader {
	const struct rwk_file *file;
	char *buffer; /* owned */
	size_t len, at;
	int64_t pos; /* of the buffer's end in the file */
	int64_t line; /* number of the last one given, from 1 */
	int64_t line_at; /* where it begins in the file */
	bool unended; /* the file ends within it */
	bool skip_line; /* it was too long: drop the rest of it */
	bool ended;
	bool html; /* a page, … */
	bool in_block; /* … and in it a block of trace data */
	int64_t nr_blocks;
	bool has_packed; /* a block that is no text, as trace2html writes them */
};

/* Whether the first bytes of a file begin a page. */
bool rwk_text_reader_is_page(const unsigned char *head, size_t size);

/* Reads nothing yet.  0 or -ENOMEM. */
int rwk_text_reader_init(struct rwk_text_reader *r, const struct rwk_file *file, bool html);

/* Safe on a zeroed one. */
void rwk_text_reader_finish(struct rwk_text_reader *r);

/*
 * The next line, terminated, without its end, valid until the next call; NULL
 * for one that is too long to be of a trace.  1, 0 at the end, negative errno.
 */
int rwk_text_reader_next(struct rwk_text_reader *r, char **ret, struct rwk_diag *diag);

/* Bytes of the file behind the last line. */
int64_t rwk_text_reader_consumed(const struct rwk_text_reader *r);

#endif
