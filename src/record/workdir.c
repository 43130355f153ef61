/* The recorder's own directory: made beside the output, removed with its content. */
#include "record/workdir.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int rwk_workdir_create(struct rwk_workdir *ret, const char *output, struct rwk_diag *diag)
{
	const char *slash = strrchr(output, '/');
	int dir_len = slash ? (int)(slash - output) + 1 : 0;
	const char *base = slash ? slash + 1 : output;
	struct stat st;
	int err;

	*ret = RWK_WORKDIR_NONE;
	/* Better now than when the recording is to be renamed to it. */
	if (!*base || (!stat(output, &st) && S_ISDIR(st.st_mode)))
		return rwk_diag_push(
			diag, -EISDIR, "cannot record: file=%s why=it names a directory", output);
	if (asprintf(&ret->path, "%.*s.%s.rewake-XXXXXX", dir_len, output, base) < 0) {
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

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0; /* what cannot be removed must not keep the rest */
}

void rwk_workdir_remove(struct rwk_workdir *dir)
{
	if (dir->fd >= 0)
		close(dir->fd);
	if (dir->path)
		nftw(dir->path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	free(dir->path);
	*dir = RWK_WORKDIR_NONE;
}
