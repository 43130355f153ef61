/* What the running kernel offers to probes, gathered from its own files. */
#ifndef SRC_RECORD_PROBE_FACTS_H
#define SRC_RECORD_PROBE_FACTS_H

#include "record/probe_plan.h"

/* Members and arguments, from a kernel's BTF; what it does not have stays unknown. */
void rwk_probe_facts_from_btf(struct rwk_probe_facts *facts, const struct btf *btf);

/*
 * All but llc_cpu, nr_llc and cpus, which are the caller's to know.  Cannot fail: what
 * cannot be found out is a lack with its reason.  Looks no further than level needs.
 */
void rwk_probe_facts_gather(
	struct rwk_probe_facts *ret, const char *tracing_dir, enum rwk_probe_level level);

#endif
