/*
 * Runs a foreign library in a child process: what crashes, hangs or eats memory
 * on hostile input ends there, and the caller gets an error in words.
 */
#ifndef SRC_DECODE_ISOLATE_H
#define SRC_DECODE_ISOLATE_H

#include <stddef.h>
#include <stdint.h>

#define RWK_ISOLATE_WHY 128 /* bytes that hold any reason */

struct rwk_isolate_limits {
	size_t memory; /* bytes of address space beyond what the caller has */
	unsigned int cpu_seconds;
	int wall_ms; /* for all of it, also when it only waits; of a stream: longest silence */
};

/*
 * Calls run(ctx, result) in a child, which has a copy of all memory; what it
 * wrote to the size bytes at result, which should be zeroed, comes back to the
 * caller's.  Nothing else of what run does has any effect, and it prints
 * nowhere.  The result is as trustworthy as what made it: to be checked like input.
 *
 * 0; -EBADMSG when run returned non-zero or died or took too long, with result
 * unchanged and the reason in why ("died (signal 11)"), as it goes behind the
 * name of what ran; any other negative errno when there could be no child, with
 * the reason too.
 *
 * Meant for callers with a single thread, which rewake has whenever it opens a
 * trace.  With other threads about, run may not take locks of theirs; glibc's
 * malloc and stdio are safe in the child of any process.
 */
int rwk_isolate_run(const struct rwk_isolate_limits *limits, int (*run)(void *ctx, void *result),
	void *ctx, void *result, size_t size, char why[RWK_ISOLATE_WHY]);

struct rwk_isolate_stream;

/*
 * The same for what writes more than fits into memory: run(ctx, fd) writes to a
 * pipe, from which the caller reads as the child goes on.  0, or a negative
 * errno with the reason in why.  *ret is to be ended.
 */
int rwk_isolate_start(const struct rwk_isolate_limits *limits, int (*run)(void *ctx, int fd),
	void *ctx, char why[RWK_ISOLATE_WHY], struct rwk_isolate_stream **ret);

/* At most size bytes: how many; 0 at the end; -ETIME: nothing came for too long; other negative
 * errno. */
int64_t rwk_isolate_read(struct rwk_isolate_stream *s, void *buf, size_t size);

/*
 * Kills the child unless it has ended, and frees s (NULL: nothing to do).  0 when
 * run returned 0, else -EBADMSG with the reason in why.
 */
int rwk_isolate_end(struct rwk_isolate_stream *s, char why[RWK_ISOLATE_WHY]);

#endif
