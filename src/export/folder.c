/* Writing a folder beside, and exchanging it for the earlier one. */
#include "export/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/temporary.h"

static int fail(struct rwk_diag *diag, int err, const char *path)
{
	return rwk_diag_push(diag, err, "cannot write: folder=%s why=%s", path, strerror(-err));
}

/* Whether the folder is ours, its mark and every other file; an empty one is anybody's. */
static int check_ours(const char *path, const char *mark, rwk_folder_name_fn *is_ours,
	struct rwk_diag *diag, bool *ret_empty)
{
	bool marked = false;
	DIR *d = opendir(path);
	struct dirent *e;
	int err = 0;

	if (!d)
		return fail(diag, -errno, path);
	*ret_empty = true;
	while (!err && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		*ret_empty = false;
		marked |= !strcmp(e->d_name, mark);
		if (!is_ours(e->d_name))
			err = rwk_diag_push(diag, -EEXIST,
				"cannot write: folder=%s why=it holds %s, which is not of an "
				"earlier export",
				path, e->d_name);
	}
	closedir(d);
	if (!err && !*ret_empty && !marked)
		err = rwk_diag_push(diag, -EEXIST,
			"cannot write: folder=%s why=it holds no %s as an earlier export does",
			path, mark);
	return err;
}

/* The place that path means: where links lead, without slashes at the end. */
static char *resolve(const char *path)
{
	char *name = realpath(path, NULL);
	size_t len;

	if (name || errno != ENOENT)
		return name;
	name = strdup(path);
	for (len = name ? strlen(name) : 0; len > 1 && name[len - 1] == '/'; len--)
		name[len - 1] = '\0';
	return name;
}

int rwk_folder_open(struct rwk_folder *f, const char *path, const char *mark,
	rwk_folder_name_fn *is_ours, struct rwk_diag *diag)
{
	bool empty = true;
	struct stat st;
	int err = 0;

	*f = (struct rwk_folder){.fd = -1};
	if (!*path)
		return fail(diag, -ENOENT, path);
	f->path = resolve(path);
	if (!f->path)
		return fail(diag, errno ? -errno : -ENOMEM, path);
	if (!stat(f->path, &st))
		err = S_ISDIR(st.st_mode) ? check_ours(f->path, mark, is_ours, diag, &empty)
					  : fail(diag, -ENOTDIR, path);
	if (err)
		return err;
	f->replaces = !empty;
	rwk_temporary_sweep(f->path);
	f->temporary = rwk_temporary_name(f->path);
	if (!f->temporary)
		return fail(diag, -ENOMEM, path);
	if (mkdir(f->temporary, 0777)) {
		err = -errno;
		free(f->temporary);
		f->temporary = NULL; /* nothing was made */
		return fail(diag, err, path);
	}
	f->fd = open(f->temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return f->fd < 0 ? fail(diag, -errno, path) : 0;
}

static int fail_file(struct rwk_folder *f, struct rwk_diag *diag, int err, const char *name)
{
	return rwk_diag_push(
		diag, err, "cannot write: file=%s/%s why=%s", f->path, name, strerror(-err));
}

int rwk_folder_open_file(struct rwk_folder *f, const char *name, struct rwk_diag *diag, FILE **ret)
{
	int fd = openat(f->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out) {
		int err = -errno;

		if (fd >= 0)
			close(fd);
		return fail_file(f, diag, err, name);
	}
	*ret = out;
	return 0;
}

int rwk_folder_close_file(struct rwk_folder *f, const char *name, FILE *out, struct rwk_diag *diag)
{
	bool failed = fflush(out) || ferror(out);
	int err = failed ? -(errno ?: EIO) : 0;

	/* Some file systems cannot sync; then there is nothing to wait for. */
	if (!err && fsync(fileno(out)) && errno != EINVAL && errno != EROFS)
		err = -errno;
	if (fclose(out) && !err)
		err = -errno;
	return err ? fail_file(f, diag, err, name) : 0;
}

int rwk_folder_finish(struct rwk_folder *f, struct rwk_diag *diag)
{
	int err;

	if (f->replaces && !renameat2(AT_FDCWD, f->temporary, AT_FDCWD, f->path, RENAME_EXCHANGE))
		return 0; /* close() removes the earlier one, which has the temporary's name now */
	/* Not every file system exchanges: then there is no folder at all for a moment. */
	if (f->replaces)
		rwk_temporary_remove(f->path);
	err = rwk_temporary_publish(f->temporary, f->path, true, diag);
	if (!err) {
		free(f->temporary);
		f->temporary = NULL;
	}
	return err;
}

void rwk_folder_close(struct rwk_folder *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->temporary)
		rwk_temporary_remove(f->temporary);
	free(f->temporary);
	free(f->path);
	*f = (struct rwk_folder){.fd = -1};
}
