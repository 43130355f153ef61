/*
 * Hash map from a 64-bit key to a 32-bit value: open addressing, no removal.
 * Grows by doubling; nothing is allocated on a look-up or on a hit.
 */
#ifndef SRC_BASE_MAP_H
#define SRC_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct rwk_map_slot {
	uint64_t key;
	int32_t value;
	int32_t used;
};

struct rwk_map {
	struct rwk_map_slot *slot;
	size_t nr_slots; /* power of two, or 0 */
	size_t nr_used;
};

void rwk_map_finish(struct rwk_map *map);

/* The key's slot, or the free one that it would get.  There must be slots. */
static inline struct rwk_map_slot *rwk_map_locate(const struct rwk_map *map, uint64_t key)
{
	/* Ids are small and dense, alone or in pairs: a product's upper half mixes them well. */
	size_t i = (key ^ key >> 32) * UINT64_C(0xbf58476d1ce4e5b9) >> 32 & (map->nr_slots - 1);

	while (map->slot[i].used && map->slot[i].key != key)
		i = (i + 1) & (map->nr_slots - 1);
	return &map->slot[i];
}

/* The value's address, valid until the next add; NULL if absent. */
static inline int32_t *rwk_map_find(const struct rwk_map *map, uint64_t key)
{
	struct rwk_map_slot *slot = map->nr_slots ? rwk_map_locate(map, key) : NULL;

	return slot && slot->used ? &slot->value : NULL;
}

/* Sets key to value, adding it if absent.  0 or -ENOMEM. */
int rwk_map_set(struct rwk_map *map, uint64_t key, int32_t value);

#endif
