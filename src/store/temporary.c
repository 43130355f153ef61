/*
 * The file that a run is written to before it has its final name: named after
 * its process, so that what a killed one left can be told from one in use.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "store/temporary.h"

char *rwk_temporary_name(const char *path)
{
	char *name;

	return asprintf(&name, "%s.tmp.%ld", path, (long)getpid()) < 0 ? NULL : name;
}

/* Directory part of path, "." without one; to be freed. */
static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* Folders are flat: nothing below another one is touched. */
static void remove_at(int dir, const char *name)
{
	struct dirent *e;
	DIR *d;
	int fd;

	if (!unlinkat(dir, name, 0) || (errno != EISDIR && errno != EPERM))
		return;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	d = fd < 0 ? NULL : fdopendir(fd);
	while (d && (e = readdir(d)))
		unlinkat(fd, e->d_name, 0);
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	unlinkat(dir, name, AT_REMOVEDIR);
}

void rwk_temporary_remove(const char *path)
{
	remove_at(AT_FDCWD, path);
}

/* The process in "PID" or "PID.part…"; 0: it is no such name. */
static pid_t pid_of(const char *text)
{
	char pid[16];
	size_t len = strcspn(text, ".");
	int64_t v;

	if (len >= sizeof(pid))
		return 0;
	memcpy(pid, text, len);
	pid[len] = '\0';
	return rwk_parse_i64(pid, 1, INT32_MAX, &v) ? 0 : (pid_t)v;
}

void rwk_temporary_sweep(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t len = strlen(base);
	char *dir = directory_of(path);
	DIR *d = dir ? opendir(dir) : NULL;
	struct dirent *e;

	while (d && (e = readdir(d))) {
		pid_t pid = 0;

		if (!strncmp(e->d_name, base, len) && !strncmp(e->d_name + len, ".tmp.", 5))
			pid = pid_of(e->d_name + len + 5);
		/* Only a process that certainly is gone: EPERM means that it lives. */
		if (pid && kill(pid, 0) && errno == ESRCH)
			remove_at(dirfd(d), e->d_name);
	}
	if (d)
		closedir(d);
	free(dir);
}

static int sync_path(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return -errno;
	/* Some file systems cannot sync a directory; then there is nothing to wait for. */
	if (fsync(fd) && errno != EINVAL && errno != EROFS)
		err = -errno;
	close(fd);
	return err;
}

int rwk_temporary_publish(
	const char *temporary, const char *path, bool replace, struct rwk_diag *diag)
{
	char *dir;
	int err = sync_path(temporary, O_RDONLY);

	if (err)
		return rwk_diag_push(
			diag, err, "cannot write: file=%s why=%s", temporary, strerror(-err));
	if (replace) {
		err = rename(temporary, path) ? -errno : 0;
	} else {
		/* Unlike a test and rename() this cannot overwrite what just appeared. */
		err = renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE) ? -errno : 0;
		if (err == -EINVAL) {
			err = link(temporary, path) ? -errno : 0;
			if (!err)
				unlink(temporary);
		}
	}
	if (err)
		return rwk_diag_push(diag, err, "cannot give %s its name: file=%s why=%s",
			temporary, path, strerror(-err));
	dir = directory_of(path);
	err = dir ? sync_path(dir, O_RDONLY | O_DIRECTORY) : -ENOMEM;
	free(dir);
	if (err)
		return rwk_diag_push(
			diag, err, "cannot make the name of %s last: why=%s", path, strerror(-err));
	return 0;
}
