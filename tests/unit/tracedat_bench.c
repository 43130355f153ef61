#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tracedat_bench.h"

int bench_setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	tb_init(&b->t);
	tb_file_init(&b->file);
	*state = b;
	return 0;
}

int bench_teardown(void **state)
{
	struct bench *b = *state;

	decode_run_finish(&b->r);
	tb_finish(&b->t);
	tb_file_finish(&b->file);
	free(b);
	return 0;
}
