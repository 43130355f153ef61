/* The progress line. */
#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

void rwk_progress_begin(struct rwk_progress *p, const char *what)
{
	*p = (struct rwk_progress){.what = what, .terminal = isatty(STDERR_FILENO)};
	p->start_ns = p->last_ns = now_ns();
}

void rwk_progress_update(struct rwk_progress *p, int permille, int64_t nr)
{
	int64_t now;

	if (!p->terminal)
		return;
	now = now_ns();
	if (now - p->start_ns < 1000000000 || now - p->last_ns < 200000000)
		return;
	p->last_ns = now;
	p->shown = true;
	if (permille < 0)
		fprintf(stderr, "\r%s: %lld events", p->what, (long long)nr);
	else
		fprintf(stderr, "\r%s: %3d.%d %%, %lld events", p->what, permille / 10,
			permille % 10, (long long)nr);
}

void rwk_progress_end(struct rwk_progress *p)
{
	if (p->shown)
		fprintf(stderr, "\r\033[K");
	p->shown = false;
}
