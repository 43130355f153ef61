/* From the machine's topology to what a probe is told. */
#include "cli/llc_cpus.h"

#include <errno.h>
#include <stdlib.h>

int rwk_llc_cpus_find(struct rwk_snapshot *snap, struct rwk_diag *diag, int **ret, int *ret_nr)
{
	struct rwk_machine *m;
	int err = rwk_machine_build(snap, "", 0, NULL, diag, &m), nr = 0;
	int *cpu;

	if (err)
		return err;
	cpu = calloc((size_t)m->nr_llc + 1, sizeof(*cpu));
	for (int i = 0; cpu && i < m->nr_llc; i++) {
		if (m->llc[i].size > 1)
			cpu[nr++] = m->llc[i].first_cpu;
	}
	rwk_machine_destroy(m);
	if (!cpu)
		return rwk_diag_push(diag, -ENOMEM, "out of memory");
	*ret = cpu;
	*ret_nr = nr;
	return 0;
}
