/* Finding and reading the machine of a trace. */
#include "cli/trace_machine.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/changes.h"
#include "machine/groups.h"

/* NAME.dat, NAME.data → NAME.machine.json; other names get it appended. */
static void sidecar_of(const char *trace, char *buf, size_t size)
{
	static const char suffix[] = ".machine.json";
	size_t n = strlen(trace);

	/* Of a folder. */
	while (n > 1 && trace[n - 1] == '/')
		n--;
	if (n > 4 && !memcmp(trace + n - 4, ".dat", 4))
		n -= 4;
	else if (n > 5 && !memcmp(trace + n - 5, ".data", 5))
		n -= 5;
	/* No file has so long a name. */
	if (n + sizeof(suffix) > size)
		n = 0;
	memcpy(buf, trace, n);
	memcpy(buf + n, suffix, sizeof(suffix));
}

/* Only a replay needs the groups; what is wrong with their files is to be told now. */
static int check_groups(
	const struct rwk_trace_machine *tm, struct rwk_anomalies *anomalies, struct rwk_diag *diag)
{
	struct rwk_groups *groups;
	int err = rwk_groups_build(tm->snap, tm->machine->kernel, anomalies, &groups);

	if (err)
		return rwk_diag_push(diag, err, "cannot read task groups: out of memory");
	rwk_groups_destroy(groups);
	return 0;
}

/* What the trace itself tells of its machine, as a snapshot. */
static int snapshot_of_trace(const char *trace, const struct rwk_trace_info *info,
	struct rwk_diag *diag, struct rwk_trace_machine *tm)
{
	int err = rwk_snapshot_create(&tm->snap);

	for (size_t i = 0; i < info->nr_facts && !err; i++)
		err = rwk_snapshot_add_file(tm->snap, info->fact[i].path, info->fact[i].content);
	if (!err)
		err = rwk_snapshot_set_release(tm->snap, info->release);
	if (err)
		return rwk_diag_push(diag, err, "cannot keep what the trace tells of its machine");
	snprintf(tm->file, sizeof(tm->file), "%s", trace);
	return 0;
}

int rwk_trace_machine_open(const char *trace, const char *sidecar,
	const struct rwk_trace_info *info, struct rwk_anomalies *anomalies, struct rwk_diag *diag,
	struct rwk_trace_machine *ret)
{
	int err;

	if (sidecar) {
		snprintf(ret->file, sizeof(ret->file), "%s", sidecar);
	} else {
		sidecar_of(trace, ret->file, sizeof(ret->file));
		if (!strcmp(trace, "-") || access(ret->file, F_OK))
			ret->file[0] = '\0';
	}
	if (ret->file[0]) {
		err = rwk_snapshot_load(ret->file, diag, &ret->snap);
		if (err)
			return err;
	} else if (info->nr_facts) {
		err = snapshot_of_trace(trace, info, diag, ret);
		if (err)
			return err;
	}
	err = rwk_machine_build(
		ret->snap, info->release, info->nr_cpus, anomalies, diag, &ret->machine);
	return err ? err : check_groups(ret, anomalies, diag);
}

void rwk_trace_machine_close(struct rwk_trace_machine *tm)
{
	rwk_machine_destroy(tm->machine);
	rwk_snapshot_destroy(tm->snap);
	*tm = (struct rwk_trace_machine){0};
}

const struct rwk_snapshot_task *rwk_trace_machine_task(const struct rwk_snapshot *snap, int32_t tid)
{
	size_t low = 0, high = rwk_snapshot_nr_tasks(snap);

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct rwk_snapshot_task *t = rwk_snapshot_task_at(snap, mid);

		if (t->tid == tid)
			return t;
		if (t->tid < tid)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

bool rwk_trace_machine_affinity(void *ctx, int32_t tid, struct rwk_cpuset *ret)
{
	const struct rwk_snapshot_task *t = rwk_trace_machine_task(ctx, tid);

	/* One that changed meanwhile was neither the old nor the new one all the time. */
	if (!t || !t->allowed_known || rwk_changes_of_affinity(ctx, tid))
		return false;
	*ret = t->allowed;
	return true;
}
