/*
 * Records of a perf.data to events in the queues of their CPUs: samples, and
 * losses put in front of what they were lost before.
 */
#ifndef SRC_DECODE_PERF_INTAKE_H
#define SRC_DECODE_PERF_INTAKE_H

#include "decode/decoder.h"
#include "decode/perf_borrow.h"
#include "decode/perf_layout.h"
#include "decode/perf_queue.h"
#include "decode/perf_stream.h"
#include "decode/tracedat_record.h"

/* A loss that waits for the record behind it, whose time is its place. */
struct rwk_perf_loss {
	bool present;
	int64_t count; /* RWK_NONE unknown */
	int64_t offset;
};

struct rwk_perf_intake_cpu {
	struct rwk_perf_loss loss;
	int32_t tid, tgid; /* of the last sample that told both; 0 none yet */
	bool seen_switch; /* since the start or the last gap: others tell no news of who runs */
};

struct rwk_perf_intake {
	struct rwk_trace_info *info;
	struct rwk_perf_layout *layout;
	const struct rwk_perf_borrowed *borrowed; /* formats that are not of the file */
	struct rwk_record_reader reader;
	struct rwk_perf_queues *queues; /* one for each of info's CPUs */
	struct rwk_perf_intake_cpu *cpu; /* likewise */
	struct rwk_ev_probe probe; /* of the record at hand */
	struct rwk_perf_loss loss; /* of the buffer that the next sample comes from */
	bool other_ids; /* threads are counted otherwise in samples than in records */
	int last_cpu; /* of a sample; RWK_NONE none yet */
	rwk_ns max_ts; /* of all samples; INT64_MIN none yet */
	uint64_t unknown_ids[65536 / 64];
};

/* Takes one record; what is damaged in it is counted.  0, -ENOMEM, or what the queues say. */
int rwk_perf_intake_record(
	struct rwk_perf_intake *in, const struct rwk_perf_record *rec, struct rwk_diag *diag);

/* After the last: losses that nothing came behind. */
int rwk_perf_intake_end(struct rwk_perf_intake *in, struct rwk_diag *diag);

#endif
