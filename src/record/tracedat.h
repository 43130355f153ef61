/*
 * Looks into a freshly written trace.dat: whether all recorded pages are in
 * it, and that it names the clock they were recorded with.
 */
#ifndef SRC_RECORD_TRACEDAT_H
#define SRC_RECORD_TRACEDAT_H

#include <stddef.h>

#include "record/record.h"

/*
 * fd: read and write.  -EBADMSG with a reason in why when it is no trace.dat
 * or does not hold what cpu[] says was recorded; or errors of reading and
 * writing.  A clock that cannot be corrected in place is left as it is.
 */
int rwk_tracedat_check(int fd, const char *clock, const struct rwk_record_cpu *cpu, int nr_cpus,
	char *why, size_t why_size);

/*
 * The same trace.dat, whose pages are packed with zstd, to an empty file.
 * -EOPNOTSUPP when it is not of version 7, packed already or laid out otherwise
 * than trace-cmd restore does; -EBADMSG with a reason in why, -ENOMEM, or errors of
 * reading and writing.
 */
int rwk_tracedat_pack(int fd, int to_fd, int level, char *why, size_t why_size);

#endif
