/* Notes as symbolic links: made in one step, and never half written. */
#include "record/trail.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens dir if nobody else can have put anything into it. */
static int open_dir(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || st.st_uid != geteuid() || (st.st_mode & 022)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

int rwk_trail_leave(const char *dir, const struct rwk_owner *owner, const char *parent)
{
	char name[RWK_OWNER_LEN], *full = realpath(parent, NULL);
	int err = 0, fd;

	if (!full)
		return -errno;
	rwk_owner_format(owner, '-', name);
	/* Another recorder may take the directory away between two steps. */
	for (int tries = 0; tries < 3; tries++) {
		if (mkdir(dir, 0700) && errno != EEXIST) {
			err = -errno;
			break;
		}
		fd = open_dir(dir);
		err = fd < 0 ? fd : symlinkat(full, fd, name) ? -errno : 0;
		if (fd >= 0)
			close(fd);
		if (err != -ENOENT)
			break;
	}
	free(full);
	return err;
}

void rwk_trail_clear(const char *dir, const struct rwk_owner *owner)
{
	char name[RWK_OWNER_LEN];
	int fd = open_dir(dir);

	if (fd < 0)
		return;
	rwk_owner_format(owner, '-', name);
	unlinkat(fd, name, 0);
	close(fd);
	rmdir(dir); /* refused while others have notes in it */
}

void rwk_trail_walk(const char *dir,
	void (*visit)(void *ctx, const struct rwk_owner *owner, const char *parent), void *ctx)
{
	int fd = open_dir(dir);
	DIR *notes = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *de;

	if (!notes && fd >= 0)
		close(fd);
	while (notes && (de = readdir(notes))) {
		struct rwk_owner owner;
		char parent[4096];
		const char *rest;
		ssize_t n;

		if (rwk_owner_parse(de->d_name, '-', &owner, &rest) || *rest)
			continue;
		n = readlinkat(dirfd(notes), de->d_name, parent, sizeof(parent));
		if (n <= 0 || (size_t)n >= sizeof(parent))
			continue;
		parent[n] = '\0';
		visit(ctx, &owner, parent);
	}
	if (notes)
		closedir(notes);
}
