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

struct rwk_record_options {
	const char *output; /* the trace.dat; appears only when complete */
	rwk_ns duration_ns; /* 0: until stopped or the command ends */
	int64_t buffer_kb; /* per CPU; 0: default, RWK_RECORD_MIN_KB … RWK_RECORD_MAX_KB */
	char *const *command; /* NULL: none; run as the calling user */
	const volatile sig_atomic_t *stop; /* set by the caller's SIGINT/SIGTERM handler */
};

struct rwk_record_cpu {
	int cpu;
	int64_t bytes; /* that ended in the trace */
	int64_t entries, overrun, commit_overrun, dropped, read_events;
	char stats[RWK_RECORD_STATS_LEN]; /* the kernel's own text of these */
};

/* "entries: 5\noverrun: 0\n…" into the counters; what is not there stays as it is. */
void rwk_stats_parse(const char *text, struct rwk_record_cpu *ret);

struct rwk_record_result {
	int64_t nr_events; /* read_events of all CPUs */
	int64_t lost; /* overrun + commit_overrun + dropped of all CPUs */
	int nr_cpus;
	struct rwk_record_cpu *cpu; /* [nr_cpus]; free() */
	int command_status; /* as wait(2) gives it; 0 without a command */
	rwk_ns elapsed_ns;
	char clock[16]; /* what the time stamps are of: "mono" */
};

/*
 * Records until the duration is over, the command ends or *stop is set; then
 * removes its instance, on every path.  A command that still runs then gets
 * SIGTERM, and SIGKILL if that does not end it.  -EPERM not root, -ENODEV no
 * tracefs, -ENODATA an event is missing (named), -ENOSPC disk full, -ENOENT
 * command, trace-cmd or output directory not found, -EINTR stopped before it began.
 */
int rwk_record_run(
	const struct rwk_record_options *opt, struct rwk_diag *diag, struct rwk_record_result *ret);

#endif
