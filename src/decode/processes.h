/* Which process each thread is of, as far as a trace tells: by thread id, not by moment. */
#ifndef SRC_DECODE_PROCESSES_H
#define SRC_DECODE_PROCESSES_H

#include <stdint.h>

#include "base/map.h"

struct rwk_processes {
	struct rwk_map of; /* thread id to process id, 0: it was told of as of several */
};

/* Ids that no thread can have are passed over.  0 or -ENOMEM. */
int rwk_processes_add(struct rwk_processes *p, int64_t tid, int64_t tgid);

/* RWK_NONE: not told, or contradictory, as when the thread id came back in another process. */
int32_t rwk_processes_find(const struct rwk_processes *p, int32_t tid);

/* Safe on a zeroed one. */
void rwk_processes_finish(struct rwk_processes *p);

#endif
