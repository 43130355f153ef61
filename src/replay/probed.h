/*
 * The picture's CPUs as the kernel had them, where the probe fetched that
 * (record --probe=state): of each value what was probed, else what was rebuilt.
 */
#ifndef SRC_REPLAY_PROBED_H
#define SRC_REPLAY_PROBED_H

#include "model/state.h"

struct rwk_probed;

int rwk_probed_create(int nr_cpus, struct rwk_probed **ret); /* 0 or -ENOMEM */
void rwk_probed_destroy(struct rwk_probed *p);

/*
 * w: a picture of m, whose CPUs become those of p, valid until the next call.  Of
 * the nr CPUs, those that the machine does not have stay out.
 */
void rwk_probed_picture(struct rwk_probed *p, const struct rwk_model *m,
	const struct rwk_probe_cpu *cpu, int nr, struct rwk_wakeup *w);

#endif
