/* What one record of a perf.data says, by the attribute that it belongs to. */
#ifndef SRC_DECODE_PERF_SAMPLE_H
#define SRC_DECODE_PERF_SAMPLE_H

#include "decode/perf_attr.h"
#include "decode/perf_stream.h"

#include <rewake/types.h>

struct rwk_perf_sample {
	struct rwk_perf_id *id; /* NULL: of no id that is known */
	const struct rwk_perf_attr *attr;
	rwk_ns ts; /* RWK_NS_NONE: it does not say */
	int32_t cpu, tid, tgid; /* RWK_NONE: likewise; a CPU may be any number */
	const unsigned char *raw; /* NULL: it has none */
	uint32_t raw_size;
};

/*
 * A sample.  -EBADMSG when nothing tells whose it is, or when it is shorter
 * than its own fields; ret has what was found by then.
 */
int rwk_perf_sample_read(struct rwk_perf_attrs *attrs, const struct rwk_perf_record *rec, bool swap,
	struct rwk_perf_sample *ret);

/*
 * Time, CPU and id out of the trailer of any other record, whose own fields
 * need fixed bytes.  Without a trailer nothing is known.
 */
void rwk_perf_trailer_read(struct rwk_perf_attrs *attrs, const struct rwk_perf_record *rec,
	bool swap, uint32_t fixed, struct rwk_perf_sample *ret);

#endif
