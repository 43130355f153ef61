/*
 * The machine snapshot: taken from a live system or a copied tree, saved as a
 * JSON sidecar, and turned into the struct rwk_machine that replay reads.
 *
 * The sidecar keeps the files themselves, path by path, with absent ones named:
 * what they mean is decided when they are read, so that a sidecar taken today
 * serves a reader that knows more.
 *   {"format": "rewake-machine", "version": 1, "release": "6.1…",
 *    "files": {"sys/devices/system/cpu/online": "0-7\n", …: null},
 *    "tasks": [{"tid": 1, "comm": "init", "allowed": "0-7", "policy": 0,
 *               "prio": 120, "cgroup": "/"}, …]}
 * Bytes that are not UTF-8 are escaped as escape.h says.  Entries config/CONFIG_X hold
 * the kernel's build options; whoever recorded may add entries of its own (rewake/…).
 * Of the control groups that tasks are in, and of those around them, the weights are kept
 * (sys/fs/cgroup/…/cpu.weight or cpu.shares, and cpu.idle), and of each task that could be
 * in an autogroup proc/TID/autogroup; groups.h says what they mean.
 */
#ifndef SRC_MACHINE_MACHINE_H
#define SRC_MACHINE_MACHINE_H

#include <stddef.h>
#include <stdio.h>

#include <rewake/machine.h>

#include "base/diag.h"
#include "event/anomaly.h"

struct rwk_snapshot; /* files and tasks, sorted by path and tid */

struct rwk_snapshot_task {
	int32_t tid;
	int32_t policy; /* SCHED_*; RWK_NONE unknown */
	int32_t prio; /* -1…139, or RWK_PRIO_UNKNOWN */
	bool allowed_known;
	struct rwk_cpuset allowed;
	const char *comm, *cgroup; /* bytes; NULL unknown */
	int64_t started; /* ticks since boot, tells tasks of one tid apart; 0: unknown, as in a
			    sidecar */
};

/*
 * Reads every file of design §6.3 under root ("/" for the live system).  Files
 * that the list names without a wildcard and that are not there become absent
 * entries.  with_tasks adds one entry per thread of root/proc.
 * -ENOTDIR/-ENOENT when root is no directory, -ENODATA when it holds nothing of the list.
 */
int rwk_snapshot_take(
	const char *root, bool with_tasks, struct rwk_diag *diag, struct rwk_snapshot **ret);

/* The same of what CPUs share alone, from the live system: a quick look. */
int rwk_snapshot_take_cpus(struct rwk_diag *diag, struct rwk_snapshot **ret);

/* Reads a sidecar; a directory is taken as a root.  -EBADMSG names the JSON line. */
int rwk_snapshot_load(const char *path, struct rwk_diag *diag, struct rwk_snapshot **ret);

/* Writes the sidecar to out.  Sorted, so byte-equal for equal facts. */
int rwk_snapshot_print(const struct rwk_snapshot *snap, FILE *out, struct rwk_diag *diag);

/* As a file: path appears only when complete. */
int rwk_snapshot_save(const struct rwk_snapshot *snap, const char *path, struct rwk_diag *diag);

void rwk_snapshot_destroy(struct rwk_snapshot *snap);

/* An empty one to be filled with rwk_snapshot_add_file, e.g. from a database. */
int rwk_snapshot_create(struct rwk_snapshot **ret);
/* content NULL: absent.  Replaces an entry of that path.  0, -ENOMEM, -EINVAL (path), -EFBIG. */
int rwk_snapshot_add_file(struct rwk_snapshot *snap, const char *path, const char *content);
int rwk_snapshot_set_release(struct rwk_snapshot *snap, const char *release);

/* NULL if absent or never looked for. */
const char *rwk_snapshot_file(const struct rwk_snapshot *snap, const char *path);
/* true: there is such an entry; *ret_content NULL: looked for and absent. */
bool rwk_snapshot_has(const struct rwk_snapshot *snap, const char *path, const char **ret_content);
/* Entries in path order; *ret_content NULL: absent.  false past the end. */
bool rwk_snapshot_file_at(const struct rwk_snapshot *snap, size_t index, const char **ret_path,
	const char **ret_content);
size_t rwk_snapshot_nr_tasks(const struct rwk_snapshot *snap);
const struct rwk_snapshot_task *rwk_snapshot_task_at(const struct rwk_snapshot *snap, size_t index);
const char *rwk_snapshot_release(const struct rwk_snapshot *snap); /* "" unknown */

/*
 * Topology, domains and settings out of a snapshot; snap NULL: nothing known.
 * min_cpus: highest CPU id that the trace uses + 1.  release: the trace's own
 * kernel release, "" to take the snapshot's.  Contradictions are counted in
 * anomalies and what they touch stays unknown.  0, -ENOMEM, -ERANGE (CPU ids
 * from RWK_MAX_CPUS on).
 */
int rwk_machine_build(const struct rwk_snapshot *snap, const char *release, int min_cpus,
	struct rwk_anomalies *anomalies, struct rwk_diag *diag, struct rwk_machine **ret);

void rwk_machine_destroy(struct rwk_machine *m);

const char *rwk_domain_level_name(enum rwk_domain_level level, struct rwk_version kernel);
const char *rwk_feature_name(enum rwk_feature feature);

#endif
