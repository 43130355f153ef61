/* Words for the values of a picture. */
#ifndef SRC_EXPLAIN_WORDS_H
#define SRC_EXPLAIN_WORDS_H

#include <stddef.h>

#include <rewake/policy.h>

const char *explain_source(uint8_t source); /* enum rwk_source */
const char *explain_context(enum rwk_context context);
const char *explain_input(enum rwk_input input);
/* "12 us", "3.4 ms" */
void explain_time(rwk_ns ns, char *buf, size_t size);

#endif
