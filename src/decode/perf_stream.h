/*
 * The records of a perf.data one after the other, those that were packed
 * together with zstd unpacked, and what follows some records in the file skipped.
 */
#ifndef SRC_DECODE_PERF_STREAM_H
#define SRC_DECODE_PERF_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/file.h"
#include "decode/inflate.h"

/* Types below 64 are the kernel's, the others perf's own. */
enum rwk_perf_type {
	RWK_PERF_RECORD_LOST = 2,
	RWK_PERF_RECORD_SAMPLE = 9,
	RWK_PERF_RECORD_LOST_SAMPLES = 13,
	RWK_PERF_RECORD_KERNEL_LAST = 21, /* all up to here are known */
	RWK_PERF_RECORD_HEADER_ATTR = 64,
	RWK_PERF_RECORD_HEADER_TRACING_DATA = 66,
	RWK_PERF_RECORD_FINISHED_ROUND = 68,
	RWK_PERF_RECORD_ID_INDEX = 69,
	RWK_PERF_RECORD_AUXTRACE = 71,
	RWK_PERF_RECORD_HEADER_FEATURE = 80,
	RWK_PERF_RECORD_COMPRESSED = 81,
	RWK_PERF_RECORD_COMPRESSED2 = 83,
	RWK_PERF_RECORD_PERF_LAST = 83, /* from 64 on all up to here are known */
};

#define RWK_PERF_HEADER 8 /* bytes: type, misc, size */

struct rwk_perf_record {
	const unsigned char *data; /* with its header; valid until the next call */
	uint32_t size;
	uint32_t type;
	int64_t offset; /* in the file; of the record that it was packed in */
	int64_t extra; /* offset of what follows it and is no record, or of a long part of it; 0
			  nothing */
	int64_t extra_size; /* as far as the file goes */
};

struct rwk_perf_stream {
	const struct rwk_file *file;
	bool swap;
	bool cut; /* the file ends before the data, as its header has it, does */
	int64_t pos, end; /* of the next record, and of all */
	unsigned char *window;
	int64_t window_pos;
	size_t window_len;
	struct rwk_inflate *inflate; /* NULL until the first packed record */
	const unsigned char *packed; /* in the window, of the record at packed_at */
	size_t packed_size, packed_pos;
	int64_t packed_at;
	unsigned char *plain;
	size_t plain_len, plain_pos;
	bool plain_full; /* there may be more to come without another input byte */
	int64_t cut_at; /* where the readable part ended before its end; RWK_NONE it did not */
	const char *why; /* with cut_at */
};

/* end: of the data as the file says; clipped to the file.  0 or -ENOMEM. */
int rwk_perf_stream_open(struct rwk_perf_stream *s, const struct rwk_file *file, int64_t from,
	int64_t end, bool swap);

/* Safe on a zeroed one. */
void rwk_perf_stream_close(struct rwk_perf_stream *s);

/*
 * 1; 0 at the end, then cut_at tells whether that is the whole; a negative
 * errno of reading.  What is damaged ends it, since no record tells where the
 * next one is but the one before it.
 */
int rwk_perf_stream_next(
	struct rwk_perf_stream *s, struct rwk_perf_record *ret, struct rwk_diag *diag);

#endif
