/* Open-addressing hash map with linear probing. */
#include "base/map.h"

#include <errno.h>
#include <stdlib.h>

/* splitmix64's finaliser: tids are small and dense, so that the low bits need mixing. */
static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

void rwk_map_finish(struct rwk_map *map)
{
	free(map->slot);
	*map = (struct rwk_map){0};
}

static struct rwk_map_slot *locate(const struct rwk_map *map, uint64_t key)
{
	size_t i = mix(key) & (map->nr_slots - 1);

	while (map->slot[i].used && map->slot[i].key != key)
		i = (i + 1) & (map->nr_slots - 1);
	return &map->slot[i];
}

int32_t *rwk_map_find(const struct rwk_map *map, uint64_t key)
{
	struct rwk_map_slot *slot;

	if (!map->nr_slots)
		return NULL;
	slot = locate(map, key);
	return slot->used ? &slot->value : NULL;
}

static int grow(struct rwk_map *map)
{
	struct rwk_map next = {.nr_slots = map->nr_slots ? map->nr_slots * 2 : 64};

	next.slot = calloc(next.nr_slots, sizeof(*next.slot));
	if (!next.slot)
		return -ENOMEM;
	for (size_t i = 0; i < map->nr_slots; i++) {
		if (map->slot[i].used)
			*locate(&next, map->slot[i].key) = map->slot[i];
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
	slot = locate(map, key);
	if (!slot->used) {
		slot->used = 1;
		slot->key = key;
		map->nr_used++;
	}
	slot->value = value;
	return 0;
}
