/* Escaping of bytes that are not UTF-8. */
#include "machine/escape.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ESCAPE_BASE  0x10fe00u
#define ESCAPE_FIRST (ESCAPE_BASE + 0x80)
#define ESCAPE_LAST  (ESCAPE_BASE + 0xff)
#define ESCAPE_LEN   4 /* bytes of one such character */

/* Length of the well-formed character at p (NUL-terminated), 0 if there is none. */
static size_t decode_char(const unsigned char *p, uint32_t *ret)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len;
	uint32_t c;

	if (p[0] < 0x80) {
		*ret = p[0];
		return 1;
	}
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		len = 2;
	else if (p[0] >= 0xe0 && p[0] <= 0xef)
		len = 3;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		len = 4;
	else
		return 0;
	c = p[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		/* The terminating NUL fails here, so this never runs past it. */
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*ret = c;
	return len;
}

static char *encode_byte(char *out, unsigned char byte)
{
	uint32_t c = ESCAPE_BASE + byte;

	*out++ = (char)(0xf0 | c >> 18);
	*out++ = (char)(0x80 | (c >> 12 & 0x3f));
	*out++ = (char)(0x80 | (c >> 6 & 0x3f));
	*out++ = (char)(0x80 | (c & 0x3f));
	return out;
}

char *rwk_escape_bytes(const char *bytes)
{
	const unsigned char *p = (const unsigned char *)bytes;
	size_t len = strlen(bytes);
	char *text, *out;

	if (len > (SIZE_MAX - 1) / ESCAPE_LEN)
		return NULL;
	text = out = malloc(len * ESCAPE_LEN + 1);
	if (!text)
		return NULL;
	while (*p) {
		uint32_t c = 0;
		size_t n = decode_char(p, &c);

		if (!n || (c >= ESCAPE_FIRST && c <= ESCAPE_LAST)) {
			out = encode_byte(out, *p++);
			continue;
		}
		memcpy(out, p, n);
		out += n;
		p += n;
	}
	*out = '\0';
	return text;
}

char *rwk_unescape_bytes(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	char *bytes = malloc(strlen(text) + 1), *out = bytes;

	if (!bytes)
		return NULL;
	while (*p) {
		uint32_t c = 0;
		size_t n = decode_char(p, &c);

		if (n == ESCAPE_LEN && c >= ESCAPE_FIRST && c <= ESCAPE_LAST) {
			*out++ = (char)(c - ESCAPE_BASE);
			p += n;
		} else {
			*out++ = (char)*p++;
		}
	}
	*out = '\0';
	return bytes;
}
