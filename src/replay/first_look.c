/* A CPU's first event tells who was there before. */
#include "replay/first_look.h"

#include <errno.h>
#include <stdlib.h>

enum seen { NOTHING_YET, IDLE, OTHERWISE };

struct rwk_first_look {
	int nr_cpus;
	enum seen cpu[]; /* [nr_cpus] */
};

int rwk_first_look_create(int nr_cpus, struct rwk_first_look **ret)
{
	struct rwk_first_look *look =
		calloc(1, sizeof(*look) + (size_t)nr_cpus * sizeof(look->cpu[0]));

	if (!look)
		return -ENOMEM;
	look->nr_cpus = nr_cpus;
	*ret = look;
	return 0;
}

void rwk_first_look_destroy(struct rwk_first_look *look)
{
	free(look);
}

void rwk_first_look_take(struct rwk_first_look *look, const struct rwk_feed_item *it)
{
	const struct rwk_event *ev = &it->ev;

	if (ev->cpu < 0 || ev->cpu >= look->nr_cpus || look->cpu[ev->cpu] != NOTHING_YET)
		return;
	look->cpu[ev->cpu] = ev->kind != RWK_EV_LOST && ev->tid == 0 ? IDLE : OTHERWISE;
}

bool rwk_first_look_idle(const struct rwk_first_look *look, int cpu)
{
	return cpu >= 0 && cpu < look->nr_cpus && look->cpu[cpu] == IDLE;
}
