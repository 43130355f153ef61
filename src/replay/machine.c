/* A machine whose CPUs come and go. */
#include "model/hints.h"
#include "replay/private.h"

void rp_set_machine(struct replay *rp, const struct rwk_machine *machine)
{
	rp->machine = machine;
	rp->nr_online = rwk_cpuset_weight(&machine->online);
	rp->usable = machine->online;
	/* The kernel's scans go by domains, also to a CPU that is gone already. */
	for (int cpu = 0; cpu < machine->nr_cpu_ids; cpu++) {
		if (machine->cpu[cpu].nr_domains)
			rwk_cpuset_add(&rp->usable, cpu);
	}
}

int rp_follow_machine(struct replay *rp, rwk_ns ts, struct rwk_diag *diag)
{
	const struct rwk_machine_changes *changes = &rp->opt->changes;

	while (rp->nr_changes < changes->nr) {
		rwk_ns from = changes->from(changes->ctx, rp->nr_changes);
		struct rwk_machine_change change = {0};
		int err;

		if (from > ts)
			break;
		err = changes->take(changes->ctx, rp->nr_changes, diag, &change);
		if (err)
			return err;
		rp->nr_changes++;
		if (rp->model->now < from)
			rwk_model_advance(rp->model, from);
		rp_set_machine(rp, change.machine);
		rwk_model_set_machine(rp->model, change.machine, change.rebuilt);
		if (rp->elsewhere)
			rwk_elsewhere_set_machine(
				rp->elsewhere, change.elsewhere, rp->model, change.rebuilt);
	}
	return 0;
}
