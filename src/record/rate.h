/*
 * How much a recording is going to write, estimated from what the machine does
 * at the moment.  Context switches are counted by the kernel all the time; what
 * they cost in the trace follows from the formats of the events.
 */
#ifndef SRC_RECORD_RATE_H
#define SRC_RECORD_RATE_H

#include <stdint.h>

#include <rewake/types.h>

#include "base/diag.h"

/* Bytes of one event of each kind in the ring buffer. */
struct rwk_event_sizes {
	int switch_bytes, waking_bytes, wakeup_bytes, migrate_bytes;
	int decision_bytes; /* of the probe's events together; 0 without */
	int count_bytes; /* of a change of the length of a queue; 0 without */
};

struct rwk_rate {
	rwk_ns window_ns; /* sampled for so long */
	double switches, forks; /* per second, as the kernel counts them */
	double events, bytes; /* per second, estimated */
};

/* Of an event whose format file is text, with its header; -EBADMSG when it names no field. */
int rwk_event_bytes(const char *format, int *ret);

/* Of one decision, recorded by events with these definitions, a line each; NULL: 0. */
int rwk_decision_bytes(const char *definitions);

/* Likewise: of the event of a bare tracepoint among them, 0 without one. */
int rwk_count_bytes(const char *definitions);

/* The counters of context switches and forks in the text of /proc/stat.  -EBADMSG: not there. */
int rwk_stat_counts(const char *text, int64_t *ret_switches, int64_t *ret_forks);

/* Those of now: -EBADMSG, or what reading gave. */
int rwk_stat_read(int64_t *ret_switches, int64_t *ret_forks, struct rwk_diag *diag);

/* events and bytes from switches and forks, which are set. */
void rwk_rate_estimate(struct rwk_rate *rate, const struct rwk_event_sizes *sizes);

/* Watches the machine for window_ns.  -ENODATA a format is missing, or what reading gave. */
int rwk_rate_sample(const char *tracing_dir, const char *probe_definitions, rwk_ns window_ns,
	struct rwk_rate *ret, struct rwk_diag *diag);

#endif
