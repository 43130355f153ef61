/*
 * Writes small perf.data files from nothing, in memory: files and streams, in
 * both byte orders, with whatever sample layout, records and damage a test needs.
 */
#ifndef TESTS_UNIT_PERF_BUILD_H
#define TESTS_UNIT_PERF_BUILD_H

#include "tracedat_build.h"

#define PB_CPUS 4 /* of the machine that it tells of: two cores of two threads, two nodes */

/* Bits of a sample type. */
enum {
	PB_IP = 1 << 0,
	PB_TID = 1 << 1,
	PB_TIME = 1 << 2,
	PB_ADDR = 1 << 3,
	PB_READ = 1 << 4,
	PB_CALLCHAIN = 1 << 5,
	PB_ID = 1 << 6,
	PB_CPU = 1 << 7,
	PB_PERIOD = 1 << 8,
	PB_STREAM_ID = 1 << 9,
	PB_RAW = 1 << 10,
	PB_IDENTIFIER = 1 << 16,
	PB_USUAL = PB_IP | PB_TID | PB_TIME | PB_CPU | PB_PERIOD | PB_RAW | PB_IDENTIFIER,
};

/* Parts that a file can be written without. */
enum {
	PB_NO_FORMATS = 1 << 0,
	PB_NO_CPUS = 1 << 1, /* neither their number nor their topology */
	PB_NO_IDS = 1 << 2, /* of the attributes */
	PB_NO_ID_INDEX = 1 << 3,
	PB_NO_TRAILERS = 1 << 4, /* of records other than samples */
	PB_NO_SIZE = 1 << 5, /* of the data: perf did not come to its end */
	PB_DIRECTORY = 1 << 6, /* says that its data is in other files */
	PB_ODD_FEATURE = 1 << 7, /* one of a number that nobody knows */
};

struct pb_perf {
	/* Set before anything else is written. */
	struct tb_trace trace; /* formats, byte order, size of long */
	bool pipe;
	int pack; /* bytes of records in one compressed record; 0: not compressed */
	bool padded; /* compressed records of the newer kind */
	uint64_t sample_type, read_format;
	int nr_attrs; /* of the trace's formats in their order; 0: of all */
	int without; /* PB_NO_… */
	bool of_task; /* each event follows one task, on whatever CPU that is */
	bool shifted; /* thread ids of samples are other than those of records */
	bool exiting; /* samples are of tasks that have no thread id any more */

	struct tb_bytes records, waiting; /* waiting: to be compressed */
	void *zstd;
};

void pb_init(struct pb_perf *p, bool big_endian);
void pb_finish(struct pb_perf *p);

/* One sample of the attribute of r's format; tid is that of its common_pid. */
void pb_sample(struct pb_perf *p, int cpu, uint64_t ts, const struct tb_record *r);
void pb_switch(struct pb_perf *p, int cpu, uint64_t ts, int prev, int64_t state, int next);
void pb_task(struct pb_perf *p, int cpu, uint64_t ts, const struct tb_format *fmt, int who, int tid,
	int target);
void pb_migrate(struct pb_perf *p, int cpu, uint64_t ts, int tid, int from, int to);

/* What the kernel writes where there is room again. */
void pb_lost(struct pb_perf *p, int cpu, uint64_t ts, uint64_t count);
/* What perf writes at the end: the sum of one event on one CPU. */
void pb_lost_samples(struct pb_perf *p, const struct tb_format *fmt, int cpu, uint64_t count);
/* Which id is of which CPU. */
void pb_id_index(struct pb_perf *p);
void pb_round(struct pb_perf *p);
/* Any record, packed with the others if they are. */
void pb_record(struct pb_perf *p, int type, int misc, const void *body, size_t size);
/* Any bytes, as they are, in their place among the records. */
void pb_bytes(struct pb_perf *p, const void *data, size_t size);

/* The file; free() ret->data. */
void pb_build(struct pb_perf *p, struct tb_bytes *ret);

#endif
