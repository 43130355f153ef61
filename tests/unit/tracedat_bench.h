/* What a test of trace.dat files works on: one that it makes, and what was read of it. */
#ifndef TESTS_UNIT_TRACEDAT_BENCH_H
#define TESTS_UNIT_TRACEDAT_BENCH_H

#include "decode_run.h"
#include "tracedat_build.h"

struct bench {
	struct tb_trace t;
	struct tb_file file;
	struct decode_run r;
};

int bench_setup(void **state);
int bench_teardown(void **state);

#endif
