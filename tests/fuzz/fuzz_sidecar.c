/*
 * Any bytes as a machine sidecar: read, turned into a machine that holds together, edited,
 * and offered in place of another.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/variant.h"
#include "target.h"

static void check_machine(const struct rwk_machine *m)
{
	for (int cpu = 0; cpu < m->nr_cpu_ids; cpu++) {
		int llc = m->cpu[cpu].llc;

		if (llc != RWK_NONE && (llc < 0 || llc >= m->nr_llc))
			abort();
	}
}

/* What an edit lets through is sound and has what was asked for. */
static void edit(struct rwk_snapshot *snap, const char *edits, int llc)
{
	struct rwk_anomalies anomalies = {0};
	struct rwk_diag diag = {0};
	struct rwk_machine *m;

	if (rwk_snapshot_edit(snap, edits, &diag)) {
		if (!diag.nr)
			abort();
		return;
	}
	if (rwk_machine_build(snap, "", 0, &anomalies, &diag, &m))
		abort();
	check_machine(m);
	if (m->smt_active || anomalies.of[RWK_AN_BAD_SIDECAR].count)
		abort();
	for (int i = 0; i < m->nr_llc; i++) {
		if (m->llc[i].size > llc)
			abort();
	}
	rwk_machine_destroy(m);
}

/* The machine of path in place of that of snap: the same one, or refused for a reason. */
static void replace(const char *path, const struct rwk_snapshot *snap, const struct rwk_machine *m)
{
	struct rwk_diag diag = {0};
	struct rwk_variant v = {0};

	if (!rwk_variant_open(path, snap, m, &diag, &v))
		check_machine(v.machine);
	else if (!diag.nr)
		abort();
	rwk_variant_finish(&v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rwk_snapshot *snap;
	struct rwk_machine *m;
	struct rwk_anomalies anomalies = {0};
	struct rwk_diag diag = {0};
	char path[64];
	int fd = fuzz_file(data, size, path);

	if (!rwk_snapshot_load(path, &diag, &snap)) {
		if (!rwk_machine_build(snap, "", 4, &anomalies, &diag, &m)) {
			check_machine(m);
			replace(path, snap, m);
			rwk_machine_destroy(m);
		}
		edit(snap, "smt=off,numa=off,llc=2", 2);
		rwk_snapshot_destroy(snap);
	} else if (!diag.nr) {
		abort();
	}
	close(fd);
	return 0;
}
