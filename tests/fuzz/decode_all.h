/* What all targets of decoders do with what can be opened. */
#ifndef TESTS_FUZZ_DECODE_ALL_H
#define TESTS_FUZZ_DECODE_ALL_H

/* Reads it to its end, a guest also on its host's clock; aborts if it is refused without a word, or
 * told out of order. */
void fuzz_decode_all(const char *path);

#endif
