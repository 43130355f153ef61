/* Messages to people. */
#include "cli/message.h"

#include <stdarg.h>
#include <stdio.h>

void rwk_msg_error(const struct rwk_diag *diag, const char *fmt, ...)
{
	char causes[RWK_DIAG_MAX * (RWK_DIAG_TEXT + 2)] = "";
	va_list ap;

	fputs("rewake: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	if (diag)
		rwk_diag_format(diag, causes, sizeof(causes));
	fprintf(stderr, "%s%s\n", causes[0] ? ": " : "", causes);
}

void rwk_msg_note(const char *fmt, ...)
{
	va_list ap;

	fputs("rewake: note: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}
