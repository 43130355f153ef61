/*
 * Who a thing belongs to that may outlive its maker: named so that any later
 * recorder can tell whether the maker still runs.
 */
#ifndef SRC_RECORD_OWNER_H
#define SRC_RECORD_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RWK_OWNER_LEN 80 /* bytes that a formatted one fits in */

/* With its start, a pid names one process of one boot and PID namespace forever. */
struct rwk_owner {
	int64_t pid;
	uint64_t start; /* clock ticks since boot */
	uint64_t pid_ns; /* inode of the PID namespace that pid is of */
	uint32_t boot; /* of the kernel's boot id */
};

enum rwk_owner_state {
	RWK_OWNER_ALIVE,
	RWK_OWNER_DEAD,
	RWK_OWNER_UNKNOWN, /* of another boot, machine or PID namespace */
};

/* This process.  -EIO or what kept /proc from being read. */
int rwk_owner_self(struct rwk_owner *ret);

/* "PID-START-NAMESPACE-BOOT" with sep in the place of the dash. */
void rwk_owner_format(const struct rwk_owner *owner, char sep, char buf[RWK_OWNER_LEN]);

/* *ret_rest is what stands behind it.  -EINVAL if text does not begin with one. */
int rwk_owner_parse(const char *text, char sep, struct rwk_owner *ret, const char **ret_rest);

bool rwk_owner_equal(const struct rwk_owner *a, const struct rwk_owner *b);

/* As self sees it. */
enum rwk_owner_state rwk_owner_state(const struct rwk_owner *owner, const struct rwk_owner *self);

#endif
