/*
 * Bytes of unknown origin as text.  Names of tasks are whatever the recorded
 * machine had: any bytes, in any encoding, with control characters in them.
 */
#ifndef SRC_REPORT_TEXT_H
#define SRC_REPORT_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "store/store.h"

/*
 * Length of the valid UTF-8 sequence at text, and its code point; 0 if the
 * bytes there are no such sequence (overlong forms and surrogates are none).
 */
int rwk_text_decode(const char *text, size_t size, uint32_t *ret);

/* Characters that move the cursor, change its colour, or reorder or hide what is beside them. */
bool rwk_text_is_unprintable(uint32_t c);

/*
 * For terminals: unprintable characters as \n, \t, \x1b or \u{202e}, other bytes as
 * \xff, a backslash doubled: nothing is lost.  NULL: out of memory; free() it.
 * *ret_width: characters.
 */
char *rwk_text_for_table(const char *text, size_t size, int *ret_width);

/*
 * A JSON string in quotes that every reader takes: control characters are escaped,
 * bytes that are no UTF-8 become U+FFFD.
 */
void rwk_text_put_json(FILE *out, const char *text, size_t size);

/* The value as text without escapes: integers, reals with a point, blobs as x'…'; free() it. */
char *rwk_text_of_value(const struct rwk_value *v, size_t *ret_size);
/* Shortest text that reads back as the same number; at least with ".0". */
void rwk_text_of_real(double r, char *buf, size_t size);

#endif
