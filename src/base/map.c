/* Open-addressing hash map with linear probing. */
#include "base/map.h"

#include <errno.h>
#include <stdlib.h>

void rwk_map_finish(struct rwk_map *map)
{
	free(map->slot);
	*map = (struct rwk_map){0};
}

static int grow(struct rwk_map *map)
{
	struct rwk_map next = {.nr_slots = map->nr_slots ? map->nr_slots * 2 : 64};

	next.slot = calloc(next.nr_slots, sizeof(*next.slot));
	if (!next.slot)
		return -ENOMEM;
	for (size_t i = 0; i < map->nr_slots; i++) {
		if (map->slot[i].used)
			*rwk_map_locate(&next, map->slot[i].key) = map->slot[i];
	}
	next.nr_used = map->nr_used;
	free(map->slot);
	*map = next;
	return 0;
}

int rwk_map_set(struct rwk_map *map, uint64_t key, int32_t value)
{
	struct rwk_map_slot *slot;

	/* At most three quarters full, so that probing stays short. */
	if (map->nr_used * 4 >= map->nr_slots * 3) {
		int err = grow(map);
		if (err)
			return err;
	}
	slot = rwk_map_locate(map, key);
	if (!slot->used) {
		slot->used = 1;
		slot->key = key;
		map->nr_used++;
	}
	slot->value = value;
	return 0;
}
