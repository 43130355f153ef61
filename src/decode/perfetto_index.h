/*
 * Where a Perfetto trace holds what ftrace recorded: one pass over its packets,
 * which stand in any order, so that each CPU's can be read one after the other.
 * Packets that were packed together are unpacked into a temporary file.
 */
#ifndef SRC_DECODE_PERFETTO_INDEX_H
#define SRC_DECODE_PERFETTO_INDEX_H

#include <stdint.h>

#include "decode/decoder.h"
#include "decode/file.h"

/* Largest packet that is read.  What Perfetto writes is a fraction of that. */
#define RWK_PERFETTO_MAX_PACKET (32 << 20)

/* A bundle: events of one CPU in the order of their time. */
struct rwk_perfetto_ref {
	int64_t offset; /* of the bundle in its file */
	int64_t place; /* of its packet in the trace, for messages */
	uint32_t size;
	int32_t cpu;
	int32_t sequence; /* which of those in the trace, from 0 */
	bool spooled; /* in the temporary file */
};

struct rwk_perfetto_index {
	struct rwk_perfetto_ref *ref; /* by CPU, and of each in the order of the trace */
	size_t nr_refs, cap_refs;
	int64_t bytes; /* of all bundles */
	int fd; /* of the temporary file; -1 none */
};

/*
 * Fills info but for the counts of events.  Of several data sources that all
 * recorded ftrace, the one with most data is taken, the others are counted as
 * other buffers: they have the same events again.  0, or a negative errno.
 */
int rwk_perfetto_index_read(struct rwk_perfetto_index *x, const struct rwk_file *file,
	struct rwk_trace_info *info, struct rwk_diag *diag);

void rwk_perfetto_index_finish(struct rwk_perfetto_index *x);

/* The bundle's bytes into buf of ref->size.  0, -EBADMSG if they are gone, or what failed. */
int rwk_perfetto_index_load(const struct rwk_perfetto_index *x, const struct rwk_file *file,
	const struct rwk_perfetto_ref *ref, void *buf, struct rwk_diag *diag);

#endif
