/*
 * The snapshot as a container: files by path and tasks by tid, both owned and
 * both sorted, so that a look-up is a binary search and a sidecar of the same
 * facts is the same bytes.  What the files mean is topology.c's business.
 */
#include "machine/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

int rwk_snapshot_create(struct rwk_snapshot **ret)
{
	struct rwk_snapshot *snap = calloc(1, sizeof(*snap));

	if (!snap)
		return -ENOMEM;
	*ret = snap;
	return 0;
}

void rwk_snapshot_task_finish(struct rwk_snapshot_task *task)
{
	free((void *)(uintptr_t)task->comm);
	free((void *)(uintptr_t)task->cgroup);
}

void rwk_snapshot_destroy(struct rwk_snapshot *snap)
{
	if (!snap)
		return;
	for (size_t i = 0; i < snap->nr_files; i++) {
		free(snap->file[i].path);
		free(snap->file[i].content);
	}
	for (size_t i = 0; i < snap->nr_tasks; i++)
		rwk_snapshot_task_finish(&snap->task[i]);
	free(snap->file);
	free(snap->task);
	free(snap->release);
	free(snap);
}

bool rwk_snapshot_path_ok(const char *path)
{
	const char *part = path;

	if (strlen(path) > RWK_SNAPSHOT_MAX_PATH)
		return false;
	for (;;) {
		size_t len = strcspn(part, "/");

		if (!len || (len == 1 && part[0] == '.') || (len == 2 && !memcmp(part, "..", 2)))
			return false;
		if (!part[len])
			return true;
		part += len + 1;
	}
}

static int entry_init(struct rwk_snapshot_entry *ret, const char *path, const char *content)
{
	struct rwk_snapshot_entry entry = {0};

	if (!rwk_snapshot_path_ok(path))
		return -EINVAL;
	if (content && strlen(content) > RWK_SNAPSHOT_MAX_BYTES)
		return -EFBIG;
	entry.path = strdup(path);
	if (content)
		entry.content = strdup(content);
	if (!entry.path || (content && !entry.content)) {
		free(entry.path);
		free(entry.content);
		return -ENOMEM;
	}
	*ret = entry;
	return 0;
}

static int grow_files(struct rwk_snapshot *snap)
{
	if (snap->nr_files == RWK_SNAPSHOT_MAX_FILES)
		return -EFBIG;
	return rwk_vec_grow(&snap->file, &snap->cap_files, snap->nr_files + 1, sizeof(*snap->file));
}

int rwk_snapshot_append_file(struct rwk_snapshot *snap, const char *path, const char *content)
{
	int err = grow_files(snap);

	if (!err)
		err = entry_init(&snap->file[snap->nr_files], path, content);
	if (!err)
		snap->nr_files++;
	return err;
}

int rwk_snapshot_append_task(struct rwk_snapshot *snap, const struct rwk_snapshot_task *task)
{
	struct rwk_snapshot_task copy = *task;
	int err;

	if (snap->nr_tasks == RWK_SNAPSHOT_MAX_TASKS)
		return -EFBIG;
	err = rwk_vec_grow(&snap->task, &snap->cap_tasks, snap->nr_tasks + 1, sizeof(*snap->task));
	if (err)
		return err;
	copy.comm = task->comm ? strdup(task->comm) : NULL;
	copy.cgroup = task->cgroup ? strdup(task->cgroup) : NULL;
	if ((task->comm && !copy.comm) || (task->cgroup && !copy.cgroup)) {
		rwk_snapshot_task_finish(&copy);
		return -ENOMEM;
	}
	snap->task[snap->nr_tasks++] = copy;
	return 0;
}

