/* The recorder's own directory: made beside the output, removed with its content. */
#include "record/workdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK           ".rewake-"
#define RANDOM_LETTERS "XXXXXX"
#define MAX_BASE       100 /* bytes of the output's name in the directory's */
#define MAX_DEPTH      8 /* the deepest that a recorder makes is 4 */

char *rwk_workdir_parent(const char *output)
{
	const char *slash = strrchr(output, '/');

	if (!slash)
		return strdup(".");
	return strndup(output, slash == output ? 1 : (size_t)(slash - output));
}

int rwk_workdir_create(struct rwk_workdir *ret, const char *output, const struct rwk_owner *owner,
	struct rwk_diag *diag)
{
	const char *slash = strrchr(output, '/');
	int dir_len = slash ? (int)(slash - output) + 1 : 0;
	const char *base = slash ? slash + 1 : output;
	char id[RWK_OWNER_LEN];
	struct stat st;
	int err;

	*ret = RWK_WORKDIR_NONE;
	/* Better now than when the recording is to be renamed to it. */
	if (!*base || (!stat(output, &st) && S_ISDIR(st.st_mode)))
		return rwk_diag_push(
			diag, -EISDIR, "cannot record: file=%s why=it names a directory", output);
	rwk_owner_format(owner, '-', id);
	if (asprintf(&ret->path, "%.*s.%.*s" MARK "%s-" RANDOM_LETTERS, dir_len, output, MAX_BASE,
		    base, id) < 0) {
		ret->path = NULL;
		return rwk_diag_push(diag, -ENOMEM, "cannot record: why=no memory");
	}
	if (!mkdtemp(ret->path)) {
		err = rwk_diag_push(diag, -errno,
			"cannot create a directory beside the output: file=%s why=%s", output,
			strerror(errno));
		free(ret->path);
		ret->path = NULL;
		return err;
	}
	ret->fd = open(ret->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ret->fd < 0) {
		err = rwk_diag_push(diag, -errno, "cannot open directory: dir=%s why=%s", ret->path,
			strerror(errno));
		rwk_workdir_remove(ret);
		return err;
	}
	return 0;
}

int rwk_workdir_parse(const char *name, struct rwk_owner *ret)
{
	const char *mark = NULL, *rest;
	struct rwk_owner owner;

	if (name[0] != '.')
		return -EINVAL;
	/* The output's own name may hold the mark, too. */
	for (const char *p = strstr(name, MARK); p; p = strstr(p + 1, MARK))
		mark = p;
	if (!mark || mark == name || rwk_owner_parse(mark + strlen(MARK), '-', &owner, &rest))
		return -EINVAL;
	if (rest[0] != '-' || strlen(rest + 1) != strlen(RANDOM_LETTERS) || strpbrk(rest + 1, "-."))
		return -EINVAL;
	*ret = owner;
	return 0;
}

static int remove_tree(int parent_fd, const char *name, int depth, bool must_be_ours);

/* Takes fd.  What cannot be removed does not keep the rest. */
static void empty_folder(int fd, int depth)
{
	DIR *dir = fdopendir(fd);
	const struct dirent *de;

	if (!dir) {
		close(fd);
		return;
	}
	while ((de = readdir(dir))) {
		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, ".."))
			continue;
		if (unlinkat(dirfd(dir), de->d_name, 0) && (errno == EISDIR || errno == EPERM) &&
			depth < MAX_DEPTH)
			remove_tree(dirfd(dir), de->d_name, depth + 1, false);
	}
	closedir(dir);
}

static int remove_tree(int parent_fd, const char *name, int depth, bool must_be_ours)
{
	int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return errno == ENOTDIR || errno == ELOOP ? -EPERM : -errno;
	if (must_be_ours &&
		(fstat(fd, &st) || st.st_uid != geteuid() || (st.st_mode & 07777) != 0700)) {
		close(fd);
		return -EPERM;
	}
	empty_folder(fd, depth);
	return unlinkat(parent_fd, name, AT_REMOVEDIR) ? -errno : 0;
}

int rwk_workdir_remove_at(int parent_fd, const char *name)
{
	return remove_tree(parent_fd, name, 0, true);
}

void rwk_workdir_remove(struct rwk_workdir *dir)
{
	/* By the descriptor: whatever the path leads to by now, this is the one we made. */
	if (dir->fd >= 0)
		empty_folder(dir->fd, 0);
	if (dir->path)
		rmdir(dir->path);
	free(dir->path);
	*dir = RWK_WORKDIR_NONE;
}
