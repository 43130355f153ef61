/*
 * Walking and reading a live or copied tree, component by component.
 */
#include "machine/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int rwk_tree_open(const char *root, struct rwk_diag *diag, struct rwk_tree *ret)
{
	char real[PATH_MAX];
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0) {
		int err = -errno;

		return rwk_diag_push(
			diag, err, "cannot open root: dir=%s why=%s", root, strerror(-err));
	}
	ret->fd = fd;
	ret->live = realpath(root, real) && !strcmp(real, "/");
	return 0;
}

void rwk_tree_close(struct rwk_tree *tree)
{
	if (tree->fd >= 0)
		close(tree->fd);
	tree->fd = -1;
}

int rwk_tree_open_at(const struct rwk_tree *tree, int dir_fd, const char *path, int flags)
{
	int at = dir_fd, fd;

	/* A FIFO in a copied tree must not block us, a terminal not become ours. */
	flags |= O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	if (tree->live) {
		fd = openat(dir_fd, path, flags);
		return fd < 0 ? -errno : fd;
	}
	for (;;) {
		char part[NAME_MAX + 1];
		size_t len = strcspn(path, "/");
		bool last = !path[len];

		if (!len || len > NAME_MAX)
			fd = -EINVAL;
		else {
			memcpy(part, path, len);
			part[len] = '\0';
			fd = openat(at, part,
				(last ? flags : O_RDONLY | O_DIRECTORY | O_CLOEXEC) | O_NOFOLLOW);
			if (fd < 0)
				fd = -errno;
		}
		if (at != dir_fd)
			close(at);
		if (fd < 0 || last)
			return fd;
		at = fd;
		path += len + 1;
	}
}

static int read_all(int fd, size_t max, char **ret)
{
	size_t used = 0, cap = 0;
	char *buf = NULL;
	int err;

	/* The size that sysfs and procfs report says nothing, so read until the end. */
	for (;;) {
		ssize_t n;

		if (used + 1 >= cap) {
			size_t want = cap ? cap * 2 : 4096;
			char *p = realloc(buf, want);

			err = -ENOMEM;
			if (!p)
				goto out;
			buf = p;
			cap = want;
		}
		n = read(fd, buf + used, cap - 1 - used);
		if (n < 0 && errno == EINTR)
			continue;
		err = -errno;
		if (n < 0)
			goto out;
		if (!n)
			break;
		used += (size_t)n;
		err = -EFBIG;
		if (used > max)
			goto out;
	}
	buf[used] = '\0';
	*ret = buf;
	return 0;
out:
	free(buf);
	return err;
}

int rwk_tree_read(const struct rwk_tree *tree, int dir_fd, const char *path, size_t max, char **ret)
{
	int fd = rwk_tree_open_at(tree, dir_fd, path, O_RDONLY);
	struct stat st;
	int err;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = -EINVAL;
	else
		err = read_all(fd, max, ret);
	close(fd);
	return err;
}

struct walk {
	const struct rwk_tree *tree;
	int (*found)(const char *path, int dir_fd, const char *name, void *data);
	void *data;
	char path[PATH_MAX];
};

static int walk_dir(struct walk *w, int dir_fd, size_t used, const char *pattern);

/* name is in dir_fd and matches the part before rest; rest is NULL at the last part. */
static int walk_entry(struct walk *w, int dir_fd, size_t used, const char *name, const char *rest)
{
	int n = snprintf(w->path + used, sizeof(w->path) - used, "%s%s", used ? "/" : "", name);
	struct stat st;
	int fd, err;

	if (n < 0 || (size_t)n >= sizeof(w->path) - used)
		return 0;
	if (!rest) {
		if (fstatat(dir_fd, name, &st, w->tree->live ? 0 : AT_SYMLINK_NOFOLLOW) ||
			!S_ISREG(st.st_mode))
			return 0;
		return w->found(w->path, dir_fd, name, w->data);
	}
	fd = rwk_tree_open_at(w->tree, dir_fd, name, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return 0;
	err = walk_dir(w, fd, used + (size_t)n, rest);
	close(fd);
	return err;
}

static int walk_dir(struct walk *w, int dir_fd, size_t used, const char *pattern)
{
	size_t len = strcspn(pattern, "/");
	const char *rest = pattern[len] ? pattern + len + 1 : NULL;
	char part[NAME_MAX + 1];
	const struct dirent *de;
	int fd, err = 0;
	DIR *dir;

	if (len > NAME_MAX)
		return 0;
	memcpy(part, pattern, len);
	part[len] = '\0';
	if (!strpbrk(part, "*?["))
		return walk_entry(w, dir_fd, used, part, rest);

	/* A descriptor of its own: a DIR owns the one it is made of. */
	fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while (!err && (de = readdir(dir))) {
		if (de->d_name[0] != '.' && !fnmatch(part, de->d_name, 0))
			err = walk_entry(w, dir_fd, used, de->d_name, rest);
	}
	closedir(dir);
	return err;
}

int rwk_tree_glob(const struct rwk_tree *tree, const char *pattern,
	int (*found)(const char *path, int dir_fd, const char *name, void *data), void *data)
{
	struct walk w = {.tree = tree, .found = found, .data = data};

	return walk_dir(&w, tree->fd, 0, pattern);
}
