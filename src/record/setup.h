/*
 * How an instance is going to be set up on this machine: its clock, its CPUs
 * and the size of its buffers.  Only looks, so that it can be told beforehand.
 */
#ifndef SRC_RECORD_SETUP_H
#define SRC_RECORD_SETUP_H

#include <stdbool.h>
#include <stdint.h>

#include <rewake/types.h>

#include "base/diag.h"

struct tracefs_instance;

struct rwk_setup {
	char clock[16];
	struct rwk_cpuset cpus; /* with a buffer of their own */
	int64_t buffer_kb; /* per CPU */
};

/*
 * Reads the files of the instance, NULL: of tracefs itself, which has the same.
 * buffer_kb 0: default; -ENOMEM for too much.  only: CPUs to record, which must be there (-ENODEV);
 * NULL: all.
 */
int rwk_setup_choose(struct tracefs_instance *of, int64_t buffer_kb, const struct rwk_cpuset *only,
	struct rwk_setup *ret, struct rwk_diag *diag);

/* Of all CPUs. */
int64_t rwk_setup_total_kb(const struct rwk_setup *setup);

/* Of the machine; 0: not known. */
int64_t rwk_setup_memory_kb(void);

/* What all buffers together may take unless somebody asks for more. */
int64_t rwk_setup_total_limit_kb(int64_t memory_kb);

/* Whether nobody should give buffers so much. */
bool rwk_setup_is_too_much(int64_t total_kb, int64_t memory_kb);

/* The default per CPU on a machine with that many CPUs and that much memory; 0: not known. */
int64_t rwk_setup_default_kb(int nr_cpus, int64_t memory_kb);

#endif
