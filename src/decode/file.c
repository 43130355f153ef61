/* Opening and reading the input file. */
#include "decode/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int rwk_file_open(const char *path, struct rwk_diag *diag, struct rwk_file *ret)
{
	struct rwk_file file = {.fd = -1};
	struct stat st;
	int err;

	/* Non-blocking, so that a FIFO is refused below instead of waited for. */
	file.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file.fd < 0 || fstat(file.fd, &st) < 0) {
		err = rwk_diag_push(
			diag, -errno, "cannot open trace: file=%s why=%s", path, strerror(errno));
		goto out;
	}
	if (S_ISDIR(st.st_mode)) {
		err = rwk_diag_push(
			diag, -EISDIR, "cannot open trace: file=%s why=is a directory", path);
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		err = rwk_diag_push(
			diag, -EINVAL, "cannot open trace: file=%s why=not a regular file", path);
		goto out;
	}
	file.size = st.st_size;
	file.path = strdup(path);
	err = file.path ? 0 : -ENOMEM;
out:
	if (err) {
		if (file.fd >= 0)
			close(file.fd);
		return err;
	}
	*ret = file;
	return 0;
}

int rwk_file_temporary(const char *for_what, struct rwk_diag *diag, int *ret_fd)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/rewake-XXXXXX", dir && *dir ? dir : P_tmpdir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return rwk_diag_push(diag, -errno, "cannot make the temporary file of %s: %s",
			for_what, strerror(errno));
	unlink(path);
	*ret_fd = fd;
	return 0;
}

int rwk_file_write(int fd, int64_t offset, const void *data, size_t size)
{
	const char *p = data;

	while (size) {
		ssize_t n = pwrite(fd, p, size, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		offset += n;
		size -= (size_t)n;
	}
	return 0;
}

void rwk_file_close(struct rwk_file *file)
{
	if (!file->path)
		return;
	close(file->fd);
	free(file->path);
	*file = (struct rwk_file){.fd = -1};
}

int64_t rwk_file_read(
	const struct rwk_file *file, int64_t offset, void *buf, size_t size, struct rwk_diag *diag)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n =
			pread(file->fd, (char *)buf + done, size - done, offset + (int64_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return rwk_diag_push(diag, -errno,
				"cannot read: file=%s offset=0x%llx why=%s", file->path,
				(unsigned long long)offset + done, strerror(errno));
		if (!n)
			break;
		done += (size_t)n;
	}
	return (int64_t)done;
}
