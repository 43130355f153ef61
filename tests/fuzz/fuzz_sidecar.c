/*
 * Any bytes as a machine sidecar: read, turned into a machine that holds together, also while
 * its CPUs come and go, edited, and offered in place of another.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/epochs.h"
#include "machine/groups.h"
#include "machine/variant.h"
#include "target.h"

#define MAX_EPOCHS 16 /* that machines are built of */

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

/* Whatever rows are followed, each machine on the way is one, and all have the same CPU ids. */
static void follow(const struct rwk_snapshot *snap, const struct rwk_machine *m)
{
	struct rwk_diag diag = {0};
	struct rwk_epochs *e, *again;
	struct rwk_epoch *of;
	size_t nr;

	if (rwk_epochs_open(snap, m, &diag, &e))
		abort();
	nr = rwk_epochs_nr(e);
	of = calloc(nr, sizeof(*of));
	if (!of || !nr || (rwk_epochs_why(e) && nr > 1))
		abort();
	for (size_t i = 0; i < nr; i++) {
		const struct rwk_machine *now;

		of[i] = *rwk_epochs_at(e, i);
		if (i && of[i].from <= of[i - 1].from)
			abort();
		if (i >= MAX_EPOCHS)
			continue;
		if (rwk_epochs_machine(e, i, &diag, &now) || now->nr_cpu_ids != m->nr_cpu_ids)
			abort();
		check_machine(now);
	}
	/* A database that has them gives the same. */
	if (rwk_epochs_snapshot(e)) {
		if (rwk_epochs_restore(snap, m, of, nr, &diag, &again) ||
			rwk_epochs_nr(again) != nr)
			abort();
		rwk_epochs_close(again);
	}
	free(of);
	rwk_epochs_close(e);
}

/* Parents come first, and whatever a task's group is said to be is one. */
static void check_groups(const struct rwk_snapshot *snap)
{
	const struct rwk_task_group *group;
	struct rwk_groups *groups;
	size_t nr;

	if (rwk_groups_build(snap, (struct rwk_version){6, 1, 0}, NULL, &groups))
		abort();
	group = rwk_groups_all(groups, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (group[i].parent < RWK_NONE || group[i].parent >= (int32_t)i ||
			group[i].shares < 2)
			abort();
	}
	for (size_t i = 0; i < rwk_snapshot_nr_tasks(snap); i++) {
		const struct rwk_snapshot_task *t = rwk_snapshot_task_at(snap, i);
		int32_t of = rwk_groups_of(groups, t->tid, t->cgroup);

		if (of < RWK_GROUP_UNKNOWN || of >= (int32_t)nr)
			abort();
	}
	rwk_groups_destroy(groups);
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
			follow(snap, m);
			rwk_machine_destroy(m);
		}
		check_groups(snap);
		edit(snap, "smt=off,numa=off,llc=2", 2);
		rwk_snapshot_destroy(snap);
	} else if (!diag.nr) {
		abort();
	}
	close(fd);
	return 0;
}
