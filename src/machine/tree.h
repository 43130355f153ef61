/*
 * Reading a tree of small text files: the live system or a copy of parts of
 * it.  A copy may come from anywhere, so symbolic links in it are not followed:
 * they could only lead out of it.
 */
#ifndef SRC_MACHINE_TREE_H
#define SRC_MACHINE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

struct rwk_tree {
	int fd; /* the root directory */
	bool live; /* the root is "/" */
};

/* 0, or -ENOENT, -ENOTDIR, … with a cause. */
int rwk_tree_open(const char *root, struct rwk_diag *diag, struct rwk_tree *ret);
void rwk_tree_close(struct rwk_tree *tree);

/* Opens path, relative to dir_fd (the root: tree->fd).  The fd, or a negative errno. */
int rwk_tree_open_at(const struct rwk_tree *tree, int dir_fd, const char *path, int flags);

/*
 * The content of a regular file up to its first NUL byte, to be freed.
 * -EFBIG: longer than max bytes; -EINVAL: not a regular file; or open's and read's errors.
 */
int rwk_tree_read(
	const struct rwk_tree *tree, int dir_fd, const char *path, size_t max, char **ret);

/*
 * Calls found(path, data) for each regular file that matches pattern, whose
 * parts between slashes may hold wildcards.  A non-zero answer ends the walk
 * and is returned; directories that cannot be read hold nothing.
 */
int rwk_tree_glob(const struct rwk_tree *tree, const char *pattern,
	int (*found)(const char *path, int dir_fd, const char *name, void *data), void *data);

#endif
