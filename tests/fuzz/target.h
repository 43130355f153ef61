/*
 * A fuzz target takes any bytes and must neither crash nor leak.  Built with
 * -Dfuzz=enabled (clang) it is a libFuzzer program; always, it is replayed over
 * its corpus as an ordinary test (replay.c).
 */
#ifndef TESTS_FUZZ_TARGET_H
#define TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes as a file that can be opened by the path written to path; close() the result. */
int fuzz_file(const uint8_t *data, size_t size, char path[64]);

#endif
