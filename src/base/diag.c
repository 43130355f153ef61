/* Chain of causes: fixed storage, so that reporting a failure cannot fail. */
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int rwk_diag_push(struct rwk_diag *diag, int err, const char *fmt, ...)
{
	va_list ap;

	if (!diag || diag->nr == RWK_DIAG_MAX)
		return err;
	va_start(ap, fmt);
	vsnprintf(diag->cause[diag->nr++], RWK_DIAG_TEXT, fmt, ap);
	va_end(ap);
	return err;
}

void rwk_diag_clear(struct rwk_diag *diag)
{
	diag->nr = 0;
}

void rwk_diag_format(const struct rwk_diag *diag, char *buf, size_t size)
{
	size_t used = 0;

	if (size)
		buf[0] = '\0';
	for (int i = diag->nr - 1; i >= 0 && used < size; i--) {
		int n = snprintf(buf + used, size - used, "%s%s", i < diag->nr - 1 ? ": " : "",
			diag->cause[i]);
		if (n < 0)
			return;
		used += (size_t)n;
	}
}
