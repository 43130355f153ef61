/* Decodes a whole file into memory, for tests to look at. */
#ifndef TESTS_UNIT_DECODE_RUN_H
#define TESTS_UNIT_DECODE_RUN_H

#include "decode/decoder.h"
#include "tracedat_build.h"

struct decode_run {
	int open_err, next_err; /* 0 or negative errno */
	struct rwk_diag diag;
	char text[4096]; /* of the causes */
	struct rwk_event *event;
	struct rwk_ev_probe *probe; /* copies; [i] belongs to event[i] if that has one */
	size_t nr, cap, cap_probe;
	int nr_cpus_at_open;
	struct rwk_trace_info info; /* after the last event; cpu and processes are copies */
};

void decode_run(struct decode_run *r, const char *path);
void decode_run_with(
	struct decode_run *r, const char *path, const struct rwk_decode_options *options);
void decode_run_finish(struct decode_run *r);

/* State of a test: an empty struct tb_file. */
int decode_file_setup(void **state);
int decode_file_teardown(void **state);

/* The text through such a file; fails the test if it cannot be read. */
void decode_run_text(void **state, const char *text, struct decode_run *r);

/* Of a task name that is padded with NULs. */
void assert_comm(const char *comm, const char *want);

/* The n-th event of a kind, from 0; fails the test when there is none. */
const struct rwk_event *decode_run_find(
	const struct decode_run *r, enum rwk_event_kind kind, int n);

#endif
