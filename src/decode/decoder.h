/*
 * Decoders: a file of some format becomes one stream of normalised events in
 * time order.  To add a format: write a file with one const struct
 * rwk_decoder and name it in decoder.c's list.
 */
#ifndef SRC_DECODE_DECODER_H
#define SRC_DECODE_DECODER_H

#include "base/diag.h"
#include "decode/processes.h"
#include "event/anomaly.h"
#include "event/event.h"

/* Per-CPU counters, as the recorder saved them or as counted; RWK_NONE unknown. */
struct rwk_trace_cpu {
	bool present;
	int64_t entries; /* events read, by the recorder's statistics */
	int64_t overrun; /* overwritten before they were read */
	int64_t dropped; /* not written for want of room */
	int64_t nr_events; /* records that the decoder met */
	int64_t nr_lost; /* sum of known gaps in the data */
	int64_t nr_unsized; /* gaps that do not say how many events they are */
	rwk_ns first_ts, last_ts; /* RWK_NS_NONE when it has no events */
};

/* A file of the recorded machine, or what stands for it: a path below / and its content. */
struct rwk_trace_fact {
	char *path, *content;
};

/* Traces that were recorded together know each other by numbers; 0: none is said. */
struct rwk_trace_session {
	uint64_t id;
	uint64_t host_id; /* of the trace on whose clock this one can be put, … */
	bool complete; /* … all CPUs of it */
};

/* How to read it. */
struct rwk_decode_options {
	const char *buffer; /* of several in one file, by name; NULL: all */
	rwk_ns ts_offset; /* added to all times */
	const char *formats; /* where event formats are that the file lacks; NULL: nowhere */
	bool host_clock; /* a trace.dat of a guest: its times on the clock of its host */
};

/*
 * What a file says of itself.  Filled at open, counters complete after the
 * last event.  Strings are empty when the file does not say.
 */
struct rwk_trace_info {
	const struct rwk_decode_options *options; /* as asked for */
	const char *format; /* "trace.dat v7 (zstd)", "ftrace text" */
	const char *formats_from; /* where its event formats come from; NULL: of its own */
	char release[128]; /* kernel release */
	char clock[32];
	int nr_cpus; /* CPUs in the file */
	bool has_format[RWK_EV_COUNT]; /* the file describes such events; a text: has shown one */
	int64_t nr_events[RWK_EV_COUNT];
	int64_t nr_overwritten; /* lost before the first that is left, on CPUs that it does not name
				 */
	int64_t nr_unknown_ids; /* event ids without a format; their records are an anomaly */
	int nr_other_buffers; /* buffers in the file that are not read */
	int64_t nr_left_out; /* events of which another buffer has more */
	struct rwk_trace_fact *fact; /* what it tells of the machine, in no order; each path once */
	size_t nr_facts;
	struct rwk_processes processes; /* complete after the last event */
	struct rwk_trace_session session;
	/* What else it tells of its recording: names below "rewake/", and text.  Each name once. */
	struct rwk_trace_fact *note;
	size_t nr_notes;
	bool truncated;
	int64_t truncated_at; /* offset where the readable part ends; RWK_NONE unknown */
	int32_t truncated_cpu;
	char truncated_why[256]; /* what a foreign library says of it; empty: nothing */
	struct rwk_trace_cpu *cpu; /* [nr_cpus] */
	struct rwk_anomalies anomalies;
};

struct rwk_decode;

/* All return 0 or a negative errno with a cause that names file, CPU and offset. */

/*
 * Opens path, or the standard input ("-"), by its content, unpacking gzip, zstd, xz and zip; a
 * folder: with a CTF trace in or below it, or of perf record --threads.  -ENOENT,
 * -EACCES, -EISDIR…, -EBADMSG (not a trace, or damaged beyond use), -ENOTSUP (a format or version
 * that is known but not read), -ERANGE (CPU ids from RWK_MAX_CPUS on).  What can only be read once
 * and has to be read at any place goes through a file in TMPDIR. *ret is to be closed.
 */
int rwk_decode_open(const char *path, struct rwk_diag *diag, struct rwk_decode **ret);

/*
 * The same with options.  Also -ENOENT (no such buffer, nothing of a host's clock), -EINVAL (not of
 * that format), and what formats_from.h says.
 */
int rwk_decode_open_with(const char *path, const struct rwk_decode_options *options,
	struct rwk_diag *diag, struct rwk_decode **ret);

/*
 * The session of a plain trace.dat, without reading more than its headers; of all else zeros, also
 * of what cannot be opened.
 */
struct rwk_trace_session rwk_decode_session(const char *path);

/*
 * Next event in merged order: time, then rank of the kind, then CPU; the
 * order of each CPU's own events is kept.  1 event, 0 end, negative errno.
 */
int rwk_decode_next(struct rwk_decode *dec, struct rwk_event *ret, struct rwk_diag *diag);

/*
 * Before the first event: skew_ns[RWK_MAX_CPUS] is added to the times of each CPU,
 * and events come in that order.  The info's times stay those of the file.  0 or -ENOMEM.
 */
int rwk_decode_set_skew(struct rwk_decode *dec, const rwk_ns *skew_ns);

const struct rwk_trace_info *rwk_decode_info(const struct rwk_decode *dec);

/* How the trace codes prev_state, as far as it was read: "bits of the file's print fmt", … */
const char *rwk_decode_prev_state(const struct rwk_decode *dec);

/* 0…1000 of the input consumed, for a progress line; negative: nobody knows. */
int rwk_decode_permille(const struct rwk_decode *dec);

void rwk_decode_close(struct rwk_decode *dec);

#endif
