/* Messages to people, on stderr, each beginning with the program's name. */
#ifndef SRC_CLI_MESSAGE_H
#define SRC_CLI_MESSAGE_H

#include "base/diag.h"

/* "rewake: TEXT: cause: cause"; diag may be NULL. */
void rwk_msg_error(const struct rwk_diag *diag, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* "rewake: note: TEXT": what the user should know although the work was done. */
void rwk_msg_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
