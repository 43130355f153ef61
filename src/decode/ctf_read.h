/* The messages of a trace, taken one by one in the child process that has the library. */
#ifndef SRC_DECODE_CTF_READ_H
#define SRC_DECODE_CTF_READ_H

#include <babeltrace2/babeltrace.h>

#include "base/map.h"
#include "decode/ctf_fields.h"
#include "decode/ctf_out.h"

struct rwk_ctf_cpu {
	int64_t nr_events, lost; /* in front of its next event; RWK_NONE: unknown how many */
	rwk_ns first_ts, last_ts;
	bool seen_switch, told;
};

struct rwk_ctf_reader {
	struct rwk_ctf_out out;
	struct rwk_map classes, streams; /* by address: places in class, CPUs */
	struct rwk_ctf_class *class;
	size_t nr_classes, cap_classes;
	const bt_stream *stream; /* of the last event, and its CPU */
	int32_t stream_cpu;
	bool told_trace, scanning;
	struct rwk_ctf_cpu cpu[RWK_MAX_CPUS];
};

/*
 * Takes the iterator's next messages: 1, 0 at the end, negative errno, with a
 * cause told unless it is the library's.  Sets *packet when a packet began.
 */
int rwk_ctf_reader_take(struct rwk_ctf_reader *r, bt_message_iterator *it, bool *packet);

/* After the last message: gaps that nothing came behind, and how much each CPU had. */
void rwk_ctf_reader_counts(struct rwk_ctf_reader *r);

/* Tells the cause; -EBADMSG. */
int rwk_ctf_reader_fail(struct rwk_ctf_reader *r, const char *why);

#endif
