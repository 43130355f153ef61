/* A recording that goes to standard output or into a pipe, instead of to files. */
#ifndef SRC_CLI_RECORD_STREAM_H
#define SRC_CLI_RECORD_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "machine/machine.h"
#include "record/archive_stream.h"

struct rwk_record_stream {
	bool on;
	bool is_stdout;
	int fd;
	struct rwk_archive *archive;
	char *start; /* the machine as it was, as text */
};

/* Whether NAME stands for one: "-", or a pipe that is there. */
bool rwk_record_stream_is_meant(const char *name);

/*
 * Waits for somebody who reads.  -ENOTTY: it is a terminal, which is no place for
 * it; -EINTR stopped meanwhile.  To be finished in any case.
 */
int rwk_record_stream_open(const char *name, const struct rwk_compression *compression,
	const volatile sig_atomic_t *nr_stops, struct rwk_diag *diag,
	struct rwk_record_stream *ret);

/* Keeps the machine as snap has it, for the beginning of the stream. */
int rwk_record_stream_set_start(
	struct rwk_record_stream *stream, const struct rwk_snapshot *snap, struct rwk_diag *diag);

/* The sidecar and the end.  Bytes that were sent, or a negative errno. */
int64_t rwk_record_stream_end(
	struct rwk_record_stream *stream, const struct rwk_snapshot *snap, struct rwk_diag *diag);

void rwk_record_stream_finish(struct rwk_record_stream *stream);

#endif
