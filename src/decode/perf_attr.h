/*
 * The attributes of a perf.data, each the description of one event as it was
 * opened, and what follows from them: where the fields of a sample lie, and
 * whose sample a record is.
 */
#ifndef SRC_DECODE_PERF_ATTR_H
#define SRC_DECODE_PERF_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/map.h"
#include "decode/cursor.h"

/* Numbers of the interface between kernel and perf that matter here. */
enum {
	RWK_PERF_TYPE_TRACEPOINT = 2,

	RWK_PERF_SAMPLE_IP = 1 << 0,
	RWK_PERF_SAMPLE_TID = 1 << 1,
	RWK_PERF_SAMPLE_TIME = 1 << 2,
	RWK_PERF_SAMPLE_ADDR = 1 << 3,
	RWK_PERF_SAMPLE_READ = 1 << 4,
	RWK_PERF_SAMPLE_CALLCHAIN = 1 << 5,
	RWK_PERF_SAMPLE_ID = 1 << 6,
	RWK_PERF_SAMPLE_CPU = 1 << 7,
	RWK_PERF_SAMPLE_PERIOD = 1 << 8,
	RWK_PERF_SAMPLE_STREAM_ID = 1 << 9,
	RWK_PERF_SAMPLE_RAW = 1 << 10,
	RWK_PERF_SAMPLE_IDENTIFIER = 1 << 16,

	RWK_PERF_READ_ENABLED = 1 << 0,
	RWK_PERF_READ_RUNNING = 1 << 1,
	RWK_PERF_READ_ID = 1 << 2,
	RWK_PERF_READ_GROUP = 1 << 3,
	RWK_PERF_READ_LOST = 1 << 4,
};

/* Places in a record; -1: not there. */
struct rwk_perf_places {
	int id, tid, time, cpu;
};

struct rwk_perf_attr {
	uint32_t type;
	uint64_t config; /* of a tracepoint: the event id */
	uint64_t sample_type, read_format;
	bool sample_id_all; /* records other than samples tell time and CPU too */
	int clockid; /* -1: the kernel's own clock */
	struct rwk_perf_places at; /* of a sample, in bytes from the end of its header */
	int fixed; /* bytes of a sample that all have, behind which lie those of varying size */
	struct rwk_perf_places back; /* of other records, in bytes from their end */
	int trailer; /* bytes of those */
};

/* An id is one attribute on one CPU (or of one thread). */
struct rwk_perf_id {
	int32_t attr; /* index */
	int32_t cpu; /* RWK_NONE unknown, or more than one */
	bool several; /* CPUs */
};

struct rwk_perf_attrs {
	struct rwk_perf_attr *attr;
	size_t nr, cap;
	struct rwk_perf_id *id;
	size_t nr_ids, cap_ids;
	size_t nr_named; /* ids as often as they were named */
	struct rwk_map index; /* of an id in id[] */
	uint64_t last_id; /* the last one looked up … */
	struct rwk_perf_id *last; /* … and what came of it; NULL none */
	/* Where every sample and every trailer has its id; -1: nowhere, or not all in one place. */
	int id_at, id_back;
};

/*
 * Adds one attribute out of size bytes, which a newer perf may have more of.
 * -EBADMSG when they are too few or contradict themselves; -ENOMEM.
 */
int rwk_perf_attrs_add(struct rwk_perf_attrs *a, const unsigned char *data, size_t size,
	bool big_endian, size_t *ret_index);

/* Names an id of an attribute.  -EBADMSG when there are too many; -ENOMEM. */
int rwk_perf_attrs_add_id(struct rwk_perf_attrs *a, uint64_t id, size_t attr);

/* After the last add: finds the places that all attributes share. */
void rwk_perf_attrs_settle(struct rwk_perf_attrs *a);

void rwk_perf_attrs_finish(struct rwk_perf_attrs *a);

/* NULL: no such id. */
struct rwk_perf_id *rwk_perf_attrs_find(struct rwk_perf_attrs *a, uint64_t id);

/* An id was seen on, or is said to belong to, this CPU. */
void rwk_perf_id_learn(struct rwk_perf_id *id, int32_t cpu);

#endif
