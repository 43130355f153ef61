/* Strict parsing of numbers, durations and CPU lists from outside text. */
#ifndef SRC_BASE_PARSE_H
#define SRC_BASE_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include <rewake/machine.h>
#include <rewake/types.h>

/* Each returns 0, -EINVAL (not such a text, trailing bytes) or -ERANGE; outputs kept on failure. */
int rwk_parse_i64(const char *text, int64_t min, int64_t max, int64_t *ret);
int rwk_parse_bool(const char *text, bool *ret);
/* "5", "5ns", "1.5us", "0.5ms", "2s": a number without unit is nanoseconds. */
int rwk_parse_ns(const char *text, rwk_ns *ret);
/* Bytes: "1048576", "64K", "64KB", "16M", "2G", powers of 1024; more than nothing. */
int rwk_parse_size(const char *text, int64_t *ret);
/* "0-3,8,10-11" with an optional newline; "" is the empty set.  -ERANGE from RWK_MAX_CPUS on. */
int rwk_parse_cpulist(const char *text, struct rwk_cpuset *ret);
/* Leading "6.12.117" of a release string; missing parts are 0.  -EINVAL without a major number. */
int rwk_parse_version(const char *text, struct rwk_version *ret);

/* "0-3,8" into buf (always terminated); returns the length it needs without the NUL. */
int rwk_format_cpulist(const struct rwk_cpuset *set, char *buf, int size);

#endif
