/*
 * Inside of a snapshot, for the files of this room that fill one: take.c from a
 * tree, sidecar.c from JSON.  Everybody else uses machine.h.
 */
#ifndef SRC_MACHINE_SNAPSHOT_H
#define SRC_MACHINE_SNAPSHOT_H

#include "machine/machine.h"

/* More than any real machine has; a sidecar beyond it is refused, a tree cut off with an error. */
#define RWK_SNAPSHOT_MAX_FILES (1 << 18)
#define RWK_SNAPSHOT_MAX_TASKS (1 << 20)
#define RWK_SNAPSHOT_MAX_PATH  512
#define RWK_SNAPSHOT_MAX_BYTES (4 << 20) /* of one file */

struct rwk_snapshot_entry {
	char *path;
	char *content; /* NULL: absent */
};

struct rwk_snapshot {
	struct rwk_snapshot_entry *file; /* by path once rwk_snapshot_sort() has run */
	size_t nr_files, cap_files;
	struct rwk_snapshot_task *task; /* by tid, likewise; strings are owned */
	size_t nr_tasks, cap_tasks;
	char *release; /* NULL unknown */
};

/* A path that may name an entry: relative, no empty, "." or ".." part, not too long. */
bool rwk_snapshot_path_ok(const char *path);

/* At the end, unsorted; 0, -ENOMEM, -EINVAL (bad path), -EFBIG (too many, too long). */
int rwk_snapshot_append_file(struct rwk_snapshot *snap, const char *path, const char *content);
/* Copies task and its strings; 0, -ENOMEM, -EFBIG. */
int rwk_snapshot_append_task(struct rwk_snapshot *snap, const struct rwk_snapshot_task *task);
/* Its files and release; no tasks.  0, -ENOMEM, -EFBIG. */
int rwk_snapshot_copy(const struct rwk_snapshot *from, struct rwk_snapshot **ret);
/* Its release becomes that version; unknown if that is.  0 or -ENOMEM. */
int rwk_snapshot_set_kernel(struct rwk_snapshot *snap, struct rwk_version kernel);
/* Frees what one task owns; for an entry that is taken out. */
void rwk_snapshot_task_finish(struct rwk_snapshot_task *task);
/* Puts both in order.  -EEXIST: a path or tid is there twice, order is good all the same. */
int rwk_snapshot_sort(struct rwk_snapshot *snap);

#endif
