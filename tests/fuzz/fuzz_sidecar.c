/* Any bytes as a machine sidecar: read, and turned into a machine that holds together. */
#include <stdlib.h>
#include <unistd.h>

#include "machine/machine.h"
#include "target.h"

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
			for (int cpu = 0; cpu < m->nr_cpu_ids; cpu++) {
				int llc = m->cpu[cpu].llc;

				if (llc != RWK_NONE && (llc < 0 || llc >= m->nr_llc))
					abort();
			}
			rwk_machine_destroy(m);
		}
		rwk_snapshot_destroy(snap);
	} else if (!diag.nr) {
		abort();
	}
	close(fd);
	return 0;
}
