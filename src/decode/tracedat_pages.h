/*
 * The records of one CPU out of its ring-buffer pages, read from the file block
 * by block, or chunk by chunk where they are compressed.
 */
#ifndef SRC_DECODE_TRACEDAT_PAGES_H
#define SRC_DECODE_TRACEDAT_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/file.h"
#include "decode/tracedat_layout.h"
#include "event/anomaly.h"

/* Why there is a gap in front of a record; sums up when pages without records lie between. */
struct rwk_gap {
	bool present;
	int64_t count; /* events lost, RWK_NONE unknown */
};

struct rwk_record {
	const unsigned char *data; /* valid until the next call */
	uint32_t size;
	uint64_t ts;
	int64_t offset; /* in the file; of its chunk's data when compressed */
	struct rwk_gap gap;
};

struct rwk_pages;

/* What all CPUs of a file share while they are read. */
struct rwk_pages_env {
	const struct rwk_file *file;
	const struct rwk_tracedat_layout *layout;
	struct rwk_anomalies *anomalies;
	size_t block; /* bytes to read at once, at least a page */
	unsigned char *scratch; /* packed bytes of one chunk */
	size_t scratch_size;
};

/* Reads nothing yet.  0 or -ENOMEM. */
int rwk_pages_open(
	struct rwk_pages_env *env, const struct rwk_tracedat_cpu *cpu, struct rwk_pages **ret);

void rwk_pages_close(struct rwk_pages *p);

/*
 * 1, 0 at the end, negative errno.  Pages that cannot be are counted and
 * skipped, and leave a gap, which belongs to the next record.
 */
int rwk_pages_next(struct rwk_pages *p, struct rwk_record *ret, struct rwk_diag *diag);

/* After the end: a gap that no record comes behind. */
struct rwk_gap rwk_pages_gap_at_end(const struct rwk_pages *p);

/* Bytes of the file behind it. */
int64_t rwk_pages_consumed(const struct rwk_pages *p);

/* Where the file stopped in the middle of this CPU; RWK_NONE if it did not. */
int64_t rwk_pages_cut_at(const struct rwk_pages *p);

#endif
