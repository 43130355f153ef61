/*
 * The recorder: scheduler events of the whole machine through an own tracefs
 * instance into a trace.dat that trace-cmd and KernelShark open.
 */
#ifndef SRC_RECORD_RECORD_H
#define SRC_RECORD_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <signal.h>

#include <rewake/types.h>

#include "base/diag.h"

#define RWK_RECORD_MIN_KB    16
#define RWK_RECORD_MAX_KB    (1 << 20)
#define RWK_RECORD_STATS_LEN 256
#define RWK_RECORD_MIN_BYTES (1 << 20)
#define RWK_RECORD_MAX_PIDS  64
#define RWK_RECORD_MAX_COMMS 16
#define RWK_RECORD_COMM_LEN  16 /* of a task, with its NUL */

/* How much of each placement decision is recorded; each level includes the ones before it. */
enum rwk_probe_level {
	RWK_PROBE_LEVEL_NONE,
	RWK_PROBE_LEVEL_FLAGS, /* previous CPU, wake flags, answer */
	RWK_PROBE_LEVEL_HIDDEN, /* what the wakee and the cache domains hide from tracepoints */
	RWK_PROBE_LEVEL_STATE, /* every CPU's state; to look for faults, not for every day */
	RWK_PROBE_LEVEL_AUTO, /* asked only: the richest below STATE that can be had */
	RWK_PROBE_LEVEL_COUNT
};

/* "none", "flags", "hidden", "state", "auto" */
const char *rwk_probe_level_name(enum rwk_probe_level level);
/* -EINVAL: no such level. */
int rwk_probe_level_parse(const char *text, enum rwk_probe_level *ret);

/* Why a recording ended. */
enum rwk_record_end {
	RWK_RECORD_END_STOPPED, /* *stop was set */
	RWK_RECORD_END_DURATION,
	RWK_RECORD_END_COMMAND,
	RWK_RECORD_END_SIZE, /* max_bytes */
	RWK_RECORD_END_DISK, /* more would not have left room to write the trace */
	RWK_RECORD_END_TRIGGER, /* it has fired, and after_ns are over */
	RWK_RECORD_END_FAILED, /* no recording comes out */
	RWK_RECORD_END_COUNT
};

/* "stopped", "duration", "command", "size", "disk", "trigger", "failed" */
const char *rwk_record_end_name(enum rwk_record_end end);

/* Keep only the last part, in memory. */
struct rwk_flight {
	bool on;
	rwk_ns ns; /* about so long */
	int64_t bytes; /* or so much, of all CPUs; one of the two is 0 */
};

/* Record only some; what is then unknown: filter.h. */
struct rwk_record_filter {
	bool by_cpu;
	struct rwk_cpuset cpus; /* with by_cpu: not empty */
	/* Processes with their threads and descendants, also later ones; and those of a group. */
	int pid[RWK_RECORD_MAX_PIDS];
	int nr_pids;
	const char *cgroup; /* NULL: none */
	/* Of these names only, "*" and "?" as in file names. */
	const char *comm[RWK_RECORD_MAX_COMMS];
	int nr_comms;
};

#define RWK_COMPRESSION_LEVEL 3 /* default */

/* Events beside those that are needed, as bits. */
enum rwk_record_extra {
	RWK_RECORD_EXTRA_TASK = 1, /* tasks begin, become another program, and end */
	RWK_RECORD_EXTRA_CSD =
		2, /* functions that a CPU asks another one to run, such as wakeups */
	RWK_RECORD_EXTRA_CPU_IDLE = 4, /* idle states */
	RWK_RECORD_EXTRA_NR = 8, /* lengths of run queues */
};

/* "task,csd", "none".  -EINVAL. */
int rwk_record_extra_parse(const char *text, unsigned int *ret);

struct rwk_compression {
	bool zstd;
	int level; /* with zstd */
};

/* "zstd", "zstd:LEVEL" with a level of 1 … 19, "none".  -EINVAL: none of these. */
int rwk_compression_parse(const char *text, struct rwk_compression *ret);

struct rwk_archive;

struct rwk_record_options {
	const char *output; /* the trace.dat; appears only when complete.  NULL with stream */
	/* Where all but the sidecar goes instead; stream_machine: the machine so far, a text. */
	struct rwk_archive *stream;
	const char *stream_machine;
	struct rwk_compression compression; /* of output */
	bool command_to_stderr; /* what the command prints: stdout is the stream's */
	rwk_ns duration_ns; /* 0: until stopped or the command ends */
	int64_t buffer_kb; /* per CPU; 0: default, RWK_RECORD_MIN_KB … RWK_RECORD_MAX_KB */
	int64_t max_bytes; /* the most of raw data, RWK_RECORD_MIN_BYTES …; 0: no limit */
	struct rwk_flight flight; /* not with max_bytes */
	rwk_ns trigger_ns; /* a flight ends when a task has waited longer to run; 0: no matter */
	rwk_ns after_ns; /* and so much later, for what comes of it */
	struct rwk_record_filter filter;
	unsigned int extra; /* enum rwk_record_extra */
	bool extra_needed; /* else what the kernel lacks is left out */
	char *const *command; /* NULL: none; run as the calling user */
	const volatile sig_atomic_t *stop; /* set by the caller's SIGINT/SIGTERM handler */
	enum rwk_probe_level probe;
	const int *llc_cpu; /* first CPU of each cache domain of several CPUs, for the probe */
	int nr_llc;
	/* Called when the list of online CPUs is another one, soon after; NULL: no */
	void (*cpus_changed)(void *ctx);
	void *cpus_changed_ctx;
	/* What a user should know before it happens, a sentence without an end of line; NULL: no */
	void (*tell)(const char *text);
};

