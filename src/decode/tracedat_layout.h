/*
 * Where things lie in a trace.dat, versions 6 and 7: our own reader of the
 * layout that trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5) document.
 *
 * What event formats say is for libtracecmd (tracedat_formats.h).  For the rest
 * it is not used: its public header hides the options, and it refuses files that
 * end early.
 */
#ifndef SRC_DECODE_TRACEDAT_LAYOUT_H
#define SRC_DECODE_TRACEDAT_LAYOUT_H

#include "decode/cursor.h"
#include "decode/decoder.h"
#include "decode/inflate.h"
#include "decode/tracedat_formats.h"
#include "decode/tracedat_session.h"
#include "decode/tracedat_texts.h"

/* Ids that options and sections of version 7 share; version 6 has the options only. */
enum {
	RWK_TRACEDAT_DONE = 0,
	RWK_TRACEDAT_CPUSTAT = 2,
	RWK_TRACEDAT_BUFFER = 3,
	RWK_TRACEDAT_TRACECLOCK = 4,
	RWK_TRACEDAT_UNAME = 5,
	RWK_TRACEDAT_OFFSET = 7,
	RWK_TRACEDAT_CPUCOUNT = 8,
	RWK_TRACEDAT_TRACEID = 11,
	RWK_TRACEDAT_TIME_SHIFT = 12,
	RWK_TRACEDAT_GUEST = 13,
	RWK_TRACEDAT_TSC2NSEC = 14,
	RWK_TRACEDAT_HEADER_INFO = 16,
	RWK_TRACEDAT_FTRACE_EVENTS = 17,
	RWK_TRACEDAT_EVENT_FORMATS = 18,
};

/* What one instance of the tracer recorded into. */
struct rwk_tracedat_buffer {
	char name[256]; /* "": of no instance */
	char clock[32]; /* "": not said */
	int page_size; /* bytes of a ring-buffer page with its header */
	bool compressed; /* chunks instead of plain pages */
	uint32_t kinds; /* bits: of events that are taken from it; 0: it is not read */
};

/* Ring-buffer data of one CPU in one buffer. */
struct rwk_tracedat_cpu {
	size_t buffer;
	int32_t cpu;
	int64_t offset;
	int64_t size; /* as far as the file goes */
	bool cut; /* the file ends before this does */
};

struct rwk_tracedat_stat {
	char buffer[64]; /* its name, "" of no instance */
	int32_t cpu;
	int64_t entries, overrun, dropped; /* RWK_NONE: not said */
};

struct rwk_tracedat_layout {
	int version;
	bool swap; /* numbers are in the other byte order than ours */
	bool big_endian;
	int page_size; /* of the machine; a buffer may have another */
	int commit_size; /* 4 or 8: the recorded kernel's long */
	int data_offset; /* of a page's records in the page */
	bool truncated; /* the file ends before its own index says, or has lost it */
	bool list_lost; /* version 7, cut in front of its list of CPUs, … */
	int64_t list_from; /* … whose data is behind this offset */
	int cpu_count; /* CPUs of the machine as the file counts them; 0 not said */
	struct rwk_inflate *inflate; /* NULL when nothing is compressed */
	uint32_t ts_mult, ts_shift; /* from ticks to ns; mult 0: they are ns */
	int64_t ts_offset; /* ns to be added to that */
	struct rwk_tracedat_session session;
	bool host_clock; /* times are put on the clock of the session's host first */
	struct rwk_tracedat_buffer *buffer;
	size_t nr_buffers, cap_buffers;
	char stat_buffer[64]; /* whose statistics come next */
	struct rwk_tracedat_cpu *cpu; /* buffer by buffer */
	size_t nr_cpus, cap_cpus;
	struct rwk_tracedat_stat *stat;
	size_t nr_stats, cap_stats;
};

/*
 * Reads the headers, hands every event format to texts, and fills what the
 * file says of itself, except its CPUs, into info.  -EBADMSG when the headers are
 * cut or damaged, with the offset; -ENOTSUP for what is known but not supported.
 */
int rwk_tracedat_layout_read(struct rwk_tracedat_layout *l, const struct rwk_file *file,
	struct rwk_tracedat_texts *texts, struct rwk_trace_info *info, struct rwk_diag *diag);

/*
 * Then, with the formats known: finds the CPUs' data if their list is lost, and
 * fills the CPUs into info.
 */
int rwk_tracedat_layout_cpus(struct rwk_tracedat_layout *l, const struct rwk_file *file,
	const struct rwk_tracedat_formats *formats, struct rwk_trace_info *info,
	struct rwk_diag *diag);

/* Once it is known which buffers are read: what the recorder counted for them, their clock. */
void rwk_tracedat_layout_chosen(const struct rwk_tracedat_layout *l, struct rwk_trace_info *info);

/* A time stamp of a CPU in nanoseconds, as the file wants it to be read; above INT64_MAX: none. */
uint64_t rwk_tracedat_time(const struct rwk_tracedat_layout *l, int cpu, uint64_t ts);

/* Safe on a zeroed or half-read one. */
void rwk_tracedat_layout_finish(struct rwk_tracedat_layout *l);

/* The rest is for the readers of the two versions. */

int rwk_tracedat_v6_read(struct rwk_tracedat_layout *l, const struct rwk_file *file,
	struct rwk_cursor *c, struct rwk_tracedat_texts *texts, struct rwk_trace_info *info,
	struct rwk_diag *diag);

int rwk_tracedat_v7_read(struct rwk_tracedat_layout *l, const struct rwk_file *file,
	struct rwk_cursor *c, struct rwk_tracedat_texts *texts, struct rwk_trace_info *info,
	struct rwk_diag *diag);

/*
 * Finds the CPUs' data of a version 7 file that ends before the list of its
 * CPUs.  -EBADMSG when it cannot be told apart.
 */
int rwk_tracedat_salvage(struct rwk_tracedat_layout *l, const struct rwk_file *file,
	const struct rwk_tracedat_formats *formats, struct rwk_diag *diag);

/* An option that both versions have; others are ignored.  0 or -ENOMEM. */
int rwk_tracedat_option(struct rwk_tracedat_layout *l, int id, const unsigned char *data,
	size_t size, struct rwk_trace_info *info);

/* "[local] global counter" or "local": the clock in use. */
void rwk_tracedat_clock(const char *text, size_t size, struct rwk_trace_info *info);

/* Whether pages of that size can be: also a bound of what is allocated for them. */
bool rwk_tracedat_page_size_possible(int page_size);

/* Begins a buffer, to which the CPUs that are added next belong.  0 or -ENOMEM. */
int rwk_tracedat_add_buffer(struct rwk_tracedat_layout *l, const char *name);

/* header_page and header_event; then the two lists of formats. */
int rwk_tracedat_header_info(struct rwk_tracedat_layout *l, struct rwk_cursor *c);
int rwk_tracedat_ftrace_formats(struct rwk_tracedat_texts *texts, struct rwk_cursor *c);
int rwk_tracedat_event_formats(struct rwk_tracedat_texts *texts, struct rwk_cursor *c);

/*
 * Adds a CPU's data in the last buffer, clipped to the file.  -ERANGE for a CPU id that we cannot
 * hold, -EBADMSG for one that is there twice or lies at a negative offset.
 */
int rwk_tracedat_add_cpu(struct rwk_tracedat_layout *l, const struct rwk_file *file, uint32_t cpu,
	uint64_t offset, uint64_t size, struct rwk_diag *diag);

#endif
