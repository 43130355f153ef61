/* UTF-8, and numbers as text. */
#include "report/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int rwk_text_decode(const char *text, size_t size, uint32_t *ret)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *b = (const unsigned char *)text;
	int len = b[0] < 0x80   ? 1
		  : b[0] < 0xc2 ? 0
		  : b[0] < 0xe0 ? 2
		  : b[0] < 0xf0 ? 3
		  : b[0] < 0xf5 ? 4
				: 0;
	uint32_t c;

	if (!len || (size_t)len > size)
		return 0;
	c = len == 1 ? b[0] : b[0] & (0x7fU >> len);
	for (int i = 1; i < len; i++) {
		if ((b[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (b[i] & 0x3fU);
	}
	if (c < smallest[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*ret = c;
	return len;
}

bool rwk_text_is_unprintable(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}

static int escape(char *out, uint32_t c)
{
	if (c == '\n')
		return sprintf(out, "\\n");
	if (c == '\t')
		return sprintf(out, "\\t");
	if (c < 0x80)
		return sprintf(out, "\\x%02x", c);
	return sprintf(out, "\\u{%x}", c);
}

char *rwk_text_for_table(const char *text, size_t size, int *ret_width)
{
	/* The longest escape, of one byte or of a character of two or more: \u{10ffff}. */
	char *out = malloc(size * 10 + 1), *p = out;
	int width = 0;

	if (!out)
		return NULL;
	for (size_t i = 0; i < size;) {
		uint32_t c;
		int len = rwk_text_decode(text + i, size - i, &c), n;

		if (!len)
			n = sprintf(p, "\\x%02x", (unsigned char)text[i]);
		else if (rwk_text_is_unprintable(c))
			n = escape(p, c);
		else if (c == '\\')
			n = sprintf(p, "\\\\");
		else
			n = 0;
		width += n ? n : 1;
		if (!n) {
			memcpy(p, text + i, (size_t)len);
			n = len;
		}
		p += n;
		i += len ? (size_t)len : 1;
	}
	*p = '\0';
	*ret_width = width;
	return out;
}

void rwk_text_of_real(double r, char *buf, size_t size)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buf, size, "%.*g", digits, r);
		if (strtod(buf, NULL) == r)
			break;
	}
	if (isfinite(r) && !strpbrk(buf, ".e"))
		strncat(buf, ".0", size - strlen(buf) - 1);
}

static char *hex_of(const struct rwk_value *v, size_t *ret_size)
{
	size_t size = (size_t)v->size * 2 + 3;
	char *out = malloc(size + 1), *p = out;

	if (!out)
		return NULL;
	p += sprintf(p, "x'");
	for (int i = 0; i < v->size; i++)
		p += sprintf(p, "%02x", (unsigned char)v->text[i]);
	sprintf(p, "'");
	*ret_size = size;
	return out;
}

char *rwk_text_of_value(const struct rwk_value *v, size_t *ret_size)
{
	char number[64] = "", *out;

	switch (v->type) {
	case RWK_VALUE_BLOB:
		return hex_of(v, ret_size);
	case RWK_VALUE_TEXT:
		out = malloc((size_t)v->size + 1);
		if (!out)
			return NULL;
		memcpy(out, v->text, (size_t)v->size);
		out[v->size] = '\0';
		*ret_size = (size_t)v->size;
		return out;
	case RWK_VALUE_INT:
		snprintf(number, sizeof(number), "%lld", (long long)v->i);
		break;
	case RWK_VALUE_REAL:
		rwk_text_of_real(v->r, number, sizeof(number));
		break;
	case RWK_VALUE_NULL:
		break;
	}
	*ret_size = strlen(number);
	return strdup(number);
}
