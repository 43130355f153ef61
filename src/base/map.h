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
/* The value's address, valid until the next add; NULL if absent. */
int32_t *rwk_map_find(const struct rwk_map *map, uint64_t key);
/* Sets key to value, adding it if absent.  0 or -ENOMEM. */
int rwk_map_set(struct rwk_map *map, uint64_t key, int32_t value);

#endif
