/* Words for the values of a picture, and what text and JSON share. */
#ifndef SRC_EXPLAIN_WORDS_H
#define SRC_EXPLAIN_WORDS_H

#include <stddef.h>

#include <rewake/policy.h>

#include "explain/explain.h"

const char *explain_source(uint8_t source); /* enum rwk_source */
const char *explain_context(enum rwk_context context);
const char *explain_input(enum rwk_input input);
const char *explain_input_key(enum rwk_input input); /* as in the view verdict */
/* names[index], "?" outside: a policy from outside may say any number. */
const char *explain_name_at(const char *const *names, int index);
bool explain_is_idle_task(const struct rwk_explained *x, int32_t utid);
/* The CPUs that are shown (rwk_explain_cpus()), and how many others are idle and not. */
void explain_shown_cpus(const struct rwk_wakeup *w, const struct rwk_cpuset *cpu,
	struct rwk_cpuset *ret, int *ret_idle, int *ret_others);
/* "12 us", "3.4 ms" */
void explain_time(rwk_ns ns, char *buf, size_t size);

#endif
