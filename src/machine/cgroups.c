/*
 * Takes the weights of control groups (groups.h): of each group that some task
 * is in and of all around it, top down.
 */
#include "machine/take.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_WEIGHT 4096 /* bytes of such a file */
#define MAX_GROUPS 16384 /* of more groups than that the weights stay unknown */

struct cgroups {
	const struct rwk_tree *tree;
	struct rwk_snapshot *snap;
	const char *base, *weight; /* folder and file name */
	size_t nr; /* groups asked for */
};

static bool is_folder(const struct rwk_tree *tree, const char *path)
{
	int fd = rwk_tree_open_at(tree, tree->fd, path, O_RDONLY | O_DIRECTORY);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool is_file(const struct rwk_tree *tree, const char *path)
{
	int fd = rwk_tree_open_at(tree, tree->fd, path, O_RDONLY);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Controllers may share a hierarchy; systemd links their single names to it. */
static bool find_base(struct cgroups *c, bool v1)
{
	static const char *const v1_bases[] = {
		"sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct", "sys/fs/cgroup/cpuacct,cpu"};

	if (v1) {
		c->weight = "cpu.shares";
		for (size_t i = 0; i < sizeof(v1_bases) / sizeof(v1_bases[0]); i++) {
			if (is_folder(c->tree, v1_bases[i])) {
				c->base = v1_bases[i];
				return true;
			}
		}
		return false;
	}
	c->weight = "cpu.weight";
	if (is_file(c->tree, "sys/fs/cgroup/cgroup.controllers"))
		c->base = "sys/fs/cgroup";
	else if (is_file(c->tree, "sys/fs/cgroup/unified/cgroup.controllers"))
		c->base = "sys/fs/cgroup/unified";
	return c->base != NULL;
}

/* The file's content, or a note that it is absent; nothing where that cannot be told. */
static int take_file(struct cgroups *c, const char *folder, const char *name)
{
	char path[RWK_SNAPSHOT_MAX_PATH + 64], *content = NULL;
	int err;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (!rwk_snapshot_path_ok(path))
		return 0;
	err = rwk_tree_read(c->tree, c->tree->fd, path, MAX_WEIGHT, &content);
	if (err && err != -ENOENT)
		return err == -ENOMEM ? err : 0;
	err = rwk_snapshot_append_file(c->snap, path, content);
	free(content);
	return err;
}

/* name: "/a/b", the first len bytes of it; "" is the base itself. */
static int take_group(struct cgroups *c, const char *name, size_t len)
{
	char path[RWK_SNAPSHOT_MAX_PATH + 1];
	int n, err;

	if (len > RWK_SNAPSHOT_MAX_PATH)
		return 0;
	n = snprintf(path, sizeof(path), "%s%.*s", c->base, (int)len, name);
	if (n < 0 || (size_t)n >= sizeof(path) || !rwk_snapshot_path_ok(path))
		return 0;
	c->nr++;
	/* Of another namespace, or gone: that is no group without a controller. */
	if (!is_folder(c->tree, path))
		return 0;
	err = take_file(c, path, c->weight);
	return err ? err : take_file(c, path, "cpu.idle");
}

/* Component by component, so that what is in a group stands together. */
static int path_cmp(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;

	for (; *x && *x == *y; x++)
		y++;
	if (*x == *y)
		return 0;
	if (!*x || !*y)
		return *x ? 1 : -1;
	if (*x == '/' || *y == '/')
		return *x == '/' ? -1 : 1;
	return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
}

/* How long a part of name, ending between components, last has too. */
static size_t common(const char *last, const char *name)
{
	size_t len = 0;

	for (size_t i = 0;; i++) {
		if ((!last[i] || last[i] == '/') && (!name[i] || name[i] == '/'))
			len = i;
		if (!last[i] || last[i] != name[i])
			return len;
	}
}

/* The groups of name that last did not have. */
static int take_chain(struct cgroups *c, const char *last, const char *name)
{
	size_t at = common(last, name);

	while (name[at] && c->nr < MAX_GROUPS) {
		int err;

		at += 1 + strcspn(name + at + 1, "/");
		err = take_group(c, name, at);
		if (err)
			return err;
	}
	return 0;
}

int rwk_take_cgroups(const struct rwk_tree *tree, bool v1, struct rwk_snapshot *snap)
{
	struct cgroups c = {.tree = tree, .snap = snap};
	const char **name, *last = "";
	size_t nr = 0;
	int err;

	if (!snap->nr_tasks || !find_base(&c, v1))
		return 0;
	name = calloc(snap->nr_tasks, sizeof(*name));
	if (!name)
		return -ENOMEM;
	for (size_t i = 0; i < snap->nr_tasks; i++) {
		const char *group = snap->task[i].cgroup;

		/* The root has no weight, and what is not under it is of another namespace. */
		if (group && group[0] == '/' && group[1])
			name[nr++] = group;
	}
	qsort(name, nr, sizeof(*name), path_cmp);
	err = v1 ? 0 : take_file(&c, c.base, "cgroup.controllers");
	if (!err)
		err = take_group(&c, "", 0);
	for (size_t i = 0; i < nr && !err; i++) {
		err = take_chain(&c, last, name[i]);
		last = name[i];
	}
	free(name);
	return err;
}
