/* A progress line on a terminal, once work takes over a second. */
#ifndef SRC_CLI_PROGRESS_H
#define SRC_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct rwk_progress {
	const char *what;
	bool terminal, shown;
	int64_t start_ns, last_ns;
};

void rwk_progress_begin(struct rwk_progress *p, const char *what);
/* permille 0…1000, negative when the end is unknown; nr events done.  Cheap enough for every few
 * thousand. */
void rwk_progress_update(struct rwk_progress *p, int permille, int64_t nr);
/* Erases the line. */
void rwk_progress_end(struct rwk_progress *p);

#endif
