/* Inside of draining: a CPU's thread, and where its pages go. */
#ifndef SRC_RECORD_DRAIN_CPU_H
#define SRC_RECORD_DRAIN_CPU_H

#include <pthread.h>
#include <stdatomic.h>

#include "record/drain.h"

#define RWK_DRAIN_PIPE_BYTES (256 << 10)

struct rwk_drain_cpu {
	struct rwk_drain *drain;
	pthread_t thread;
	bool running;
	int cpu;
	int raw_fd, out_fd, pipe[2];
	char *buf; /* of RWK_DRAIN_PIPE_BYTES, with a sink */
	bool closed; /* there is nothing more to take */
	int64_t bytes;
	int err; /* set by the thread, read after joining it */
	const char *what; /* that failed */
};

struct rwk_drain {
	int stop_fd, told_fd; /* eventfds */
	struct rwk_drain_options opt;
	_Atomic int64_t reserved; /* written, or about to be */
	_Atomic int64_t written;
	int64_t buffer_bytes;
	size_t page_size;
	int nr_cpus;
	struct rwk_drain_cpu *cpu;
};

/* Keeps errno as the failure, or what it came to. */
int rwk_drain_fail(struct rwk_drain_cpu *c, const char *what);

/* Makes rwk_drain_fd() readable. */
void rwk_drain_tell(struct rwk_drain *drain);

/* The next left bytes of the pipe, or len bytes of buf, to where they belong. */
int rwk_drain_put_pipe(struct rwk_drain_cpu *c, size_t left);
int rwk_drain_put(struct rwk_drain_cpu *c, const char *buf, size_t len);

#endif
