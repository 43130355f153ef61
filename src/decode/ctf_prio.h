/*
 * Priorities of lttng-modules, which count from the lowest real-time one, 100
 * less than the kernel's.  Those of wakeups did not always: 2.5 has the
 * kernel's, 2.10 its own; in between, values that only one of both has tell.
 */
#ifndef SRC_DECODE_CTF_PRIO_H
#define SRC_DECODE_CTF_PRIO_H

#include <stdbool.h>

#include <rewake/types.h>

enum rwk_ctf_prio_base { RWK_CTF_PRIO_OPEN, RWK_CTF_PRIO_KERNEL, RWK_CTF_PRIO_LTTNG };

struct rwk_ctf_prio {
	bool lttng; /* false: of an unknown tracer, which means anything */
	enum rwk_ctf_prio_base wakeups;
};

/* version: major * 1000 + minor. */
static inline void rwk_ctf_prio_init(struct rwk_ctf_prio *p, bool lttng, int version)
{
	p->lttng = lttng;
	p->wakeups = version <= 2005   ? RWK_CTF_PRIO_KERNEL
		     : version >= 2010 ? RWK_CTF_PRIO_LTTNG
				       : RWK_CTF_PRIO_OPEN;
}

/* The kernel's priority, or RWK_PRIO_UNKNOWN. */

static inline int32_t rwk_ctf_prio_other(const struct rwk_ctf_prio *p, int32_t prio)
{
	return p->lttng && prio > RWK_PRIO_UNKNOWN && prio < 1000 ? prio + 100 : RWK_PRIO_UNKNOWN;
}

static inline int32_t rwk_ctf_prio_wakeup(struct rwk_ctf_prio *p, int32_t prio)
{
	/* From -101 to 40 in one, from -1 to 140 in the other. */
	if (p->wakeups == RWK_CTF_PRIO_OPEN && prio != RWK_PRIO_UNKNOWN && (prio < -1 || prio > 40))
		p->wakeups = prio > 40 ? RWK_CTF_PRIO_KERNEL : RWK_CTF_PRIO_LTTNG;
	if (!p->lttng || p->wakeups == RWK_CTF_PRIO_OPEN)
		return RWK_PRIO_UNKNOWN;
	return p->wakeups == RWK_CTF_PRIO_KERNEL ? prio : rwk_ctf_prio_other(p, prio);
}

#endif