struct rwk_record_cpu {
	int cpu;
	int64_t bytes; /* that ended in the trace */
	int64_t entries, overrun, commit_overrun, dropped, read_events;
	rwk_ns oldest_ns, now_ns; /* by the clock of the trace; RWK_NS_NONE: not told */
	char stats[RWK_RECORD_STATS_LEN]; /* the kernel's own text of these */
	char *losses; /* when events were lost, see loss.h; NULL: none were */
};

/* "entries: 5\noverrun: 0\n…" into the counters; what is not there stays as it is. */
void rwk_stats_parse(const char *text, struct rwk_record_cpu *ret);

#define RWK_RECORD_PROBE_WHY 1024

/* What became of the probe. */
struct rwk_record_probe {
	enum rwk_probe_level asked, level;
	char why[RWK_RECORD_PROBE_WHY]; /* it is this level, and what is missing from it */
	bool by_fprobes; /* not by kprobes */
	char *events; /* definitions, a line each; NULL: none */
	int64_t hits,
		missed; /* entries of the function that were and were not recorded; -1 unknown */
};

#define RWK_WATCH_ONLINE 1024 /* bytes of the list of online CPUs */

/* CPUs that came and went. */
struct rwk_record_hotplug {
	char *rows; /* see hotplug_rows.h; NULL: unknown */
	char why[RWK_RECORD_PROBE_WHY]; /* it is unknown */
	/* Which were online when it began and when it was over; "": not told */
	char begin[RWK_WATCH_ONLINE], end[RWK_WATCH_ONLINE];
};

#define RWK_RECORD_TRIGGER_WHY 512

/* Who decides that a trigger fires. */
enum rwk_trigger_by {
	RWK_TRIGGER_BY_KERNEL,
	RWK_TRIGGER_BY_RECORDER, /* which follows the events itself */
	RWK_TRIGGER_BY_NOBODY, /* any more: both ways failed while recording */
	RWK_TRIGGER_BY_COUNT
};

/* "kernel", "recorder", "nobody" */
const char *rwk_trigger_by_name(enum rwk_trigger_by by);

/* The first wakeup that was too late, and how it was looked for. */
struct rwk_record_trigger {
	enum rwk_trigger_by by;
	char why[RWK_RECORD_TRIGGER_WHY]; /* it is not the kernel; one line, "": it is */
	int64_t gaps; /* so often something was lost on the way to the recorder */
	int64_t renewed; /* so often the kernel's tables were full and began anew */
	int64_t dropped; /* events that they had no room for; -1: not known */
	bool fired;
	rwk_ns ts; /* when the task ran, by the clock of the trace */
	rwk_ns latency; /* since sched_waking */
	int tid, cpu;
	char comm[RWK_RECORD_COMM_LEN];
};

/* "wakeup-latency>5ms": what opt.trigger_ns is.  -EINVAL. */
int rwk_trigger_parse(const char *text, rwk_ns *ret);

struct rwk_record_result {
	char *extra; /* events beside those that are needed; NULL: none */
	struct rwk_record_trigger trigger;
	struct rwk_record_hotplug hotplug;
	struct rwk_record_probe probe;
	int64_t nr_events; /* read_events of all CPUs */
	/* overrun + commit_overrun + dropped of all CPUs; of a flight without overrun, its mode */
	int64_t lost;
	rwk_ns flight_from; /* all CPUs' events from then on; RWK_NS_NONE: all of the recording */
	rwk_ns flight_ns; /* so long; 0: no flight recorder */
	int64_t unread; /* recorded, but left behind in the buffers to keep max_bytes */
	int64_t buffer_kb; /* per CPU */
	enum rwk_record_end end;
	int nr_cpus;
	struct rwk_record_cpu *cpu; /* [nr_cpus] */
	int command_status; /* as wait(2) gives it; 0 without a command */
	int command_err; /* the negative errno with which the command could not be run */
	rwk_ns elapsed_ns;
	char clock[16]; /* what the time stamps are of: "mono" */
};

/*
 * Records until the duration is over, the command ends, *stop is set or
 * max_bytes or the disk allow no more; then removes its instance, on every path.  A command that
 * still runs then gets SIGTERM, and SIGKILL if that does not end it.  What recorders that were
 * killed have left is removed first.  -EPERM not root, -ENODEV no tracefs,
 * -ENODATA an event is missing (named) or the probe level cannot be had, -ENOSPC
 * disk full, -ENOENT command, trace-cmd or output directory not found, -EINTR
 * stopped before it began.  After a failure, of *ret only command_err is set.
 */
int rwk_record_run(
	const struct rwk_record_options *opt, struct rwk_diag *diag, struct rwk_record_result *ret);

void rwk_record_result_finish(struct rwk_record_result *result);

#endif
