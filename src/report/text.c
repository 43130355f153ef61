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

#define MAX_ESCAPE 12 /* bytes: \u{10ffff} */

static int escape(char buf[MAX_ESCAPE], uint32_t c)
{
	if (c == '\\')
		return snprintf(buf, MAX_ESCAPE, "\\\\");
	if (c == '\n')
		return snprintf(buf, MAX_ESCAPE, "\\n");
	if (c == '\t')
		return snprintf(buf, MAX_ESCAPE, "\\t");
	if (c < 0x80)
		return snprintf(buf, MAX_ESCAPE, "\\x%02x", c);
	return snprintf(buf, MAX_ESCAPE, "\\u{%x}", c);
}

char *rwk_text_for_table(const char *text, size_t size, int *ret_width)
{
	char *out = malloc(size * MAX_ESCAPE + 1), *p = out;
	int width = 0;

	if (!out)
		return NULL;
	for (size_t i = 0; i < size;) {
		char buf[MAX_ESCAPE];
		uint32_t c;
		int len = rwk_text_decode(text + i, size - i, &c), n = 0;

		if (!len)
			n = snprintf(buf, sizeof(buf), "\\x%02x", (unsigned char)text[i]);
		else if (rwk_text_is_unprintable(c) || c == '\\')
			n = escape(buf, c);
		if (n) {
			memcpy(p, buf, (size_t)n);
			width += n;
			p += n;
		} else {
			memcpy(p, text + i, (size_t)len);
			width++;
			p += len;
		}
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
	static const char digits[] = "0123456789abcdef";
	size_t size = (size_t)v->size * 2 + 3;
	char *out = malloc(size + 1), *p = out;

	if (!out)
		return NULL;
	*p++ = 'x';
	*p++ = '\'';
	for (int i = 0; i < v->size; i++) {
		*p++ = digits[(unsigned char)v->text[i] >> 4];
		*p++ = digits[v->text[i] & 0xf];
	}
	*p++ = '\'';
	*p = '\0';
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

void rwk_text_put_json(FILE *out, const char *text, size_t size)
{
	fputc('"', out);
	for (size_t i = 0; i < size;) {
		uint32_t c;
		int len = rwk_text_decode(text + i, size - i, &c);

		if (!len) {
			fputs("\\ufffd", out);
			i++;
			continue;
		}
		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", (int)c);
		/* U+2028 and U+2029 end a line where JSON is taken for a script. */
		else if (c < 0x20 || c == 0x7f || c == 0x2028 || c == 0x2029)
			fprintf(out, "\\u%04x", c);
		else
			fwrite(text + i, 1, (size_t)len, out);
		i += (size_t)len;
	}
	fputc('"', out);
}
