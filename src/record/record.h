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

struct rwk_record_options {
	const char *output;	/* the trace.dat; appears only when complete */
	rwk_ns duration_ns;	/* 0: until stopped or the command ends */
	int64_t buffer_kb;	/* per CPU; 0: default */
	char *const *command;	/* NULL: none; run as the calling user */
	const volatile sig_atomic_t *stop; /* set by the caller's SIGINT/SIGTERM handler */
};

struct rwk_record_cpu {
	int cpu;
	int64_t bytes, entries, overrun, commit_overrun, dropped, read_events;
};

struct rwk_record_result {
	int64_t lost;	 /* overrun + dropped of all CPUs */
	int nr_cpus;
	struct rwk_record_cpu *cpu; /* [nr_cpus]; free() */
	int command_status;	    /* as wait(2) gives it; 0 without a command */
	rwk_ns elapsed_ns;
};

/*
 * Records until the duration is over, the command ends or *stop is set; then
 * removes its instance, on every path.  -EPERM not root, -ENODEV no tracefs,
 * -ENODATA an event is missing (named), -ENOSPC disk full, -ENOENT command or
 * trace-cmd not found.
 */
int rwk_record_run(const struct rwk_record_options *opt, struct rwk_diag *diag,
	struct rwk_record_result *ret);

#endif
