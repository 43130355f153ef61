/* Threads and their processes, gathered from wherever a trace tells of both. */
#include "decode/processes.h"

#include <rewake/types.h>

#define MAX_ID  (4 << 20) /* of any thread, by the kernel's own limit */
#define SEVERAL 0

int rwk_processes_add(struct rwk_processes *p, int64_t tid, int64_t tgid)
{
	int32_t *known;

	/* 0 is the idle tasks of all CPUs. */
	if (tid <= 0 || tgid <= 0 || tid > MAX_ID || tgid > MAX_ID)
		return 0;
	known = rwk_map_find(&p->of, (uint64_t)tid);
	if (!known)
		return rwk_map_set(&p->of, (uint64_t)tid, (int32_t)tgid);
	if (*known != tgid)
		*known = SEVERAL;
	return 0;
}

int32_t rwk_processes_find(const struct rwk_processes *p, int32_t tid)
{
	const int32_t *known = tid > 0 ? rwk_map_find(&p->of, (uint64_t)tid) : NULL;

	return known && *known != SEVERAL ? *known : RWK_NONE;
}

void rwk_processes_finish(struct rwk_processes *p)
{
	rwk_map_finish(&p->of);
}
