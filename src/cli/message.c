/* Messages to people. */
#include "cli/message.h"

#include <stdarg.h>
#include <stdio.h>

/* Words of files may be any bytes: those that could harm a terminal are escaped. */
static void put(const char *text)
{
	while (*text) {
		size_t n = 0;

		while (text[n] == '\n' || text[n] == '\t' ||
			((unsigned char)text[n] >= ' ' && text[n] != 0x7f))
			n++;
		fwrite(text, 1, n, stderr);
		text += n;
		if (*text)
			fprintf(stderr, "\\x%02x", (unsigned char)*text++);
	}
}

void rwk_msg_error(const struct rwk_diag *diag, const char *fmt, ...)
{
	char text[8192], causes[RWK_DIAG_MAX * (RWK_DIAG_TEXT + 2)] = "";
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (diag)
		rwk_diag_format(diag, causes, sizeof(causes));
	fputs("rewake: ", stderr);
	put(text);
	put(causes[0] ? ": " : "");
	put(causes);
	fputc('\n', stderr);
}

void rwk_msg_note(const char *fmt, ...)
{
	char text[16384];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fputs("rewake: note: ", stderr);
	put(text);
	fputc('\n', stderr);
}
