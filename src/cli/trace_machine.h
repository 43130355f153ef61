/* The machine of a trace: its sidecar, the one that the user names, or the trace's own account. */
#ifndef SRC_CLI_TRACE_MACHINE_H
#define SRC_CLI_TRACE_MACHINE_H

#include "decode/decoder.h"
#include "machine/machine.h"

struct rwk_trace_machine {
	struct rwk_snapshot *snap; /* NULL: nothing tells of the machine */
	struct rwk_machine *machine;
	char file[4096]; /* where snap came from, "" nowhere */
};

/*
 * sidecar NULL: the one beside the trace, if any.  *ret, zeroed before, is to be closed
 * after a failure too.  0, or a negative errno with its cause.
 */
int rwk_trace_machine_open(const char *trace, const char *sidecar,
	const struct rwk_trace_info *info, struct rwk_anomalies *anomalies, struct rwk_diag *diag,
	struct rwk_trace_machine *ret);
void rwk_trace_machine_close(struct rwk_trace_machine *tm);

/* By tid, NULL if it is not in the snapshot. */
const struct rwk_snapshot_task *rwk_trace_machine_task(
	const struct rwk_snapshot *snap, int32_t tid);
/* An rwk_affinity_fn; ctx is the snapshot. */
bool rwk_trace_machine_affinity(void *ctx, int32_t tid, struct rwk_cpuset *ret);

#endif
