/* Attributes, ids, and the places of fields, which follow from bits alone. */
#include "decode/perf_attr.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "decode/bytes.h"

#include <rewake/types.h>

#define MIN_ATTR  64 /* bytes of the first published version */
#define MAX_ATTRS (1 << 16)
#define MAX_IDS   (1 << 20) /* 1024 CPUs times 1024 events */

/* Bit fields are numbered from the other end on big-endian machines. */
static bool flag(uint64_t flags, int n, bool big_endian)
{
	return flags >> (big_endian ? 63 - n : n) & 1;
}

/* Takes the next place, if the sample type has the field. */
static int take(const struct rwk_perf_attr *a, uint64_t bit, int *at)
{
	int place = *at;

	if (!(a->sample_type & bit))
		return -1;
	*at += 8;
	return place;
}

static void place_sample(struct rwk_perf_attr *a)
{
	int at = 0, early, late;

	early = take(a, RWK_PERF_SAMPLE_IDENTIFIER, &at);
	take(a, RWK_PERF_SAMPLE_IP, &at);
	a->at.tid = take(a, RWK_PERF_SAMPLE_TID, &at);
	a->at.time = take(a, RWK_PERF_SAMPLE_TIME, &at);
	take(a, RWK_PERF_SAMPLE_ADDR, &at);
	late = take(a, RWK_PERF_SAMPLE_ID, &at);
	take(a, RWK_PERF_SAMPLE_STREAM_ID, &at);
	a->at.cpu = take(a, RWK_PERF_SAMPLE_CPU, &at);
	take(a, RWK_PERF_SAMPLE_PERIOD, &at);
	a->at.id = early >= 0 ? early : late;
	a->fixed = at;
}

/* The same fields in the order of a trailer, counted from its end. */
static void place_trailer(struct rwk_perf_attr *a)
{
	int at = 0, early, late;

	a->back = (struct rwk_perf_places){-1, -1, -1, -1};
	if (!a->sample_id_all)
		return;
	a->back.tid = take(a, RWK_PERF_SAMPLE_TID, &at);
	a->back.time = take(a, RWK_PERF_SAMPLE_TIME, &at);
	early = take(a, RWK_PERF_SAMPLE_ID, &at);
	take(a, RWK_PERF_SAMPLE_STREAM_ID, &at);
	a->back.cpu = take(a, RWK_PERF_SAMPLE_CPU, &at);
	late = take(a, RWK_PERF_SAMPLE_IDENTIFIER, &at);
	a->back.id = late >= 0 ? late : early;
	a->trailer = at;
	a->back.tid = a->back.tid < 0 ? -1 : at - a->back.tid;
	a->back.time = a->back.time < 0 ? -1 : at - a->back.time;
	a->back.cpu = a->back.cpu < 0 ? -1 : at - a->back.cpu;
	a->back.id = a->back.id < 0 ? -1 : at - a->back.id;
}

int rwk_perf_attrs_add(struct rwk_perf_attrs *a, const unsigned char *data, size_t size,
	bool big_endian, size_t *ret_index)
{
	bool swap = rwk_bytes_swap(big_endian);
	struct rwk_perf_attr attr = {.clockid = -1};
	uint64_t flags;
	uint32_t said;
	int err;

	if (size < MIN_ATTR || a->nr == MAX_ATTRS)
		return -EBADMSG;
	/* What it says of its own size; 0 stands for the first version's. */
	said = rwk_bytes_u32(data + 4, swap);
	if (said && (said < MIN_ATTR || said > size))
		return -EBADMSG;
	attr.type = rwk_bytes_u32(data, swap);
	attr.config = rwk_bytes_u64(data + 8, swap);
	attr.sample_type = rwk_bytes_u64(data + 24, swap);
	attr.read_format = rwk_bytes_u64(data + 32, swap);
	flags = rwk_bytes_u64(data + 40, swap);
	attr.sample_id_all = flag(flags, 18, big_endian);
	if (flag(flags, 25, big_endian) && said >= 96)
		attr.clockid = (int)rwk_bytes_u32(data + 92, swap);
	place_sample(&attr);
	place_trailer(&attr);
	err = rwk_vec_grow(&a->attr, &a->cap, a->nr + 1, sizeof(*a->attr));
	if (err)
		return err;
	*ret_index = a->nr;
	a->attr[a->nr++] = attr;
	return 0;
}

int rwk_perf_attrs_add_id(struct rwk_perf_attrs *a, uint64_t id, size_t attr)
{
	int32_t *known;
	int err;

	/* Many attributes can claim the same large part of a file. */
	if (a->nr_named++ == MAX_IDS)
		return -EBADMSG;
	known = rwk_map_find(&a->index, id);
	if (known) {
		a->id[*known].attr = (int32_t)attr;
		return 0;
	}
	err = rwk_vec_grow(&a->id, &a->cap_ids, a->nr_ids + 1, sizeof(*a->id));
	if (!err)
		err = rwk_map_set(&a->index, id, (int32_t)a->nr_ids);
	if (err)
		return err;
	a->id[a->nr_ids++] = (struct rwk_perf_id){.attr = (int32_t)attr, .cpu = RWK_NONE};
	a->last = NULL;
	return 0;
}

void rwk_perf_attrs_settle(struct rwk_perf_attrs *a)
{
	a->id_at = a->nr ? a->attr[0].at.id : -1;
	a->id_back = a->nr ? a->attr[0].back.id : -1;
	for (size_t i = 1; i < a->nr; i++) {
		if (a->attr[i].at.id != a->id_at)
			a->id_at = -1;
		if (a->attr[i].back.id != a->id_back)
			a->id_back = -1;
	}
	a->last = NULL;
}

void rwk_perf_attrs_finish(struct rwk_perf_attrs *a)
{
	free(a->attr);
	free(a->id);
	rwk_map_finish(&a->index);
	*a = (struct rwk_perf_attrs){0};
}

struct rwk_perf_id *rwk_perf_attrs_find(struct rwk_perf_attrs *a, uint64_t id)
{
	int32_t *index;

	if (a->last && a->last_id == id)
		return a->last;
	index = rwk_map_find(&a->index, id);
	if (!index)
		return NULL;
	a->last_id = id;
	a->last = &a->id[*index];
	return a->last;
}

void rwk_perf_id_learn(struct rwk_perf_id *id, int32_t cpu)
{
	if (id->cpu == cpu || id->several)
		return;
	id->several = id->cpu != RWK_NONE;
	id->cpu = id->several ? RWK_NONE : cpu;
}
