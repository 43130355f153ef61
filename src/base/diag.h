/*
 * Chain of causes of one failure, outermost last.  Rooms below cli never print
 * and never exit: they push what was attempted and the facts, and return a
 * negative errno.
 */
#ifndef SRC_BASE_DIAG_H
#define SRC_BASE_DIAG_H

#include <stddef.h>

#define RWK_DIAG_MAX  8 /* causes kept; further ones are dropped, the first ones matter */
#define RWK_DIAG_TEXT 512 /* bytes of one cause */

struct rwk_diag {
	int nr;
	char cause[RWK_DIAG_MAX][RWK_DIAG_TEXT];
};

/*
 * Adds a cause, printf-like: "cannot decode sched_switch: file=%s cpu=%d …".
 * Returns err unchanged, so that "return rwk_diag_push(diag, -EBADMSG, …)" works.
 * diag may be NULL.
 */
int rwk_diag_push(struct rwk_diag *diag, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

void rwk_diag_clear(struct rwk_diag *diag);

/* All causes, outermost first, joined with ": " into buf (always terminated). */
void rwk_diag_format(const struct rwk_diag *diag, char *buf, size_t size);

#endif