static int entry_cmp(const void *a, const void *b)
{
	const struct rwk_snapshot_entry *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static int task_cmp(const void *a, const void *b)
{
	const struct rwk_snapshot_task *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

int rwk_snapshot_sort(struct rwk_snapshot *snap)
{
	int err = 0;

	if (snap->nr_files)
		qsort(snap->file, snap->nr_files, sizeof(*snap->file), entry_cmp);
	for (size_t i = 1; i < snap->nr_files; i++) {
		if (!entry_cmp(&snap->file[i - 1], &snap->file[i]))
			err = -EEXIST;
	}
	if (snap->nr_tasks)
		qsort(snap->task, snap->nr_tasks, sizeof(*snap->task), task_cmp);
	for (size_t i = 1; i < snap->nr_tasks; i++) {
		if (snap->task[i - 1].tid == snap->task[i].tid)
			err = -EEXIST;
	}
	return err;
}

/* Index of path, or where it belongs. */
static size_t locate(const struct rwk_snapshot *snap, const char *path, bool *ret_found)
{
	size_t lo = 0, hi = snap->nr_files;

	*ret_found = false;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int cmp = strcmp(snap->file[mid].path, path);

		if (!cmp) {
			*ret_found = true;
			return mid;
		}
		if (cmp < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int rwk_snapshot_add_file(struct rwk_snapshot *snap, const char *path, const char *content)
{
	struct rwk_snapshot_entry entry;
	bool found;
	size_t at = locate(snap, path, &found);
	int err = found ? 0 : grow_files(snap);

	if (!err)
		err = entry_init(&entry, path, content);
	if (err)
		return err;
	if (found) {
		free(snap->file[at].path);
		free(snap->file[at].content);
	} else {
		memmove(&snap->file[at + 1], &snap->file[at],
			(snap->nr_files - at) * sizeof(*snap->file));
		snap->nr_files++;
	}
	snap->file[at] = entry;
	return 0;
}

int rwk_snapshot_set_release(struct rwk_snapshot *snap, const char *release)
{
	/* Read from files that end in a newline; a release has no blanks inside either. */
	char *copy = strndup(release, strcspn(release, " \t\r\n"));

	if (!copy)
		return -ENOMEM;
	free(snap->release);
	snap->release = copy;
	return 0;
}

int rwk_snapshot_set_kernel(struct rwk_snapshot *snap, struct rwk_version kernel)
{
	char release[64] = "";

	if (kernel.major)
		snprintf(release, sizeof(release), "%d.%d.%d", kernel.major, kernel.minor,
			kernel.patch);
	return rwk_snapshot_set_release(snap, release);
}

int rwk_snapshot_copy(const struct rwk_snapshot *from, struct rwk_snapshot **ret)
{
	struct rwk_snapshot *snap;
	int err = rwk_snapshot_create(&snap);

	if (err)
		return err;
	for (size_t i = 0; !err && i < from->nr_files; i++)
		err = rwk_snapshot_append_file(snap, from->file[i].path, from->file[i].content);
	if (!err)
		err = rwk_snapshot_set_release(snap, rwk_snapshot_release(from));
	if (err)
		rwk_snapshot_destroy(snap);
	else
		*ret = snap;
	return err;
}

const char *rwk_snapshot_release(const struct rwk_snapshot *snap)
{
	return snap->release ? snap->release : "";
}

const char *rwk_snapshot_file(const struct rwk_snapshot *snap, const char *path)
{
	bool found;
	size_t at = locate(snap, path, &found);

	return found ? snap->file[at].content : NULL;
}

bool rwk_snapshot_has(const struct rwk_snapshot *snap, const char *path, const char **ret_content)
{
	bool found;
	size_t at = locate(snap, path, &found);

	if (found)
		*ret_content = snap->file[at].content;
	return found;
}

bool rwk_snapshot_file_at(const struct rwk_snapshot *snap, size_t index, const char **ret_path,
	const char **ret_content)
{
	if (index >= snap->nr_files)
		return false;
	*ret_path = snap->file[index].path;
	*ret_content = snap->file[index].content;
	return true;
}

size_t rwk_snapshot_nr_tasks(const struct rwk_snapshot *snap)
{
	return snap->nr_tasks;
}

const struct rwk_snapshot_task *rwk_snapshot_task_at(const struct rwk_snapshot *snap, size_t index)
{
	return index < snap->nr_tasks ? &snap->task[index] : NULL;
}
